"""What went wrong inside an engine, in our words: an engine's own text may quote people's data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from epsilens.errors import EpsilensError, SourceError
from epsilens.table.reading.embedded import imported_duckdb

_LOST = ("57P", "08", "25P0")
"""Beginnings of PostgreSQL's codes: the server was shut down, or the connection was, or it was idle for too long."""
_NO_DISK, _NO_MEMORY, _NOT_ALLOWED = "53100", "53200", "42501"
_CANCELLED = ("57014", "40001")
"""By somebody or by a limit; or on a standby, which cannot keep old rows for us any more."""
_GONE = ("no such file", "no files found", "file not found", "does not exist")
_DAMAGED = ("decompress", "corrupt", "thrift", "invalid parquet", "out of buffer", "magic bytes", "page header")
_SPARK_GONE = ("Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError", "BrokenPipeError")


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C is a :class:`KeyboardInterrupt`, also where engines make an error of their own of it.

    DuckDB does; and whoever closes a cursor of PostgreSQL after it may fail, for the query was cancelled.
    """
    interrupted = imported_duckdb().InterruptException
    try:
        yield
    except interrupted:
        raise KeyboardInterrupt from None
    except RuntimeError as problem:  # while a query starts, DuckDB says it with this one
        if str(problem) == "Query interrupted" or _was_interrupted(problem):
            raise KeyboardInterrupt from None
        raise
    except Exception as problem:
        if _was_interrupted(problem):
            raise KeyboardInterrupt from None
        raise


def _was_interrupted(problem: BaseException | None) -> bool:
    """Whether an error came up while Ctrl-C was on its way out."""
    while problem is not None:
        if isinstance(problem, KeyboardInterrupt):
            return True
        problem = None if problem.__suppress_context__ else problem.__context__
    return False


@contextmanager
def reading(place: str) -> Iterator[None]:
    """Engine errors become a :class:`SourceError` without the engine's text, which may quote people's data."""
    try:
        with interruptible():
            yield
    except (EpsilensError, KeyboardInterrupt):
        raise
    except MemoryError:
        raise SourceError(f"{place} does not fit in memory") from None
    except Exception as problem:
        raise told(place, problem) from None


def told(place: str, problem: BaseException) -> SourceError:
    """The error for whoever reads ``place``."""
    kind, text = type(problem).__name__, str(problem).lower()
    code = getattr(problem, "sqlstate", None) or ""
    if "no space left" in text or "disk quota" in text or code == _NO_DISK:
        return SourceError(
            f"{place} could not be read: the disk is full where the engine spills what does not fit in memory",
            remedy="free some space, let TMPDIR name another disk, or raise `memory_limit`",
        )
    if "max_temp_directory_size" in text or "could not write file" in text:
        return SourceError(
            f"{place} could not be read: what does not fit in memory does not fit on the disk either",
            remedy="free some space, let TMPDIR name another disk, or raise `memory_limit`",
        )
    if "outofmemory" in kind.lower() or "outofmemoryerror" in text or code == _NO_MEMORY:
        return SourceError(
            f"{place} does not fit in memory and could not be spilt to disk",
            remedy="raise `memory_limit`, or lower `threads`: each of them needs memory of its own",
        )
    if kind in _SPARK_GONE or "answer from java side is empty" in text:
        return SourceError(f"{place} could not be read: Spark has ended in the middle; run it again")
    if _is_of_postgres(problem) and _is_lost(code, kind, text):
        return SourceError(f"{place} could not be read: the connection to the database was lost; run it again")
    if isinstance(problem, FileNotFoundError) or (_is_of_duckdb(problem) and any(words in text for words in _GONE)):
        return SourceError(f"{place} could not be read: a file was removed or renamed while it was read")
    if "schema mismatch in glob" in text:
        return SourceError(
            f"{place} names files that differ in their columns", remedy="read one kind of files at a time"
        )
    if _is_of_duckdb(problem) and any(words in text for words in _DAMAGED):
        return SourceError(f"{place} could not be read: a file is damaged or incomplete; write it anew")
    if code in _CANCELLED:
        return SourceError(f"{place} could not be read: the database cancelled the query, perhaps by a time limit")
    if code == _NOT_ALLOWED:
        return SourceError(f"{place} could not be read: the database does not let this user read it")
    return SourceError(f"{place} could not be read by the engine ({kind})")


def _is_of_duckdb(problem: BaseException) -> bool:
    return any(one.__module__.lstrip("_") == "duckdb" for one in type(problem).__mro__)


def _is_of_postgres(problem: BaseException) -> bool:
    return any(one.__module__.partition(".")[0] == "psycopg" for one in type(problem).__mro__)


def _is_lost(code: str, kind: str, text: str) -> bool:
    """Whether nothing more is heard of the server; it says so with a code, or the driver finds out without."""
    if code:
        return code.startswith(_LOST)
    return kind in ("OperationalError", "InterfaceError") and ("connection" in text or "server" in text)
