"""What a release would find: told to whoever may see the data, and nothing is written or spent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from epsilens.budget import PureDP
from epsilens.release import preflight
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.rehearsal import CHECK_FORMAT
from epsilens.release.statistics import Mean
from epsilens.release.statistics.question import Records, StatisticsQuestion
from epsilens.release.statistics.release import released as released_statistics
from epsilens.release.tables.question import Counting, Spending, TablesQuestion
from epsilens.release.tables.release import released
from epsilens.release.terms import Output, Payment, Person
from epsilens.table import Schema

PEOPLE = pa.table({"a": ["x", "x", "y", "z", None], "s": ["u", "v", "u", "u", "v"], "n": [1.0, 2.0, 3.0, None, 99.0]})
ONE_ROW = Person(one_row_per_person=True)


def tables(folder: Path, account: str = "survey", **payment: Any) -> TablesQuestion:
    schema = Schema(["a"], "s", universe={"a": ["x", "y"], "s": ["u", "v"]})
    pays = Payment(folder / "b.db", account, **payment)
    spent = Spending(budget=PureDP(0.5))
    return TablesQuestion(Counting(schema), spent, ONE_ROW, pays, output=Output(folder / "o.csv"))


def statistics(folder: Path, n: int = 8) -> StatisticsQuestion:
    pays = Payment(folder / "b.db", "survey", PureDP(2.0))
    output = Output(folder / "s.csv")
    return StatisticsQuestion([Mean("n", 0, 10)], PureDP(0.5), ONE_ROW, pays, records=Records(n=n), output=output)


def test_it_tells_what_would_be_left_out_and_what_it_would_cost(tmp_path: Path) -> None:
    found = preflight(tables(tmp_path, total=PureDP(2.0)), PEOPLE).to_dict()
    assert (found["format"], found["label"]) == (CHECK_FORMAT, "internal")
    assert found["would_be_released"]
    assert found["cost"] == {"epsilon": "0.5", "delta": "0", "rho": "0.125"}
    assert found["account"]["before"] is None
    assert found["account"]["after"]["left"] == {"epsilon": "1.5"}
    left_out = found["findings"]["left_out"]
    assert (left_out["rows_read"], left_out["rows_left_out"]) == (5, 2)
    assert {(rule["column"], rule["why"]): rule["rows"] for rule in left_out["by_rule"]} == {
        ("a", "missing"): 1, ("a", "not declared"): 1,
    }  # fmt: skip
    assert found["findings"]["disclosure"][0]["sensitive"] == "s"
    assert list(tmp_path.iterdir()) == []


def test_it_finds_what_the_release_then_writes_down(tmp_path: Path) -> None:
    question = tables(tmp_path, total=PureDP(2.0))
    before = preflight(question, PEOPLE)
    internal = released(question, PEOPLE).internal
    assert {name: internal[name] for name in before.findings} == before.findings
    other = statistics(tmp_path)
    expected = preflight(other, PEOPLE)
    assert expected.before is not None
    report = released_statistics(other, PEOPLE).internal
    assert {name: report[name] for name in expected.findings} == expected.findings
    assert expected.findings["fewer_records_than_declared"]
    assert [rule["why"] for rule in expected.findings["left_out"]["by_rule"]] == ["missing"]


def test_it_tells_why_the_ledger_or_the_files_would_refuse(tmp_path: Path) -> None:
    nothing = preflight(tables(tmp_path), PEOPLE)
    assert "there is no ledger" in str(nothing.problems[0])
    assert nothing.after is None
    released(tables(tmp_path, total=PureDP(0.75)), PEOPLE)
    entries = len(Ledger(tmp_path / "b.db").chain().entries)
    again = preflight(tables(tmp_path), PEOPLE)
    said = [str(problem) for problem in again.problems]
    assert (len(said), "o.csv exists" in said[0]) == (2, True)
    assert "epsilon 0.25 left of 0.75, this release asks for 0.5" in said[-1]
    assert again.before is not None
    assert again.before["spent"] == {"epsilon": "0.5"}
    second = preflight(tables(tmp_path, "other", total=PureDP(1.0)), PEOPLE)
    assert "this very content was released from account 'survey'" in str(second.problems[-1])
    assert len(Ledger(tmp_path / "b.db").chain().entries) == entries


@pytest.mark.parametrize("rows", [0, 1])
def test_it_answers_for_any_data(tmp_path: Path, rows: int) -> None:
    found = preflight(tables(tmp_path, total=PureDP(2.0)), PEOPLE.slice(0, rows))
    assert found.findings["people_rows"] == rows
    assert not found.problems
    assert repr(found).startswith("Preflight(")
