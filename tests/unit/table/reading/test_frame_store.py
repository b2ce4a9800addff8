from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from epsilens.errors import EpsilensWarning, ParameterError
from epsilens.release.universe import table_universe
from epsilens.table.reading.frame_store import FrameStore, counted_frame
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema

SCHEMA = Schema(["q", "n"], "s")


def people(**columns: Any) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    plain = {
        "q": rng.choice(["b", "ä", "a", "Z", "b c", "1x"], 300),
        "n": rng.integers(-3, 15, 300),
        "s": rng.choice(["y", "x", "10"], 300),
        "other": rng.random(300),
    }
    return pd.DataFrame(plain | columns)


@pytest.mark.parametrize("schema", [SCHEMA, Schema(["q"], ["s", "n"]), Schema(["n", "q"], "s", missing="refuse")])
def test_a_frame_is_counted_as_an_engine_counts_it(schema: Schema) -> None:
    frame = people(n=np.random.default_rng(1).integers(0, 4, 300))
    here, there = read_table(frame, schema), read_table(pa.Table.from_pandas(frame), schema)
    assert isinstance(here.store, FrameStore)
    assert not isinstance(there.store, FrameStore)
    assert (here.labels, here.label_values, here.schema) == (there.labels, there.label_values, there.schema)
    assert (here.cells(), here.cells(3)) == (there.cells(), there.cells(3))
    np.testing.assert_array_equal(here.vectors, there.vectors)
    for ours, theirs in zip(here.signatures(ordered=True), there.signatures(ordered=True), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    some = here.marginal(["q"]), there.marginal(["q"])
    assert some[0].cells() == some[1].cells()
    np.testing.assert_array_equal(some[0].vectors, some[1].vectors)
    assert here.rows_not_selected == there.rows_not_selected == here.dropped_rows == there.dropped_rows == 0


@pytest.mark.parametrize(
    "column",
    [
        [" a"] * 150 + ["a"] * 150,
        ["a\t"] * 300,
        [""] * 10 + ["a"] * 290,
        [None] * 10 + ["a"] * 290,
        ["(missing)"] * 10 + ["a"] * 290,
        [1.5] * 300,
        [True, False] * 150,
        ["1.5", "2"] * 150,
        [1, "1"] * 150,
        list(range(300)),
        pd.Series(["a", "b"] * 150, dtype="category"),
        pd.date_range("2020-01-01", periods=300),
    ],
)
@pytest.mark.filterwarnings("ignore::epsilens.errors.EpsilensWarning")
def test_what_is_not_plain_gives_the_same_table(column: Any) -> None:
    frame = people(q=column)
    here, there = read_table(frame, SCHEMA), read_table(frame.copy(), Schema(["q", "n"], "s", bins={"n": 1}))
    assert here.cells()["q"] == there.cells()["q"]
    np.testing.assert_array_equal(here.marginal(["q"]).vectors, there.marginal(["q"]).vectors)


def test_an_engine_reads_what_must_be_looked_at_more_closely() -> None:
    frame = people()
    assert counted_frame(frame, SCHEMA) is not None
    for schema in (
        Schema(["q", "n"], "s", bins={"n": 5}),
        Schema(["q", "n"], "s", where="n>0"),
        Schema(["q", "n"], "s", missing_values=["Z"]),
        Schema(["q", "n"], "s", universe={"s": ["x", "y", "10", "z"]}),
        Schema(["q", "n"], "s", structural_zeros=[{"q": "a", "s": "zz"}]),
        Schema(["q"], "s", copies={"q": "other"}),
        Schema(["q"], "nobody"),
        Schema(["q"], "other"),
    ):
        assert counted_frame(frame, schema) is None
    assert counted_frame(people().rename(columns={"other": " q"}), SCHEMA) is None
    assert counted_frame(people(s="x"), SCHEMA) is None
    assert counted_frame(people(s=["a | b", "a"] * 150, n=["b | c", "c"] * 150), Schema(["q"], ["s", "n"])) is None
    with pytest.warns(EpsilensWarning, match="distinct values"):
        read_table(people(n=range(300)), SCHEMA)


def test_cells_that_were_found_in_a_frame_are_not_a_universe() -> None:
    table = read_table(people(), SCHEMA)
    for found in (table, table.marginal(["q"]), read_table(people(), Schema(["q"], ["s", "n"])).attribute("s")):
        with pytest.raises(ParameterError, match="only the cells that exist"):
            table_universe(found)


def test_merged_labels_were_found_in_people_too() -> None:
    many = read_table(
        pa.table({"q": ["a"] * 60, "s": [f"x{i % 30}" for i in range(60)], "t": ["y", "z"] * 30}),
        Schema(["q"], ["s", "t"]),
    )
    with pytest.raises(ParameterError, match="only the cells that exist"):
        table_universe(many.attribute("s"))
