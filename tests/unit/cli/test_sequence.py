from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Run

PEOPLE = "town,sex,income,ill\n" + "\n".join(
    f"{town},{sex},{income},{ill}"
    for town, sex, income, ill, times in [
        ("a", "m", "high", "no", 3),
        ("a", "f", "low", "no", 2),
        ("b", "m", "low", "yes", 2),
        ("b", "f", "low", "no", 1),
    ]
    for _ in range(times)
)
RELEASES: list[dict[str, Any]] = [
    {"name": "sizes", "sizes": True, "epsilon": 0.5},
    {"name": "income", "sensitive": "income", "epsilon": 1, "parent": "sizes"},
    {"name": "both", "sensitive": ["income", "ill"], "epsilon": 1, "parent": "income"},
]


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return written(tmp_path, {"source": "people.csv", "qid": ["town"], "releases": RELEASES})


def written(folder: Path, plan: Any) -> Path:
    path = folder / "plan.json"
    path.write_text(json.dumps(plan), encoding="utf-8")
    return path


def test_a_chain_of_releases(run: Run, plan: Path) -> None:
    done = run("sequence", plan, "--json")
    assert done.code == 0
    found = json.loads(done.out)
    assert found["label"] == "internal"
    assert [step["after"] for step in found["steps"]] == ["income", "both"]
    last = found["steps"][-1]
    assert 0 < last["risks"]["income"] < 1
    assert last["largest"] <= found["at_least_one_attribute"][""] <= last["total"]
    assert {row["rule"] for row in found["spent"]} >= {"basic", "advanced", "zcdp", "pld"}
    assert [row["rule"] for row in found["spent"] if row["adaptive"]] == ["basic", "zcdp"]


def test_the_summary_and_the_chart(run: Run, plan: Path, tmp_path: Path) -> None:
    done = run("sequence", plan, "--plot", tmp_path / "s.svg")
    assert done.code == 0
    assert "INTERNAL" in done.out
    assert "At least one attribute is given away for" in done.out
    assert "In print" in (tmp_path / "s.svg").read_text(encoding="utf-8")


def test_cohorts_finer_cells_and_other_mechanisms(run: Run, plan: Path) -> None:
    people = {"source": "people.csv", "qid": ["town"], "universe": {"income": ["high", "low"]}, "sensitive": "income"}
    releases = [
        {"epsilon": 1},
        {"qid": ["town", "sex"], "epsilon": 1, "parent": "release 1"},
        {"cohort": "new", "mechanism": "discrete-gaussian", "rho": 0.5},
    ]
    done = run("sequence", written(plan.parent, {**people, "releases": releases}), "--match", "any")
    assert done.code == 0
    assert "release 3 (new)" in done.out
    assert "8 people of cohort new" in done.out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"releases": []}, 'needs "releases"'),
        ({"releases": [{"epsilon": 1}]}, "lacks 'sensitive'"),
        ({"releases": [{"sensitive": "income"}]}, "needs either epsilon or rho"),
        ({"releases": [{"sensitive": "income", "epsilon": 1, "rho": 1}]}, "needs either epsilon or rho"),
        ({"releases": [{"sensitive": "income", "epsilon": 0}]}, "'release 1' of the plan: epsilon must be > 0"),
        ({"releases": [{"sensitive": "income", "epsilon": "much"}]}, "epsilon must be a number"),
        ({"releases": [{"sensitve": "income", "epsilon": 1}]}, "did you mean 'sensitive'"),
        ({"releases": [{"sensitive": "incme", "epsilon": 1}]}, "did you mean 'income'"),
        ({"releases": [{"sensitive": "income", "epsilon": 1, "mechanism": "laplac"}]}, "did you mean 'laplace'"),
        ({"releases": [{"sensitive": "income", "epsilon": 1, "parent": "x"}]}, "not an earlier release"),
        ({"releases": [{"sizes": True, "epsilon": 1}]}, "disclose no attribute"),
        ({"parents": 1}, "means nothing here"),
        ({"qid": 5}, "'qid' of the plan must be a text or a list of texts, got 5"),
        ({"count": 7}, "'count' of the plan must be a text, got 7"),
        ({"missing_values": 3}, "'missing_values' of the plan must be"),
        ({"max_rows": 2.5}, "'max_rows' of the plan must be a whole number >= 1"),
        ({"universe": {"incme": ["high"]}}, "which no release has; did you mean 'income'"),
        ({"structural_zeros": [{"twn": "a", "income": "high"}]}, "which no release has; did you mean 'town'"),
        ({"releases": [{"sensitive": "income", "epsilon": True}]}, "must be a number, got True"),
        ({"releases": [{"sensitive": "income", "epsilon": 1, "parent": 3}]}, "'parent' of release 1"),
        ({"releases": [{"sizes": "no", "epsilon": 1}]}, "must be true or false, got 'no'"),
        ({"releases": [{"sizes": True, "epsilon": 1, "parent": "x"}]}, "not fitted to a parent"),
    ],
)
def test_bad_plans_get_one_line(run: Run, plan: Path, change: dict[str, Any], message: str) -> None:
    done = run("sequence", written(plan.parent, {**json.loads(plan.read_text()), **change}))
    assert done.code == 2
    assert message in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_what_is_no_plan(run: Run, tmp_path: Path) -> None:
    missing = run("sequence", tmp_path / "none.json")
    assert missing.code == 2
    assert "cannot read the plan" in missing.err
    (tmp_path / "list.json").write_text("[1]", encoding="utf-8")
    assert "must be a JSON file with an object" in run("sequence", tmp_path / "list.json").err


