"""SQLite files, read by Python's own driver in read-only mode.

SQLite types values, not columns, and lacks half of the functions that counting needs; so the wanted columns are copied
into the embedded engine, as whole numbers for as long as they hold no other values, and as text from then on. (Ibis'
own SQLite reader goes through pandas, which is not needed otherwise.) Python takes longer to fetch a row than SQLite to
read it, so they come by pages: see ``sqlite_pages.py``.

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
from epsilens.table.reading.sqlite_pages import broken, pages


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
            raise broken(table) from None


def batches(path: Path, table: str, columns: Sequence[str]) -> Iterator[Any]:
    """The columns' values as Arrow batches with columns ``c0``, ``c1``, ..., each of whole numbers or of texts.

    Whatever comes after texts is text as well, so that the schema changes no more often than there are columns.
    """
    import pyarrow as pa

    before, whole = _state(path), [True] * len(columns)
    with closing(_connected(path)) as connection:
        for page in pages(connection, table, columns):
            whole = [so_far and _is_whole(values) for so_far, values in zip(whole, page, strict=True)]
            arrays = [
                pa.array(values, pa.int64()) if numbers else _texts(values, name)
                for values, name, numbers in zip(page, columns, whole, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, [f"c{i}" for i in range(len(columns))])
    if _has_unopened_log(path) and _state(path) != before:
        raise SourceError(f"{path} was written to while it was read; read it again")


def _is_whole(values: Sequence[object]) -> bool:
    """Whether these are whole numbers, which SQLite has of 64 bits, beside nulls."""
    return {*map(type, values)} - {type(None)} == {int}


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

    if {*map(type, values)} <= {str, type(None)}:
        return pa.array(values, pa.string())
    if _is_whole(values):
        return pa.array(values, pa.int64()).cast(pa.string())
    return pa.array([_text(value, column) for value in values], pa.string())


def _text(value: object, column: str) -> str | None:
    """A value as text; whole numbers without decimals."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        raise DataError(f"column {column!r} holds binary values, which cannot be counted by value")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
