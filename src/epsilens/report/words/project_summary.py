"""What a project says so far, in a few words, and what one step changed in it. From its declarations alone, no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from epsilens.report.words.addresses import safe_address
from epsilens.report.words.common import joined, percent

Sections: TypeAlias = Mapping[str, Mapping[str, Any]]
"""A project as its file has it: sections of plain values."""

MOST_NAMES = 8
"""Names that a line lists before it counts the others."""
LONGEST = 40
"""Letters of a value that a step shows."""
NOT_YET = "not chosen yet"
SHARES = ("max_risk", "max_wrong")
"""Shares between 0 and 1, which people read in per cent."""
STEPS = {
    "source": "data",
    "quasi_identifiers": "known to others",
    "harmful": "harmful values",
    "where": "rows",
    "universe": "values that could occur",
    "unit": "column that names the person",
    "max_rows_per_unit": "rows of a person",
    "count": "column of counts",
    "mechanisms": "noise",
    "mechanism": "noise",
    "epsilons": "budgets to look at",
    "deltas": "delta",
    "neighbours": "what the noise hides",
    "measures": "measures of risk",
    "max_risk": "highest risk",
    "max_people": "people who may be above it",
    "max_error": "largest error of a count",
    "max_wrong": "people wrongly shown",
    "aggregate_by": "whose risk the ceiling is on",
    "out": "file to write",
    "marginal": "tables",
}
"""What a step calls what it changed, as the pages do; anything else is called by its name in the file."""


def summary_rows(sections: Sections) -> list[tuple[str, str]]:
    """What was chosen, by what it is about; the data and the budget are there even where they are still open."""
    data, noise, risk = (_section(sections, name) for name in ("data", "noise", "risk"))
    release = _section(sections, "release")
    mechanisms = _names(release.get("mechanism") or noise.get("mechanisms") or noise.get("mechanism"))
    found = [
        ("Data", _data(data)),
        ("Known to others", _names(data.get("quasi_identifiers"))),
        ("Sensitive", _names(data.get("sensitive"))),
        ("Bins", _pairs(data.get("bins"))),
        ("Harmful values", _pairs(data.get("harmful"))),
        ("Rows", _pairs(data.get("where"))),
        ("Person", _person(data, release)),
        ("Noise", mechanisms),
        ("Ceiling", _ceilings(risk)),
        ("Budget", _amounts({**noise, **release}, "") or NOT_YET),
        ("Ledger", _ledger(_section(sections, "ledger"))),
    ]
    return [(about, said) for about, said in found if said]


def changed_words(before: Sections, after: Sections) -> str:
    """What one step changed: ``highest risk 5 % -> 10 %``; of several the first, and how many more there are."""
    steps = []
    for section in dict.fromkeys([*before, *after]):
        old, new = _section(before, section), _section(after, section)
        for name in dict.fromkeys([*old, *new]):
            if old.get(name) != new.get(name):
                called = STEPS.get(name, name.replace("_", " "))
                steps.append(f"{called} {_step(name, old.get(name))} -> {_step(name, new.get(name))}")
    if not steps:
        return "nothing"
    return steps[0] if len(steps) == 1 else f"{steps[0]} and {len(steps) - 1} more"


def _section(sections: Sections, name: str) -> Mapping[str, Any]:
    return sections.get(name, {})


def _data(data: Mapping[str, Any]) -> str:
    source = data.get("source")
    if not source:
        return NOT_YET
    table = f", table {data['table']}" if data.get("table") else ""
    counts = f", counts in {data['count']}" if data.get("count") else ""
    return f"{_place(str(source))}{table}{counts}"


def _place(source: str) -> str:
    """A file by its name; an address without who logs in."""
    scheme, slashes, rest = source.partition("://")
    if slashes:
        return safe_address(f"{scheme}://{rest.rpartition('@')[2]}")
    return source.replace("\\", "/").rstrip("/").rpartition("/")[2] or source


def _person(data: Mapping[str, Any], release: Mapping[str, Any]) -> str:
    unit = data.get("unit") or release.get("unit")
    if unit:
        rows = data.get("max_rows_per_unit") or data.get("max_rows") or release.get("max_rows") or 1
        return f"named by {unit}, at most {rows} {'row' if rows == 1 else 'rows'} each"
    return "one row each" if data.get("one_row_per_person") or release.get("one_row_per_person") else ""


def _ceilings(risk: Mapping[str, Any]) -> str:
    said = []
    if risk.get("max_risk") is not None:
        measures = _names(risk.get("measures") or risk.get("measure"))
        said.append(f"risk at most {_percent(risk['max_risk'])}{f' ({measures})' if measures else ''}")
    for name, words in (("max_people", "people above it at most"), ("max_error", "error of a count at most")):
        if risk.get(name) is not None:
            said.append(f"{words} {risk[name]}")
    if risk.get("max_wrong") is not None:
        said.append(f"shown wrongly at most {_percent(risk['max_wrong'])}")
    return "; ".join(said)


def _percent(share: Any) -> str:
    """A share in per cent; one that is written ``1/20`` as it is written."""
    return percent(float(share)) if isinstance(share, int | float) else str(share)


def _ledger(ledger: Mapping[str, Any]) -> str:
    if not ledger.get("ledger"):
        return ""
    account = f", account {ledger['account']}" if ledger.get("account") else ""
    total = _amounts(ledger, "total_")
    return f"{_place(str(ledger['ledger']))}{account}{f', opened with {total}' if total else ''}"


def _amounts(values: Mapping[str, Any], prefix: str) -> str:
    """``epsilon 0.5, delta 1e-06``, as it was written."""
    given = [(name, values.get(f"{prefix}{name}")) for name in ("epsilon", "rho", "delta")]
    return ", ".join(f"{name} {_number(value)}" for name, value in given if value is not None)


def _number(value: Any) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _names(value: Any) -> str:
    """Names in a row, whether they were written as one text or as several."""
    if not value:
        return ""
    names = [part.strip() for part in value.split(",")] if isinstance(value, str) else [str(name) for name in value]
    return joined(names, most=MOST_NAMES)


def _pairs(value: Any) -> str:
    """``age 10``, whether it was written ``age=10`` or as a mapping."""
    if not value:
        return ""
    if isinstance(value, Mapping):
        said = [f"{name} {_plain(rule)}" for name, rule in value.items()]
    else:
        said = [str(text) for text in ([value] if isinstance(value, str) else value)]
    return joined(said, most=MOST_NAMES)


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return _pairs(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return joined([_plain(part) for part in value], most=MOST_NAMES)
    return _number(value)


def _step(name: str, value: Any) -> str:
    """A value of a step, in the words of what it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name in SHARES and isinstance(value, int | float):
        return f"{100 * value:.6g} %"
    return _short(value)


def _short(value: Any) -> str:
    """A value of a step; one that is not there is ``none``."""
    if value is None:
        return "none"
    text = safe_address(_plain(value)) or "none"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
