"""SQLite files, read by Python's own driver in read-only mode.

SQLite types values, not columns, and lacks half of the functions that counting needs; so the wanted columns are copied,
as text, into the embedded engine. (Ibis' own SQLite reader goes through pandas, which is not needed otherwise.)

Nothing is left beside the file. For a reader of a database with a write-ahead log, SQLite makes the log and its index,
and a reader that may not write cannot take them away again. Where there is no log nobody has the database open, so it
is read as a file that does not change; that it did not is checked.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from epsilens.errors import DataError, SourceError

BATCH_ROWS, CACHED_ROWS = 50_000, 500


def table_names(path: Path) -> list[str]:
    """The tables and views of the file."""
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    with closing(_connected(path)) as connection:
        try:
            return [str(name) for (name,) in connection.execute(query)]
        except sqlite3.Error:
            raise SourceError(f"{path} is not an SQLite database, or locked") from None


def column_names(path: Path, table: str) -> list[str]:
    """The columns of a table or view."""
    with closing(_connected(path)) as connection:
        try:
            return [str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        except sqlite3.Error:
            raise _broken(table) from None


def text_batches(path: Path, table: str, columns: Sequence[str]) -> Iterator[Any]:
    """The columns' values as Arrow batches of text with columns ``c0``, ``c1``, ..."""
    import pyarrow as pa

    schema, before = text_schema(len(columns)), _state(path)
    with closing(_connected(path)) as connection:
        try:
            cursor = connection.execute(f"SELECT {', '.join(map(_quoted, columns))} FROM {_quoted(table)}")
        except sqlite3.Error:
            raise _broken(table) from None
        with closing(cursor):  # the file stays locked as long as a statement is open
            while (found := _next_columns(cursor, table, len(columns)))[0]:
                arrays = [_texts(values, name) for name, values in zip(columns, found, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)
    if _has_unopened_log(path) and _state(path) != before:
        raise SourceError(f"{path} was written to while it was read; read it again")


def _next_columns(cursor: sqlite3.Cursor, table: str, width: int) -> list[list[object]]:
    """The values of the next rows by column, taken from a few rows at a time while these are in the cache."""
    columns: list[list[object]] = [[] for _ in range(width)]
    while (room := BATCH_ROWS - len(columns[0])) and (rows := _some_rows(cursor, table, min(room, CACHED_ROWS))):
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column.extend(values)
    return columns


def _some_rows(cursor: sqlite3.Cursor, table: str, number: int) -> list[Any]:
    try:
        return cursor.fetchmany(number)
    except sqlite3.OperationalError as problem:  # whose text quotes the value
        if "decode" in str(problem).lower():
            raise SourceError(f"table {table!r} holds text that is not UTF-8") from None
        raise _broken(table) from None
    except sqlite3.Error:
        raise _broken(table) from None


def _broken(table: str) -> SourceError:
    return SourceError(f"table {table!r} cannot be read: locked, damaged, or a view of what is not there")


def text_schema(width: int) -> Any:
    """An Arrow schema of ``width`` text columns ``c0``, ``c1``, ..."""
    import pyarrow as pa

    return pa.schema([(f"c{i}", pa.string()) for i in range(width)])


def _connected(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise SourceError(f"{path} does not exist")
    try:
        address = f"file:{quote(str(path.resolve()))}?mode=ro{'&immutable=1' if _has_unopened_log(path) else ''}"
        # DuckDB pulls the batches one at a time, but not always from the same thread.
        return sqlite3.connect(address, uri=True, check_same_thread=False)
    except (OSError, sqlite3.Error):
        raise SourceError(f"{path} cannot be opened as an SQLite database") from None


def _has_unopened_log(path: Path) -> bool:
    """Whether the database keeps a write-ahead log (its header says so, at bytes 18 and 19) that nobody has open."""
    with path.open("rb") as stream:
        return stream.read(20)[18:] == b"\2\2" and not Path(f"{path}-wal").exists()


def _state(path: Path) -> tuple[int, int]:
    """What changes when the database is written to."""
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _texts(values: Sequence[object], column: str) -> Any:
    """Values as an Arrow array of texts; Arrow writes whole numbers as Python does, and much faster."""
    import pyarrow as pa

    kinds = {*map(type, values)} - {type(None)}
    if kinds <= {str}:
        return pa.array(values, pa.string())
    if kinds == {int}:  # SQLite has whole numbers of 64 bits
        return pa.array(values, pa.int64()).cast(pa.string())
    return pa.array([_text(value, column) for value in values], pa.string())


def _text(value: object, column: str) -> str | None:
    """A value as text; whole numbers without decimals."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        raise DataError(f"column {column!r} holds binary values, which cannot be counted by value")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
