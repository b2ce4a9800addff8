"""One GROUP BY for all who count people: the same levels, bounds, counts and gaps, whoever asks."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from epsilens.errors import DataError, EpsilensWarning
from epsilens.table import Cells, Hierarchy, Quantiles, Schema, read_cells, read_table
from epsilens.table.moments import MomentsQuery
from epsilens.table.reading.moments import read_moments
from epsilens.table.reading.people import read_people


def level_counts(cells: Cells, column: str) -> dict[str, int]:
    marginal = cells.marginal([column])
    return {
        marginal.domain.levels[0][code]: int(n) for code, n in zip(marginal.codes[:, 0], marginal.counts, strict=True)
    }


def odd_values() -> pa.Table:
    """Values of every kind that is written in its own way."""
    return pa.table(
        {
            "flag": pa.array([True, False, None, True, True, False]),
            "age": pa.array([39.0, 39.5, None, 1e16, -0.0, 7.0]),
            "whole": pa.array([1, 2, 2, None, 3, 3]),
            "price": pa.array([Decimal("2.50"), Decimal("2.00"), None, Decimal("0.10"), Decimal("2.50"), Decimal(-1)]),
            "text": [" x", "x ", "", "?", "007", "7"],
            "ill": ["a", "b", "a", "b", "a", "b"],
            "one": ["all"] * 6,
        }
    )


@pytest.mark.parametrize(
    ("column", "bins"),
    [
        ("flag", None),
        ("age", None),
        ("whole", None),
        ("price", None),
        ("text", None),
        ("whole", 2),
        ("price", 0.5),
        ("whole", [2]),
        ("whole", [1, 3]),
        ("whole", Quantiles(2)),
    ],
)
def test_tables_cells_hierarchies_and_moments_have_the_same_levels_letter_by_letter(column: str, bins: Any) -> None:
    options: dict[str, Any] = {"missing_values": ("?",), "bins": {} if bins is None else {column: bins}}
    data = odd_values()
    table = read_table(data, Schema([column], "ill", **options))
    by_table = dict(zip(table.cells()[column], table.counts.sum(axis=1).tolist(), strict=True))
    by_cells = level_counts(read_cells(data, Schema([column], **options)), column)
    hierarchy = Hierarchy.read(data, ["one"], [column], **options)
    by_hierarchy = {level: int(hierarchy.group_counts({column: level}).leaf_counts.sum()) for level in by_table}
    declared = tuple(level for level in by_table if level != "(missing)")
    moments = read_moments(data, MomentsQuery(levels={column: declared}), missing="exclude", **options)
    by_moments = {level: moments.level_counts[column, level] for level in declared}
    assert by_table == by_cells == by_hierarchy
    assert by_moments == {level: n for level, n in by_table.items() if level != "(missing)"}
    assert sum(by_moments.values()) == moments.n
    grouped = read_moments(data, MomentsQuery(groups={column: declared}), missing="exclude", **options)
    assert grouped.sizes(column) == by_moments
    assert grouped.excluded == by_table.get("(missing)", 0)


VISITS = pa.table(
    {
        "who": ["1", "1", "1", "2", "2", "3", "4"],
        "age": ["17", "18", "19", "30", "N", "40", "40"],
        "job": ["a", "a", "?", "b", "b", "?", "a"],
        "ill": ["y", "n", "y", "y", "n", "n", "y"],
    }
)


def test_rows_are_chosen_before_those_of_a_person_are_bounded() -> None:
    """Were it the other way round, a row that is not read could take the place of one that is."""
    for salt in ("a", "b"):
        chosen = ["age>=18", "age<=19", "job!=?"]
        schema = Schema(["job"], "ill", unit="who", where=chosen, universe={"ill": ["y", "n"]})
        table = read_table(VISITS, schema, row_salt=salt)
        assert (table.n_records, table.dropped_rows, table.rows_not_selected) == (1, 0, 6)


def test_rows_with_missing_values_are_dropped_or_get_a_public_value() -> None:
    gaps = {"missing_values": ["?", "N"]}
    dropped = read_table(VISITS, Schema(["job", "age"], "ill", missing="drop", **gaps))  # type: ignore[arg-type]
    assert (dropped.n_records, dropped.rows_not_selected) == (4, 3)
    by_column = read_table(VISITS, Schema(["job", "age"], "ill", missing={"age": "drop"}, **gaps))  # type: ignore[arg-type]
    assert by_column.n_records == 6
    assert "(missing)" in by_column.cells()["job"]
    bins = {"age": {"edges": [18], "closed": "right"}}
    instead = Schema(["age"], "ill", bins=bins, missing={"age": 99}, **gaps)  # type: ignore[arg-type]
    table = read_table(VISITS, instead)
    assert dict(zip(table.cells()["age"], table.counts.sum(axis=1).tolist(), strict=True)) == {"<= 18": 2, "> 18": 5}
    plain = Schema(["job"], "ill", missing={"job": "b"}, **gaps)  # type: ignore[arg-type]
    assert level_counts(read_cells(VISITS, plain), "job") == {"a": 3, "b": 4}
    with pytest.raises(
        DataError, match="no row of the data frame passes age>50, age!=, job!=, ill!=; check the values in where"
    ):
        read_table(VISITS, Schema(["age", "job"], "ill", where="age>50", missing="drop", **gaps))  # type: ignore[arg-type]
    with pytest.raises(DataError, match="every row has a missing value: use missing='level'"):
        read_table(VISITS, Schema(["job"], "ill", missing="drop", missing_values=["a", "b", "?"]))


def test_a_release_leaves_the_same_rows_out_and_counts_them_by_column() -> None:
    schema = Schema(["job", "age"], "ill", missing="drop", missing_values=["?", "N"], where="age!=17")
    people = read_people(VISITS, schema, misfits="leave-out")
    assert people.left_out.to_dict() == {
        "rows_read": 7,
        "rows_left_out": 3,
        "by_rule": [{"column": "job", "why": "missing", "rows": 2}, {"column": "age", "why": "missing", "rows": 1}],
        "people_with_too_many_rows": 0,
        "rows_not_selected": 1,
    }
    assert int(people.peopled.people.sum().to_pyarrow().as_py()) == 3
    nobody = read_people(VISITS, Schema(["job"], "ill", where="job=zzz"), misfits="leave-out")
    assert (nobody.left_out.read, nobody.left_out.not_selected) == (7, 7)


def test_a_column_can_be_read_twice() -> None:
    schema = Schema(["half", "age"], "ill", bins={"half": [20]}, copies={"half": "age"}, missing_values=["N"])
    table = read_table(VISITS, schema)
    assert set(zip(table.cells()["half"], table.cells()["age"], strict=True)) == {
        ("< 20", "17"), ("< 20", "18"), ("< 20", "19"), (">= 20", "30"), (">= 20", "40"), ("(missing)", "(missing)")
    }  # fmt: skip
    with pytest.warns(EpsilensWarning, match="'known' is a copy of the sensitive 'ill', so every cell is homogeneous"):
        known = read_table(VISITS, Schema(["job", "known"], "ill", copies={"known": "ill"}))
    assert ((known.counts > 0).sum(axis=1) == 1).all()
    with pytest.raises(DataError, match="has a column 'who' of its own, so it cannot be a copy"):
        read_table(VISITS, Schema(["who"], "ill", copies={"who": "age"}))
    with pytest.raises(DataError, match="has no column 'agee'; did you mean 'age'"):
        read_table(VISITS, Schema(["half"], "ill", copies={"half": "agee"}))
