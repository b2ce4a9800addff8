"""What an engine keeps of a query's result: DuckDB and PostgreSQL a temporary table, Spark rows in memory and on disk.

People are counted once, and everything else is asked of what was counted. Where nothing can be kept (a connection of
somebody else's, a server that nobody may write to) the query stays a query, for the same answer.
"""

from __future__ import annotations

import contextlib
import os
import threading
import uuid
import weakref
from collections.abc import Callable, Collection, Hashable
from typing import Any

from epsilens.table.reading import postgres, spark
from epsilens.table.reading.engine_errors import interruptible, reading
from epsilens.table.reading.relations import duckdb_relation, first_row

MOST_QUERIES = 500
"""So many compiled queries are remembered."""
_queries: dict[Hashable, tuple[str, Any]] = {}
_ANY_TABLE = f"epsilens_{uuid.uuid4().hex}"

_one_query_at_a_time = threading.RLock()
"""A DuckDB connection serves one thread at a time, and the workbench has several."""


def _unlocked_after_fork() -> None:
    """A forked process has none of its parent's other threads, so what they held would be held for ever."""
    global _one_query_at_a_time
    _one_query_at_a_time = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlocked_after_fork)


class Scratch:
    """What is kept of a query's result; it goes when nobody refers to it any more."""

    def __init__(
        self,
        relation: Any,
        count: Callable[[], int],
        release: Callable[[], Any],
        tidy: Callable[[], Any] | None = None,
    ) -> None:
        self.relation = relation
        self.name = str(relation.op().name)
        self._count: Callable[[], int] | int = count
        self._tidy = tidy
        self._finalizer = weakref.finalize(self, release)
        self._finalizer.atexit = False

    @property
    def rows(self) -> int:
        """How many rows it has."""
        if callable(self._count):
            self._count = self._count()
        return self._count

    def fetched(self) -> Any:
        """All of it as an Arrow table."""
        backend = self.relation.get_backend()
        if backend.name != "duckdb":
            return fetched(self.relation)
        with _one_query_at_a_time, interruptible():
            return backend.con.sql(f'SELECT * FROM "{self.name}"').to_arrow_table()

    def drop(self) -> None:
        """Drop it now."""
        self._finalizer()
        if self._tidy is not None:
            self._tidy()


def keeps(backend: Any) -> bool:
    """Whether this engine keeps the results of queries."""
    return backend.name in ("duckdb", "pyspark") or (backend.name == "postgres" and postgres.keeps(backend))


def is_stored(relation: Any) -> bool:
    """Whether Spark or a PostgreSQL session of ours has these rows as they are, so that to read one of their columns
    first costs little beside grouping them: a view may be anything.
    """
    backend = relation.get_backend()
    if backend.name == "pyspark":
        return spark.is_stored(backend, backend.compile(relation))
    return postgres.is_ours(backend) and postgres.is_stored(backend, backend.compile(relation))


def materialised(expression: Any, as_they_are: Collection[str] = ()) -> tuple[Any, Scratch | None]:
    """The expression's result, kept; where nothing can be kept, the expression.

    Columns ``as_they_are`` keep their types: they are keys and no sums.
    """
    return _kept(expression, "TABLE", as_they_are)


def materialised_again(
    form: Hashable, backend: Any, build: Callable[[], Any], as_they_are: Collection[str] = (), of: Scratch | None = None
) -> tuple[Any, Scratch | None]:
    """What :func:`materialised` makes of an expression that is built and compiled once for all of the same ``form``.

    That takes Ibis several times as long as DuckDB takes to count a small table. The form must decide the query, but
    for the name of the table that it is asked ``of``; None is no form at all.
    """
    if form is None or backend.name != "duckdb":
        return materialised(build(), as_they_are)
    query, schema = _compiled_again(form, backend, build, of)
    scratch = _in_duckdb(backend, query, schema, as_they_are)
    return scratch.relation, scratch


def first_row_again(form: Hashable, of: Scratch, build: Callable[[], Any]) -> dict[str, Any]:
    """The first row of what is asked of a temporary table, built and compiled once as :func:`materialised_again`."""
    backend = of.relation.get_backend()
    if backend.name != "duckdb":
        return first_row(build())
    query, schema = _compiled_again(form, backend, build, of)
    with _one_query_at_a_time, interruptible():
        return dict(zip(schema, backend.con.execute(query).fetchall()[0], strict=True))


