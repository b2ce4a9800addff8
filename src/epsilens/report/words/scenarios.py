"""What becomes of cells once noise was added: the eight scenarios, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from epsilens.choice.questions.assessment import BudgetLine
from epsilens.homogeneity.local import SCENARIOS
from epsilens.report.words.common import Block, Grid, Note, percent
from epsilens.report.words.explained import SCENARIOS as WHAT_HAPPENS


def scenario_blocks(lines: Sequence[BudgetLine], shares: Sequence[Mapping[str, float]], whom: str) -> list[Block]:
    """A row for each scenario, a column for each budget; ``whom`` is what is averaged over."""
    rows = [
        (str(i + 1), what, *(percent(found[name]) for found in shares))
        for i, (name, what) in enumerate(zip(SCENARIOS, WHAT_HAPPENS, strict=True))
    ]
    rows.append(("", "together", *(percent(round(sum(found.values()), 9)) for found in shares)))
    several_deltas = len({vars(line.budget).get("delta") for line in lines}) > 1
    headings = [_heading(line, several_deltas) for line in lines]
    risk = "1 and 8 together are the local risk, 1 alone is that of P1 (Definition 3.3)."
    if any(line.some_harmless or line.harm.weights_differ for line in lines):
        risk = "Scenarios tell of all values alike, harmful or not: 1 and 8 are not the risk of harmful ones alone."
    return [
        Grid(f"What becomes of a cell, share of {whom}", ("", "scenario", *headings), rows, words=2),
        Note(f"{risk} An attacker cannot tell 1 from 2, nor 8 from 7."),
    ]


def _heading(line: BudgetLine, with_delta: bool) -> str:
    text = f"epsilon\n{line.epsilon:g}"
    return f"{text}\ndelta\n{vars(line.budget)['delta']:g}" if with_delta else text
