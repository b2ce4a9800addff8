"""The page of the reproduction: our versions of tables and figures beside what print says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epsilens.report.charts.reproduce import drawing_chart
from epsilens.report.page.figures import figure
from epsilens.report.page.parts import Again, Folded, Page, Part, Section, Terms
from epsilens.report.pages.common import again_section
from epsilens.report.words.common import Text
from epsilens.report.words.reproduce import (
    BESIDES,
    MEANING,
    about_files,
    headline,
    row_grid,
    tally,
    verdict_grid,
)

if TYPE_CHECKING:
    from epsilens.reproduce.papers import Paper
    from epsilens.reproduce.question import Answer


PUBLIC = "PUBLIC: of papers and of the data that they published, not of a table of yours"


def page_of(answer: Answer, again: Again | None = None) -> Page:
    """A section for each paper, in it a table and the figures for each place of print."""
    sections = [
        Section("In short", [headline(answer), verdict_grid(answer), *about_files(answer)], internal=False),
        Section("What the verdicts mean", [Terms(list(MEANING.items())), Text(BESIDES)], internal=False),
        *(_section(answer, paper) for paper in answer.question.chosen),
        *again_section(again),
    ]
    return Page("Every published number beside ours", sections, answer.internal, "" if answer.internal else PUBLIC)


def _section(answer: Answer, paper: Paper) -> Section:
    rows = [row for row in answer.told if row.paper == paper.name]
    drawings = {drawing.place: drawing for drawing in answer.drawings if drawing.paper == paper.name}
    missing = {place: name for found, place, name in answer.not_drawn if found == paper.name}
    parts: list[Part] = [Text(paper.title)]
    for group in dict.fromkeys([*(row.group for row in rows), *drawings, *missing]):
        inside: list[Part] = []
        if drawing := drawings.get(group):
            inside.append(figure(drawing_chart(drawing), drawing.says))
        if group in missing:
            inside.append(Text(f"Our version needs {missing[group]}, which is not there."))
        own = [row for row in rows if row.group == group]
        if own:
            inside.append(row_grid(own))
        parts.append(Folded(f"{group} ({tally(own)})" if own else group, inside))
    return Section(f"{paper.name}: {paper.subject}", parts, internal=False)
