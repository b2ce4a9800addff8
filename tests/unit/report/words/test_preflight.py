from __future__ import annotations

from typing import Any

from epsilens.errors import DataError
from epsilens.release.rehearsal import Preflight
from epsilens.report.words.common import Grid, Text, Verdict
from epsilens.report.words.preflight import preflight_blocks

LEFT_OUT: dict[str, Any] = {
    "rows_read": 10, "rows_left_out": 3, "people_with_too_many_rows": 1,
    "by_rule": [{"column": "a", "why": "missing", "rows": 3}, {"column": None, "why": "impossible", "rows": 1}],
}  # fmt: skip
TABLES: dict[str, Any] = {
    "left_out": LEFT_OUT, "people_rows": 6, "dropped_rows": 1, "disclosure": [], "disclosure_not_computed": "one label",
}  # fmt: skip
STATISTICS: dict[str, Any] = {
    "left_out": LEFT_OUT, "records": 6, "rows_beyond_the_bound_per_person": 1, "fewer_records_than_declared": True,
    "values_clamped": [{"column": "age", "lower": 0, "upper": 9, "values": 2, "of": 6}],
    "group_sizes": {"g": {"p": 6, "q": 0}},
}  # fmt: skip
ACCOUNT = {"account": "survey", "left": {"epsilon": "1.5"}, "releases": 1}


def said(found: Preflight) -> list[str]:
    return [block.text for block in preflight_blocks(found) if isinstance(block, Text | Verdict)]


def test_tables() -> None:
    found = Preflight({"epsilon": "0.5", "delta": "0"}, None, ACCOUNT, TABLES, ())
    lines = said(found)
    assert lines[0] == "would be released; nothing was published, nothing was spent"
    assert "10 rows read, 6 would be counted." in lines
    assert "3 rows would be left out because they do not fit." in lines
    assert "1 person has too many rows: 1 row would not be counted." in lines
    assert "Not computed: one label." in lines
    assert "It would cost epsilon 0.5." in lines
    assert "Account 'survey' afterwards: 1 release, epsilon 1.5 left." in lines
    assert "The account would be opened by this release." in lines
    (grid,) = [block for block in preflight_blocks(found) if isinstance(block, Grid)]
    assert list(grid.rows) == [("a", "missing", "3"), ("", "impossible", "1")]


def test_statistics_and_problems() -> None:
    lines = said(Preflight({"epsilon": "0.5"}, ACCOUNT, None, STATISTICS, (DataError("o.csv exists"),)))
    assert lines[:2] == ["would be refused", "o.csv exists"]
    assert "2 values of 'age' would be moved to a bound." in lines
    assert "1 group of 'g' with fewer than two records." in lines
    assert any(line.startswith("There are fewer records than the declared n") for line in lines)


def test_homogeneity() -> None:
    risk = {"table": "a x s", "sensitive": "s", "before": {"right": 0.5}, "after": {"right": 0.25, "wrong": 0.125}}
    findings = {**TABLES, "disclosure": [risk], "disclosure_not_computed": None}
    grids = [block for block in preflight_blocks(Preflight({}, None, None, findings, ())) if isinstance(block, Grid)]
    assert list(grids[-1].rows) == [("a x s: s", "50.0 %", "25.0 %", "12.5 %")]


def test_one_row_is_one_row_and_rows_that_are_not_read_are_told() -> None:
    left_out = {**LEFT_OUT, "rows_left_out": 1, "rows_not_selected": 4}
    lines = said(Preflight({}, None, None, {**TABLES, "left_out": left_out}, ()))
    assert "1 row would be left out because it does not fit." in lines
    assert "4 rows would not be read, by the conditions on rows." in lines
