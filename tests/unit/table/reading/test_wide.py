"""Cells at once: a filtered count per label in one scan, and only where that is the same."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from epsilens.table import Schema, read_table
from epsilens.table.reading import wide as engine
from epsilens.table.reading.people import read_people
from tests.unit.table.reading.test_groups import PEOPLE, facts


@pytest.mark.parametrize("sensitive", ["ill", ["ill", "age"]])
def test_cells_counted_at_once_are_the_same(monkeypatch: pytest.MonkeyPatch, sensitive: Any) -> None:
    options: dict[str, Any] = {"bins": {"age": 10}} if sensitive != "ill" else {}
    schema = Schema(["place"] if options else ["place", "age"], sensitive, **options)
    expected = read_table(PEOPLE, schema)
    monkeypatch.setattr(engine, "MANY_ROWS", 1)
    assert read_people(PEOPLE, schema, by_cell=True).cells is not None
    found = read_table(PEOPLE, schema)
    assert found.labels == expected.labels
    assert found.cells() == expected.cells()
    assert found.vectors.tolist() == expected.vectors.tolist()
    if not options:
        assert facts(found) == facts(expected)


def test_the_long_form_is_there_for_whoever_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MANY_ROWS", 1)
    people = read_people(PEOPLE, Schema(["place"], "ill"), by_cell=True)
    rows = people.peopled.to_pyarrow().to_pylist()
    assert sum(row["people"] for row in rows) == 8
    assert {(row["q0"], row["s0"]): row["people"] for row in rows}["a", "y"] == 1


@pytest.mark.parametrize("labels", [[f"v{i}" for i in range(30)], [float(i % 2) for i in range(30)]])
def test_many_labels_and_fractions_are_counted_the_other_way(
    monkeypatch: pytest.MonkeyPatch, labels: list[Any]
) -> None:
    monkeypatch.setattr(engine, "MANY_ROWS", 1)
    people = read_people(pa.table({"q": ["a"] * 30, "s": labels}), Schema(["q"], "s"), by_cell=True)
    assert people.cells is None


def test_a_source_that_changes_after_its_labels_were_looked_up_is_counted_from_one_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "MANY_ROWS", 1)
    monkeypatch.setattr(engine, "_is", lambda column, value: column == "y")  # as if all other labels were new
    assert read_people(PEOPLE, Schema(["place"], "ill"), by_cell=True).cells is None
