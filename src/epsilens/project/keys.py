"""What a project may say: its sections, their keys, and what kind of value each key takes.

Keys are the names of parameters in the library, which options of the command line share. A test compares this list with
the options themselves, so that neither can have what the other lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

SCHEMA = 1
"""The version of the file; a newer one is refused."""
SHARED = ("data", "noise", "risk", "ledger", "about")
"""Sections that hold for every command."""
ANSWERED = ("assess", "choose", "knowledge", "compare", "posterior release", "release")
"""Commands that a project answers in Python as well."""

EXPECTED = {
    "text": "text in quotes",
    "word": "text in quotes, or a number",
    "path": "a file name in quotes",
    "flag": "true or false",
    "number": "a number",
    "fraction": 'a number, or a fraction in quotes such as "1/864"',
    "whole": "a whole number",
    "names": "a list of texts",
    "numbers": "a number, or a list of them",
    "fractions": "a number, or a list of them",
    "wholes": "a whole number, or a list of them",
    "alpha": 'a list of numbers, or "moments"',
    "ends": 'a pair of numbers, or text such as "0.01:10"',
    "texts": "text in quotes, or a list of texts",
    "by_column": "a list of texts, or a table of values by column",
    "files_by_column": "a list of texts, or a table of file names by column",
    "universe": "a file name in quotes, or a table of lists by column",
    "zeros": "a file name in quotes, or a list of tables",
}
"""Kinds of values, and how somebody is told what one expects."""
LISTS = ("names", "numbers", "fractions", "wholes", "alpha")
"""Kinds whose values stand behind one option, with commas between them."""

_KINDS = {
    "path": "source plan specification published truth listed ledger out card",
    "flag": "absent allow_continuous clipped consistent keep_negative knee levers may_change_group no_classify "
    "non_negative one_row_per_person reveal_largest rounded scenarios unweighted verified with_audit with_theorems",
    "number": "delta epsilon fixed_epsilon max_gain max_risk max_error max_wrong max_suppressed threshold_delta "
    "total_epsilon total_delta total_rho confidence wait lowest highest mark sensitivity scale rho swapped_share "
    "lower upper",
    "fraction": "prior share sampling_fraction",
    "whole": "max_rows_per_unit max_people family rare largest_set repeats seed cells rows people repetitions bound "
    "n_jobs threads branching public_total n known noisy noisy_parent noisy_siblings siblings points categories "
    "true_category norm k base",
    "names": "quasi_identifiers sensitive mechanisms measures weightings levels by knows systems swap ordered columns "
    "methods targets node",
    "numbers": "epsilons deltas shares thresholds ways terms first shown parents parent_rho values proportions",
    "fractions": "priors",
    "wholes": "labels members sizes",
    "alpha": "alpha",
    "ends": "epsilon_range delta_range",
    "texts": "where missing_values counts plan marginal written published_where",
    "by_column": "bins copies harmful missing",
    "files_by_column": "hierarchy",
    "universe": "universe",
    "zeros": "structural_zeros",
    "word": "profile size_model aggregate_by leaf_prior parent_prior",
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_KIND_OF["plan"] = "path"

_OTHERWISE: dict[str, dict[str, str]] = {
    "choose": {"rho": "flag"},
    "compare": {"k": "wholes", "base": "wholes", "swapped_share": "numbers"},
    "release": {"hierarchy": "names", "plan": "texts"},
    "release-statistics": {"plan": "texts"},
    "cell": {"people": "wholes"},
    "posterior release": {"rho": "numbers"},
    "posterior budget": {"rho": "numbers", "delta": "numbers"},
    "posterior category": {"prior": "fractions", "noisy": "numbers", "known": "numbers"},
    "posterior curve": {"family": "wholes"},
    "posterior family": {"prior": "fractions"},
    "posterior levels": {"rho": "numbers", "family": "wholes"},
    "posterior noise": {"rho": "numbers"},
    "posterior postprocess": {"rho": "numbers"},
    "posterior sequence": {"rho": "numbers", "noisy": "numbers"},
    "posterior single": {"noisy": "numbers", "family": "wholes", "prior": "fractions"},
    "posterior two-level": {"rho": "numbers", "published": "flag"},
    "sensitivity histogram-tree": {"levels": "whole", "published": "flag"},
    "sensitivity covariance": {"lower": "numbers", "upper": "numbers", "published": "flag"},
    "sensitivity mean": {"lower": "numbers", "upper": "numbers", "published": "flag"},
    "sensitivity variance": {"lower": "numbers", "upper": "numbers", "published": "flag"},
    "sensitivity pooled-variance": {"lower": "numbers", "upper": "numbers", "published": "flag"},
    "sensitivity pooled-covariance": {"lower": "numbers", "upper": "numbers", "published": "flag"},
    "sensitivity count": {"published": "flag"},
    "sensitivity histogram": {"published": "flag"},
    "sensitivity proportion": {"published": "flag"},
    "sensitivity proportions": {"published": "flag"},
}
"""Keys that mean something else in one command than in the others."""

_ROWS = "where copies missing missing_values unit max_rows_per_unit"
ENGINE_KEYS = ("engine", "memory_limit", "threads", "spark_master")
_ENGINE = " ".join(ENGINE_KEYS)
_TABLE = f"source table quasi_identifiers sensitive bins count universe harmful {_ROWS} {_ENGINE}"
_ASSESSED = (
    "mechanisms epsilons deltas measures size_model size_fit alpha match unweighted weightings neighbours repeats seed "
    "scenarios cells axis epsilon_range delta_range knee publish budget_of sampling_fraction"
)
_PAID = "ledger account total_epsilon total_delta total_rho composition plan"
_SENSITIVITY = "neighbours verified published"
_MOMENTS = f"n lower upper {_SENSITIVITY}"
_POOLED = f"sizes lower upper may_change_group reveal_largest {_SENSITIVITY}"
_COMMANDS = {
    "demo": f"rows people harmful {_ASSESSED}",
    "assess": f"{_TABLE} structural_zeros household weight {_ASSESSED}",
    "choose": f"{_TABLE} structural_zeros max_risk max_gain max_people max_error max_wrong profile mechanism delta "
    "fixed_epsilon rho measure aggregate_by attributes publish budget_of match size_model size_fit alpha prior family "
    "levels by codes attack rare shares neighbours against levers",
    "knowledge": f"{_TABLE} structural_zeros mechanisms epsilons deltas knows share largest_set neighbours",
    "cell": "people labels counts mechanisms epsilons deltas match neighbours axis epsilon_range delta_range",
    "utility": f"{_TABLE} structural_zeros mechanisms epsilons deltas ways sanitised publish budget_of keep_negative "
    "neighbours repetitions seed",
    "sequence": f"plan match delta {_ENGINE}",
    "posterior budget": "rho delta",
    "posterior category": "categories prior true_category noisy known rho first",
    "posterior census-2020": "delta",
    "posterior curve": "lowest highest points priors family absent",
    "posterior family": "epsilon mechanism delta rho members prior",
    "posterior levels": "rho preset priors family absent",
    "posterior noise": "rho terms",
    "posterior postprocess": "shown siblings rho prior",
    "posterior release": f"source table levels by count codes bins {_ROWS} {_ENGINE} rho preset prior attack family "
    "rare thresholds",
    "posterior sequence": "rho noisy known family absent prior",
    "posterior single": "noisy known family absent rho mechanism epsilon delta prior scenario",
    "posterior tree": "specification prior leaf_prior family",
    "posterior two-level": "noisy noisy_parent noisy_siblings parents siblings rho parent_rho known family absent "
    "prior parent_prior published",
    "compare": f"{_TABLE} systems epsilons repetitions k swap swapped_share base bound ordered hierarchy group "
    "equal_risk prior with_audit with_theorems no_classify n_jobs seed",
    "protect": f"{_TABLE} system k base swapped_share swap ordered hierarchy max_suppressed node seed out",
    "sensitivity bounded": "values lower upper sensitivity epsilon scale",
    "sensitivity count": f"max_rows_per_unit {_SENSITIVITY}",
    "sensitivity covariance": _MOMENTS,
    "sensitivity histogram": f"norm max_rows_per_unit {_SENSITIVITY}",
    "sensitivity histogram-tree": f"levels norm {_SENSITIVITY}",
    "sensitivity mean": _MOMENTS,
    "sensitivity pooled-covariance": _POOLED,
    "sensitivity pooled-variance": _POOLED,
    "sensitivity proportion": f"n {_SENSITIVITY}",
    "sensitivity proportions": f"n norm {_SENSITIVITY}",
    "sensitivity study": "sizes epsilons methods proportions targets repetitions seed",
    "sensitivity variance": _MOMENTS,
    "release": f"source table columns sensitive count universe structural_zeros bins {_ROWS} {_ENGINE} "
    f"one_row_per_person mechanism allow_continuous epsilon delta rho neighbours {_PAID} marginal levels hierarchy "
    "tree branching public_total shares threshold_delta rounded non_negative consistent confidence out wait",
    "release-statistics": "source table written listed epsilon shares neighbours n bounding adding_up bins where unit "
    f"max_rows_per_unit one_row_per_person missing_values missing {_ENGINE} {_PAID} confidence out wait",
    "evaluate": f"published truth quasi_identifiers sensitive count truth_count published_table truth_table "
    "published_where claimed epsilon delta rho neighbours rounded clipped card bins universe harmful "
    f"{_ROWS} {_ENGINE} structural_zeros seed",
}

DATA = (*_TABLE.split(), "structural_zeros", "weight", "levels", "by", "codes")
"""Keys of ``data``: where the data are and what their columns mean."""
_SHARED = {
    "data": {name: _KIND_OF.get(name, "text") for name in (*DATA, "fingerprint")},
    "noise": {name: _KIND_OF.get(name, "text") for name in ("mechanisms", "epsilons", "deltas", "neighbours")},
    "risk": {
        name: _KIND_OF.get(name, "text")
        for name in (
            *("measures", "max_risk", "max_gain", "max_people", "max_error", "max_wrong", "profile", "match"),
            *("size_model", "size_fit", "alpha", "weightings", "aggregate_by", "attributes", "publish", "budget_of"),
        )
    },
    "ledger": {name: _KIND_OF.get(name, "text") for name in _PAID.split()} | {"plan": "texts"},
    "about": {
        **dict.fromkeys(
            (
                *("title", "description", "person", "people", "notes", "purpose", "intended_use", "publisher"),
                *("contact", "licence", "region", "sector", "date"),
            ),
            "text",
        ),
        "data_curators": "texts",
        "check_question": "flag",
    },
}

KEYS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        **_SHARED,
        **{
            command: {name: _OTHERWISE.get(command, {}).get(name, _KIND_OF.get(name, "text")) for name in names.split()}
            for command, names in _COMMANDS.items()
        },
    }
)
"""The kind of every key, by section."""
COMMANDS = tuple(_COMMANDS)
"""Commands that a project may have a section of."""
GROUPS = frozenset(command.partition(" ")[0] for command in COMMANDS if " " in command)
"""First words of commands of two words; in a file the second is a table in the first: ``[posterior.release]``."""

OUTPUTS = frozenset(
    (
        *("as_json", "plot", "chart", "report", "publishable", "force", "check", "script", "export", "round_down"),
        *("write", "example", "decision_map_file", "save"),
    )
)
"""Options that are about one run, what it prints, draws and writes; a project has none of them."""
OUTPUTS_OF = {
    "choose": ("epsilon_range", "delta_range"),
    "compare": ("axis",),
    "posterior postprocess": ("axis",),
    "posterior two-level": ("axis",),
    "posterior curve": ("mark",),
}
"""Options that are about charts in one command."""


def is_output(command: str, name: str) -> bool:
    """Whether an option is about one run and not part of a project."""
    return name in OUTPUTS or name in OUTPUTS_OF.get(command, ())


def fits(kind: str, value: Any) -> bool:
    """Whether a value is of a kind; what it then means is checked where it is used."""
    if kind == "flag":
        return isinstance(value, bool)
    if kind in ("text", "path"):
        return isinstance(value, str)
    if kind in ("number", "fraction", "whole", "word"):
        return _scalar(value)
    if kind == "names":
        return isinstance(value, str) or _list_of(value, (str,))
    if kind == "universe":
        return isinstance(value, str | Mapping)
    if kind == "zeros":
        return isinstance(value, str) or _list_of(value, (Mapping,))
    if kind in ("by_column", "files_by_column") and isinstance(value, Mapping):
        return all(_scalar(rule) or _list_of(rule, (str, int, float)) for rule in value.values())
    return _scalar(value) or _list_of(value, (str, int, float))


def _scalar(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _list_of(value: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, list | tuple) and all(
        isinstance(one, kinds) and not isinstance(one, bool) for one in value
    )
