"""A plan is judged as a whole before any data is read."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.publication import assess_publication
from epsilens.choice.questions.sequence import Question, answer
from epsilens.errors import DataError, ParameterError
from epsilens.homogeneity.repeated.releases import AnyRelease, Release, SizeRelease
from epsilens.table.to_read import TableToRead

PLAN: dict[str, Any] = {
    "source": "people.csv",
    "qid": "town",
    "releases": [
        {"name": "sizes", "sizes": True, "epsilon": 0.5},
        {"name": "income", "sensitive": "income", "epsilon": 1, "parent": "sizes"},
    ],
}


def test_the_last_release_is_refused_before_the_first_is_read() -> None:
    bad = {**PLAN, "releases": [*PLAN["releases"], {"sensitive": "income", "epsilon": 0}]}
    with pytest.raises(ParameterError, match="'release 3' of the plan: epsilon must be > 0"):
        Question.from_plan(bad)  # there is no people.csv here
    with pytest.raises(DataError, match='the plan needs "releases"'):
        Question.from_plan({"source": "people.csv"})
    with pytest.raises(ParameterError, match="delta must lie strictly between"):
        Question.from_plan(PLAN, delta=2.0)
    with pytest.raises(ParameterError, match="match must be one of"):
        Question.from_plan(PLAN, match="all")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="at least one release"):
        Question(())


def test_the_answer_is_that_of_the_releases(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("town,income\na,high\na,low\nb,low\nb,low\n")
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    question = Question.from_file(tmp_path / "plan.json")
    assert question.mechanism == "laplace"
    assert [release.name for release in question.releases] == ["sizes", "income"]
    table = TableToRead.of(tmp_path / "people.csv", "town", "income").read()
    releases: list[AnyRelease] = [
        SizeRelease(el.LaplaceNoise(2.0), budget=el.PureDP(0.5), name="sizes"),
        Release(table, el.LaplaceNoise(1.0), parent="sizes", budget=el.PureDP(1.0), name="income"),
    ]
    direct = assess_publication(releases, "laplace", "share", 1e-6)
    assert answer(question).to_dict() == direct.to_dict()
    assert answer(question, question.read()).to_dict() == direct.to_dict()


def test_a_table_is_read_once_however_many_releases_publish_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_text("town,income\na,high\na,low\nb,low\nb,low\n")
    times: list[TableToRead] = []
    read = TableToRead.read

    def counted(self: TableToRead) -> el.FrequencyTable:
        times.append(self)
        return read(self)

    monkeypatch.setattr(TableToRead, "read", counted)
    twice = {
        **PLAN,
        "sensitive": "income",
        "releases": [{"epsilon": 1}, {"epsilon": 2}, {"rho": 1, "mechanism": "discrete-gaussian"}],
    }
    question = Question.from_plan(twice, tmp_path)
    assert question.mechanism is None
    assert len(question.read()) == 3
    assert len(times) == 1


COHORTS: dict[str, Any] = {
    "qid": "town",
    "epsilon": 1,
    "cohorts": {"stayed": {"source": "stayed.csv"}, "left": {"source": "left.csv"}},
    "releases": [{"sensitive": "income"}, {"sensitive": ["income", "ill"], "cohort": "stayed"}],
}


def test_a_release_counts_the_cohorts_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "stayed.csv").write_text("town,income,ill\na,low,no\na,low,yes\nb,low,no\nb,high,no\n")
    (tmp_path / "left.csv").write_text("town,income,ill\na,high,no\na,low,no\nc,mid,no\n")
    question = Question.from_plan(COHORTS, tmp_path)
    first, second = question.read()
    assert isinstance(first, Release)
    assert isinstance(second, Release)
    assert first.cohorts == ("stayed", "left")
    assert first.table.n_records == 7
    assert first.table.labels == ("high", "low", "mid")  # what only those who left have is published about all
    assert second.cohorts == ("stayed",)
    found = answer(question)
    assert [(step.after, step.cohort, step.people) for step in found.steps] == [
        ("release 1", "stayed", 4),
        ("release 1", "left", 3),
        ("release 2", "stayed", 4),
    ]
    assert found.steps[2].risks["income"] > found.steps[0].risks["income"]
    assert found.spent["basic"].epsilon == 2.0  # of those who are in both
    assert [(d.larger, d.smaller, d.cohorts) for d in found.differences] == [("release 1", "release 2", ("left",))]


def test_cohorts_may_be_told_apart_by_a_filter(tmp_path: Path) -> None:
    people = "".join(
        f"{town},{year},{'yn'[i % 2]},{10 * i}\n" for i, (town, year) in enumerate([("a", 1), ("b", 2)] * 9)
    )
    (tmp_path / "p.csv").write_text("town,year,ill,age\n" + people)
    cohorts = {"old": {"where": "year=1"}, "new": {"where": "year=2"}}
    shared = {
        "source": "p.csv",
        "qid": "town",
        "sensitive": "ill",
        "where": "age>=20",
        "cohorts": cohorts,
        "epsilon": 1,
    }
    universe = {"ill": ["y", "n"]}
    plan = {**shared, "universe": universe, "releases": [{"cohort": "old"}, {"where": ["age<150"]}]}
    first, both = Question.from_plan(plan, tmp_path).read()
    assert isinstance(both, Release)
    assert both.parts is not None
    assert {name: part.n_records for name, part in both.parts.items()} == {
        "old": 8,
        "new": 7,
    }
    assert first.table is not None
    assert first.table.n_records == 8
    for other in ({"where": "age>=80"}, {}):
        overlapping = {**plan, "cohorts": {**cohorts, "new": other}}
        with pytest.raises(DataError, match="some people are in cohort 'old' and in 'new' of the plan"):
            Question.from_plan(overlapping, tmp_path).read()


def test_nobody_is_in_two_cohorts_even_where_those_who_are_have_one_value(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("town,age,ill\na,20,y\na,30,y\nb,40,n\nb,10,n\n")
    cohorts = {"young": {"where": "age<=30"}, "old": {"where": "age>=30"}}
    plan = {"source": "p.csv", "qid": "town", "sensitive": "ill", "epsilon": 1, "cohorts": cohorts, "releases": [{}]}
    with pytest.raises(DataError, match="some people are in cohort 'young' and in 'old' of the plan"):
        Question.from_plan(plan, tmp_path).read()


def test_mixed_growth_costs_the_newcomers_one_release(tmp_path: Path) -> None:
    (tmp_path / "stayed.csv").write_text("town,income,ill\na,low,no\na,high,yes\nb,low,no\n")
    (tmp_path / "left.csv").write_text("town,income,ill\na,high,no\nb,low,no\n")
    releases = [{"sensitive": "income", "cohort": "stayed"}, {"sensitive": ["income", "ill"]}]
    found = answer(Question.from_plan({**COHORTS, "releases": releases}, tmp_path))
    assert [(step.after, step.cohort) for step in found.steps] == [
        ("release 1", "stayed"),
        ("release 2", "stayed"),
        ("release 2", "left"),
    ]
    assert found.differences[0].cohorts == ("left",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cohorts": {"stayed": "stayed.csv"}}, "must say of each cohort where its people are"),
        ({"cohorts": {"stayed": {"quellen": 1}}}, "cohort 'stayed' of the plan has 'quellen'"),
        ({"releases": [{"sensitive": "ill", "cohort": "staid"}]}, "which .cohorts. of the plan does not have; did you"),
        ({"releases": [{"sensitive": "ill", "cohort": []}]}, "must name one cohort or several different ones"),
        ({"releases": [{"sensitive": "ill", "source": "x.csv"}]}, "each with a 'source' of its own"),
    ],
)
def test_cohorts_that_mean_nothing_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Question.from_plan(COHORTS | change)


def test_tables_that_differ_in_what_is_read_are_read_apart(tmp_path: Path) -> None:
    """They used to be told apart by the names of binned columns alone, so that the second was the first once more."""
    (tmp_path / "p.csv").write_text("age,ill\n" + "".join(f"{age},{'yn'[age % 2]}\n" for age in range(20, 40)))
    shared: dict[str, Any] = {"source": "p.csv", "qid": "age", "sensitive": "ill", "epsilon": 1}
    ways: list[dict[str, Any]] = [
        {"bins": {"age": 20}},
        {"bins": {"age": "5]"}},
        {"bins": {"age": "5]"}, "where": "age>30"},
    ]
    plan = {**shared, "releases": [{"name": f"r{i}", **way} for i, way in enumerate(ways)]}
    tables = [release.table for release in Question.from_plan(plan, tmp_path).read()]
    assert [(table.n_cells, table.n_records) for table in tables if table is not None] == [(1, 20), (5, 20), (2, 9)]
    again = Question.from_plan({**shared, "bins": {"age": 5}, "releases": [{"name": "a"}, {"name": "b"}]}, tmp_path)
    first, second = again.read()
    assert first.table is second.table


def test_a_cohort_all_of_whom_have_one_value_is_the_one_most_at_risk(tmp_path: Path) -> None:
    rows = ["sex,disease,year", *["f,flu,1", "f,cold,1", "m,flu,1", "m,cold,1"] * 2, *["f,flu,2", "m,flu,2"] * 3]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    plan = {
        "source": "people.csv",
        "qid": "sex",
        "sensitive": "disease",
        "epsilon": 1,
        "cohorts": {"old": {"where": "year=1"}, "new": {"where": "year=2"}},
        "releases": [{"name": "all"}, {"name": "newcomers", "cohort": "new"}],
    }
    releases = Question.from_plan(plan, tmp_path).read()
    assert [release.table.labels for release in releases if release.table] == [("cold", "flu")] * 2
    found = answer(Question.from_plan(plan, tmp_path), releases)
    hidden = 1 - math.exp(-0.5) / 2
    alone = (1 - math.exp(-2.5) / 2) * hidden
    both_shown = (1 - math.exp(-4.5) / 2) * math.exp(-1.5) / 2
    step = found.final_steps[1]
    assert (step.cohort, step.people) == ("new", 6)
    assert step.risks["disease"] == pytest.approx(1 - (1 - alone) * (1 - both_shown), rel=1e-12)


def test_what_cannot_occur_is_marked_for_a_cohort_in_which_nobody_has_it(tmp_path: Path) -> None:
    rows = ["sex,disease,year", "f,flu,1", "f,cold,1", "f,plague,1", "m,flu,1", "f,flu,2", "m,cold,2"]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    plan = {
        "source": "people.csv",
        "qid": "sex",
        "sensitive": "disease",
        "epsilon": 1,
        "structural_zeros": [{"sex": "m", "disease": "plague"}],
        "cohorts": {"old": {"where": "year=1"}, "new": {"where": "year=2"}},
        "releases": [{"name": "all"}, {"name": "newcomers", "cohort": "new"}],
    }
    whole, newcomers = Question.from_plan(plan, tmp_path).read()
    assert whole.table is not None
    assert newcomers.table is not None
    assert whole.table.vectors.tolist() == [[1, 2, 1], [1, 1, -1]]
    assert newcomers.table.vectors.tolist() == [[0, 1, 0], [1, 0, -1]]


def test_harmful_values_are_those_of_the_releases_that_have_the_column(tmp_path: Path) -> None:
    rows = ["sex,ill,pay", *["f,yes,low", "f,no,high", "m,no,high", "m,yes,low"] * 3]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    plan: dict[str, Any] = {
        "source": "people.csv",
        "qid": "sex",
        "epsilon": 1,
        "harmful": ["ill=yes*2", "pay=low"],
        "releases": [{"sensitive": "ill"}, {"sensitive": ["ill", "pay"]}, {"sensitive": "pay", "harmful": "pay=high"}],
    }
    first, second, third = (release.table for release in Question.from_plan(plan, tmp_path).read())
    assert first is not None
    assert second is not None
    assert third is not None
    assert first.harm.weights == {"ill": {"yes": 2.0}}
    assert second.harm.weights == {"ill": {"yes": 2.0}, "pay": {"low": 1.0}}
    assert third.harm.weights == {"pay": {"high": 1.0}}
    for wrong, message in (("il=yes", "'harmful' of the plan names column 'il', which no release has; did you mean"),):
        with pytest.raises(DataError, match=message):
            Question.from_plan(plan | {"harmful": wrong}, tmp_path)
    with pytest.raises(DataError, match="'harmful' of the plan must be a text or a list of texts"):
        Question.from_plan(plan | {"harmful": 3}, tmp_path)
