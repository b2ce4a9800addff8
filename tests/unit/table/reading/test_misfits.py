"""Rows that do not fit: what becomes of a row depends on that row alone, and nothing about rows is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from epsilens.errors import DataError
from epsilens.table import Cells, Schema, read_cells
from epsilens.table.moments import MomentsQuery, Variable
from epsilens.table.reading.misfits import LeftOut, Misfit, told
from epsilens.table.reading.moments import read_moments
from epsilens.table.reading.people import read_people

SCHEMA = Schema(
    ["age", "sex"],
    "ill",
    bins={"age": 10},
    universe={"age": {"from": 0, "to": 100}, "sex": ["f", "m"], "ill": ["y", "n"]},
    structural_zeros=[{"sex": "m", "ill": "y"}],
    unit="who",
    max_rows_per_unit=2,
)
ROWS = [
    ("1", "5", "f", "y"), ("1", "15", "f", "n"), ("2", "5", "m", "n"), ("3", "old", "f", "y"), ("3", "5", "f", "y"),
    ("4", "500", "f", "y"), ("5", "5", "x", "y"), ("6", "5", "", "y"), ("7", "5", "m", "y"), ("", "5", "f", "n"),
]  # fmt: skip


def frame(rows: Sequence[tuple[str, ...]]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [[]] * 4
    return pa.table(dict(zip(("who", "age", "sex", "ill"), (pa.array(c, pa.string()) for c in columns), strict=True)))


def test_rows_are_left_out_by_rule_and_each_reason_is_counted() -> None:
    people = read_people(frame(ROWS), SCHEMA, misfits="leave-out")
    assert people.left_out.to_dict() == {
        "rows_read": 10,
        "rows_left_out": 6,
        "people_with_too_many_rows": 0,
        "rows_not_selected": 0,
        "by_rule": [
            {"column": "age", "why": "not a number in range", "rows": 1},
            {"column": "age", "why": "not declared", "rows": 1},
            {"column": "sex", "why": "missing", "rows": 1},
            {"column": "sex", "why": "not declared", "rows": 1},
            {"column": None, "why": "in a structural zero (rule 1)", "rows": 1},
            {"column": "who", "why": "of nobody: the column that names people is empty", "rows": 1},
        ],
    }
    assert read_cells(frame(ROWS), SCHEMA, misfits="leave-out").people == 4
    with pytest.raises(DataError):
        read_people(frame(ROWS), SCHEMA)


def test_rows_that_are_left_out_take_nobodys_place() -> None:
    rows = [("1", "5", "f", "y"), ("1", "15", "f", "n"), *[("1", "old", "f", "y")] * 40]
    for salt in ("one", "two", "three"):
        found = read_cells(frame(rows), SCHEMA, row_salt=salt, misfits="leave-out")
        assert (found.people, found.dropped_rows) == (2, 0)
    crowded = read_people(frame([*rows, ("1", "25", "f", "n"), ("2", "5", "f", "n")]), SCHEMA, misfits="leave-out")
    assert (crowded.dropped_rows, crowded.left_out.crowded_people) == (1, 1)


def histogram(cells: Cells) -> dict[tuple[str, ...], int]:
    return {
        tuple(cells.domain.levels[j][code] for j, code in enumerate(row)): int(count)
        for row, count in zip(cells.codes, cells.counts, strict=True)
    }


def test_one_person_more_changes_at_most_as_many_counts_as_they_may_have_rows() -> None:
    rng = np.random.default_rng(7)
    values = [["5", "15", "old", "", "500"], ["f", "m", "x", ""], ["y", "n", "z", ""]]

    def rows(who: str, size: int) -> list[tuple[str, ...]]:
        return [(who, *(str(rng.choice(found)) for found in values)) for _ in range(size)]

    for _ in range(4):
        without = [row for i in range(6) for row in rows(str(i), int(rng.integers(0, 4)))]
        before, after = (
            histogram(read_cells(frame(data), SCHEMA, row_salt="salt", misfits="leave-out"))
            for data in (without, [*without, *rows("new", 5), *rows("", 2)])
        )
        moved = sum(abs(after.get(cell, 0) - before.get(cell, 0)) for cell in {*before, *after})
        assert moved <= 2


@pytest.mark.parametrize(
    ("count", "people"),
    [("7", 7), ("-1", 0), ("2.5", 0), ("many", 0), ("", 0), (str(2**53), 2**53), (str(2**53 + 1), 2**53),
     (str(2**63 - 1), 2**53), ("9" * 30, 2**53), ("1" + "0" * 30, 2**53), ("1" + "0" * 60, 2**53), ("0" * 40 + "3", 0)],
)  # fmt: skip
def test_counts_are_cut_off_and_what_is_not_one_is_none(count: str, people: int) -> None:
    data = pa.table({"a": ["x"], "n": [count]})
    assert read_cells(data, Schema(["a"]), count="n", misfits="leave-out").people == people


def test_sums_of_counts_are_cut_off_too() -> None:
    data = pa.table({"a": ["x"] * 1_100 + ["y"], "n": [2**53] * 1_100 + [1]})
    cells = read_cells(data, Schema(["a"]), count="n", misfits="leave-out")
    assert cells.people == 2**53 + 1
    assert cells.marginal([]).counts.tolist() == [2**53]


@pytest.mark.parametrize("kind", ["csv", "frame", "nulls", "columns of nulls"])
def test_nobody_at_all_is_no_reason_to_refuse(kind: str, tmp_path: Path) -> None:
    source: Any = frame([])
    rows = 0
    if kind == "csv":
        source = tmp_path / "header.csv"
        source.write_text("who;age;sex;ill\n")
    elif kind != "frame":
        source, rows = pa.table(dict.fromkeys(("who", "age", "sex", "ill"), pa.nulls(2, pa.string()))), 2
        source = source if kind == "nulls" else pa.table(dict.fromkeys(source.column_names, pa.nulls(2)))
    people = read_people(source, SCHEMA, misfits="leave-out")
    assert (people.left_out.read, people.left_out.rows) == (rows, rows)
    query = MomentsQuery((Variable("age", 0, 100),), levels={"sex": ("f", "m")}, groups={"ill": ("y", "n")})
    moments = read_moments(source, query, misfits="leave-out")
    assert (moments.n, moments.rows, moments.sizes("ill")) == (0, rows, {"y": 0, "n": 0})


def test_the_delimiter_follows_from_the_header_whatever_the_records_look_like(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n" + "x;1;2;3,y;1;2;3\n" * 20)
    cells = read_cells(path, Schema(["a", "b"]))
    assert cells.domain.levels == (("x;1;2;3",), ("y;1;2;3",))


def test_what_is_told() -> None:
    assert told([("a", "missing"), (None, "x")], [0, 2]) == (Misfit(None, "x", 2),)
    assert LeftOut().to_dict()["rows_left_out"] == 0
