"""The report of an answer that the workbench has found: the same page that a command writes, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epsilens.app.parts.asking import asked_of, read_for
from epsilens.app.work import Work
from epsilens.cli.again import command_line
from epsilens.project import Project
from epsilens.report.words.addresses import safe_address
from epsilens.report.words.dial_sentences import Names

if TYPE_CHECKING:
    from epsilens.report.page.parts import Again, Page


def answer_of(work: Work, command: str) -> Any:
    """The answer, found once, also where a page has found it already."""
    project = work.project
    if command == "posterior release":

        def find() -> Any:
            return project.answer(command, situations_of(work))

        return work.once((command, asked_of(project, command)), find)
    table = work.table()

    def found() -> Any:
        return project.answer(command, table=read_for(work, command, table, project))

    return work.once((command, asked_of(project, command)), found)


def situations_of(work: Work) -> Any:
    """The people at every level of a hierarchy, read once from where they are, which may be an upload."""
    project, command = work.project, "posterior release"
    question, table = project.question(command), project.section("data").get("table")
    return work.once((command, "situations", asked_of(project, command)), lambda: question.read(work.source, table))


def report_html(work: Work, command: str, answer: Any, publishable: bool = False) -> str:
    """One page with everything in it; ``publishable`` leaves out whatever is computed from true data."""
    from epsilens.report.page.render import render

    page = report_of(work, command, answer)
    return render(page.publishable() if publishable else page)


def report_of(work: Work, command: str, answer: Any) -> Page:
    """The parts of the report, with the command and the program that make its numbers again."""
    about = work.project.section("about")
    again, title = again_of(work.project, command), str(about.get("title") or "")
    names = Names.of(about)
    if command == "assess":
        from epsilens.choice.questions.assess import assessment_curves
        from epsilens.report.pages import assess
        from epsilens.report.pages.dials import dial_of_assessment

        table = work.table()
        curves = assessment_curves(table, answer.question)
        return assess.page_of(answer, table, curves, again, dial_of_assessment(answer, table, names), title)
    if command == "choose":
        from epsilens.choice.questions import choose_delta
        from epsilens.report.pages import choose
        from epsilens.report.pages.dials import dial_of_choice

        if isinstance(answer, choose_delta.Answer):
            return choose.delta_page(answer, again, title)
        return choose.page_of(answer, again, dial_of_choice(answer, names), title)
    if command == "compare":
        from epsilens.report.pages import compare

        return compare.page_of(answer, work.project.question(command), again=again, title=title)
    if command == "knowledge":
        from epsilens.report.pages import knowledge
        from epsilens.report.pages.dials import dial_of_knowledge

        question = work.project.question(command)
        dial = dial_of_knowledge(answer, work.table(), question.neighbours, names)
        return knowledge.page_of(answer, question, again, dial, title)
    if command == "posterior release":
        from epsilens.report.pages import posterior_release
        from epsilens.report.pages.dials import dial_of_hierarchy

        return posterior_release.page_of(answer, again, dial_of_hierarchy(answer, situations_of(work), names), title)
    from epsilens.report.pages import release

    return release.page_of(answer, again, title)


def again_of(project: Project, command: str) -> Again:
    """The command and the program that ask the same."""
    from epsilens.report.page.parts import Again

    source = project.section("data").get("source")
    if isinstance(source, str):
        project = project.with_values("data", source=safe_address(source))
    return Again(command_line(project, command), project.script(command))
