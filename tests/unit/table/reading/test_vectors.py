"""Counts by label, one row per cell, whichever way the engine makes them."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from epsilens.table.frequency import STRUCTURAL_ZERO
from epsilens.table.reading import vectors as vectors_module
from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema


def test_lists_of_labels_and_filtered_sums_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(7)
    labels = ["Flu", "flu", "FLU", "it's", 'a "b"', "c0", "é"]
    rows = [(rng.choice("xyz"), rng.choice(labels), rng.choice("uv")) for _ in range(300)]
    frame = pa.table({name: [row[i] for row in rows] for i, name in enumerate("qst")})
    schema = Schema(["q"], ["s", "t"], universe={"t": ["u", "v", "w"]}, structural_zeros=[{"q": "x", "t": "w"}])
    tables = []
    for limit in (0, 1_000):
        monkeypatch.setattr(vectors_module, "FEW_LABELS", limit)
        tables.append(read_table(frame, schema))
    assert tables[0].labels == tables[1].labels
    np.testing.assert_array_equal(tables[0].vectors, tables[1].vectors)
    assert (tables[0].vectors == STRUCTURAL_ZERO).sum() == len(labels)
    assert tables[0].n_records == 300


def test_counts_by_hand() -> None:
    """Labels in the order given, 0 where a cell has nobody, people of labels that were not asked for left out."""
    backend = embedded_engine()
    groups = [("x", "a", "u", 3), ("x", "a", "v", 1), ("y", "b", "u", 2), ("y", "B", "u", 7), ("x", "a", "w", 5)]
    columns = zip(("q0", "s0", "s1", "people"), zip(*groups, strict=True), strict=True)
    backend.con.register("groups", pa.table({name: list(values) for name, values in columns}))
    peopled = duckdb_relation(backend, "groups")
    values = [("b", "u"), ("a", "u"), ("a", "v"), ("B", "u"), ("c", "c")]
    relation, scratch = vectors_module.count_vectors(peopled, 1, values)
    found = {row.pop("q0"): list(row.values()) for row in relation.to_pyarrow().to_pylist()}
    assert found == {"x": [0, 3, 1, 0, 0], "y": [2, 0, 0, 7, 0]}
    assert list(relation.columns) == ["q0", "c0", "c1", "c2", "c3", "c4"]
    assert scratch is not None
