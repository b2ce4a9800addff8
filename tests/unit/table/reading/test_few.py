"""Few groups make a table in memory, which is the one that the engine has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from epsilens.table import Schema, read_table
from epsilens.table.cell_store import MemoryStore
from epsilens.table.reading import few as module
from epsilens.table.reading import groups as groups_module
from epsilens.table.reading.few import few_people
from epsilens.table.reading.listed_store import ListedStore
from epsilens.table.reading.people import read_people
from epsilens.table.reading.store import EngineStore
from tests.unit.table.reading.test_groups import PEOPLE, facts


def of_chance(labels: int, rows: int = 500) -> pa.Table:
    rng = np.random.default_rng(labels)
    texts = ["é", "a", " a", "B", "", "10", "9", None]
    return pa.table(
        {
            "place": [texts[i] for i in rng.integers(0, len(texts), rows)],
            "age": rng.integers(0, 60, rows),
            "ill": [f"s{i}" for i in rng.integers(0, labels, rows)],
            "more": [f"t{i}" for i in rng.integers(0, 2, rows)],
            "n": rng.integers(0, 3, rows),
        }
    )


@pytest.mark.parametrize(
    ("labels", "options", "count"),
    [
        (3, {}, None),
        (3, {"bins": {"age": 10}, "sensitive": ["ill", "more"]}, "n"),
        (3, {"universe": {"ill": ["s0", "s1", "s2", "nobody"]}}, "n"),
        (25, {"bins": {"age": 20}}, None),
    ],
)
def test_tables_in_memory_are_those_of_the_engine(
    monkeypatch: pytest.MonkeyPatch, labels: int, options: dict[str, Any], count: str | None
) -> None:
    schema = Schema(**{"quasi_identifiers": ["place", "age"], "sensitive": "ill", **options})
    data = of_chance(labels)
    here = read_table(data, schema, count=count)
    monkeypatch.setattr(module, "MOST_GROUPS", -1)
    there = read_table(data, schema, count=count)
    assert isinstance(here.store, MemoryStore)
    assert isinstance(there.store, EngineStore)
    assert facts(here) == facts(there)
    for ordered in (False, True):
        for found, expected in zip(here.signatures(ordered), there.signatures(ordered), strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("options", "weight"),
    [({"structural_zeros": [{"place": "x", "ill": "y"}]}, None), ({}, "n")],
)
def test_rules_about_cells_and_weights_are_left_to_the_engine(options: dict[str, Any], weight: str | None) -> None:
    data = PEOPLE.set_column(4, "n", pa.array([1.0] * 8))
    people = read_people(data, Schema(["place"], "ill", **options), weight=weight)
    assert few_people(people) is None


def test_many_groups_and_many_counts_stay_in_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Schema(["place"], "ill")
    monkeypatch.setattr(module, "MOST_COUNTS", 9)
    assert isinstance(read_table(PEOPLE, schema).store, EngineStore)
    monkeypatch.setattr(module, "MOST_COUNTS", 10)
    assert isinstance(read_table(PEOPLE, schema).store, MemoryStore)
    monkeypatch.setattr(module, "MOST_GROUPS", 7)
    assert isinstance(read_table(PEOPLE, schema).store, EngineStore)
    assert isinstance(read_table(of_chance(25), Schema(["age"], "ill")).store, ListedStore)


def test_groups_whose_keys_all_share_levels_have_people_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups_module, "FEW_GROUPS", -1)
    data = pa.table({"q": ["a", " a", "b", "b "], "s": ["x", "x ", "y", "x"]})
    people = read_people(data, Schema(["q"], "s"))
    found = few_people(people)
    assert found is not None
    assert found.labels() == {("x",), ("y",)}
    assert read_table(data, Schema(["q"], "s")).vectors.tolist() == [[2, 0], [1, 1]]
