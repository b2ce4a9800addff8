"""The words of ``utility``: what noise does to counts and to marginals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from epsilens.choice.marginal_utility import BudgetUtility
from epsilens.choice.questions.utility import Answer
from epsilens.noise import MECHANISMS
from epsilens.report.words.common import BLANK, Block, Grid, Heading, Note, Text, counted, number, percent
from epsilens.report.words.publishing import published_sentence, universe_sentences


def worded(answer: Answer) -> dict[str, Any]:
    """The JSON of the answer, with its sentences."""
    return answer.to_dict() | {"sentences": [*about(answer), *closing(answer)]}


def summary(answer: Answer) -> list[Block]:
    """The whole answer for readers."""
    blocks: list[Block] = [Text(sentence) for sentence in about(answer)]
    blocks.append(BLANK)
    for table, mechanism, delta in dict.fromkeys((line.table, line.mechanism, line.delta) for line in answer.lines):
        lines = [x for x in answer.lines if (x.table, x.mechanism, x.delta) == (table, mechanism, delta)]
        blocks += _of_mechanism(answer, lines)
    blocks += _notes(answer)
    return [*blocks, BLANK, *(Text(sentence) for sentence in closing(answer))]


def about(answer: Answer) -> list[str]:
    """What was looked at, and where the noise goes."""
    question = answer.question
    by_ways = ", ".join(f"{s.marginals} of {counted(s.ways, 'column')}" for s in answer.lines[0].by_ways)
    marginals = len(answer.lines[0].marginals)
    of_each = " of each table" if answer.publish == "separate" else ""
    sentences = [
        f"{counted(answer.people, 'person')} in {counted(answer.cells, 'cell')} of "
        f"{counted(len(answer.quasi_identifiers), 'quasi-identifier')}; "
        f"{counted(marginals, 'marginal')}{of_each}: {by_ways}.",
        *universe_sentences(None if answer.universe is None else answer.universe.to_dict()),
    ]
    if len(answer.sensitive) > 1 and (question.sanitised == "table" or answer.publish == "separate"):
        sentences.append(published_sentence(answer.sensitive, answer.publish))
    if question.sanitised == "marginals":
        sentences.append(f"Noise goes into each of {counted(answer.tables, 'marginal')} directly.")
    if answer.tables > 1:
        sentences.append(_whose_budget(answer))
    return sentences


def _whose_budget(answer: Answer) -> str:
    what = "marginals" if answer.question.sanitised == "marginals" else "tables"
    if answer.budget_of == "all":
        return f"Epsilon is the budget of the {answer.tables} {what} together, evenly divided."
    return (
        f"Epsilon is the budget of each of the {answer.tables} {what}: together they cost {answer.tables} times as "
        "much, by basic composition."
    )


def _of_mechanism(answer: Answer, lines: list[BudgetUtility]) -> Iterator[Block]:
    first = lines[0]
    delta = "" if first.delta is None else f", delta = {first.delta:g}"
    title = f"{first.mechanism} noise{delta}"
    yield Heading(f"{first.table} with {title}" if answer.publish == "separate" else title)
    if first.cell_error is not None:
        yield Grid(
            "A count: expected absolute error, in people",
            ("epsilon", "as drawn", "raised to 0", "off by > 50 %", "empty cells\nshown"),
            [_count_row(line) for line in lines],
        )
        yield BLANK
    headings = ["epsilon", "columns", "marginals", "smallest", "median", "largest"]
    headings += ["largest\nstandard error", "median of a\nrelease, 90 %"] if answer.repetitions else []
    headings += ["median, exact,\nnot clipped"]
    yield Grid("Marginals: total variation distance", headings, list(_distance_rows(answer, lines)), keys=2)
    yield BLANK


def _count_row(line: BudgetUtility) -> list[str]:
    assert line.cell_error is not None
    assert line.off_by_half is not None
    shown = "-" if line.empty_shown is None else f"{line.empty_shown:,.1f}"
    return [f"{line.epsilon:g}", f"{line.error:.3g}", f"{line.cell_error:.3g}", percent(line.off_by_half), shown]


def _distance_rows(answer: Answer, lines: list[BudgetUtility]) -> Iterator[list[str]]:
    for line in lines:
        for found in line.by_ways:
            row = [f"{line.epsilon:g}", f"{found.ways}", number(found.marginals)]
            row += [_distance(value) for value in (found.lowest, found.median, found.highest)]
            if answer.repetitions:
                low, high = found.release_low or 0.0, found.release_high or 0.0
                row += [_distance(found.largest_standard_error or 0.0), f"{low:.3f} to {high:.3f}"]
            yield [*row, _distance(found.expected_median)]


def _distance(value: float) -> str:
    """Four decimals; a distance that is not 0 does not read so."""
    return "< 0.0001" if 0.0 < value < 0.00005 else f"{value:.4f}"


def _notes(answer: Answer) -> Iterator[Block]:
    question = answer.question
    yield Note("total variation distance: the share of people who appear in another cell than their own.")
    if question.sanitised == "table":
        yield Note("as drawn: rounded noise; raised to 0: no count below 0, averaged over all counts.")
        yield Note("off by > 50 %: of the counts above 0; empty cells shown: cells nobody is in that show somebody.")
    if answer.repetitions:
        how = "counts below 0 stay" if question.keep_negative else "counts are raised to 0"
        yield Note(
            f"Simulated: {answer.repetitions} releases for each budget, seed {question.seed}; {how}, and shares are "
            "those of the published total."
        )
        yield Note("median of a release, 90 %: where the median over marginals lies in nine of ten single releases.")
    else:
        yield Note("The universe is too large to simulate: distances are exact, of counts that may be below 0.")
    yield Note(
        "exact, not clipped: counts below 0 added up as they are, over the true number of people; it may exceed 1."
    )
    for mechanism in question.mechanisms:
        if not question.epsilons and MECHANISMS[mechanism].below < float("inf"):
            yield Note(f"{mechanism} noise is proved for epsilon < {MECHANISMS[mechanism].below:g} only.")


def closing(answer: Answer) -> list[str]:
    """One sentence for every table and noise, at the budget nearest to 1."""
    sentences = []
    for key in dict.fromkeys((line.table, line.mechanism, line.delta) for line in answer.lines):
        lines = [line for line in answer.lines if (line.table, line.mechanism, line.delta) == key]
        line = min(lines, key=lambda x: abs(x.epsilon - 1.0))
        largest = line.by_ways[-1]
        delta = "" if line.delta is None else f", delta = {line.delta:g}"
        of_table = f" of the table of {line.table}" if answer.publish == "separate" else ""
        sentences.append(
            f"At epsilon = {line.epsilon:g}{delta} with {line.mechanism} noise, a count is off by {line.error:.3g} "
            f"people on average, and in half of the marginals of {counted(largest.ways, 'column')}{of_table} "
            f"{_appear(largest.median)}."
        )
    return sentences


def _appear(distance: float) -> str:
    if distance > 1.0:  # of counts that are not clipped, where noise is more than there are people
        return f"the noise amounts to {distance:.3g} times the number of people or more"
    return f"{percent(distance)} of people or more appear in another cell than their own"
