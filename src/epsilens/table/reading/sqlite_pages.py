"""The rows of an SQLite table, many at a time: each column of a page as one JSON array that SQLite writes.

Python's driver makes an object of every row, and asks SQLite for each of them; an array of a column is asked for once,
and parsed in a fraction of the time. JSON has whole numbers, texts and nulls exactly. What it has not (fractions lose
their last digits, bytes have no place at all) comes row by row, from the page on where it is first met.

Pages are ranges of row numbers. A view has none, nor has a table WITHOUT ROWID: all of their rows come one by one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing

from epsilens.errors import SourceError

PAGE_ROWS, CACHED_ROWS = 20_000, 500
FIRST_ROW = -(2**63)
ROW_NUMBERS = ("rowid", "_rowid_", "oid")
"""What SQLite calls the number of a row; a column of that name takes it."""

Column = list[object]


def pages(connection: sqlite3.Connection, table: str, columns: Sequence[str]) -> Iterator[list[Column]]:
    """The values of the columns, page by page, as they were when the first one was read."""
    try:
        number = _row_number(connection, table)
    except sqlite3.Error:
        raise broken(table) from None
    if number is None:
        query = f"SELECT {', '.join(map(_quoted, columns))} FROM {_quoted(table)}"
        yield from _row_by_row(connection, table, query, len(columns))
        return
    connection.execute("BEGIN")
    by_row: set[str] = set()
    first = FIRST_ROW
    while (last := _last_row(connection, table, number, first)) is not None:
        place = f"FROM {_quoted(table)} NOT INDEXED WHERE {number} BETWEEN ? AND ?"
        found = _by_column(connection, [name for name in columns if name not in by_row], place, (first, last))
        by_row.update(name for name in columns if name not in found)
        if rest := [name for name in columns if name in by_row]:
            query = f"SELECT {', '.join(map(_quoted, rest))} {place} ORDER BY {number}"
            (page,) = _row_by_row(connection, table, query, len(rest), (first, last))
            found |= dict(zip(rest, page, strict=True))
        yield [found[name] for name in columns]
        first = last + 1


def _row_number(connection: sqlite3.Connection, table: str) -> str | None:
    """What a row's number is called in this table; None where rows have none that can be relied upon."""
    query = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
    made = connection.execute(query, (table,)).fetchone()
    if made is None or not str(made[0]).upper().startswith("CREATE TABLE"):
        return None
    taken = {name.lower() for (name,) in connection.execute("SELECT name FROM pragma_table_xinfo(?)", (table,))}
    free = [name for name in ROW_NUMBERS if name not in taken]
    try:
        connection.execute(f"SELECT {free[0]} FROM {_quoted(table)} LIMIT 0")
    except (IndexError, sqlite3.OperationalError):
        return None
    return free[0]


def _last_row(connection: sqlite3.Connection, table: str, number: str, first: int) -> int | None:
    """The number of the last row of the page that begins at ``first``; None where there is no row any more."""
    rows = f"SELECT {number} AS r FROM {_quoted(table)} WHERE {number} >= ? ORDER BY {number} LIMIT {PAGE_ROWS}"
    try:
        return connection.execute(f"SELECT max(r) FROM ({rows})", (first,)).fetchone()[0] if first < 2**63 else None
    except sqlite3.Error:
        raise broken(table) from None


def _by_column(
    connection: sqlite3.Connection, columns: Sequence[str], place: str, rows: tuple[int, int]
) -> dict[str, Column]:
    """Those columns of a page that JSON has exactly.

    There are none where SQLite makes no array: of bytes, without JSON, of a page that is too large. Reading row by row
    then gives the values, or says what the matter is.
    """
    if not columns:
        return {}
    arrays = ", ".join(f"json_group_array({_quoted(name)})" for name in columns)
    try:
        found = connection.execute(f"SELECT {arrays} {place}", rows).fetchone()
    except sqlite3.Error:
        return {}
    pages = {name: _parsed(array) for name, array in zip(columns, found, strict=True)}
    return {name: page for name, page in pages.items() if page is not None}


def _parsed(array: str) -> Column | None:
    try:
        values: Column = json.loads(array)
    except ValueError:  # what is infinite
        return None
    return values if {*map(type, values)} <= {int, str, type(None)} else None


def _row_by_row(
    connection: sqlite3.Connection, table: str, query: str, width: int, rows: tuple[int, ...] = ()
) -> Iterator[list[Column]]:
    """The values that a query finds, page by page."""
    try:
        cursor = connection.execute(query, rows)
    except sqlite3.Error:
        raise broken(table) from None
    with closing(cursor):  # the file stays locked as long as a statement is open
        while (page := _next_page(cursor, table, width))[0]:
            yield page


def _next_page(cursor: sqlite3.Cursor, table: str, width: int) -> list[Column]:
    """The values of the next rows by column, taken from a few rows at a time while these are in the cache."""
    columns: list[Column] = [[] for _ in range(width)]
    while (room := PAGE_ROWS - len(columns[0])) and (rows := _some_rows(cursor, table, min(room, CACHED_ROWS))):
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column.extend(values)
    return columns


def _some_rows(cursor: sqlite3.Cursor, table: str, number: int) -> list[tuple[object, ...]]:
    try:
        return cursor.fetchmany(number)
    except sqlite3.OperationalError as problem:  # whose text quotes the value
        if "decode" in str(problem).lower():
            raise SourceError(f"table {table!r} holds text that is not UTF-8") from None
        raise broken(table) from None
    except sqlite3.Error:
        raise broken(table) from None


def broken(table: str) -> SourceError:
    """What is said of a table that SQLite does not read."""
    return SourceError(f"table {table!r} cannot be read: locked, damaged, or a view of what is not there")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
