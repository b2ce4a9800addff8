"""The embedded DuckDB that reads files and data frames."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
import uuid
import weakref
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any


def embedded_engine() -> Any:
    """A connection to the DuckDB that all tables of this process share, as an Ibis backend.

    Starting a DuckDB takes longer than reading a small table. What a connection makes (temporary tables, registered
    frames) no other one sees, and it goes with the connection.
    """
    return _backend(_shared_database(os.getpid()).cursor())


def private_engine() -> Any:
    """A DuckDB of its own, for what must not outlive its reader: a file attached stays locked as long as it."""
    spill = _spill_directory()
    engine = _backend(_database(spill))
    weakref.finalize(engine, shutil.rmtree, spill, ignore_errors=True)
    return engine


def _backend(connection: Any) -> Any:
    from epsilens.table.reading.arrow_engine import ArrowEngine

    backend = ArrowEngine.from_connection(connection)
    connection.execute("SET enable_progress_bar = false")
    return backend


@cache
def _shared_database(process: int) -> Any:  # by process: a forked one cannot use its parent's threads
    spill = _spill_directory()
    atexit.register(_remove_of, process, spill)
    return _database(spill)


def _remove_of(process: int, spill: Path) -> None:
    """Remove what ``process`` spilled; a forked one, which leaves by the same door, must not take its parent's."""
    if os.getpid() == process:
        shutil.rmtree(spill, ignore_errors=True)


def _database(spill: Path) -> Any:
    """An in-memory DuckDB: no extension is fetched, what does not fit in memory spills."""
    import duckdb

    return duckdb.connect(
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "temp_directory": str(spill),
        }
    )


def _spill_directory() -> Path:
    """Where DuckDB may spill. It makes the directory only when it does, so a killed process leaves none behind.

    DuckDB lets everybody read what it makes; the directory above, one per user and kept, lets nobody else in.
    """
    above = Path(tempfile.gettempdir()) / f"epsilens-{os.getuid() if hasattr(os, 'getuid') else 'spill'}"
    with suppress(OSError):
        above.mkdir(mode=0o700, exist_ok=True)
        if _is_private(above):
            return above / uuid.uuid4().hex
    return Path(tempfile.mkdtemp(prefix="epsilens-"))  # somebody else took the name


def _is_private(directory: Path) -> bool:
    """Whether this is a directory of our own, not a link to one, that nobody else can enter."""
    if not hasattr(os, "getuid"):  # Windows gives every user a temporary directory of their own
        return True
    found = directory.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
