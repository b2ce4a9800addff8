"""Sensitivities and the simulation study in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epsilens.report.words.common import BLANK, Block, Grid, Note, counted

if TYPE_CHECKING:
    from epsilens.choice.questions import sensitivity
    from epsilens.release.statistics.proportion_study import StudyAnswer, StudyRow
    from epsilens.sensitivity import Description, Verification

STUDY_TITLE = "coverage of normal intervals, nominally 95 %; standard errors in brackets"
STUDY_HEADINGS = ("method", "target", "n", "epsilon", "bias", "RMSE", "coverage", "naive coverage")
"""The first two head texts, the others numbers."""


_P3 = "P3: F. Liu, Supplement to Statistical Properties of Sanitized Results; P3-a etc. in docs/departures.md."


def sensitivity_lines(answer: sensitivity.Answer) -> list[str]:
    """The value, its formula, and everything it rests on."""
    found = answer.description
    lines = [f"{found.value:.12g}", "", found.formula, f"Source: {found.source}", f"Assumes: {found.assumes}"]
    lines += [f"Departs from print {text}" for text in found.departures]
    lines += [f"Caution: {text}." for text in found.cautions]
    if any("P3" in line for line in lines):
        lines.append(_P3)
    if answer.range is not None:
        lines.append(
            f"The statistic itself lies between {answer.range[0]:.12g} and {answer.range[1]:.12g}{_whose(found)}."
        )
    if answer.printed is not None:
        value = "none" if answer.published is None else f"{answer.published:.12g}"
        lines += [f"Published value: {value}", f"{answer.printed.note[0].upper()}{answer.printed.note[1:]}."]
    if answer.largest_in_print is not None and answer.range is not None:
        reached = abs(answer.largest_in_print - answer.range[1]) <= 1e-12 * answer.range[1]
        said = "" if reached else ", which odd numbers of records never reach"
        lines.append(f"Published largest value of the statistic: {answer.largest_in_print:.12g}{said}")
    if answer.verification is not None:
        lines.append(verification_sentence(answer.verification))
    if answer.not_searched is not None:
        lines.append(f"Not searched: {answer.not_searched}.")
    return lines


def _whose(found: Description) -> str:
    """Who found the largest variance of numbers between bounds."""
    return " (Shiffler and Harsha 1980)" if "variance" in found.statistic else ""


def verification_sentence(check: Verification) -> str:
    """What the exhaustive search found."""
    found = "attained" if check.attained else "not attained" if check.safe else "BELOW the brute-force value"
    return f"Brute force over {counted(check.pairs, 'pair')} of neighbours: {check.brute_force:.12g}; formula {found}."


def study_blocks(answer: StudyAnswer) -> list[Block]:
    """A table for each sample size and budget, whose rows fit a narrow page."""
    blocks: list[Block] = []
    cells = study_cells(answer)
    for n, epsilon in dict.fromkeys((row[2], row[3]) for row in cells):
        rows = [(*row[:2], *row[4:]) for row in cells if row[2:4] == (n, epsilon)]
        title = f"n = {n}, epsilon = {epsilon}; {STUDY_TITLE}"
        blocks += [Grid(title, ("method", "target", "bias", "RMSE", "coverage", "naive"), rows, words=2, tight=True)]
        here = [row for row in answer.rows if (str(row.n), f"{row.epsilon:g}") == (n, epsilon)]
        spent = {row.method: row.epsilon_spent for row in here}
        blocks += [
            Note(f"{method} costs epsilon = {cost:.4g}, not {epsilon}.")
            for method, cost in spent.items()
            if cost is not None and cost > float(epsilon) * (1.0 + 1e-6)
        ]
        blocks.append(BLANK)
    return [*blocks, Note("coverage: how often the interval holds the truth; naive: if it ignores the noise.")]


def study_cells(answer: StudyAnswer) -> list[tuple[str, ...]]:
    """The rows of the study under :data:`STUDY_HEADINGS`."""
    return [_study_row(row) for row in answer.rows]


def _study_row(row: StudyRow) -> tuple[str, ...]:
    return (
        row.method,
        row.target,
        str(row.n),
        f"{row.epsilon:g}",
        f"{row.bias:+.4f} ({row.bias_standard_error:.4f})",
        f"{row.rmse:.4f} ({row.rmse_standard_error:.4f})",
        f"{row.coverage:.3f} ({row.coverage_standard_error:.3f})",
        f"{row.naive_coverage:.3f}",
    )
