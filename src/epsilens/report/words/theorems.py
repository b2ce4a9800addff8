"""The words of theorems on a concrete table: what each says, what is true, and what it is worth."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.choice.comparison_theorems import TheoremCheck
from epsilens.report.words.common import Block, Grid, Note


def theorems(checks: Sequence[TheoremCheck]) -> list[Block]:
    """A line for every theorem at every epsilon and k, and what each is worth."""
    rows = [
        (
            f"{check.theorem}",
            check.about,
            f"{check.epsilon:g}",
            "-" if check.k is None else f"{check.k}",
            value_text(check.printed),
            value_text(check.exact),
            value_text(check.trivial),
            check.verdict,
        )
        for check in checks
    ]
    headings = ("theorem", "about", "epsilon", "k", "printed", "exact", "without\nit", "verdict")
    return [
        Grid("Theorems 1 to 10 of P2 on this table", headings, rows, words=2, tight=True, keys=1),
        *(Note(text) for text in dict.fromkeys(_worth(check, checks) for check in checks)),
        Note("without it: a bound that needs no theorem; one that is not below it is vacuous."),
    ]


def value_text(value: float | None) -> str:
    """Small numbers by their digits, others with two decimals."""
    if value is None:
        return "-"
    return f"{value:,.2f}" if abs(value) >= 10.0 else f"{value:.4g}"


def _worth(check: TheoremCheck, checks: Sequence[TheoremCheck]) -> str:
    text = f"Theorem {check.theorem}: {check.worth}"
    within = {
        f"{other.epsilon:g}": other.symbols["delta_qid"]
        for other in checks
        if other.theorem == check.theorem and "delta_qid" in other.symbols
    }
    if within:
        listed = ", ".join(f"{delta:.3f}" for delta in within.values())
        text += f": delta = {listed} at epsilon = {', '.join(within)}"
    return f"{text}."
