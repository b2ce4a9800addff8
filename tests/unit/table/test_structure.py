from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from epsilens.errors import DataError, SourceError
from epsilens.table.column_facts import Column, Structure
from epsilens.table.reading.held_files import HeldFile
from epsilens.table.structure import first_rows, levels_of, structure_of

TEXT = "id,age,score,sex,empty\n1,20,1.5, f ,\n2,,2,m,\n3,20,.5,f,\n4,x,3,?,\n"
FOUND = (
    Column("id", "whole numbers", 4, 0),
    Column("age", "text", 2, 1),
    Column("score", "numbers", 4, 0),
    Column("sex", "text", 3, 0),
    Column("empty", "text", 0, 4),
)


def test_columns_are_described_and_no_value_is_said(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(TEXT)
    found = structure_of(tmp_path / "people.csv")
    assert found == Structure(4, FOUND)
    assert structure_of(HeldFile("people.csv", TEXT.encode())) == found
    assert found.column("sex") == FOUND[3]
    assert found.column("sexx") is None
    assert [one.name for one in found.columns if one.is_numeric] == ["id", "score"]


def test_texts_that_mean_missing_are_not_values() -> None:
    found = structure_of(HeldFile("people.csv", TEXT.encode()), missing_values=["?", "x"])
    assert found.column("age") == Column("age", "whole numbers", 1, 2)
    assert found.column("sex") == Column("sex", "text", 2, 1)


def test_a_database_and_a_frame_are_described_alike(tmp_path: Path) -> None:
    import pandas as pd

    with closing(sqlite3.connect(tmp_path / "p.db")) as database:
        database.execute("CREATE TABLE people (sex TEXT, n INTEGER)")
        database.executemany("INSERT INTO people VALUES (?, ?)", [("f", 1), ("m", 2), (None, 2)])
        database.commit()
    source = f"sqlite://{tmp_path / 'p.db'}"
    expected = Structure(3, (Column("sex", "text", 2, 1), Column("n", "whole numbers", 2, 0)))
    assert structure_of(source, "people") == expected
    assert structure_of(pd.DataFrame({"sex": ["f", "m", None], "n": [1, 2, 2]})) == expected
    with pytest.raises(SourceError, match="no table 'peple'"):
        structure_of(source, "peple")
    assert levels_of(source, "sex", "people") == ["f", "m"]
    assert first_rows(source, "people", 2) == {"sex": ["f", "m"], "n": ["1", "2"]}


def test_values_and_rows_are_for_whoever_asks() -> None:
    held = HeldFile("people.csv", TEXT.encode())
    assert levels_of(held, "sex") == ["?", "f", "m"]
    assert first_rows(held, rows=1) == {"id": ["1"], "age": ["20"], "score": ["1.5"], "sex": [" f "], "empty": [""]}
    with pytest.raises(DataError, match="more than 2 values"):
        levels_of(held, "id", most=2)


def test_large_data_are_counted_approximately(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epsilens.table.reading.structure.MOST_VALUES_COUNTED", 3)
    found = structure_of(HeldFile("people.csv", TEXT.encode()))
    assert not found.exact
    assert found.column("sex") == FOUND[3]
