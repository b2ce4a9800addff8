"""Plain and true sentences about results, the same ones in the terminal, in reports and in the workbench."""

from __future__ import annotations

from epsilens.budget import Budget
from epsilens.choice.assessment import Assessment, AttributeToday, BudgetLine
from epsilens.notebook import INTERNAL as INTERNAL


def percent(share: float) -> str:
    """A share in per cent with one decimal; tiny but positive shares say so, as do those just below all."""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    return f"{100 * share:.1f} %"


def whole_percent(share: float) -> str:
    """A share in whole per cent; nothing is called 0 or 100 % that is not."""
    if 0 < share < 0.005:
        return "< 1 %"
    if 0.995 <= share < 1:
        return "> 99 %"
    return f"{100 * share:.0f} %"


def number(value: int) -> str:
    """A whole number with thousands separators."""
    return f"{value:,}"


def counted(value: int, thing: str) -> str:
    """``1 release``, ``2,000 releases``."""
    return f"{value:,} {thing}{'' if value == 1 else 's'}"


def budget_text(budget: Budget) -> str:
    """``epsilon = 1, delta = 1e-06``."""
    return ", ".join(f"{name} = {value:g}" for name, value in vars(budget).items())


def belief_sentence(line: BudgetLine, whom: str = "people") -> str:
    """What an attacker who believes single-label cells gets, for a person of this table."""
    thing = line.sensitive
    belief = line.belief
    if belief.right + belief.wrong == 0:
        return f"At {budget_text(line.budget)}, no cell shows a single {thing}."
    return (
        f"At {budget_text(line.budget)}, {percent(belief.right)} of {whom} are in cells that show a single {thing} and "
        f"it is theirs, {percent(belief.wrong)} in cells that show a wrong one; believing such cells is right "
        f"{whole_percent(belief.precision)} of the time, against {whole_percent(belief.guessing)} by guessing the "
        f"commonest {thing}."
    )


def today_sentences(assessment: Assessment, attribute: AttributeToday) -> list[str]:
    """What is at risk before any noise."""
    d = attribute.diagnostics
    whom = assessment.whom
    disclosed = f"{number(d.people_in_homogeneous_cells)} of {number(assessment.people)} {whom}"
    return [
        f"{number(assessment.people)} {whom} in {number(assessment.cells)} cells of "
        f"{len(assessment.quasi_identifiers)} quasi-identifiers; {attribute.sensitive} has {attribute.labels} values.",
        f"Published as it is, {number(d.homogeneous_cells)} cells show a single {attribute.sensitive}: {disclosed} "
        f"({percent(attribute.belief.right)}) are disclosed to anyone who knows their quasi-identifiers.",
        f"{number(d.sample_uniques)} {whom} are alone in their cell.",
    ]
