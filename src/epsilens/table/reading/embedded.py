"""The embedded DuckDB that reads files and data frames."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
import uuid
import weakref
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from epsilens.errors import SourceError
from epsilens.table.engine import Engine, engine_in_use


def embedded_engine() -> Any:
    """A connection to the DuckDB that all tables of this process share, as an Ibis backend.

    Starting a DuckDB takes longer than reading a small table. What a connection makes (temporary tables, registered
    frames) no other one sees, and it goes with the connection. Limits are a database's own, so whoever sets others has
    another one.
    """
    return _backend(_shared_database(os.getpid(), _limits(engine_in_use())).cursor())


def private_engine() -> Any:
    """A DuckDB of its own, for what must not outlive its reader: a file attached stays locked as long as it."""
    spill = _anywhere()
    engine = _backend(_database(spill, _limits(engine_in_use())))
    if spill is not None:
        weakref.finalize(engine, shutil.rmtree, spill, ignore_errors=True)
    return engine


def _backend(connection: Any) -> Any:
    from epsilens.table.reading.arrow_engine import ArrowEngine

    backend = ArrowEngine.from_connection(connection)
    connection.execute("SET enable_progress_bar = false")
    return backend


Limits = tuple[tuple[str, str | int], ...]


def _limits(engine: Engine) -> Limits:
    """Settings of DuckDB: how much memory and how many threads."""
    memory = (("memory_limit", f"{engine.memory_bytes}B"),) if engine.memory_limit is not None else ()
    return (*memory, *((("threads", engine.threads),) if engine.threads is not None else ()))


@lru_cache(maxsize=4)
def _shared_database(process: int, limits: Limits) -> Any:  # by process: a forked one cannot use its parent's threads
    spill = _anywhere()
    if spill is not None:
        removed_at_exit(spill, process)
    return _database(spill, limits)


def _anywhere() -> Path | None:
    """Where DuckDB may spill; None on a machine that lets nobody write, where it does without."""
    with suppress(SourceError):
        return spill_directory()
    return None


def removed_at_exit(spill: Path, process: int) -> None:
    """Remove what is spilt there when ``process``, which is this one, ends."""
    atexit.register(_remove_of, process, spill)


def _remove_of(process: int, spill: Path) -> None:
    """Remove what ``process`` spilled; a forked one, which leaves by the same door, must not take its parent's."""
    if os.getpid() == process:
        shutil.rmtree(spill, ignore_errors=True)


def _database(spill: Path | None, limits: Limits) -> Any:
    """An in-memory DuckDB: no extension is fetched, what does not fit in memory spills."""
    return imported_duckdb().connect(
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "temp_directory": "" if spill is None else str(spill),
            **dict(limits),
        }
    )


def imported_duckdb() -> Any:
    """DuckDB's module. Ctrl-C while it is imported, which would abort the process, is heard when it is."""
    if "duckdb" in sys.modules or threading.current_thread() is not threading.main_thread():
        import duckdb

        return duckdb
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: heard.append(number))
    try:
        import duckdb
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    if heard and callable(before):
        raise KeyboardInterrupt
    return duckdb


def spill_directory() -> Path:
    """Where an engine may spill. DuckDB makes the directory only when it does, so a killed process leaves none behind.

    DuckDB lets everybody read what it makes; the directory above, one per user and kept, lets nobody else in.
    """
    try:
        temporary = Path(tempfile.gettempdir())
    except FileNotFoundError:
        raise SourceError("there is no folder for temporary files", remedy="let TMPDIR name one") from None
    above = temporary / f"epsilens-{os.getuid() if hasattr(os, 'getuid') else 'spill'}"
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
