from __future__ import annotations

import json
from pathlib import Path

import pytest

from epsilens import posterior
from epsilens.posterior.attacks import ATTACKS
from tests.unit.cli.conftest import Run


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


def test_help_names_every_attack_and_says_that_levels_start_below(run: Run) -> None:
    text = " ".join(run("posterior", "release", "--help").out.split())
    assert f"--attack A {', '.join([*ATTACKS][:-1])} or {[*ATTACKS][-1]}." in text
    assert "Columns of the groups, lowest first" in text
    assert "budgets by level, lowest level first" in text


@pytest.mark.parametrize(
    "part",
    [
        '"parents": [[0, 0, "a"]]',
        '"noisy": [[2, 0, "x"], [3]]',
        '"invariants": [{}, {"a": 3}]',
        '"invariants": {"0": 1}',
        '"known": 1' + "0" * 400,
        '"noisy": [[2, 0, 1' + "0" * 400 + "], [3]]",
    ],
)
def test_a_tree_of_nonsense(run: Run, tmp_path: Path, part: str) -> None:
    base = {"noisy": [[2, 0, 1], [3]], "parents": [[0, 0, 0]], "rho": [0.1, 0.2]}
    (tmp_path / "tree.json").write_text(json.dumps(base | json.loads("{" + part + "}")))
    outcome = run("posterior", "tree", "tree.json")
    assert (outcome.code, outcome.out) == (2, "")


def test_columns_that_are_not_nested(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("block,tract,sex\nb1,t1,f\nb1,t2,m\nb2,t2,f\n")
    outcome = run("posterior", "release", "bad.csv", "--levels", "block,tract", "--by", "sex", "--rho", "0.1,0.1")
    assert outcome.code == 2
    assert "not nested" in outcome.err


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


def test_a_tree_to_start_from(run: Run) -> None:
    assert "A small tree is in t.json" in run("posterior", "tree", "--example", "t.json").out
    assert "Prior of the other lowest groups, fitted to their noisy counts: poisson (mean 0." in (
        run("posterior", "tree", "t.json").out
    )
    given = run("posterior", "tree", "t.json", "--leaf-prior", "poisson=0.027", "--prior", "1/10", "--json").json
    assert given["leaf_prior"] == {"law": "poisson", "mean": 0.027, "fitted": False}
    assert given["prior"] == 0.1
    assert run("posterior", "tree", "--example", "u.json", "--json").json["written"] == "u.json"
    for arguments, problem in (
        (("--example", "t.json"), "exists; choose another name"),
        (("t.json", "--example", "v.json"), "or write one with --example"),
        ((), "name the JSON file of a tree"),
        (("--example", "v.json", "--prior", "0.2"), "--example writes a tree and does nothing else"),
        (("t.json", "--leaf-prior", "poison"), "did you mean 'poisson'"),
    ):
        outcome = run("posterior", "tree", *arguments)
        assert (outcome.code, outcome.out) == (2, "")
        assert problem in outcome.err


def test_noise_and_budgets(run: Run) -> None:
    text = run("posterior", "noise", "--rho", "1", "--terms", "5,27").out
    assert "0.00108" in text
    assert "0.000566" in text
    assert "17.9153" in run("posterior", "budget", "--rho", "2.56").out
    rows = run("posterior", "budget", "--rho", "0.1,2.56", "--delta", "1e-6,1e-10", "--json").json["rows"]
    assert [round(row["epsilon"], 3) for row in rows][-1] == 17.158
    assert "--rho needs at least one number" in run("posterior", "budget").err


def test_post_processing_along_rho(run: Run, tmp_path: Path) -> None:
    asked = ("posterior", "postprocess", "--shown", "1,2", "--siblings", "3", "--rho", "0.1:1:3")
    assert run(*asked, "--axis", "rho", "--plot", "p.svg").code == 0
    assert "rho of the group" in (tmp_path / "p.svg").read_text()
    assert len(run(*asked, "--json").json["rows"]) == 2 * 3 * 2


def test_voting_age_from_a_column_of_ages(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"b{i % 3},t{i % 3 // 2},{17 + i % 3 * i % 40}\n" for i in range(40))
    (tmp_path / "p.csv").write_text(f"block,tract,age\n{rows}")
    asked = (
        "posterior",
        "release",
        "p.csv",
        "--levels",
        "block,tract",
        "--by",
        "age",
        "--rho",
        "0.1,0.1",
        "--rare",
        "9",
    )
    # a person is rare who is of age in a block with few of age, or a child where there are few children
    ages = {f"b{block}": [17 + block * i % 40 for i in range(40) if i % 3 == block] for block in range(3)}
    groups = [[age for age in some if (age < 18) == child] for some in ages.values() for child in (True, False)]
    assert run(*asked, "--bins", "age=0|18|120", "--json").json["people"] == sum(len(g) for g in groups if len(g) <= 9)


@pytest.mark.parametrize("idle", [("--true", "1"), ("--first", "1")])
def test_what_is_asked_of_averages_is_refused_of_a_posterior(run: Run, idle: tuple[str, str]) -> None:
    told = run("posterior", "category", "--noisy", "1,4", "--known", "1,2", "--rho", "0.5", *idle)
    assert (told.code, told.out) == (2, "")
    assert f"{idle[0]} is for averages; with --noisy the posterior says it all" in told.err


def test_a_family_in_a_tree_and_what_a_budget_is_worth_for_it(run: Run) -> None:
    assert run("posterior", "tree", "--example", "t.json").code == 0
    result = run("posterior", "tree", "t.json", "--leaf-prior", "poisson=1", "--family", "2", "--json").json
    assert result["family"] == 2
    assert "2 people share" in run("posterior", "tree", "t.json", "--leaf-prior", "poisson=1", "--family", "2").out
    assert run("posterior", "tree", "--example", "u.json", "--family", "2").code == 2
    worth = run("posterior", "family", "--epsilon", "1", "--members", "1,4", "--json").json
    assert [row["epsilon"] for row in worth["rows"]] == [1.0, 4.0]
    assert worth["label"] == "publishable"
    assert "protects persons, not families" in run("posterior", "family", "--epsilon", "1").out
    assert run("posterior", "family", "--epsilon", "1", "--members", "0").code == 2
