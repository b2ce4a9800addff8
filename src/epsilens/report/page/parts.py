"""What a page is made of: sections of blocks and figures, in the order of reading. No HTML here, and no arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from epsilens.report.words.addresses import without_passwords
from epsilens.report.words.common import Block, Grid

Chart: TypeAlias = Any  # an altair chart of any composition, as in the room of charts, which draws pages of its own


@dataclass(frozen=True)
class Figure:
    """A chart with the sentence that reads it aloud and the numbers that it draws."""

    chart: Chart
    description: str
    """One sentence, made of its numbers: caption and text for screen readers."""
    numbers: Grid | Sequence[Grid]
    """The same as a table, or as several where a chart has several kinds of marks."""

    @property
    def tables(self) -> tuple[Grid, ...]:
        """The numbers, table by table."""
        return (self.numbers,) if isinstance(self.numbers, Grid) else tuple(self.numbers)


@dataclass(frozen=True)
class Dial:
    """One dial or several to choose from, as :mod:`epsilens.report.words.dial` tells them: plain values for JSON."""

    payload: Mapping[str, Any]


@dataclass(frozen=True)
class Code:
    """Text to be copied as it is: a command, a program, a formula's name."""

    title: str
    text: str
    language: str = ""


@dataclass(frozen=True)
class Terms:
    """Names and what they are, as a list: the facts of a label, or formulas."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Points:
    """Sentences of which none depends on another."""

    texts: Sequence[str]


@dataclass(frozen=True)
class Folded:
    """What is shown only once somebody asks for it: the title is the question, ``why`` is read before the answer."""

    title: str
    parts: Sequence[Part]
    why: str = ""


Part: TypeAlias = "Block | Figure | Dial | Code | Terms | Points | Folded"


@dataclass(frozen=True)
class Again:
    """How to make a page again, as texts of a face, for the report knows no commands; passwords become stars."""

    command: str
    python: str = ""

    def __post_init__(self) -> None:
        for name, text in vars(self).items():
            object.__setattr__(self, name, without_passwords(text))


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    title: str
    parts: Sequence[Part]
    internal: bool = True
    """Whether anything in it is computed from true data: a publishable page leaves it out."""
    instead: Sequence[Part] = ()
    """What stands there on a publishable page, where anything does."""


@dataclass(frozen=True)
class Page:
    """A whole report."""

    title: str
    sections: Sequence[Section]
    internal: bool = True
    label: str = ""
    """What stands at its top instead of whether it may be published, where that is not the question."""

    def publishable(self) -> Page:
        """The page without whatever is computed from true data."""
        kept = [
            Section(section.title, section.instead if section.internal else section.parts, internal=False)
            for section in self.sections
            if section.instead or not section.internal
        ]
        return Page(self.title, kept, internal=False)
