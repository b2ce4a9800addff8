"""A project as a command line; what a command prints, what a project run again prints, what its program prints."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from epsilens.cli.again import arguments, command_line, command_named, given_in
from epsilens.errors import ParameterError
from epsilens.project import Project
from tests.unit.cli.conftest import UNIVERSE, Run

DATA: dict[str, Any] = {"source": "people.csv", "quasi_identifiers": ["age", "sex"], "sensitive": ["income"]}
BINNED = {**DATA, "bins": {"age": 10}}
GROUPS = {"source": "people.csv", "levels": ["sex"], "by": ["income"], "where": "age>=20"}
HARMED = {**BINNED, "universe": UNIVERSE, "structural_zeros": [{"sex": "x", "income": "low"}]}

PROJECTS: dict[str, tuple[str, dict[str, Any]]] = {
    "assess": ("assess", {"data": BINNED, "noise": {"epsilons": [0.5, 1]}}),
    "assess by cells": (
        "assess",
        {"data": BINNED, "assess": {"unweighted": True, "epsilons": 1, "cells": 3, "repeats": 3, "seed": 7}},
    ),
    "assess curves": ("assess", {"data": DATA, "assess": {"epsilon_range": [0.1, 1], "epsilons": [1]}}),
    "assess gaussian": (
        "assess",
        {"data": BINNED, "noise": {"mechanisms": "gaussian-analytic", "epsilons": [1], "deltas": [1e-6]}},
    ),
    "assess harm": (
        "assess",
        {"data": {**HARMED, "harmful": {"income": "low"}}, "assess": {"epsilons": "1", "knee": True}},
    ),
    "choose": ("choose", {"data": BINNED, "risk": {"max_risk": 0.3, "measures": ["local", "expected"]}}),
    "choose delta": (
        "choose",
        {"data": BINNED, "choose": {"fixed_epsilon": 1, "max_risk": 0.4, "mechanism": "gaussian-analytic"}},
    ),
    "choose hierarchy": (
        "choose",
        {"data": GROUPS, "choose": {"measure": "posterior", "max_risk": 0.7, "rare": 3, "attack": "single"}},
    ),
    "knowledge": ("knowledge", {"data": HARMED, "noise": {"epsilons": [1]}, "knowledge": {"knows": "sex"}}),
    "compare": (
        "compare",
        {"data": HARMED, "compare": {"systems": "laplace,suppression", "repetitions": 2, "no_classify": True, "k": 2}},
    ),
    "posterior release": (
        "posterior release",
        {"data": GROUPS, "posterior": {"release": {"rho": 0.1, "prior": "1/10", "attack": "single"}}},
    ),
}


def program(text: str) -> Any:
    """What a program prints, run in this process."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "program", "exec"), {})
    return json.loads(out.getvalue())


@pytest.mark.parametrize("name", PROJECTS)
def test_command_run_and_program_print_the_same(run: Run, people: Path, name: str) -> None:
    command, sections = PROJECTS[name]
    project = Project.of(**sections)
    line = shlex.split(command_line(project, command).replace("\\\n", ""))
    assert line == ["epsilens", *arguments(project, command)]
    direct = run(*line[1:], "--json", "--save", "p.toml")
    assert direct.code in (0, 3), direct.err
    assert program(project.script(command)) == direct.json
    again = run("run", "p.toml", *command.split(), "--json")
    assert (again.code, again.json) == (direct.code, direct.json)
    assert arguments(Project.load("p.toml"), command) == line[1:]


@pytest.mark.slow
def test_the_program_runs_by_itself(run: Run, people: Path) -> None:
    command, sections = PROJECTS["assess"]
    project = Project.of(**sections)
    Path("again.py").write_text(project.script(command))
    done = subprocess.run([sys.executable, "again.py"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == run(*arguments(project, command), "--json").json


def test_releases_say_the_same_but_for_the_noise(run: Run, people: Path) -> None:
    release = {"epsilon": 0.5, "one_row_per_person": True, "out": "o.csv", "bins": "age=20"}
    ledger = {"ledger": "b.db", "account": "survey", "total_epsilon": 9}
    project = Project.of(data={**DATA, "universe": UNIVERSE}, ledger=ledger, release=release)
    assert arguments(project, "release")[:4] == ["release", "people.csv", "--columns", "age,sex,income"]
    cards = [run(*arguments(project, "release"), "--json").json["card"]]
    project = project.with_values("release", out="p.csv")
    cards.append(program(project.script("release"))["card"])
    Path("p.toml").write_text(project.with_values("release", out="q.csv").to_toml())
    cards.append(run("run", "p.toml", "release", "--json").json["card"])
    for part in ("schema", "budget", "mechanism", "unit", "tables"):
        assert cards[0].get(part) == cards[1].get(part) == cards[2].get(part)


def test_a_line_is_quoted_for_a_shell() -> None:
    data = {"source": "my people.csv", "quasi_identifiers": ["a b"], "sensitive": "y", "where": ["age>=18", "-x=1"]}
    line = command_line(Project.of(data=data, assess={"unweighted": False, "knee": True}), "assess")
    assert line == (
        "epsilens assess 'my people.csv' --qid 'a b' --sensitive y \\\n  --where 'age>=18' --where=-x=1 --knee"
    )


def test_an_inline_universe_has_a_command_line() -> None:
    words = arguments(Project.of(data={**DATA, "universe": {"sex": ["f"]}, "bins": {"age": [0, 20]}}), "assess")
    assert words[words.index("--universe") + 1] == '{"sex": ["f"]}'
    assert words[words.index("--bins") + 1] == "age=0|20"


def test_arguments_and_flags_are_spelt_as_click_has_them() -> None:
    hidden = Project.of(sensitivity={"pooled-variance": {"sizes": [3, 3], "reveal_largest": False}})
    assert arguments(hidden, "sensitivity pooled-variance") == [
        "sensitivity", "pooled-variance", "--sizes", "3,3", "--hide-sizes",
    ]  # fmt: skip
    assert arguments(Project.of(sequence={"plan": "-p.json"}), "sequence") == ["sequence", "./-p.json"]
    assert arguments(Project.of(data=DATA), "assess", without=["source", "sensitive"]) == ["assess", "--qid", "age,sex"]


@pytest.mark.parametrize(
    ("sections", "command", "said"),
    [
        ({}, "assess", "source is missing"),
        ({"data": DATA}, "asess", "'asess' is not asked of a project; did you mean 'assess'"),
        ({"data": {**DATA, "sensitive": ["a,b"]}}, "assess", "has a comma in it"),
    ],
)
def test_what_has_no_command_line_is_refused(sections: dict[str, Any], command: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        arguments(Project.of(**sections), command)


def test_words_give_parameters_as_they_were_typed() -> None:
    words = ["a.csv", "--qid", "a", "--qid", "b", "--max-risk", "0.10", "--levers"]
    assert given_in("choose", words) == {
        "source": "a.csv", "quasi_identifiers": ["a", "b"], "max_risk": "0.10", "levers": True,
    }  # fmt: skip
    assert command_named("posterior release").name == "release"
