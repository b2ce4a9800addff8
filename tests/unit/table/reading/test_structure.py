from __future__ import annotations

import pytest

from epsilens.table.reading import structure
from epsilens.table.reading.held_files import HeldFile
from epsilens.table.reading.sources import opened_source
from epsilens.table.reading.structure import read_structure

TEXT = "a,b,c\n1,x,\n2.5, y,\n1,x,z\n"


def test_wide_tables_and_other_engines_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    held = HeldFile("a.csv", TEXT.encode())
    found = read_structure(held)
    monkeypatch.setattr(structure, "WIDE", 1)
    assert read_structure(held) == found
    assert read_structure(held, missing_values=("x",)).columns[1].distinct == 1
    with opened_source(held, ["a", "b", "c"]) as opened:
        texts = {"a": True, "b": True, "c": True}
        assert structure._in_ibis(opened, texts, True, ()) == structure._in_duckdb(opened, texts, True, ())
        assert structure._in_ibis(opened, texts, False, ("x",)) == structure._in_duckdb(opened, texts, False, ("x",))


def test_no_columns_at_all() -> None:
    with opened_source(HeldFile("a.csv", TEXT.encode()), ["a"]) as opened:
        assert structure._in_ibis(opened, {}, True, ()) == {} == structure._in_duckdb(opened, {}, True, ())
