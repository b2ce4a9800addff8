"""What a release would publish, told before anything is read or paid: tables, noise, error, and who is protected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from epsilens.report.words.common import Block, Grid, Note, Text, budget_text, counted, joined, number

if TYPE_CHECKING:
    from epsilens.release.tables.question import TablesQuestion
    from epsilens.release.terms import Person

SHARES = (
    "The total protects people; a share only buys accuracy. A table with a larger share has less noise, and nobody is "
    "protected more by a smaller one."
)
"""What must stand beside every control that splits a budget."""
NEIGHBOURS = {
    "add-remove": "Nobody can tell from it with certainty whether one person more or less is in the data.",
    "substitute": "Nobody can tell from it with certainty whether one person's values were replaced by any others.",
}


def plan_blocks(question: TablesQuestion, counts: Sequence[int] | None) -> list[Block]:
    """The tables with their noise and their error; ``counts`` are the cells of each, as far as they are declared."""
    plan, confidence = question.plan, question.choices.confidence
    names = joined(question.columns)
    if counts is None:
        shown = "cells whose noisy count reaches a threshold, so that how many there are is not known beforehand"
    else:
        shown = f"{counted(sum(counts), 'count')}: every cell that was declared, also where nobody is"
    tables = "One table" if len(plan.tables) == 1 else f"{len(plan.tables)} tables"
    blocks: list[Block] = [
        Text(
            f"{tables} of {names} would be published, with {shown}. The noise is {plan.mechanism} for "
            f"{budget_text(plan.budget)}."
        ),
        _tables(question, counts, confidence),
        Note(
            "The noise interval holds for each count alone, and is about the noise only: who answered a survey, or "
            "what was recorded wrongly, is not in it.",
            0,
        ),
    ]
    return [*blocks, Text(SHARES)] if len(plan.tables) > 1 else blocks


def _tables(question: TablesQuestion, counts: Sequence[int] | None, confidence: float) -> Grid:
    from epsilens.accounting.amounts import digits
    from epsilens.utility.accuracy import half_width, standard_error

    rows, rounded = [], question.choices.rounded
    for place, table in enumerate(question.plan.tables):
        law = table.noise.law
        rows.append(
            (
                table.name,
                "" if counts is None else number(counts[place]),
                digits(table.share),
                budget_text(table.budget),
                f"{standard_error(law, rounded):.4g}",
                f"± {half_width(law, confidence, rounded):.4g}",
            )
        )
    headings = ("table", "counts", "share", "budget", "standard error", f"{100 * confidence:g} % noise interval")
    return Grid("", headings, rows, words=1)


def protected_sentence(person: Person) -> str:
    """Whom the release protects, and what nobody can tell from it."""
    if person.unit is None:
        who = "each person has one row, as you declared"
    else:
        most = counted(person.max_rows_per_unit, "row")
        who = f"{person.unit} names a person, of whom at most {most} are counted"
        if person.max_rows_per_unit == 1:
            who = f"{person.unit} names a person, of whom at most one row is counted"
    return f"It protects a person: {who}. {NEIGHBOURS[person.neighbours]}"
