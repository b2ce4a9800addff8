"""How many rows come from an engine to Python, by whichever door: Ibis, cursors of DuckDB and PostgreSQL, Spark."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import pytest

ROWS = {"fetchone": lambda found: int(found is not None), "fetchall": len, "fetchmany": len}
TABLES = {"to_arrow_table": lambda found: found.num_rows, "fetch_arrow_table": lambda found: found.num_rows}
CLOSED = ("fetch", "to_arrow", "arrow", "df", "to_df", "pl", "torch", "tf", "record_batch", "__arrow", "__iter")
"""How other doors of DuckDB begin; a test that somebody walks through them fails."""
CLOSED_ELSEWHERE = ("__iter__", "stream", "copy", "toLocalIterator", "tail", "foreach", "foreachPartition")
"""Doors of cursors of PostgreSQL and of what Spark counts."""


class Watched:
    """A connection or result of DuckDB that tells how many rows are fetched from it."""

    def __init__(self, own: Any, told: Callable[[int], None]) -> None:
        self._own, self._told = own, told

    def __getattr__(self, name: str) -> Any:
        found, size_of = getattr(self._own, name), (ROWS | TABLES).get(name)
        if not callable(found):
            return found
        if size_of is None and name.startswith(CLOSED):
            raise _unwatched(name)

        def called(*arguments: Any, **options: Any) -> Any:
            result = found(*arguments, **options)
            if size_of is not None:
                self._told(size_of(result))
                return result
            is_duckdbs = type(result).__module__.lstrip("_").startswith("duckdb")
            return Watched(result, self._told) if is_duckdbs else result

        return called


def fetched_rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of rows of all that is fetched from now on."""
    from epsilens.table.reading import embedded

    fetched: list[int] = []
    backend = embedded._backend
    monkeypatch.setattr(embedded, "_backend", lambda connection: backend(Watched(connection, fetched.append)))
    if importlib.util.find_spec("psycopg") is not None:
        import psycopg

        for kind in (psycopg.Cursor, psycopg.ServerCursor):
            for name, size_of in ROWS.items():
                if name in vars(kind):
                    monkeypatch.setattr(kind, name, _telling(vars(kind)[name], size_of, fetched))
            _close(kind, monkeypatch)
    if importlib.util.find_spec("pyspark") is not None:
        from pyspark.sql.classic.dataframe import DataFrame

        for name, size in {"collect": len, "toPandas": len, "toArrow": TABLES["to_arrow_table"]}.items():
            monkeypatch.setattr(DataFrame, name, _telling(getattr(DataFrame, name), size, fetched))
        _close(DataFrame, monkeypatch)
    return fetched


def _close(kind: type[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody walks through the other doors of results of this kind."""

    def closed(name: str) -> Callable[..., Any]:
        def refused(*_arguments: Any, **_options: Any) -> Any:
            raise _unwatched(name)

        return refused

    for name in CLOSED_ELSEWHERE:
        if hasattr(kind, name):
            monkeypatch.setattr(kind, name, closed(name))


def _unwatched(name: str) -> AssertionError:
    return AssertionError(f"rows come through {name}, which nobody watches")


def _telling(method: Callable[..., Any], size_of: Callable[[Any], int], fetched: list[int]) -> Callable[..., Any]:
    def told(*arguments: Any, **options: Any) -> Any:
        found = method(*arguments, **options)
        fetched.append(size_of(found))
        return found

    return told
