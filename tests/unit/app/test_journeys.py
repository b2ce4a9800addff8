"""Whatever is done in the workbench, the command and the program to take away give the same JSON, to the digit."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from epsilens.app.pages.downloads import ANSWERS, json_of
from epsilens.app.parts.release_terms import with_terms
from epsilens.app.work import Work
from epsilens.cli import main
from epsilens.cli.again import arguments, command_line
from epsilens.project import Project
from epsilens.release.rehearsal import preflight
from epsilens.table.demo.population import population_csv
from tests.support.workbench import opened

ROLES = {"quasi_identifiers": ["block_group", "age", "sex"], "sensitive": ["disease"], "bins": {"age": 20}}
OPEN = [("data", {"source": "people.csv", **ROLES})]
HARM = [("data", {"harmful": {"disease": ["cancer", "diabetes"]}})]
SEVERAL = [
    ("noise", {"mechanisms": ["discrete-laplace", "gaussian-analytic"], "epsilons": [0.3, 1.0], "deltas": [1e-6]})
]
UNIVERSE = {
    "block_group": ["C001-T0001-1", "C001-T0001-2"],
    "age": {"from": 0, "to": 120},
    "sex": ["female", "male"],
    "disease": ["asthma", "cancer", "diabetes", "heart disease", "none"],
}
LEVELS = [("posterior release", {"levels": ["tract", "county"], "by": ["age", "sex"], "rho": [0.1, 0.2]})]
RELEASE = [
    ("data", {"universe": UNIVERSE}),
    ("release", {"epsilon": 0.5, "one_row_per_person": True, "out": "r.csv"}),
    ("ledger", {"ledger": "b.db", "account": "survey", "total_epsilon": 1.0}),
]
Edits = list[tuple[str, dict[str, Any]]]

JOURNEYS: dict[str, tuple[str, str, Edits]] = {
    "today, at several budgets and noises": ("today", "assess", [*OPEN, *SEVERAL, ("risk", {"measures": ["local"]})]),
    "today, with harmful values, simulated": (
        "today",
        "assess",
        [*OPEN, *HARM, ("noise", {"epsilons": [0.1]}), ("assess", {"repeats": 20, "seed": 7})],
    ),
    "choose by a ceiling": ("choose", "choose", [*OPEN, ("risk", {"max_risk": 0.05})]),
    "choose by a ceiling for people, of harmful values": (
        "choose",
        "choose",
        [*OPEN, *HARM, ("risk", {"max_risk": 0.1, "max_people": 5}), ("noise", {"mechanisms": ["discrete-laplace"]})],
    ),
    "compare, drawn with a seed": (
        "compare",
        "compare",
        [*OPEN, ("compare", {"systems": ["laplace", "suppression"], "repetitions": 5, "seed": 3, "no_classify": True})],
    ),
    "the adversary": ("adversary", "posterior release", [*OPEN, *LEVELS]),
    "attackers who know less": ("knowledge", "knowledge", [*OPEN, ("noise", {"epsilons": [1.0]})]),
    "attackers who know one column": ("knowledge", "knowledge", [*OPEN, ("knowledge", {"knows": ["age"]})]),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_bytes(population_csv(300, 2026))
    return tmp_path


def printed(words: list[str]) -> Any:
    """What the command line prints for these words, in JSON."""
    out = StringIO()
    with redirect_stdout(out), pytest.raises(SystemExit) as stop:
        main([*words, "--json"])
    assert stop.value.code == 0
    return json.loads(out.getvalue())


def ran(program: str) -> Any:
    """What a program prints, in JSON."""
    out = StringIO()
    with redirect_stdout(out):
        exec(compile(program, "program", "exec"), {"__name__": "__main__"})
    return json.loads(out.getvalue())


def worked(edits: Edits) -> Work:
    work = Work()
    for section, values in edits:
        work.change(section, **values)
    return work


@pytest.mark.parametrize("journey", list(JOURNEYS))
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
    assert {command for _, command, _ in JOURNEYS.values()} == set(ANSWERS)


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
