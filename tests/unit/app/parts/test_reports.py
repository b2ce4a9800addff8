"""Reports of what the workbench has found."""

from __future__ import annotations

from epsilens.app.parts.reports import again_of, answer_of, report_html, report_of
from epsilens.project import Project
from epsilens.report.page.parts import Code
from tests.support.workbench import demo_work


def test_a_report_has_the_answer_the_command_and_the_program() -> None:
    work = demo_work(200, about={"title": "Our survey", "person": "Bo"})
    found = answer_of(work, "knowledge")
    assert answer_of(work, "knowledge") is found  # found once
    page = report_of(work, "knowledge", found)
    assert page.title == "Our survey"
    assert page.internal
    codes = [part.text for section in page.sections for part in section.parts if isinstance(part, Code)]
    assert any(text.startswith("epsilens knowledge people.csv") for text in codes)
    assert "Our survey" in report_html(work, "knowledge", found, publishable=True)


def test_a_report_tells_no_password() -> None:
    source = "postgresql://ana:secret@db/town"
    data = {"source": source, "table": "people", "quasi_identifiers": ["age"], "sensitive": ["disease"]}
    again = again_of(Project({"data": data}), "assess")
    assert "secret" not in again.command + again.python
    assert "ana:***@db" in again.command


def test_a_choice_for_a_hierarchy_is_not_made_for_the_table() -> None:
    asked = {"levels": ["tract"], "by": ["age", "sex"], "measure": "posterior", "max_risk": 0.9}
    found = answer_of(demo_work(200, choose=asked), "choose")  # in memory: there is no such file
    assert found.choice.dial.attack is not None