def test_what_holds_for_all_concerns_a_release_by_its_own_columns(run: Run, plan: Path) -> None:
    shared = {
        "source": "people.csv",
        "qid": ["town"],
        "rho": 0.5,
        "mechanism": "discrete-gaussian",
        "cohort": "all",
        "universe": {"income": ["high", "low"], "ill": ["no", "yes", "perhaps"]},
        "structural_zeros": [{"town": "b", "ill": "perhaps"}, {"sex": "f", "ill": "perhaps"}],
    }
    releases: list[dict[str, Any]] = [
        {"name": "sizes", "sizes": True, "qid": ["town"]},
        {"name": "income", "sensitive": "income", "parent": "sizes"},
        {"name": "both", "sensitive": ["income", "ill"], "parent": "income", "epsilon": 1, "delta": 1e-7},
        {"qid": ["town", "sex"], "sensitive": "ill", "cohort": None, "name": None},
    ]
    done = run("sequence", written(plan.parent, {**shared, "releases": releases}), "--json")
    assert done.code == 0, done.err
    steps = json.loads(done.out)["steps"]
    assert [(step["after"], step["cohort"]) for step in steps] == [
        ("income", "all"),
        ("both", "all"),
        ("release 4", ""),
    ]
    assert all(step["published"] for step in steps)


def test_what_cannot_be_stated_says_why(run: Run, plan: Path) -> None:
    change = {"mechanism": "gaussian", "delta": 1e-6, "releases": [{"sensitive": "income", "epsilon": 0.6}] * 2}
    done = run("sequence", written(plan.parent, {**json.loads(plan.read_text()), **change}))
    assert done.code == 0
    assert "Not in print: the classic Gaussian mechanism needs epsilon < 1" in done.out
    assert "advanced has no epsilon here: needs" in done.out


def test_a_range_in_the_universe_of_a_plan(run: Run, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,ill\n3,no\n17,yes\n17,no\n", encoding="utf-8")
    releases = [{"name": "ill", "sensitive": "ill", "epsilon": 1}]
    plan = {"source": "people.csv", "qid": ["age"], "bins": {"age": 10}, "releases": releases}
    for universe, code in (({"age": {"from": 0, "to": 20}}, 0), ({"age": {"from": 10, "to": 20}}, 2)):
        done = run("sequence", written(tmp_path, {**plan, "universe": universe}))
        assert done.code == code, done.err


def test_a_plan_chooses_rows_and_two_ways_to_read_a_file_are_two_tables(run: Run, plan: Path, tmp_path: Path) -> None:
    everybody = run("sequence", plan, "--json").json
    shared = {"source": "people.csv", "qid": ["town"], "where": ["sex=m"], "missing": {"income": "drop"}}
    some = run("sequence", written(tmp_path, {**shared, "releases": RELEASES}), "--json")
    assert some.code == 0, some.err
    assert some.json["steps"] != everybody["steps"]
    apart = [
        {"name": "men", "sensitive": "income", "epsilon": 1, "cohort": "m"},
        {"name": "women", "sensitive": "income", "epsilon": 1, "cohort": "f", "where": "sex=f"},
    ]
    both = run("sequence", written(tmp_path, {**shared, "missing": None, "releases": apart}), "--json")
    assert both.code == 2  # the women all have one income: were the tables one, it would be the men's
    assert "'income' has a single value" in both.err
    odd = run("sequence", written(tmp_path, {**shared, "missing": 3, "releases": RELEASES}))
    assert "'missing' of the plan must be a text, or an object by column, got 3" in odd.err
