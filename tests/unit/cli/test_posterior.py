from __future__ import annotations

import json
from pathlib import Path

import pytest

from epsilens import posterior
from epsilens.posterior.attacks import ATTACKS
from tests.unit.cli.conftest import Run

RHO = "0.099226,0.246485"


def test_single_matches_the_library(run: Run) -> None:
    result = run("posterior", "single", "--noisy", "2", "--rho", "0.099", "--json").json
    assert result["posterior"] == pytest.approx(posterior.single_level(noisy=2, known=0, rho=0.099).posterior)
    expected = posterior.expected_single_level(rho=0.099, prior=0.5)
    assert result["expected"]["correct_decision"] == pytest.approx(expected.correct_decision)
    assert result["label"] == "publishable"
    text = run("posterior", "single", "--noisy", "2", "--rho", "0.099", "--scenario", "participation").out
    assert "Did this person answer" in text
    assert f"{result['posterior']:.4f}" in text


def test_single_takes_any_mechanism(run: Run) -> None:
    result = run("posterior", "single", "--noisy", "1", "--epsilon", "1", "--mechanism", "laplace", "--json").json
    assert 0.5 < result["posterior"] < 0.74


def test_two_level_is_exact_by_default_and_published_on_request(run: Run) -> None:
    observed = ("--noisy", "2", "--noisy-parent", "1", "--noisy-siblings", "-1", "--siblings", "27", "--rho", RHO)
    assert run("posterior", "two-level", *observed, "--json").json["posterior"] == pytest.approx(0.5033, abs=5e-5)
    published = run("posterior", "two-level", *observed, "--published", "--json").json
    assert published["posterior"] == pytest.approx(0.5777, abs=5e-5)
    rows = run("posterior", "two-level", "--parent", "1,10", "--siblings", "27", "--rho", RHO, "--json").json["rows"]
    assert [round(row["correct_decision"], 4) for row in rows] == [0.3182, 0.5897]


def test_levels_of_the_census(run: Run) -> None:
    rows = run("posterior", "levels", "--preset", "census-2020", "--prior", "0.5", "--json").json["rows"]
    assert [round(row["posterior"], 6) for row in rows] == [0.523666, 0.574547, 0.583846, 0.592996, 0.601687, 0.610173]


def test_sequence_category_census_and_postprocess(run: Run) -> None:
    result = run("posterior", "sequence", "--rho", "0.1,0.2", "--noisy", "1,0", "--json").json
    assert len(result["posteriors"]) == 2
    ranked = run("posterior", "category", "--categories", "5", "--rho", "0.5", "--json").json
    assert 0.2 < ranked["posterior"] < ranked["ranked_first"] < 1
    found = run("posterior", "category", "--noisy", "0,3,0", "--known", "0,0,0", "--rho", "0.5", "--json").json
    assert found["ranking"][0] == 1
    total = run("posterior", "census-2020", "--json").json["total"]
    assert (round(total["epsilon"], 3), round(total["published_epsilon"], 3)) == (17.158, 17.915)
    check = run("posterior", "postprocess", "--shown", "1,5", "--siblings", "3", "--json").json
    assert not any(row["raises_risk"] for row in check["rows"])


def test_tree_from_json(run: Run, tmp_path: Path) -> None:
    tree = {"noisy": [[2, 0, 1], [3]], "parents": [[0, 0, 0]], "rho": [0.1, 0.2], "invariants": [{}, {"0": 3}]}
    (tmp_path / "tree.json").write_text(json.dumps(tree))
    result = run("posterior", "tree", "tree.json", "--json").json
    expected = posterior.tree(noisy=[[2, 0, 1], [3]], parents=[[0, 0, 0]], rho=[0.1, 0.2], invariants=[{}, {0: 3}])
    assert result["posterior"] == pytest.approx(expected.posterior)


