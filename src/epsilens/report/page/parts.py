"""What a page is made of: sections of blocks and figures, in the order of reading. No HTML here, and no arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epsilens.report.charts.common import Chart
from epsilens.report.words.common import Block, Grid


@dataclass(frozen=True)
class Figure:
    """A chart with the sentence that reads it aloud and the numbers that it draws."""

    chart: Chart
    description: str
    """One sentence, made of its numbers: caption and text for screen readers."""
    numbers: Grid
    """The same as a table."""


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


Part = Block | Figure | Dial | Code


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    title: str
    parts: Sequence[Part]
    internal: bool = True
    """Whether anything in it is computed from true data: a publishable page leaves it out."""


@dataclass(frozen=True)
class Page:
    """A whole report."""

    title: str
    sections: Sequence[Section]
    internal: bool = True

    def publishable(self) -> Page:
        """The page without whatever is computed from true data."""
        return Page(self.title, [section for section in self.sections if not section.internal], internal=False)
