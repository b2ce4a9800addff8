"""Everything that can be taken away."""

from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.app.pages.downloads import (
    ANSWERS,
    PASSWORD,
    again,
    answers,
    of_the_release,
    refusal,
    report_of_the_release,
    reports,
)
from epsilens.app.parts.releasing import Releases
from epsilens.app.work import Work
from epsilens.project import Project
from tests.support.released_tables import release
from tests.support.workbench import demo_work, opened, said

PEOPLE = "region,sex,illness\nnorth,f,no\nsouth,m,yes\n"


def test_every_file_has_a_sentence_and_a_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = opened("downloads", demo_work(200))
    marks = [one.value for one in app.markdown if "**INTERNAL**" in one.value or "**PUBLISHABLE**" in one.value]
    buttons = app.get("download_button")
    assert len(marks) == len(buttons) == 3 + 3 * len(ANSWERS)
    assert "Not yet: see the page Choose a budget. Highest risk is missing" in said(app)  # nobody has chosen a ceiling
    assert [one.proto.label for one in buttons if one.proto.disabled] == [
        "Report: the choice",
        "To publish: the choice",
        "Report: the Bayesian adversary",
        "To publish: the Bayesian adversary",
        "JSON: the choice",
        "JSON: the Bayesian adversary",
    ]
    assert list(tmp_path.iterdir()) == []  # nothing is written on the server


def test_a_table_that_cannot_be_read_is_told_before_anything_is_taken() -> None:
    work = demo_work(200, data={"universe": {"sex": ["female"]}})
    app = opened("downloads", work)
    assert "that its universe does not declare" in app.error[0].value.replace("\\", "")
    named = {one.proto.label: one.proto.disabled for one in app.get("download_button")}
    assert named["Report: today's risk"]
    assert named["JSON: today's risk"]
    assert not named["Project file"]


def test_without_data_there_is_nothing_to_take() -> None:
    assert "No data are open yet" in said(opened("downloads", Work()))


def test_a_password_in_the_address_is_warned_of() -> None:
    work = demo_work(200)
    assert not opened("downloads", work).warning
    work.change("data", source="postgresql://ana:pw@host/db", table="people")
    assert [one.value for one in opened("downloads", work).warning] == [PASSWORD]


def test_the_project_file_can_be_opened_again(tmp_path: Path) -> None:
    work = demo_work(200, risk={"max_risk": 0.05})
    project, command, script = (one.made().decode() for one in again(work))
    (tmp_path / "epsilens.toml").write_text(project, encoding="utf-8")
    assert Project.load(tmp_path / "epsilens.toml") == work.project
    assert command.startswith("epsilens assess people.csv --qid")
    assert "el.Project.of(" in script


def test_reports_and_answers_are_internal_unless_they_leave_all_of_it_out() -> None:
    work = demo_work(200)
    assert [one.internal for one in reports(work)] == [True, False] * len(ANSWERS)
    assert all(one.internal for one in answers(work))
    assert refusal(work.project, "choose") is not None
    assert refusal(work.project, "assess") is None


def test_the_files_of_the_last_release(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text(PEOPLE, encoding="utf-8")
    made = release(people, tmp_path, out=tmp_path / "r.csv")
    found = {one.key: one for one in of_the_release(made)}
    assert {key: one.internal for key, one in found.items()} == {
        "output": False,
        "card": False,
        "card-text": False,
        "internal": True,
    }
    for role, one in found.items():
        assert one.made() == made.files[role].read_bytes()
        assert one.name == made.files[role].name
    made.files["card"].unlink()
    assert found["card"].made().decode().startswith("cannot read ")
    work = demo_work(200)
    assert not report_of_the_release(work, made).internal
    work.kept("releases", Releases)
