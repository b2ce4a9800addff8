"""Printed numbers beside ours, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from epsilens.report.words.common import BLANK, Block, Grid, Heading, Note, Text, counted, joined, verb

if TYPE_CHECKING:
    from epsilens.reproduce.question import Answer
    from epsilens.reproduce.verdicts import Row

SHORT = {
    "confirmed": "confirmed",
    "confirmed within Monte-Carlo error": "within MC error",
    "misprint": "misprint",
    "follows from another model than stated": "another model",
    "false": "false",
    "not reproducible": "not reproducible",
}
"""Headings of columns."""
MEANING = {
    "confirmed": "ours agrees to the printed digits; a formula or statement holds in every case that was tried.",
    "confirmed within Monte-Carlo error": "print simulated it, and ours lies within 4 standard errors of it.",
    "misprint": "what is meant is clear, and print says something else.",
    "follows from another model than stated": "the number is what one gets in another way than print says.",
    "false": "what is true is another number, or there is a counterexample.",
    "not reproducible": "print leaves open what it depends on, its data are not at hand, or chance in it hides it.",
}


NOT_IN_PRINT = "not in print"
BEYOND = "what print leaves out, or about our own formulas"
"""What the rows are about that are not in print."""
BESIDES = (
    "P0-4 and the like behind a verdict is the entry of docs/departures.md that explains it. Rows marked "
    f"({NOT_IN_PRINT}) are about {BEYOND}."
)
_LONG = 30  # letters: two numbers with what is between them are fewer


def headline(answer: Answer) -> Text:
    """How many claims print makes, and how many of them hold; what it does not say is not counted against it."""
    printed = [row for row in answer.rows if row.in_print]
    holding = sum(row.holds for row in printed)
    papers = counted(len(answer.question.chosen), "paper")
    others, beyond = len(printed) - holding, len(answer.rows) - len(printed)
    more = f" {counted(beyond, 'more row')} in the table {verb(beyond, 'is', 'are')} about {BEYOND}." if beyond else ""
    return Text(
        f"{counted(len(printed), 'printed claim')} of {papers}: {holding:,} {verb(holding, 'holds', 'hold')}, "
        f"{others:,} {verb(others, 'does', 'do')} not or cannot be checked.{more}"
    )


def verdict_grid(answer: Answer) -> Grid:
    """How many rows of each paper have each verdict."""
    papers = [paper.name for paper in answer.question.chosen]
    rows = [[name, *(f"{number:,}" for number in answer.counts(name).values())] for name in papers]
    if len(papers) > 1:
        rows.append(["all", *(f"{number:,}" for number in answer.counts().values())])
    return Grid("", ["paper", *SHORT.values()], rows, words=1, tight=True)


def about_files(answer: Answer) -> list[Block]:
    """Which files would let more be checked, and which are not the papers' own."""
    return [*_missing_files(answer), *_other_files(answer), *_unknown_files(answer)]


def _other_files(answer: Answer) -> list[Block]:
    if not answer.files_other:
        return []
    names, many = joined(answer.files_other), len(answer.files_other)
    are, these = verb(many, "is not the public file", "are not the public files"), verb(many, "it", "them")
    return [Note(f"{names} {are} of that name: verdicts that rest on {these} say nothing of print.")]


def _unknown_files(answer: Answer) -> list[Block]:
    if not answer.files_unknown:
        return []
    names, many = joined(answer.files_unknown), len(answer.files_unknown)
    what = verb(many, "is the public file of that name", "are the public files of those names")
    rest = f"verdicts that rest on {verb(many, 'it', 'them')} hold if so"
    return [Note(f"Whether {names} {what} is not known here: {rest}.")]


def _missing_files(answer: Answer) -> list[Block]:
    if not answer.files_missing:
        return []
    waiting = sum(row.needs is not None for row in answer.rows)
    who = f"{counted(waiting, 'row')} {verb(waiting, 'needs', 'need')}" if waiting else "Some figures need"
    return [Text(f"{who} data that are not there: {joined(answer.files_missing)}.")]


def summary(answer: Answer) -> list[Block]:
    """Counts of verdicts, and whatever does not simply hold, gathered by table, figure or equation."""
    rows = (
        answer.told if answer.question.verdicts else [row for row in answer.told if not row.holds and row.needs is None]
    )
    blocks: list[Block] = [headline(answer), BLANK, verdict_grid(answer), BLANK, *about_files(answer)]
    for paper in answer.question.chosen:
        own = [row for row in rows if row.paper == paper.name]
        if own:
            blocks += [BLANK, Heading(f"{paper.name}  {paper.title}"), *gathered(own)]
    return blocks


def gathered(rows: Sequence[Row]) -> list[Block]:
    """Rows of one paper: those of a table, figure or section that share a verdict and its cause as a few lines."""
    together: dict[str, dict[tuple[str, str | None, bool], list[Row]]] = {}
    for row in rows:
        together.setdefault(row.group, {}).setdefault((row.verdict, row.departs, row.in_print), []).append(row)
    blocks: list[Block] = []
    for group, own in ((group, own) for group, alike in together.items() for own in alike.values()):
        first = own[0]
        many = "" if len(own) == 1 else f", {counted(len(own), 'row')}"
        departs = f" ({first.departs} in docs/departures.md)" if first.departs else ""
        blocks.append(Text(f"{first.place if len(own) == 1 else group}{many}: {first.verdict}{departs}", 2))
        words = "in print," if first.in_print else f"{NOT_IN_PRINT},"
        said = words if isinstance(first.published, str) else "printed"
        blocks.append(Note(f"{first.what}: {said} {first.printed}; {first.why}.", 4))
    return blocks


def value_text(value: float | str | None) -> str:
    """A value in a table."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:.6g}"


def row_grid(rows: Sequence[Row]) -> Grid:
    """Rows with everything that is known of them; all columns may wrap, for any of them may be words."""
    headings = ["place", "what", "printed", "ours as published", "ours exact", "verdict", "why"]
    lines = [
        [row.place, row.what, _said(row), *(_beside(value, row.why) for value in _values(row)), _verdict(row), row.why]
        for row in rows
    ]
    return Grid("", headings, lines, words=len(headings))


def _said(row: Row) -> str:
    return row.printed if row.in_print else f"({NOT_IN_PRINT}) {row.printed}"


def _verdict(row: Row) -> str:
    """The verdict, and the entry that explains it."""
    return f"{row.verdict} ({row.departs})" if row.departs else row.verdict


def tally(rows: Sequence[Row]) -> str:
    """How many of some rows hold, and what is the matter with the others: ``2 of 3 hold; 1 misprint``."""
    others = Counter(SHORT[row.verdict] for row in rows if not row.holds)
    if len(rows) == 1:
        return next(iter(others), "holds")
    told = f"{len(rows) - others.total()} of {len(rows)} hold"
    return "; ".join([told, joined([f"{number} {name}" for name, number in others.items()])]) if others else told


def _values(row: Row) -> tuple[float | str | None, float | str | None]:
    return row.as_published, row.exact


def _beside(value: float | str | None, why: str) -> str:
    """A value beside the reasons; evidence in words, which is told there, is not told twice."""
    return (
        "see why"
        if isinstance(value, str) and " " in value and len(value) > _LONG and value in why
        else value_text(value)
    )


def written(files: Sequence[str]) -> list[Block]:
    """Where the page and the figures are."""
    if not files:
        return []
    return [BLANK, Text(f"Written: {files[0]}, {files[1]} and {counted(len(files) - 2, 'figure')}.")]