def test_release_over_a_population(run: Run, tmp_path: Path) -> None:
    run("demo", "--rows", "3000", "--write", "people.parquet")
    arguments = ("--levels", "block,block_group,tract", "--by", "age,sex", "--preset", "census-2020")
    result = run("posterior", "release", "people.parquet", *arguments, "--json").json
    assert result["label"] == "internal"
    assert result["people"] > 100
    assert 1 < result["mean_ratio"] < 2
    text = run("posterior", "release", "people.parquet", *arguments).out
    assert "INTERNAL" in text
    assert f"{result['people']:,} people" in text
    drawn = run("posterior", "release", "people.parquet", *arguments, "--plot", "release.svg").out
    assert drawn.endswith("Chart written to release.svg (internal).\n")
    assert "Internal." in (tmp_path / "release.svg").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ("single", "--noisy", "2", "--rho", "0.1"),
        ("curve", "--points", "5", "--prior", "0.5"),
        ("two-level", "--parent", "1,2", "--siblings", "3", "--rho", "0.1,0.2"),
        ("levels", "--rho", "0.1,0.2"),
        ("postprocess", "--shown", "1,2", "--siblings", "3"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_chart_is_drawn(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert run("posterior", *arguments, "--plot", "chart.svg").code == 0
    assert (tmp_path / "chart.svg").read_text().startswith("<svg")


def test_the_decision_map_is_drawn(run: Run, tmp_path: Path) -> None:
    outcome = run("posterior", "two-level", "--parent", "1", "--siblings", "27", "--rho", RHO, "--map", "map.svg")
    assert outcome.code == 0
    assert "noisy child 2" in (tmp_path / "map.svg").read_text()


def test_the_chart_takes_the_parent_s_prior_that_was_asked_for(run: Run, tmp_path: Path) -> None:
    arguments = ("posterior", "two-level", "--parent", "1,2", "--siblings", "3", "--rho", "0.1,0.2", "--plot", "c.html")
    run(*arguments)
    anyhow = (tmp_path / "c.html").read_text()
    run(*arguments, "--parent-prior", "uniform:2")
    assert (tmp_path / "c.html").read_text() != anyhow


def test_help_names_every_attack_and_says_that_levels_start_below(run: Run) -> None:
    text = " ".join(run("posterior", "release", "--help").out.split())
    assert f"--attack A {', '.join([*ATTACKS][:-1])} or {[*ATTACKS][-1]}." in text
    assert "Columns of the groups, lowest first" in text
    assert "budgets by level, lowest level first" in text


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("single", "--noisy", "1", "--rho", "0"), "rho must be > 0"),
        (("single", "--noisy", "1", "--rho", "0.1", "--prior", "1"), "prior must lie strictly between 0 and 1"),
        (("single", "--noisy", "1"), "either --rho"),
        (("single", "--noisy", "1.5", "--rho", "0.1"), "--noisy must be a whole number"),
        (("two-level", "--siblings", "3", "--rho", "0.1,0.2"), "or --parent"),
        (("two-level", "--parent", "1", "--siblings", "3", "--rho", "0.1"), "two budgets"),
        (("two-level", "--parent", "0", "--siblings", "3", "--rho", "0.1,0.2"), "--parent must be >= 1"),
        (("two-level", "--parent", "1", "--siblings", "3", "--rho", "0.1,0.2", "--parent-prior", "flat"), "uniform"),
        (
            (
                "two-level", "--noisy", "0", "--noisy-parent", "0", "--noisy-siblings", "0",
                "--siblings", "2", "--rho", "0.1,0.1", "--parent-prior", "uniform:x",
            ),
            "uniform:HIGHEST",
        ),
        (("levels",), "--preset census-2020"),
        (("levels", "--preset", "census-2030"), "did you mean 'census-2020'"),
        (("sequence",), "--rho is missing"),
        (("category", "--rho", "0.1"), "--categories or --prior"),
        (("category", "--categories", "5"), "--rho is missing"),
        (("single", "--rho", "0.1", "--scenario", "gossip"), "--scenario must be one of"),
        (("curve", "--from", "2", "--to", "1"), "--to must not be below --from, got 1"),
        (("curve", "--points", "100000"), "--points must be at most 10000"),
        (("postprocess", "--shown", "1.5"), "--shown must be a whole number, got 1.5"),
        (("sequence", "--rho", "0.1,0.2", "--noisy", "1"), "--noisy must hold one count per release (2), got 1"),
        (("release", "x.csv", "--levels", "a", "--by", "b", "--rho", "1", "--attack", "two-level"), "2 --levels"),
        (("tree", "nowhere.json"), "cannot read"),
        (("release", "nowhere.csv", "--levels", "a", "--by", "b", "--rho", "0.1"), "nowhere.csv"),
        (("release", "x.csv", "--rho", "0.1"), "--levels and --by"),
        (("single", "--noisy", "2", "--rho", "0.1", "--mechanism", "laplace"), "go with --epsilon"),
        (("category", "--noisy", "1,2", "--rho", "0.1"), "--noisy and --known go together"),
        (("category", "--categories", "5", "--rho", "0.1", "--first", "1.5"), "--first must be a whole number"),
        (("curve", "--prior", ""), "--prior needs at least one number"),
        (("levels", "--rho", "0.1", "--prior", ""), "--prior needs"),
        (("postprocess", "--shown", ""), "--shown needs at least one number"),
    ],
    ids=lambda value: " ".join(value[:4]) if isinstance(value, tuple) else "",
)  # fmt: skip
def test_bad_input(run: Run, arguments: tuple[str, ...], problem: str) -> None:
    outcome = run("posterior", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1
    assert problem in outcome.err


@pytest.mark.parametrize(
    "part",
    [
        '"parents": [[0, 0, "a"]]',
        '"noisy": [[2, 0, "x"], [3]]',
        '"invariants": [{}, {"a": 3}]',
        '"invariants": {"0": 1}',
    ],
)
def test_a_tree_of_nonsense(run: Run, tmp_path: Path, part: str) -> None:
    base = {"noisy": [[2, 0, 1], [3]], "parents": [[0, 0, 0]], "rho": [0.1, 0.2]}
    (tmp_path / "tree.json").write_text(json.dumps(base | json.loads("{" + part + "}")))
    outcome = run("posterior", "tree", "tree.json")
    assert (outcome.code, outcome.out) == (2, "")


def test_much_budget_ends_in_certainty_not_in_nonsense(run: Run) -> None:
    rows = run("posterior", "two-level", "--siblings", "27", "--rho", "1e3,1e3", "--parent", "5", "--json").json["rows"]
    assert (rows[0]["posterior"], rows[0]["correct_decision"]) == pytest.approx((1.0, 1.0))


def test_columns_that_are_not_nested(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("block,tract,sex\nb1,t1,f\nb1,t2,m\nb2,t2,f\n")
    outcome = run("posterior", "release", "bad.csv", "--levels", "block,tract", "--by", "sex", "--rho", "0.1,0.1")
    assert outcome.code == 2
    assert "not nested" in outcome.err
