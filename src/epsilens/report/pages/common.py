"""Sections that the pages of several commands have."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.report.page.parts import Again, Code, Part, Points, Section, Terms
from epsilens.report.words import methods
from epsilens.report.words.common import Text
from epsilens.report.words.report import NOT_COVERED, NoiseOf, cost_blocks, guarantee_blocks


def guarantee_section(
    noises: Sequence[NoiseOf], neighbours: str, rows_per_person: int = 1, shares: Sequence[float] = (1.0,)
) -> Section:
    """What the noise guarantees; it follows from budgets alone."""
    blocks = guarantee_blocks(noises, neighbours, rows_per_person, shares)
    return Section("The guarantee at every budget", blocks, internal=False)


def cost_section(noises: Sequence[NoiseOf]) -> list[Section]:
    """How far counts are off; it follows from budgets alone."""
    blocks = cost_blocks(noises)
    return [Section("The error at every budget", blocks, internal=False)] if blocks else []


def closing(
    assumed: Sequence[str], terms: Sequence[tuple[str, str]], again: Again | None, *general: str
) -> list[Section]:
    """What every page ends with: assumptions, what is not covered, methods, how to make it again. None needs data."""
    papers = methods.papers_in([text for _, text in terms] + list(general))
    found: list[Part] = [Terms(list(terms))] if terms else []
    found += [Text(text) for text in general]
    if papers:
        found.append(Terms(papers))
    found.append(Text("Why a formula departs from print is told in docs/departures.md, which comes with Epsilens."))
    sections = [
        Section("What is assumed", [Points(list(assumed))], internal=False),
        Section("What is not covered", [Points(NOT_COVERED)], internal=False),
        Section("Methods", found, internal=False),
    ]
    return [*sections, *again_section(again)]


def again_section(again: Again | None) -> list[Section]:
    """The command and the program that make the page again; they hold what was asked, and nothing that was found."""
    if again is None:
        return []
    parts: list[Part] = [Code("The command", again.command, "shell")]
    if again.python:
        parts.append(Code("The same in Python", again.python, "python"))
    return [Section("How to make this again", parts, internal=False)]
