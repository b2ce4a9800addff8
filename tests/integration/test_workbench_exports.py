"""Exports of the workbench in processes of their own: command, program and project file give the same JSON."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from epsilens.app.pages.downloads import again, json_of
from epsilens.app.work import Work
from epsilens.cli.again import command_line
from epsilens.table.demo.population import population_csv
from tests.support.journeys import JOURNEYS, worked
from tests.support.workbench import opened

pytestmark = pytest.mark.integration


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_bytes(population_csv(2_000, 2026))
    return tmp_path


def printed(words: list[str]) -> Any:
    """What a process prints, in JSON."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def epsilens(line: str, *more: str) -> list[str]:
    """The command line as it would be copied into a shell."""
    return [sys.executable, "-m", *shlex.split(line.replace("\\\n", "")), *more]


@pytest.mark.parametrize("journey", list(JOURNEYS))
def test_what_is_taken_away_gives_the_same_json(journey: str, folder: Path) -> None:
    page, command, edits = JOURNEYS[journey]
    work = worked(edits)
    app = opened(page, work)
    assert [error.value for error in app.error] == []
    shown = json.loads(json_of(work, command))
    assert printed(epsilens(command_line(work.project, command), "--json")) == shown
    (folder / "again.py").write_text(work.project.script(command), encoding="utf-8")
    assert printed([sys.executable, "again.py"]) == shown
    (folder / "epsilens.toml").write_text(work.project.to_toml(), encoding="utf-8")
    assert printed([sys.executable, "-m", "epsilens", "run", "epsilens.toml", *command.split(), "--json"]) == shown


def test_moved_controls_are_exported(folder: Path) -> None:
    """From an empty workbench to a choice, by controls alone."""
    work = Work()
    data = opened("data", work)
    assert data.header or data.title
    work.change("data", source="people.csv", quasi_identifiers=["age", "sex"], sensitive=["disease"], bins={"age": 10})
    app = opened("choose", work)
    app.selectbox(key="choose-mechanism").select("discrete-laplace").run()
    app.selectbox(key="choose-neighbours").select("substitute").run()
    assert not app.exception
    assert work.project.section("noise")["neighbours"] == "substitute"
    shown = json.loads(json_of(work, "choose"))
    assert shown["neighbours"] == "substitute"
    assert printed(epsilens(command_line(work.project, "choose"), "--json")) == shown


def test_an_upload_is_exported_by_its_name(folder: Path) -> None:
    from tests.support.workbench import demo_work

    work = demo_work(2_000)
    _, command, _ = (one.made().decode() for one in again(work))
    assert printed(epsilens(command, "--json")) == json.loads(json_of(work, "assess"))
