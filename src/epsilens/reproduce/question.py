"""``epsilens reproduce``: what is asked, and the answer."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epsilens.checks import one_of
from epsilens.errors import DataError, SourceError
from epsilens.notebook import one_line, rows_html
from epsilens.reproduce.data import Data, Missing
from epsilens.reproduce.drawings import Drawing
from epsilens.reproduce.papers import Paper, papers
from epsilens.reproduce.verdicts import VERDICTS, Row, judged

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Question:
    """Which papers, where their data are, and which verdicts are told."""

    papers: tuple[str, ...] = ()
    data: str | os.PathLike[str] | None = None
    """The folder of the papers' data; without one, what needs data says so."""
    verdicts: tuple[str, ...] = ()
    """Only rows with one of these."""

    def __post_init__(self) -> None:
        for verdict in self.verdicts:
            one_of("verdicts", verdict, VERDICTS)
        papers(self.papers)
        if self.data is not None and not os.fspath(self.data):
            raise SourceError("is empty", parameter="data", remedy="name a folder; . is the one you are in")

    @property
    def chosen(self) -> list[Paper]:
        """The papers, in their own order."""
        return papers(self.papers)


@dataclass(frozen=True, repr=False)
class Answer:
    """Every claim with its verdict, and what there is to draw."""

    question: Question
    rows: tuple[Row, ...]
    drawings: tuple[Drawing, ...] = ()
    not_drawn: tuple[tuple[str, str, str], ...] = ()
    """Paper and place of figures that need a file that is not there, and the file."""
    files_other: tuple[str, ...] = ()
    """Files that were read and are not the public ones of their names: verdicts may then be about them, not print."""
    files_unknown: tuple[str, ...] = ()
    """Files that were read and may be the public ones of their names or not."""

    @property
    def internal(self) -> bool:
        """Whether data were read that nobody has published, as far as is known."""
        return bool(self.files_other or self.files_unknown)

    @property
    def told(self) -> list[Row]:
        """The rows that were asked for."""
        wanted = self.question.verdicts
        return [row for row in self.rows if not wanted or row.verdict in wanted]

    def counts(self, paper: str | None = None) -> dict[str, int]:
        """How many rows have each verdict, those of a paper or all."""
        found = Counter(row.verdict for row in self.rows if paper in (None, row.paper))
        return {verdict: found[verdict] for verdict in VERDICTS}

    @property
    def files_missing(self) -> list[str]:
        """The files that rows or figures need and that are not there."""
        return sorted({row.needs for row in self.rows if row.needs} | {name for *_, name in self.not_drawn})

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        summary = {paper.name: self.counts(paper.name) for paper in self.question.chosen}
        return {
            "rows": [row.to_dict() for row in self.told],
            "verdicts": self.counts(),
            "by_paper": summary,
            "files_missing": self.files_missing,
            "files_other": list(self.files_other),
            "files_unknown": list(self.files_unknown),
        }

    def to_pandas(self) -> Any:
        """A pandas data frame of the rows."""
        from epsilens.notebook import data_frame

        return data_frame([row.to_dict() for row in self.told], "to_dict()")

    def __repr__(self) -> str:
        return one_line(self, *(f"{number} {verdict}" for verdict, number in self.counts().items() if number))

    def _repr_html_(self) -> str:
        rows = [
            {name: row.to_dict()[name] for name in ("paper", "place", "printed", "ours", "verdict")}
            for row in self.told
        ]
        return rows_html("Printed numbers beside ours", rows)


def answer(question: Question, progress: Progress | None = None, drawn: bool = False) -> Answer:
    """Every claim of the papers with its verdict; with ``drawn`` also their figures from our own numbers."""
    data = Data(None if question.data is None else Path(question.data))
    try:
        rows, drawings, not_drawn = _answered(question, data, progress or (lambda _done: None), drawn)
    except DataError as problem:
        suspects = data.others or [name for name in data.unknown if name not in str(problem)]
        if not suspects:
            raise
        raise SourceError(f"{' or '.join(suspects)} has other data than the public file: {problem}") from None
    return Answer(question, tuple(rows), tuple(drawings), tuple(not_drawn), tuple(data.others), tuple(data.unknown))


def _answered(
    question: Question, data: Data, done: Progress, drawn: bool
) -> tuple[list[Row], list[Drawing], list[tuple[str, str, str]]]:
    """Rows, figures, and the figures that lack a file."""
    rows = []
    for paper in question.chosen:
        for claim in paper.claims():
            rows.append(judged(claim, data))
            done(1)
    drawings: list[Drawing] = []
    not_drawn = []
    for paper in question.chosen if drawn else ():
        for figure in paper.figures():
            try:
                drawings.append(figure.draw(data))
            except Missing as missing:
                not_drawn.append((figure.paper, figure.place, missing.name))
            done(1)
    return rows, drawings, not_drawn


def steps(question: Question, drawn: bool = False) -> int:
    """How many steps an answer takes, for whoever shows progress."""
    return sum(len(paper.claims()) + (len(paper.figures()) if drawn else 0) for paper in question.chosen)
