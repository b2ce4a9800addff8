"""Counts by label, one row per cell, whichever way the engine makes them."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from epsilens.table.frequency import STRUCTURAL_ZERO
from epsilens.table.reading import vectors as vectors_module
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema


def test_pivot_and_filtered_sums_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(7)
    labels = ["Flu", "flu", "FLU", "it's", 'a "b"', "c0", "é"]
    rows = [(rng.choice("xyz"), rng.choice(labels), rng.choice("uv")) for _ in range(300)]
    frame = pa.table({name: [row[i] for row in rows] for i, name in enumerate("qst")})
    schema = Schema(["q"], ["s", "t"], universe={"t": ["u", "v", "w"]}, structural_zeros=[{"q": "x", "t": "w"}])
    tables = []
    for limit in (0, 1_000):
        monkeypatch.setattr(vectors_module, "PIVOT_FROM", limit)
        tables.append(read_table(frame, schema))
    assert tables[0].labels == tables[1].labels
    np.testing.assert_array_equal(tables[0].vectors, tables[1].vectors)
    assert (tables[0].vectors == STRUCTURAL_ZERO).sum() == len(labels)
    assert tables[0].n_records == 300
