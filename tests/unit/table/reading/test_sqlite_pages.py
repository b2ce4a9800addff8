"""The rows of an SQLite table come by pages, whatever their values, their numbers and the kind of table."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from epsilens.errors import SourceError
from epsilens.table.reading import sqlite_pages
from epsilens.table.reading.sqlite_pages import pages

NAMES = ("a", "b", "c")
ODD: list[object] = [
    None, 0, 1, -1, 2**63 - 1, -(2**63),
    "", " 1 ", "1", "1.0", 'a"b', "back\\slash \\u0041", "line\nbreak", "\0", "a\0b",
    "\x1f", "\x7f", "é", "\u2028", "😀", "true", "null", "[1]", "NaN", "0" * 40,
]  # fmt: skip
FRACTIONS: list[object] = [1.0, -0.0, 0.1 + 0.2, 1e16, 1e300, 5e-324, float("inf"), float("-inf"), 2.0**53 + 2]


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        yield connection


@pytest.fixture(params=[1, 3, 7, 1000])
def page_rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sqlite_pages, "PAGE_ROWS", request.param)
    return int(request.param)


def read(connection: sqlite3.Connection, table: str = "t", columns: tuple[str, ...] = NAMES) -> list[tuple[Any, ...]]:
    return [row for page in pages(connection, table, columns) for row in zip(*page, strict=True)]


def exactly(rows: list[tuple[Any, ...]]) -> list[str]:
    """Values with their types: 1, 1.0, '1' and -0.0 are all different."""
    return sorted(map(repr, rows))


@pytest.mark.usefixtures("page_rows")
@pytest.mark.parametrize("values", [ODD, [*ODD, *FRACTIONS], [*FRACTIONS, b"\0", b""]], ids=["json", "mixed", "bytes"])
@pytest.mark.parametrize("numbers", ["following", "apart"])
@pytest.mark.parametrize(
    "made", ["TABLE t (a, b, c)", "TABLE t (_rowid_, rowid, a, b, c)", "TABLE t (a, b, c, oid PRIMARY KEY)"]
)
def test_every_value_is_read_as_it_is(
    connection: sqlite3.Connection, values: list[object], numbers: str, made: str
) -> None:
    rng = random.Random(1)
    rows = [(value, rng.choice(values), rng.choice([1, 2, None, "x"])) for value in values]
    connection.execute(f"CREATE {made}")
    hidden = "oid" if "_rowid_" in made else "rowid"
    places = (
        range(len(rows)) if numbers == "following" else [-(2**63), 2**63 - 1, *rng.sample(range(10**15), len(rows))]
    )
    filled = [(place, *row) for place, row in zip(places, rows, strict=False)]
    connection.executemany(f"INSERT INTO t ({hidden}, a, b, c) VALUES (?, ?, ?, ?)", filled)
    connection.execute("CREATE INDEX i ON t (c, b, a)")
    assert exactly(read(connection)) == exactly(rows)


@pytest.mark.usefixtures("page_rows")
@pytest.mark.parametrize(
    "made",
    [
        "VIEW v AS SELECT a, b, c FROM t",
        "VIEW v AS SELECT c AS rowid, a, b, c FROM t",
        "TABLE v (a, b, c, d INTEGER PRIMARY KEY) WITHOUT ROWID",
        "TABLE v (rowid, oid, _rowid_, a, b, c)",
    ],
)
def test_tables_without_numbers_of_rows_come_row_by_row(connection: sqlite3.Connection, made: str) -> None:
    rows = [(i % 3, f"x{i}", i / 2) for i in range(20)]
    connection.execute("CREATE TABLE t (a, b, c)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    connection.execute(f"CREATE {made}")
    if made.startswith("TABLE"):
        more = ", d" if "d INTEGER" in made else ""
        connection.execute(f"INSERT INTO v (a, b, c{more}) SELECT a, b, c{', rowid' if more else ''} FROM t")
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    assert exactly(read(connection, "v")) == exactly(rows)
    assert not any("json" in query for query in asked)


def test_only_columns_that_json_has_not_come_row_by_row_and_from_then_on(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_pages, "PAGE_ROWS", 2)
    connection.execute("CREATE TABLE t (a, b, c)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(i, f"x{i}", i if i < 3 else 0.5) for i in range(8)])
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    assert read(connection)[-1] == (7, "x7", 0.5)
    arrays = [query.count("json_group_array") for query in asked if "json" in query]
    rows = [query for query in asked if query.startswith('SELECT "c" FROM')]
    assert (arrays, len(rows)) == ([3, 3, 2, 2], 3)


@pytest.mark.usefixtures("page_rows")
def test_an_empty_table_and_one_that_lost_rows(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE t (a, b, c)")
    assert read(connection) == []
    connection.execute("ROLLBACK")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(i, i, i) for i in range(50)])
    connection.execute("DELETE FROM t WHERE a BETWEEN 5 AND 44")
    assert sorted(a for a, _, _ in read(connection)) == [*range(5), *range(45, 50)]


@pytest.mark.usefixtures("page_rows")
def test_pages_are_of_one_moment(tmp_path: Any) -> None:
    path = tmp_path / "t.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer, closing(sqlite3.connect(path)) as reader:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE t (a, b, c)")
        writer.executemany("INSERT INTO t VALUES (?, ?, ?)", [(i, i, i) for i in range(10)])
        found = pages(reader, "t", NAMES)
        first = next(found)
        writer.execute("INSERT INTO t VALUES (99, 99, 99)")
        writer.execute("UPDATE t SET a = 77")
        rest = [value for page in found for value in page[0]]
        assert [*first[0], *rest] == [*range(10)]


def test_what_cannot_be_read_is_told_without_its_values(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE t AS SELECT CAST(x'736563726574ff' AS TEXT) AS a, 1 AS b, 2 AS c")
    with pytest.raises(SourceError, match="not UTF-8") as caught:
        read(connection)
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__
    with pytest.raises(SourceError, match="cannot be read"):
        read(connection, "gone")


def test_an_sqlite_that_writes_no_json(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE t (a, b, c)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(i, "x", None) for i in range(5)])

    def no_json(action: int, _first: str | None, second: str | None, _database: str | None, _by: str | None) -> int:
        return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_FUNCTION and "json" in str(second) else sqlite3.SQLITE_OK

    connection.set_authorizer(no_json)
    assert read(connection) == [(i, "x", None) for i in range(5)]
