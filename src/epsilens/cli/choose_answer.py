"""The work of ``epsilens choose``: reading, choosing, and the answer with its companions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from epsilens.cli.choose_checks import Request
from epsilens.cli.options import table_from
from epsilens.errors import ParameterError

if TYPE_CHECKING:
    from epsilens.choice.choose.budget_choice import BudgetChoice
    from epsilens.table.hierarchy import Situations

_PYTHON_NAMES = {
    "max_risk": "--max-risk",
    "max_people": "--max-people",
    "max_error": "--max-error",
    "size_model": "--size-model",
}
_WORDS = "aggregate|attack|attributes|delta|match|measure|mechanism|neighbours|prior|rare|shares|alpha|codes"


@contextmanager
def in_option_words(measure: str) -> Iterator[None]:
    """Errors of the library in the spelling of the command line: --max-risk and not max_risk."""
    try:
        yield
    except ParameterError as problem:
        raise ParameterError(spelt_as_options(str(problem))) from None
    except TypeError as problem:
        if "unexpected keyword argument" not in str(problem):
            raise
        option = str(problem).rsplit("'", 2)[-2].replace("_", "-")
        raise ParameterError(f"measure {measure!r} has no option --{option}; leave it out") from None


def spelt_as_options(text: str) -> str:
    """``max_risk`` as --max-risk, ``aggregate='mean'`` as --aggregate mean, a leading ``prior must`` as --prior."""
    for name, option in _PYTHON_NAMES.items():
        text = re.sub(rf"(?<![-\w]){name}\b", option, text)
    text = text.replace("use parameter='epsilon', or 'discrete-gaussian'", "leave out --rho, or use discrete-gaussian")
    text = re.sub(rf"(?<![-\w])({_WORDS})='([^']*)'", r"--\1 \2", text)
    text = re.sub(rf"^({_WORDS}) (must|needs?|belongs)\b", r"--\1 \2", text)
    return re.sub(rf"\b(leave|raise) ({_WORDS})\b", r"\1 --\2", text)


def chosen(request: Request, given: dict[str, Any]) -> BudgetChoice:
    """The data read, and the budget chosen."""
    from epsilens.choice.choose.choosing import choose_budget
    from epsilens.cli.terminal import working
    from epsilens.noise import MECHANISMS

    data = _situations(given) if given["levels"] else table_from(given)
    with working("Scanning budgets") as progress:
        return choose_budget(
            data,
            given["mechanism"],
            request.max_risk,
            given["measure"],
            given["aggregate"],
            request.max_people,
            request.max_error,
            request.delta if MECHANISMS[given["mechanism"]].has_delta else None,
            given["neighbours"],
            "rho" if given["in_rho"] else "epsilon",
            progress=progress,
            **request.options,
        )


def _situations(given: dict[str, Any]) -> Situations:
    from epsilens.cli.terminal import working
    from epsilens.table.hierarchy import Hierarchy

    rare = int(given["rare"] or 1)
    with working("Counting people"):
        hierarchy = Hierarchy.read(
            given["source"], given["levels"], given["by"], given["table"], given["count"], given["codes"] or "unique"
        )
        return hierarchy.situations(rare)


def answered(choice: BudgetChoice, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    """The JSON of the answer, with its companions and its words."""
    from epsilens.choice.beside.frontier import at_matched_risk, lever_effects
    from epsilens.choice.choose.dial import risk_dial
    from epsilens.noise import MECHANISMS
    from epsilens.report.words.choose import choice_sentences

    dial = choice.dial
    answer = choice.to_dict() | {"aggregate_words": dial.aggregate.words}
    if given["levels"]:
        answer["levels"] = list(given["levels"])
    if request.profile is not None:
        answer |= _profile(choice, request)
    if choice.noises:
        answer["worst_case"] = _worst_case(choice, request.options.get("prior", 0.5))
    if given["against"] is not None:
        delta = request.delta if MECHANISMS[given["against"]].has_delta else None
        other = risk_dial(
            dial.data, given["against"], dial.aggregate, dial.measure, delta, dial.neighbours, dial.parameter,
            **request.options,
        )  # fmt: skip
        found = at_matched_risk(dial, other, choice.max_risk)
        answer["matched_risk"] = None if found is None else found.to_dict()
    if given["with_levers"]:
        effects = lever_effects(
            dial.table, choice.finite_budget, dial.mechanism, dial.delta, dial.measure, dial.aggregate, dial.neighbours,
            dial.parameter, **request.options,
        )  # fmt: skip
        answer["levers"] = [effect.to_dict() for effect in effects]
    answer["sentences"] = choice_sentences(answer)
    return answer


def _worst_case(choice: BudgetChoice, prior: float) -> dict[str, Any] | None:
    """From the mechanism's own law where a person is in one count per level; else what a pure epsilon permits."""
    from epsilens.choice.beside.worst_case import worst_case_of, worst_case_permitted
    from epsilens.noise import MECHANISMS

    dial = choice.dial
    if dial.attack is not None or dial.table.max_rows_per_unit == 1:
        return worst_case_of(choice.noises, dial.neighbours, prior).to_dict()
    if dial.parameter == "rho" or MECHANISMS[dial.mechanism].has_delta:
        return None
    return worst_case_permitted(choice.finite_budget, prior).to_dict() | {"from": "epsilon alone"}


def _profile(choice: BudgetChoice, request: Request) -> dict[str, Any]:
    """What the profile allows, and the budget that meets the ceiling as well."""
    from epsilens.choice.beside.profile_mechanisms import profile_cap

    assert request.profile is not None
    cap, allowed = profile_cap(request.profile, choice.dial)
    return {
        "profile": allowed,
        "combined_budget": choice.capped(cap),
        "public_budget": choice.public_budget_within(cap),
    }
