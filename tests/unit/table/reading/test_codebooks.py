"""Codebooks: the levels of a column's keys, with their codes in the order of code points."""

from __future__ import annotations

import pyarrow as pa

from epsilens.table.reading.codebooks import codebook
from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.keys import Key
from epsilens.table.reading.relations import duckdb_relation, with_levels


def test_levels_of_keys_and_groups_with_levels() -> None:
    engine = embedded_engine()
    data = pa.table({"q0": ["b", " a", "a", None], "rows": [1, 2, 3, 4]})
    engine.con.register("epsilens_groups", data)
    groups = duckdb_relation(engine, "epsilens_groups", arrow_schema=data.schema)
    book = codebook(groups, "q0", Key("x"))
    assert book.levels == ("(missing)", "a", "b")
    named = with_levels(groups, {"q0": book}, ["rows"]).to_pyarrow().to_pylist()
    assert {(row["rows"], row["q0"]) for row in named} == {(1, "b"), (2, "a"), (3, "a"), (4, "(missing)")}
    codes = with_levels(groups, {"q0": book}, ["rows"], "code").to_pyarrow().to_pylist()
    assert {(row["rows"], row["q0"]) for row in codes} == {(1, 2), (2, 1), (3, 1), (4, 0)}
