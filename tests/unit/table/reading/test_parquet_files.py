"""Parquet files, whatever their names and statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.support.reading import SCHEMA, assert_expected, refusal, write_parquet


def test_parquet_and_patterns_of_it(tmp_path: Path) -> None:
    write_parquet(tmp_path / "people.parquet")
    assert_expected(read_table(tmp_path / "people.parquet", SCHEMA))
    write_parquet(tmp_path / "more.parquet")
    assert read_table(tmp_path / "*.parquet", SCHEMA).n_records == 8


def test_parquet_columns_that_differ_only_in_case(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name in ("1.parquet", "2.parquet"):
        pq.write_table(pa.table({"A": ["x", "z"], "a": ["1", "2"], "y": ["p", "q"]}), tmp_path / name)
    for column, values in {"A": ["x", "z"], "a": ["1", "2"]}.items():
        assert read_table(tmp_path / "1.parquet", Schema([column], "y")).cells() == {column: values}
    assert "differ only in case" in refusal(tmp_path / "*.parquet", Schema(["a"], "y"))


@pytest.mark.parametrize(
    "options", [{}, {"bins": {"x": 5}}, {"bins": {"x": [3, 6]}, "missing": "drop"}, {"where": "x>=2"}]
)
def test_a_parquet_file_whose_statistics_know_nothing_of_nan(tmp_path: Path, options: dict[str, Any]) -> None:
    numbers = pa.array([1.0, 2.0, 7.0, float("nan"), 4.0, float("nan")])
    people = pa.table({"x": numbers, "s": ["a", "b", "a", "b", "a", "b"]})
    pq.write_table(people, tmp_path / "people.parquet")
    schema = Schema(["x"], "s", **options)
    found, expected = read_table(tmp_path / "people.parquet", schema), read_table(people, schema)
    assert found.cells() == expected.cells()
    assert found.vectors.tolist() == expected.vectors.tolist()
