"""Few groups get their levels at once, many have codebooks: the same table, whichever way it was counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from epsilens.table import Schema, read_cells, read_table
from epsilens.table.frequency import FrequencyTable
from epsilens.table.reading import groups as engine

PEOPLE = pa.table(
    {
        "place": [" a", "a", "b", None, "b", "c", "c", "?"],
        "age": [39, 31, None, 5, 99, 7, 7, 39],
        "ill": ["y", "n", "y", " y", "n", "n", "y", "n"],
        "who": [1, 1, 1, 2, 2, 3, 4, 4],
        "n": [1, 2, 0, 4, 5, 1, 1, 2],
    }
)


def facts(table: FrequencyTable) -> list[Any]:
    domain, codes, vectors = table.store.coded_cells()
    return [
        table.labels,
        table.cells(),
        table.cells(2),
        table.vectors.tolist(),
        (domain, codes.tolist(), vectors.tolist()),
        table.marginal(["age"]).cells(),
        table.dropped_rows,
    ]


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({}, None),
        ({"bins": {"age": 10}, "missing_values": ("?", "99")}, None),
        ({"bins": {"age": [10, 35]}, "missing": {"place": "drop", "age": 40}}, "n"),
        ({"unit": "who", "max_rows_per_unit": 2, "bins": {"age": 10}}, None),
        ({"unit": "who", "missing": "drop"}, None),
        ({"structural_zeros": [{"place": "c", "age": "39", "ill": "y"}]}, None),
    ],
)
def test_codebooks_change_nothing(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], count: str | None) -> None:
    schema = Schema(["place", "age"], "ill", **options)
    at_once = read_table(PEOPLE, schema, count=count, row_salt="salt")
    cells = read_cells(PEOPLE, schema, count=count, row_salt="salt", misfits="leave-out")
    monkeypatch.setattr(engine, "FEW_GROUPS", -1)
    assert facts(read_table(PEOPLE, schema, count=count, row_salt="salt")) == facts(at_once)
    again = read_cells(PEOPLE, schema, count=count, row_salt="salt", misfits="leave-out")
    assert again.domain == cells.domain
    np.testing.assert_array_equal(again.fingerprint, cells.fingerprint)
