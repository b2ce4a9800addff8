"""``epsilens run``: a project asks again, as any command."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from epsilens.cli.run import command
from epsilens.project import Project
from tests.unit.cli.conftest import UNIVERSE, Run

TEXT = """[data]
source = "people.csv"
quasi_identifiers = ["age", "sex"]
sensitive = "income"

[noise]
epsilons = [1]
"""


@pytest.fixture
def project(run: Run, people: Path) -> Path:
    Path("p.toml").write_text(TEXT)
    return Path("p.toml")


def test_without_a_command_it_assesses_and_says_what_else_there_is(run: Run, project: Path) -> None:
    outcome = run("run", "p.toml", "--json")
    assert outcome.code == 0
    assert [row["epsilon"] for row in outcome.json["budgets"]] == [1.0]
    assert outcome.err == (
        "epsilens: ran assess; the project can also be asked choose, knowledge, compare, posterior release, release\n"
    )


def test_without_a_command_it_runs_what_the_project_is_about_but_never_publishes(run: Run, project: Path) -> None:
    project.write_text(f'{TEXT}\n[choose]\nmax_risk = 0.3\n[release]\nout = "o.csv"\n')
    assert "ran choose" in run("run", "p.toml").err
    project.write_text(f'{TEXT}\n[release]\nout = "o.csv"\n')
    assert "ran assess" in run("run", "p.toml").err


def test_a_hierarchy_alone_is_asked_about_its_people(run: Run, project: Path) -> None:
    project.write_text('[data]\nsource = "people.csv"\nlevels = "sex"\nby = "income"\n')
    assert run("run", "p.toml", "--rho", "0.1", "--attack", "single").err.startswith("epsilens: ran posterior release;")


def test_options_win_over_the_project(run: Run, project: Path) -> None:
    outcome = run("run", "p.toml", "assess", "--epsilon", "0.5,2", "--bins", "age=20", "--json")
    assert outcome.json == run(
        *("assess", "people.csv", "--qid", "age,sex", "--sensitive", "income", "--bins", "age=20"),
        *("--epsilon", "0.5,2", "--json"),
    ).json  # fmt: skip
    assert outcome.err == ""


def test_another_engine_is_not_where_the_first_one_was(run: Run, project: Path) -> None:
    project.write_text(TEXT.replace("[noise]", 'engine = "spark"\nspark_master = "yarn"\n[noise]'))
    expected = run("assess", "people.csv", "--qid", "age,sex", "--sensitive", "income", "--epsilon", "1", "--json").json
    assert run("run", "p.toml", "assess", "--engine", "duckdb", "--json").json == expected


def test_errors_are_spelt_as_options_and_are_one_line(run: Run, project: Path) -> None:
    assert run("run", "p.toml", "choose").err.startswith("epsilens: --max-risk is missing")
    assert run("run", "p.toml", "choose", "--max-risk", "7").err.startswith("epsilens: --max-risk must lie in (0, 1]")
    assert "'chose' is not asked of a project; did you mean 'choose'?" in run("run", "p.toml", "chose").err
    assert "'ledger' is not asked of a project" in run("run", "p.toml", "ledger", "show").err
    assert "'posterior relase' is not asked" in run("run", "p.toml", "posterior", "relase").err
    project.write_text("[data]\nsorce = 1")
    assert run("run", "p.toml").err == (
        "epsilens: 'p.toml', line 2: there is no key 'sorce' in [data]; did you mean 'source'?\n"
    )


def test_names_of_files_are_relative_to_the_project(run: Run, project: Path) -> None:
    Path("sub").mkdir()
    Path("people.csv").rename("sub/people.csv")
    project.rename("sub/p.toml")
    assert run("run", "sub/p.toml", "assess").code == 0


def test_changed_data_are_told_and_not_refused(run: Run, project: Path) -> None:
    Project.load("p.toml").save("p.toml", force=True)
    assert run("run", "p.toml", "assess").err == ""
    with Path("people.csv").open("a") as stream:
        stream.write("77,f,low\n")
    outcome = run("run", "p.toml", "assess")
    assert outcome.code == 0
    assert outcome.err.startswith("epsilens: warning: the data have changed since 20")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("fitting", [True, False])
def test_a_release_says_nothing_that_depends_on_the_data(run: Run, people: Path, fitting: bool) -> None:
    release = {"epsilon": 0.5, "one_row_per_person": True, "out": "o.csv", "columns": ["sex", "income"]}
    ledger = {"ledger": "b.db", "account": "survey", "total_epsilon": 9}
    data = {"source": "people.csv", "universe": UNIVERSE}
    Project.of(data=data, ledger=ledger, release=release).save("p.toml")
    if not fitting:
        with people.open("a") as stream:
            stream.write("77,f,low\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run("run", "p.toml", "release").err == ""
        project = Project.load("p.toml").with_values("release", out="q.csv")
        project.answer("release")


def test_a_release_that_is_saved_takes_no_fingerprint(run: Run, people: Path) -> None:
    Path("u.json").write_text(json.dumps(UNIVERSE))
    words = ("--columns", "sex,income", "--universe", "u.json", "--epsilon", "0.5", "--one-row-per-person")
    paid = ("--ledger", "b.db", "--account", "survey", "--total-epsilon", "9", "--out", "o.csv")
    assert run("release", "people.csv", *words, *paid, "--save", "p.toml").code == 0
    assert "fingerprint" not in Path("p.toml").read_text()
    assert Project.load("p.toml").section("release")["out"] == "o.csv"
    assert run("run", "p.toml", "release", "--check").code == 2  # the output exists
    assert run("run", "p.toml", "release", "--out", "q.csv", "--check").code == 0


def test_the_command_has_one_project() -> None:
    assert [parameter.name for parameter in command.params] == ["project", "asked"]


def test_a_release_of_fewer_columns_leaves_out_what_is_said_of_the_others(run: Run, project: Path) -> None:
    project.write_text(TEXT.replace("[noise]", 'bins = ["age=10"]\n[noise]'))
    universe = '{"sex": ["f", "m"], "income": ["low", "high"]}'
    outcome = run(
        "run", "p.toml", "release", "--columns", "sex,income", "--universe", universe, "--epsilon", "1", "--check",
        "--one-row-per-person", "--ledger", "b.db", "--account", "a", "--total-epsilon", "1", "--out", "o.csv",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
