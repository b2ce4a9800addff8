"""The report of an answer that the workbench has found: the same page that a command writes, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epsilens.app.work import Work
from epsilens.cli.again import command_line

if TYPE_CHECKING:
    from epsilens.report.page.parts import Page


def report_html(work: Work, command: str, answer: Any, publishable: bool = False) -> str:
    """One page with everything in it; ``publishable`` leaves out whatever is computed from true data."""
    from epsilens.report.page.render import render

    page = report_of(work, command, answer)
    return render(page.publishable() if publishable else page)


def report_of(work: Work, command: str, answer: Any) -> Page:
    """The parts of the report, with the command and the program that make its numbers again."""
    from epsilens.report.page.parts import Again

    again = Again(command_line(work.project, command), work.project.script(command))
    if command == "assess":
        from epsilens.choice.questions.assess import assessment_curves
        from epsilens.report.pages import assess

        table = work.table()
        return assess.page_of(answer, table, assessment_curves(table, answer.question), again)
    if command == "choose":
        from epsilens.report.pages import choose

        return choose.page_of(answer, again)
    if command == "compare":
        from epsilens.report.pages import compare

        return compare.page_of(answer, work.project.question(command), again=again)
    if command == "knowledge":
        from epsilens.report.pages import knowledge

        return knowledge.page_of(answer, work.project.question(command), again)
    if command == "posterior release":
        from epsilens.report.pages import posterior_release

        return posterior_release.page_of(answer, again)
    from epsilens.report.pages import release

    return release.page_of(answer, again)
