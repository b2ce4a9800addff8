"""Few groups get their levels at once, many have codebooks: the same table, whichever way it was counted."""

from __future__ import annotations

import csv
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epsilens.table import Schema, read_cells, read_table
from epsilens.table.domain import MISSING
from epsilens.table.frequency import FrequencyTable
from epsilens.table.reading import few, wide
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
        (domain, codes.tolist(), vectors.dense().tolist()),
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


AGES = [-128, -21, -20, -11, -10, -1, 0, 1, 9, 10, 11, 39, 99, 127, None]
NUMBERS = [0.0, -0.0, 0.5, 1.0, -1.0, 2.5, float("nan"), None]
TEXTS = ["a", " a", "a ", "A", "é", "?", "", " ", "007", "7", None]
SICK = ["x", " x", "y", "z", "?", None]
WAYS: dict[str, dict[tuple[Any, str], int]] = {
    "in memory": {},
    "in the engine": {(few, "MOST_GROUPS"): -1},
    "by codebook": {(engine, "FEW_GROUPS"): -1, (few, "MOST_GROUPS"): -1},
    "few by codebook": {(engine, "FEW_GROUPS"): -1},
    "cells at once": {(wide, "MANY_ROWS"): 1, (wide, "FEW_IN_SAMPLE"): -1, (wide, "SAMPLE_ROWS"): 9},
    "cells at once by codebook": {
        (wide, "MANY_ROWS"): 1,
        (wide, "FEW_IN_SAMPLE"): -1,
        (wide, "SAMPLE_ROWS"): 9,
        (engine, "FEW_GROUPS"): -1,
    },
}


def bin_by_hand(age: int | None, closed: str) -> str:
    if age is None or age == 99:
        return MISSING
    low = age // 10 * 10 if closed == "left" else -(-age // 10) * 10 - 10
    return f"[{low}, {low + 10})" if closed == "left" else f"({low}, {low + 10}]"


def text_by_hand(value: str | None) -> str:
    text = (value or "").strip()
    return MISSING if text in ("", "?") else text


def number_by_hand(value: float | None, is_text: bool) -> str:
    if value is None or math.isnan(value):
        return MISSING
    return str(int(value)) if value == int(value) and not is_text else str(value)


@pytest.mark.parametrize("form", ["frame", "parquet", "csv"])
@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_count_gives_what_is_counted_by_hand(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str, closed: str, form: str
) -> None:
    rng = random.Random(7)
    rows = [(rng.choice(AGES), rng.choice(NUMBERS), rng.choice(TEXTS), rng.choice(SICK)) for _ in range(400)]
    data = pa.table(
        {
            name: pa.array([row[i] for row in rows], kind)
            for i, (name, kind) in enumerate(
                [("age", pa.int8()), ("number", pa.float64()), ("text", pa.string()), ("sick", pa.string())]
            )
        }
    )
    source: Any = data
    if form == "parquet":
        source = tmp_path / "people.parquet"
        pq.write_table(data, source, row_group_size=50)
    if form == "csv":
        source = tmp_path / "people.csv"
        lines = [[value if value == value and value is not None else "" for value in row] for row in rows]
        with source.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([data.column_names, *lines])
    levels = [
        (bin_by_hand(age, closed), number_by_hand(number, form == "csv"), text_by_hand(text), text_by_hand(sick))
        for age, number, text, sick in rows
    ]
    for (module, name), value in WAYS[way].items():
        monkeypatch.setattr(module, name, value)
    schema = Schema(
        ["age", "number", "text"],
        "sick",
        bins={"age": {"width": 10, "closed": closed}},
        missing_values=("?", "99"),
    )
    table = read_table(source, schema)
    labels = sorted({level[3] for level in levels})
    keys = sorted({level[:3] for level in levels})
    counter = Counter(levels)
    assert table.labels == tuple(labels)
    assert table.cells() == {name: [key[i] for key in keys] for i, name in enumerate(schema.qid_columns)}
    assert table.vectors.tolist() == [[counter[(*key, label)] for label in labels] for key in keys]
