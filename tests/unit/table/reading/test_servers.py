"""Cells at once as servers are asked for them, here of DuckDB: the same table as from groups of people."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import duckdb
import ibis
import pyarrow as pa
import pytest

from epsilens.errors import DataError
from epsilens.table.reading import few, groups, servers
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.tables import read_table
from epsilens.table.reading.wide import MOST_LABELS
from epsilens.table.schema import Schema

ROWS = pa.table(
    {
        "age": pa.array([3, 17, None, 17, 64, 3, 64, -5] * 5, pa.int32()),
        "sex": ["f", " f", "m", "?", None, "m ", "f", "m"] * 5,
        "ill": ["no", "yes", "no ", "yes", None, "no", "?", "yes"] * 5,
        "well": [True, False, True, True, False, None, True, False] * 5,
        "person": list(range(40)),
    }
)
SCHEMAS = [
    Schema(["age", "sex"], "ill"),
    Schema(["age", "sex"], "ill", bins={"age": 10}, missing_values=["?"]),
    Schema(["sex"], ["ill", "well"], missing_values=["?"]),
    Schema(["age", "well"], "ill", bins={"age": [0, 18, 65]}),
    Schema(["age"], "well", universe={"well": ["true", "false", "(missing)"]}),
]


def as_of_a_server(monkeypatch: pytest.MonkeyPatch, keeps: bool) -> list[bool]:
    """Cells are asked for as of a server; whether they were found at once, question by question."""
    asked: list[bool] = []

    def noted(scan: Any) -> Any:
        found = servers.cells_asked_for(scan)
        asked.append(found is not None)
        return found

    monkeypatch.setattr(groups, "cells_at_once", noted)
    monkeypatch.setattr(servers, "is_stored", lambda relation: True)
    monkeypatch.setattr(few, "MOST_GROUPS", -1)
    if not keeps:
        monkeypatch.setattr(servers, "materialised", lambda expression, as_they_are=(): (expression, None))
    return asked


@pytest.mark.parametrize("keeps", [True, False], ids=["kept", "nothing kept"])
@pytest.mark.parametrize("schema", SCHEMAS, ids=range(len(SCHEMAS)))
def test_the_same_table_as_from_groups(monkeypatch: pytest.MonkeyPatch, schema: Schema, keeps: bool) -> None:
    expected = read_table(ROWS, schema)
    asked = as_of_a_server(monkeypatch, keeps)
    connection = duckdb.connect()  # which stays open, as a server's does, when people have been read
    connection.register("people", ROWS)
    found = read_table(duckdb_relation(ibis.duckdb.from_connection(connection), "people"), schema)
    assert asked == [True]
    assert found.labels == expected.labels
    assert found.cells() == expected.cells()
    assert found.vectors.tolist() == expected.vectors.tolist()
    assert found.n_records == 40
    assert [part.tolist() for part in found.signatures()] == [part.tolist() for part in expected.signatures()]


@pytest.mark.parametrize(
    "schema",
    [
        Schema(["age"], "ill", missing="drop"),
        Schema(["age"], "ill", unit="person", max_rows_per_unit=1),
        Schema(["age"], "well", structural_zeros=[{"age": "3", "well": "true"}]),
    ],
    ids=["dropped", "unit", "structural zeros"],
)
def test_what_is_counted_otherwise_is_not_asked_so(schema: Schema, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = as_of_a_server(monkeypatch, keeps=True)
    with pytest.raises(DataError, match="structural zero 1 has") if schema.structural_zeros else nullcontext():
        read_table(ROWS, schema)
    assert not any(asked)


def test_many_labels_are_not_counted_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = as_of_a_server(monkeypatch, keeps=True)
    rows = pa.table({"a": ["x", "y"] * 50, "s": [f"s{i % (MOST_LABELS + 1)}" for i in range(100)]})
    assert read_table(rows, Schema(["a"], "s")).n_labels == MOST_LABELS + 1
    assert asked == [False]


def test_a_source_that_changes_between_two_questions_is_grouped_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = as_of_a_server(monkeypatch, keeps=True)
    labels = servers._labels

    def earlier(raw: Any, sensitive: Any) -> Any:
        return labels(raw.filter(raw[sensitive[0]] == "no"), sensitive)

    monkeypatch.setattr(servers, "_labels", earlier)
    assert read_table(ROWS, SCHEMAS[0]).n_records == 40
    assert asked == [False]
