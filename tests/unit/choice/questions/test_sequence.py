"""A plan is judged as a whole before any data is read."""

from __future__ import annotations

import json
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
