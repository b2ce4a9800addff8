"""The report of a release: its card as a label, consequences first, and what was published.

Everything here is on the card or in the published file, and so follows from declarations and noisy numbers alone: this
page is publishable whatever the data are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from epsilens.release.tables.release import Released
from epsilens.release.tables.words import card_text
from epsilens.report.page.numbers import exactly
from epsilens.report.page.parts import Again, Folded, Page, Part, Points, Section, Terms
from epsilens.report.pages.common import again_section
from epsilens.report.words import methods
from epsilens.report.words.common import Grid, Note, Text, counted
from epsilens.report.words.release import label_terms, released_sentences
from epsilens.report.words.report import NOT_COVERED

FIRST = ("What it can disclose", "Whom it protects")
"""What a reader is told first: who can learn what, and only then how it works."""
SPENDS = "Who has the data can ask the same again: that draws new noise, and spends the budget again."
MOST_ROWS = 2_000
"""Counts that stand on the page; more are in the file."""


def page_of(released: Released, again: Again | None = None, title: str = "") -> Page:
    """The page of a release; nothing of it comes from the internal assessment."""
    card = released.card
    sections = dict(_sections(card_text(card)))
    ordered = [*(name for name in FIRST if name in sections), *(name for name in sections if name not in FIRST)]
    terms = methods.formulas([card["mechanism"]["name"]], methods.MECHANISMS)
    told = [
        Section("In short", [Text(sentence) for sentence in released_sentences(card)], internal=False),
        Section("The label", [Terms(label_terms(card))], internal=False),
        *(Section(name, sections[name], internal=False) for name in ordered),
        Section("The published counts", _counts(released), internal=False),
        Section("What is not covered", [Points(NOT_COVERED)], internal=False),
        Section("Methods", [Terms(terms), Text(methods.ERRORS)], internal=False),
        *(Section(one.title, [Text(SPENDS), *one.parts], internal=False) for one in again_section(again)),
    ]
    return Page(title or f"Released: {card['release']['account']}", told, internal=False)


def _counts(released: Released) -> list[Part]:
    """The published file: noisy counts with their intervals."""
    columns: Mapping[str, Sequence[Any]] = released.to_arrow().to_pydict()
    names = list(columns)
    many = len(columns[names[0]]) if names else 0
    words = sum(1 for name in names if name not in ("count", "standard_error", "lower", "upper"))
    rows = [
        [exactly(columns[name][i]) if columns[name][i] is not None else "" for name in names]
        for i in range(min(many, MOST_ROWS))
    ]
    headings = [name.replace("_", " ") for name in names]
    parts: list[Part] = [Folded(f"Show {counted(many, 'count')}", [Grid("Published counts", headings, rows, words)])]
    if many > MOST_ROWS:
        parts.append(Note(f"The first {MOST_ROWS:,} are shown; all are in the published file."))
    return parts


def _sections(markdown: str) -> list[tuple[str, list[Part]]]:
    """The sections of a card for people: paragraphs, lists and tables, as the card writes them."""
    found = []
    for piece in re.split(r"^## ", markdown, flags=re.MULTILINE)[1:]:
        title, _, body = piece.partition("\n")
        paragraphs = re.split(r"\n{2,}", body.strip())
        found.append((title.strip(), [part for text in paragraphs if text.strip() for part in _part(text, title)]))
    return found


def _part(text: str, title: str) -> list[Part]:
    lines = text.split("\n")
    if all(line.startswith("- ") for line in lines):
        return [Points([_plain(line[2:]) for line in lines])]
    if lines[0].startswith("|"):
        cells = [[_plain(cell.replace("\\|", "|").strip()) for cell in _CELLS.split(line)[1:-1]] for line in lines]
        return [Grid(title, cells[0], cells[2:], words=1)]
    return [Text(_plain(" ".join(lines)))]


_CELLS = re.compile(r"(?<!\\)\|")


def _plain(text: str) -> str:
    """Without the marks of Markdown."""
    return re.sub(r"\*\*(.+?)\*\*", r"\1", text).replace("`", "")
