"""Whatever is done in the workbench, the command and the program to take away give the same JSON, to the digit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epsilens.app.pages.downloads import ANSWERS, json_of
from epsilens.app.parts.release_terms import with_terms
from epsilens.cli.again import arguments, command_line
from epsilens.project import Project
from epsilens.release.rehearsal import preflight
from epsilens.table.demo.population import population_csv
from tests.support.journeys import JOURNEYS, OPEN, QUICK, RELEASE, printed, ran, worked
from tests.support.workbench import opened


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_bytes(population_csv(300, 2026))
    return tmp_path


@pytest.mark.parametrize("journey", QUICK)
def test_command_and_program_give_the_same_json(journey: str, folder: Path) -> None:
    page, command, edits = JOURNEYS[journey]
    work = worked(edits)
    app = opened(page, work)
    assert [error.value for error in app.error] == []
    shown = json.loads(json_of(work, command))
    assert printed(arguments(work.project, command)) == shown
    assert ran(work.project.script(command)) == shown
    assert command_line(work.project, command).startswith(f"epsilens {command} people.csv")


def test_every_question_has_a_journey() -> None:
    assert {JOURNEYS[name][1] for name in QUICK} == set(ANSWERS)


def test_the_project_file_asks_the_same(folder: Path) -> None:
    work = worked(JOURNEYS["choose by a ceiling"][2])
    (folder / "epsilens.toml").write_text(work.project.to_toml(), encoding="utf-8")
    loaded = Project.load("epsilens.toml")
    assert loaded == work.project
    assert printed(["run", "epsilens.toml", "choose"]) == json.loads(json_of(work, "choose"))


def test_a_dry_run_is_that_of_the_command(folder: Path) -> None:
    work = worked([*OPEN, *RELEASE])
    asked = with_terms(work.project)
    found = preflight(asked.question("release"), work.source).to_dict()
    assert found["would_be_released"]
    assert printed([*arguments(asked, "release"), "--check"]) == found
    assert [path.name for path in folder.iterdir()] == ["people.csv"]
