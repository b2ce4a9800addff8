"""PostgreSQL: a session that sees one snapshot, and keeps groups of people in temporary tables of its own.

People are grouped once, and what is asked afterwards is asked of their groups, as on DuckDB. Only a transaction that
may write makes a temporary table. So ours may, but not while it reads: every query is asked in a part of it that is
declared read-only, which is left for the one statement that fills a table. Where the role may make no temporary tables,
where it is declared read-only, or the server is a standby, nothing is kept: every query groups people again, for the
same answer in the same snapshot.

Nobody else sees a temporary table, and it goes with the transaction at the latest.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

WORK_MEMORY = 256 << 20
"""Bytes that a query may take for its groups before it spills, where the server's own limit is lower."""
_READING = "epsilens_reading"
_SETTINGS = (
    f"SELECT set_config('work_mem', '{WORK_MEMORY >> 10}kB', true)"
    f" WHERE pg_size_bytes(current_setting('work_mem')) < {WORK_MEMORY}"
)
_MAY_KEEP = (
    "SELECT NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off'"
    " AND has_database_privilege(current_database(), 'TEMPORARY')"
)
_READS = ("Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Heap Scan", "Bitmap Index Scan", "Append", "Gather")
_MAY_NOT = ("42501", "25006", "0A000")
"""PostgreSQL's codes of what a role may not do, of what nobody may do in a session that only reads or on a standby, and
of what a database that speaks its language cannot do."""


@cache
def _backend_class() -> type[Any]:
    import ibis

    assert ibis.postgres  # asking for it makes Ibis know the options of the backend
    from ibis.backends.postgres import Backend

    class Postgres(Backend):  # type: ignore[misc]
        """Ibis' own backend, which fetches through cursors of the server: for these it never works in parallel."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.may_keep = False
            """Whether temporary tables may be made."""
            self.let_go: list[str] = []
            """Those that nobody refers to any more."""
            self.one_at_a_time = threading.RLock()
            """Parts of a transaction nest; the workbench has several threads."""

        def to_pyarrow(self, expr: Any, /, *, params: Any = None, limit: Any = None, **_: Any) -> Any:
            table = expr.as_table()
            self._run_pre_execute_hooks(table)
            query = self.compile(table, params=params, limit=limit)
            with self.one_at_a_time, self.con.cursor() as cursor, self.con.transaction():
                rows = cursor.execute(query).fetchall()
            return expr.__pyarrow_result__(_arrow_table(rows, table.schema()))

    return Postgres


def _arrow_table(rows: Sequence[Sequence[Any]], schema: Any) -> Any:
    import pyarrow as pa

    wanted = schema.to_pyarrow()
    columns = zip(*rows, strict=True) if rows else [()] * len(wanted)
    return pa.table([pa.array(column, own.type) for column, own in zip(columns, wanted, strict=True)], schema=wanted)


def reading_session(connection: Any) -> Any:
    """A session of ours on a connection that Ibis has just made: it only reads, but does not see one snapshot yet."""
    session = _backend_class().from_connection(connection.con)
    weakref.finalize(session, session.con.close)
    with suppress(Exception):  # what only speaks like PostgreSQL may not know of all this
        session.may_keep = bool(session.con.execute(_MAY_KEEP).fetchone()[0])
    # Queries list values of the data; only so a backslash in one of them is a backslash.
    session.con.execute("SET standard_conforming_strings = on")
    # We only ever read; let the server hold us to it.
    session.con.execute("SET default_transaction_read_only = on")
    return session


def hold_still(session: Any) -> None:
    """All that is asked from now on is asked of the tables as they are now, whoever writes to them in the meantime."""
    session.con.execute(f"BEGIN ISOLATION LEVEL REPEATABLE READ READ {'WRITE' if session.may_keep else 'ONLY'}")
    with suppress(Exception), session.con.transaction():
        session.con.execute(_SETTINGS)
    if session.may_keep:
        _only_read(session)


def is_ours(backend: Any) -> bool:
    """Whether a backend is a session of ours, which sees one snapshot."""
    return hasattr(backend, "may_keep")


def is_stored(session: Any, query: str) -> bool:
    """Whether a query reads tables of this server and does nothing else with their rows than choose some."""
    with session.one_at_a_time, session.con.transaction():
        ((plan,),) = session.con.execute(f"EXPLAIN (FORMAT JSON) {query}").fetchall()
    return all(node in _READS for node in _nodes(plan[0]["Plan"]))


def _nodes(plan: Mapping[str, Any]) -> Iterator[str]:
    yield plan["Node Type"]
    for part in plan.get("Plans", ()):
        yield from _nodes(part)


def keeps(session: Any) -> bool:
    """Whether temporary tables may be made: never on a connection of somebody else's."""
    return is_ours(session) and bool(session.may_keep)


def kept(session: Any, name: str, query: str) -> int | None:
    """Keep a query's result as a temporary table; the number of its rows, or None where nothing can be kept."""
    try:
        with _writing(session), session.con.transaction():
            made = session.con.execute(f'CREATE TEMP TABLE "{name}" ON COMMIT DROP AS {query}')
            return int(made.rowcount)
    except Exception as problem:
        if getattr(problem, "sqlstate", None) not in _MAY_NOT:
            raise
        session.may_keep = False
        return None


def let_go(session: Any, name: str) -> None:
    """Give back the disk of a temporary table the next time that something is written; the empty table goes at the end.

    Now could be in the middle of another query, for Python collects garbage whenever it likes.
    """
    session.let_go.append(name)


def tidied(session: Any) -> None:
    """Give back now the disk of all tables that were let go."""
    with suppress(Exception), _writing(session):
        pass


@contextmanager
def _writing(session: Any) -> Iterator[None]:
    """Outside of the part of the transaction that only reads, for as long as this takes."""
    with session.one_at_a_time:
        session.con.execute(f"RELEASE SAVEPOINT {_READING}")
        try:
            if names := [session.let_go.pop() for _ in range(len(session.let_go))]:
                # Not in a part of the transaction: there, the disk would be given back at its end only.
                session.con.execute(f"TRUNCATE {', '.join(names)}")
            yield
        finally:
            if not session.con.closed:
                _only_read(session)


def _only_read(session: Any) -> None:
    session.con.execute(f"SAVEPOINT {_READING}")
    session.con.execute("SET TRANSACTION READ ONLY")
