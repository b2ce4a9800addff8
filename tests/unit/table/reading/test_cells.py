"""Cells are read without labels: all columns alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from epsilens.errors import DataError, ParameterError
from epsilens.table import Cells, Schema, read_cells, read_table


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    person = rng.integers(0, 40, 200)
    return pd.DataFrame(
        {
            "person": [f"p{i}" for i in person],
            "block": rng.integers(0, 6, 200).astype(str),
            "age": rng.integers(0, 60, 200),
            "sex": rng.choice(["f", "m", "?"], 200),
            "ill": rng.choice(["yes", "no"], 200),
        }
    )


def test_cells_are_the_long_form_of_a_table(people: pd.DataFrame) -> None:
    schema = Schema(["block", "sex"], "ill", bins={}, unit="person", missing_values=["?"])
    salt = "11" * 16
    long, wide = read_cells(people, schema, row_salt=salt), read_table(people, schema, row_salt=salt)
    assert long.fingerprint == Cells.of(wide).fingerprint
    assert (long.dropped_rows, long.row_salt, long.people) == (wide.dropped_rows, salt, wide.n_records)
    alike = read_cells(people, Schema(["block", "sex", "ill"], unit="person", missing_values=["?"]), row_salt=salt)
    assert alike.fingerprint == long.fingerprint
    assert repr(alike).startswith("Cells(block(6) x sex(3) x ill(2):")
    assert salt not in repr(alike)


def test_cells_of_a_count_table_and_of_a_file(people: pd.DataFrame, tmp_path: Path) -> None:
    counted = people.groupby(["block", "ill"]).size().reset_index(name="n")
    empty = pd.DataFrame({"block": ["9"], "ill": ["yes"], "n": [0]})
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    schema = Schema(["block", "ill"])
    prints = {
        read_cells(people, schema).fingerprint,
        read_cells(path, schema).fingerprint,
        read_cells(pd.concat([counted, empty]), schema, count="n").fingerprint,
    }
    assert len(prints) == 1


def test_one_column_and_a_single_level_can_be_counted() -> None:
    cells = read_cells(pa.table({"x": ["a", "a"]}), Schema(["x"]))
    assert (cells.domain.levels, cells.counts.tolist()) == ((("a",),), [2])
    many = read_cells(pa.table({"x": [str(i) for i in range(7_000)]}), Schema(["x"]))
    assert len(many.counts) == 7_000  # more than a table may have labels
    with pytest.raises(DataError, match="codes of shape"):
        Cells(cells.domain, cells.codes[:1, :0], cells.counts)


def test_a_table_needs_labels_and_says_so(people: pd.DataFrame) -> None:
    with pytest.raises(ParameterError, match="sensitive must name at least one column, got none"):
        read_table(people, Schema(["block"]))
