"""SQLite files are read by Python, read-only, as whole numbers and texts."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from epsilens.errors import EpsilensError, SourceError
from epsilens.table.domain import MISSING
from epsilens.table.reading import sqlite_files, sqlite_pages
from epsilens.table.reading.source import text_schema
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.support.reading import ROWS, SCHEMA, assert_expected


def test_sqlite_files(tmp_path: Path) -> None:
    path = tmp_path / "people.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE people (code TEXT, place TEXT, ill TEXT, extra BLOB)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, NULL)", ROWS)
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


def test_names_and_texts_by_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "odd 'name'?.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE "a ""b""" (x, "y z" TEXT)')
        connection.execute('CREATE VIEW all_of_it AS SELECT x FROM "a ""b"""')
        values = [(1, "u"), (2.0, None), (0.5, "v"), (None, ""), ("007", "w")]
        connection.executemany('INSERT INTO "a ""b""" VALUES (?, ?)', values)
        connection.commit()
    monkeypatch.setattr(sqlite_pages, "PAGE_ROWS", 2)
    assert sqlite_files.table_names(path) == ['a "b"', "all_of_it"]
    assert sqlite_files.column_names(path, 'a "b"') == ["x", "y z"]
    batches = list(sqlite_files.batches(path, 'a "b"', ["y z", "x"]))
    assert [batch.num_rows for batch in batches] == [2, 2, 1]
    assert all(batch.schema == text_schema(2) for batch in batches)
    rows = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    assert rows == [("u", "1"), (None, "2"), ("v", "0.5"), ("", None), ("w", "007")]


def test_every_value_is_written_as_python_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "values.db"
    whole = [0, -1, 2**63 - 1, -(2**63), None, 7]
    mixed = [1, 2.0, 1e16, "x", None, -0.0]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (w, m, n)")
        connection.executemany("INSERT INTO t VALUES (?, ?, NULL)", zip(whole, mixed, strict=True))
        connection.commit()
    (batch,) = sqlite_files.batches(path, "t", ["w", "m", "n"])
    assert batch.column(0).to_pylist() == whole
    assert str(batch.schema.field(0).type) == "int64"
    assert batch.column(1).to_pylist() == ["1", "2", "10000000000000000", "x", None, "0"]
    assert batch.column(2).to_pylist() == [None] * 6


def test_columns_become_text_when_they_first_hold_anything_but_whole_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "values.db"
    first: list[object] = [1, None, 30, 2**62, None, "x", 7, 1, 2.5, " 1 "]
    second: list[object] = [None, None, 5, 5, 6, 7, 8, 1.0, 9, 1]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a, b, s)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", zip(first, second, "xyxyxyxyxy", strict=True))
        connection.commit()
    monkeypatch.setattr(sqlite_pages, "PAGE_ROWS", 2)
    schemas = [[str(kind) for kind in batch.schema.types] for batch in sqlite_files.batches(path, "t", ["a", "b"])]
    assert schemas == [["int64", "string"]] * 2 + [["string", "string"]] * 3
    people = read_table(f"sqlite://{path}", Schema(["a", "b"], "s", missing="level"), table="t")
    levels = [
        (MISSING if a is None else f"{a}".strip(), MISSING if b is None else f"{b:g}")
        for a, b in zip(first, second, strict=True)
    ]
    numbers = people.vectors.sum(axis=1).tolist()
    assert dict(zip(zip(*people.cells().values(), strict=True), numbers, strict=True)) == Counter(levels)


def test_files_that_are_no_databases(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database at all, " * 50)
    with pytest.raises(SourceError, match="is not an SQLite database, or locked"):
        sqlite_files.table_names(tmp_path / "text.db")
    with pytest.raises(SourceError, match=r"none\.db does not exist"):
        sqlite_files.table_names(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()  # SQLite itself would have made it


def test_nothing_is_left_beside_a_database_with_a_log(tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (q, s)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [("a", "x"), ("a", "y")])
        assert read_table(f"sqlite://{path}", Schema(["q"], "s"), table="t").n_records == 2  # from the log
    assert [found.name for found in tmp_path.iterdir()] == ["people.db"]
    assert read_table(f"sqlite://{path}", Schema(["q"], "s"), table="t").n_records == 2
    assert [found.name for found in tmp_path.iterdir()] == ["people.db"]


def test_a_database_that_is_written_to_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (q, s)")
        connection.execute("INSERT INTO t VALUES ('a', 'x')")
    batches = sqlite_files.batches(path, "t", ["q", "s"])
    next(batches)
    os.utime(path, ns=(1, 1))
    with pytest.raises(SourceError, match="was written to while it was read"):
        list(batches)
