"""Why a risk falls as epsilon grows, told only where it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epsilens.choice.falling import largest_fall
from epsilens.choice.questions.assessment import Assessment, BudgetLine
from epsilens.homogeneity.measures import MEASURES
from epsilens.report.words.common import finer_percent, joined

MIXED = (
    "more noise makes more cells in which people differ look as if all of them had the same value, and some do have it"
)
RARER = "more noise lets rarer values come out on top more often, and some do have them"


def reason(measure: str) -> str:
    """Why less noise may mean less risk."""
    return RARER if MEASURES[measure].sums_over_counts else MIXED


def falling_sentences(assessment: Assessment, lines: Sequence[BudgetLine]) -> Iterator[str]:
    """A sentence where a risk falls between budgets of one mechanism and delta, with the numbers of the first measure.

    ``lines`` are those of one mechanism. Averages that fall alike are told once.
    """
    for average in assessment.question.weightings:
        found: dict[str, tuple[BudgetLine, BudgetLine]] = {}
        for delta in dict.fromkeys(line.delta for line in lines):
            along = sorted((line for line in lines if line.delta == delta), key=lambda line: line.epsilon)
            for measure in assessment.question.measures:
                ends = largest_fall([line.averages[average][measure] for line in along])
                if ends is not None:
                    found.setdefault(measure, (along[ends[0]], along[ends[1]]))
        if found:
            yield _sentence(found, average, assessment)


def _sentence(found: dict[str, tuple[BudgetLine, BudgetLine]], average: str, assessment: Assessment) -> str:
    measure, (first, last) = next(iter(found.items()))
    high, low = finer_percent(first.averages[average][measure], last.averages[average][measure])
    over = ""
    if len(assessment.question.weightings) > 1:
        over = f" (over {assessment.whom if average == 'people' else 'cells'})"
    others = [name for name in found if name != measure]
    too = f" So do {joined(others)}." if len(others) > 1 else f" So does {others[0]}." if others else ""
    return (
        f"The {measure} risk{over} falls from {high} at epsilon = {first.epsilon:g} to {low} at epsilon = "
        f"{last.epsilon:g}: {reason(measure)}.{too}"
    )
