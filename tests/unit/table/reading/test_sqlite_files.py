"""SQLite files are read by Python, read-only, as texts."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from epsilens.errors import EpsilensError, SourceError
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.support.reading import ROWS, SCHEMA, assert_expected


def test_sqlite_files(tmp_path: Path) -> None:
    path = tmp_path / "people.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE people (code TEXT, place TEXT, ill TEXT, extra BLOB)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, NULL)", ROWS)
    connection.close()
    assert_expected(read_table(f"sqlite://{path}", SCHEMA, table="people"))
    with pytest.raises(SourceError, match="no table 'persons'"):
        read_table(f"sqlite://{path}", SCHEMA, table="persons")


def test_sqlite_tables_that_cannot_be_read_say_why_and_stay_unlocked(tmp_path: Path) -> None:
    path = tmp_path / "people.sqlite"
    schema = Schema(["a"], "s")
    connection = sqlite3.connect(path, timeout=0)
    connection.execute("CREATE TABLE blobs AS SELECT x'00' AS a, 'x' AS s")
    connection.execute("CREATE TABLE latin AS SELECT CAST(x'ff' AS TEXT) AS a, 'x' AS s")
    connection.execute("CREATE VIEW broken AS SELECT * FROM blobs, gone")
    connection.commit()
    failures = []  # as a notebook keeps the last one
    for name, says in (("blobs", "column 'a' holds binary"), ("latin", "not UTF-8"), ("broken", "cannot be read")):
        with pytest.raises(EpsilensError, match=says) as caught:
            read_table(f"sqlite://{path}", schema, table=name)
        failures.append(caught)
        connection.execute("CREATE TABLE again (x)")
        connection.execute("DROP TABLE again")
        connection.commit()
    connection.close()