def _compiled_again(form: Hashable, backend: Any, build: Callable[[], Any], of: Scratch | None) -> tuple[str, Any]:
    """The query of an expression, of a table whose name may differ, and its schema."""
    known, name = _queries.get(form), "" if of is None else of.name
    if known is None:
        expression = build()
        query = backend.compile(expression)
        known = query.replace(name, _ANY_TABLE) if name else query, expression.schema()
        if len(_queries) >= MOST_QUERIES:
            _queries.clear()
        _queries[form] = known
    return known[0].replace(_ANY_TABLE, name), known[1]


def staged(expression: Any, as_they_are: Collection[str] = ()) -> tuple[Any, Scratch | None]:
    """On DuckDB the expression as a view, elsewhere the expression itself.

    Ibis merges a selection from a selection into one, repeating an inner column wherever the outer one names it. A view
    is a wall to that, so that DuckDB trims and parses a text once per row (measured: less than half of the time).
    """
    return _kept(expression, "VIEW", as_they_are)


def _kept(expression: Any, kind: str, as_they_are: Collection[str] = ()) -> tuple[Any, Scratch | None]:
    backend, scratch = expression.get_backend(), None
    if backend.name == "duckdb":
        scratch = _in_duckdb(backend, backend.compile(expression), expression.schema(), as_they_are, kind)
    elif kind == "TABLE" and keeps(backend):
        query = backend.compile(expression)
        if backend.name == "pyspark":
            scratch = _in_spark(backend, query)
        else:
            scratch = _in_postgres(backend, query, expression.schema(), as_they_are)
    return (expression, None) if scratch is None else (scratch.relation, scratch)


def _in_duckdb(
    backend: Any, query: str, schema: Any, as_they_are: Collection[str] = (), kind: str = "TABLE"
) -> Scratch:
    name = f"epsilens_{uuid.uuid4().hex}"
    with _one_query_at_a_time, interruptible():
        made = backend.con.execute(f'CREATE TEMP {kind} "{name}" AS {_whole(query, schema, as_they_are)}')
        rows = int(made.fetchone()[0]) if kind == "TABLE" else 0
    relation = duckdb_relation(backend, name, schema)
    return Scratch(relation, lambda: rows, lambda: _drop(backend, kind, name))


def _drop(backend: Any, kind: str, name: str) -> None:
    with contextlib.suppress(Exception), _one_query_at_a_time, interruptible():
        backend.con.execute(f'DROP {kind} IF EXISTS "{name}"')


def _in_spark(backend: Any, query: str) -> Scratch:
    name, rows, release = spark.persisted(backend, query)
    return Scratch(backend.table(name), rows, release)


def _in_postgres(backend: Any, query: str, schema: Any, as_they_are: Collection[str]) -> Scratch | None:
    name = f"epsilens_{uuid.uuid4().hex}"
    with interruptible():
        rows = postgres.kept(backend, name, _whole(query, schema, as_they_are))
    if rows is None:
        return None
    relation = duckdb_relation(backend, name, schema)
    return Scratch(relation, lambda: rows, lambda: postgres.let_go(backend, name), lambda: postgres.tidied(backend))


def _whole(query: str, schema: Any, as_they_are: Collection[str]) -> str:
    """A query whose whole numbers have 64 bits, but for columns ``as_they_are``.

    DuckDB sums 64-bit integers to 128 bits, PostgreSQL to decimals. Ibis, which does not notice, leaves out a cast.
    """
    columns = ", ".join(
        f'CAST("{column}" AS BIGINT) AS "{column}"'
        if dtype.is_integer() and column not in as_they_are
        else f'"{column}"'
        for column, dtype in schema.items()
    )
    return f"SELECT {columns} FROM ({query}) AS kept"


def fetched(expression: Any) -> Any:
    """The expression's result as an Arrow table."""
    with _one_query_at_a_time, reading("the table"):
        return expression.to_pyarrow()
