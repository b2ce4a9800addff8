"""The one scan: rows by raw key, and what they add up to."""

from __future__ import annotations

import pyarrow as pa

from epsilens.table.reading.keys import keys_of
from epsilens.table.reading.scans import Scan
from epsilens.table.reading.sources import opened_source
from epsilens.table.schema import Schema

DATA = pa.table({"q": [" a", "a", "a", None], "s": [1, 1, 1, 2], "n": ["1", "2", "x", "4"], "who": [7, 7, 8, None]})


def scanned(schema: Schema, count: str | None = None) -> list[dict[str, object]]:
    internal = {"q0": "q", "s0": "s"}
    with opened_source(DATA, DATA.column_names) as source:
        found, _ = Scan(source, schema, keys_of(internal, {}, (), {}), count).groups()
        rows: list[dict[str, object]] = found.to_pyarrow().to_pylist()
    return rows


def test_rows_by_raw_key() -> None:
    found = {(row["q0"], row["s0"]): row["rows"] for row in scanned(Schema(["q"], "s"))}
    assert found == {(" a", 1): 1, ("a", 1): 2, (None, 2): 1}


def test_counts_are_added_up_and_what_is_wrong_with_them_is_counted() -> None:
    found = {row["q0"]: (row["people"], row["bad1"]) for row in scanned(Schema(["q"], "s"), "n")}
    assert found == {" a": (1, 0), "a": (2, 1), None: (4, 0)}


def test_rows_of_people_by_who_they_are() -> None:
    found = {(row["unit"], row["q0"]): row["rows"] for row in scanned(Schema(["q"], "s", unit="who"))}
    assert found == {(7, " a"): 1, (7, "a"): 1, (8, "a"): 1, (None, None): 1}
