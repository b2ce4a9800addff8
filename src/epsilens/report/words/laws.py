"""The laws that measures rest on, and what printed bounds are worth: beside the risks, in a line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from epsilens.choice.fit_report import UsedLaw
from epsilens.choice.questions.assessment import BudgetLine
from epsilens.homogeneity.fit import GIVEN
from epsilens.homogeneity.measures import MEASURES
from epsilens.homogeneity.published import BoundWarning
from epsilens.report.words.common import BLANK, Block, Note, Text, budget_text, counted

MOST_LABELS = 8
_NAMES = {"poisson": "Poisson", "negative-binomial": "negative binomial", "fixed": "all the same"}


def law_blocks(laws: Sequence[UsedLaw]) -> list[Block]:
    """A sentence per law, its warning below, and what the numbers are; nothing where no measure uses a law."""
    blocks: list[Block] = []
    for law in laws:
        blocks.append(Text(law_sentence(law)))
        if law.fit.message:
            blocks.append(Note(f"Warning: {law.fit.message}."))
    if any(law.fit.distance is not None for law in laws):
        blocks.append(Note("distance: total variation between the cells and the law, 0 the same, 1 disjoint."))
    if any(law.fit.method != GIVEN for law in laws):
        blocks.append(Note("AIC: of laws that were fitted in the same way, the smaller describes the cells better."))
    return [*blocks, BLANK] if blocks else []


def law_sentence(law: UsedLaw) -> str:
    """Which law, with which parameters, how they were found and how well they agree."""
    what = "Sizes of cells" if law.of == "sizes" else "Shares of values"
    found = [law.fit.method]
    if law.fit.distance is not None:
        found.append(f"distance {law.fit.distance:.3g}")
    if law.fit.method != GIVEN:
        found.append(f"AIC {law.fit.aic:.1f}")
    return f"{what} ({', '.join(law.measures)}): {_parameters(law)}; {', '.join(found)}."


def _parameters(law: UsedLaw) -> str:
    if law.of == "shares":
        alpha = law.parameters["alpha"]
        shown = [f"{label} {value:.4g}" for label, value in list(alpha.items())[:MOST_LABELS]]
        more = f" and {len(alpha) - MOST_LABELS} more" if len(alpha) > MOST_LABELS else ""
        return f"Dirichlet with alpha {', '.join(shown)}{more}, sum {sum(alpha.values()):.4g}"
    inflated = law.name.startswith("zero-inflated-")
    base = _NAMES[law.name.removeprefix("zero-inflated-")]
    given = ", ".join(f"{name} {value:.4g}" for name, value in law.parameters.items())
    return f"{'zero-inflated ' if inflated else ''}{base}, {given}"


def bound_notes(lines: Sequence[BudgetLine], bounds: Sequence[Mapping[str, BoundWarning]]) -> list[Block]:
    """What each printed bound is worth at the budget at which most cells are above it."""
    notes: list[Block] = []
    for measure in dict.fromkeys(name for found in bounds for name in found):
        line, found = max(
            zip(lines, bounds, strict=True),
            key=lambda pair: (pair[1][measure].cells_above, pair[1][measure].largest_excess),
        )
        notes.append(Note(_bound_note(measure, found[measure], budget_text(line.budget), len(lines) == 1)))
    return notes


def _bound_note(measure: str, bound: BoundWarning, where: str, only: bool) -> str:
    if not bound:
        place = "here" if only else "at all these budgets"
        return f"{measure}: printed as an upper bound, and it is one {place}."
    by = f"by up to {bound.largest_excess:.2g}"
    if MEASURES[measure].one_risk:
        return f"{measure}: printed as an upper bound, but the exact risk is above it at {where}, {by}."
    above = f"{bound.cells_above:,} of {counted(bound.n_cells, 'cell')}"
    why = "; it weights the size that was observed instead of averaging over sizes" if "marginal" in measure else ""
    return f"{measure}: printed as an upper bound, but the exact risk is above it in {above} at {where}, {by}{why}."
