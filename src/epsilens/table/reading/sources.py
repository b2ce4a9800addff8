"""Where people's records come from: files, data frames, Ibis expressions, databases.

Every source becomes an Ibis table whose columns are looked up by the names people use. What it is made of (an embedded
DuckDB over files and frames, or the database's own engine) is of no interest further on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from epsilens.errors import DataError, EpsilensError, ParameterError, SourceError
from epsilens.table.engine import engine_in_use
from epsilens.table.reading import databases, frames, spark
from epsilens.table.reading import sqlite_files as sqlitefiles
from epsilens.table.reading.csv_files import unique_names
from epsilens.table.reading.embedded import embedded_engine, private_engine
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.files import open_files
from epsilens.table.reading.held_files import HeldFile
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.source import RELATION, Source, copied, drop_copy, named, of_columns
from epsilens.table.schema import refuse_unknown_columns


def open_source(
    source: Any,
    wanted: Sequence[str],
    table: str | None = None,
    optional: Sequence[str] = (),
    may_be_empty: bool = False,
) -> Source:
    """``source`` as an Ibis table that has all ``wanted`` columns, and the ``optional`` ones if they exist.

    A path (CSV, Parquet, patterns of either), a database URL with ``table``, an Ibis table, a data frame, or what this
    function gave before. A CSV file without records is refused unless it ``may_be_empty``; of other sources their
    reader finds out.
    """
    refuse_table(source, table)
    refuse_engine(source)
    if isinstance(source, Source):
        opened = source
    elif isinstance(source, str) and databases.is_url(source):
        opened = _open_database(source, wanted, optional, str(table))
    elif isinstance(source, str | Path | HeldFile):
        opened = open_files(source, wanted, optional, may_be_empty)
    elif databases.is_ibis_table(source):
        opened = _open_expression(source, wanted, optional)
    elif frames.is_frame(source):
        opened = _open_frame(source, wanted, optional)
    else:
        raise SourceError(
            f"cannot read a {type(source).__name__}; give a path, a database URL, an Ibis table or a data frame"
        )
    try:
        refuse_unknown_columns(wanted, list(opened.columns), opened.place)
    except DataError:
        if opened is not source:
            opened.close()
        raise
    return opened


def refuse_table(source: Any, table: str | None, name: str = "table") -> None:
    """Refuse a database without a table to read, and a table (``name`` is what it is called) of another source."""
    if isinstance(source, Source):
        return
    if isinstance(source, str) and databases.is_url(source):
        if (scheme := databases.scheme_of(source)) in databases.FILE_STORES:
            raise SourceError(f"{scheme}:// addresses are not read; download the file and give its path")
        if table is None or not table.strip():
            raise ParameterError(f"a database URL needs `{name}`, the name of the table or view to read")
    elif table is not None:
        raise ParameterError(f"`{name}` belongs to a database URL; this source has no tables to choose from")


def refuse_engine(source: Any) -> None:
    """Refuse an engine, memory and threads for a source that has an engine of its own, which would not obey them."""
    engine = engine_in_use()
    limits = [name for name in ("memory_limit", "threads") if getattr(engine, name) is not None]
    if isinstance(source, str) and databases.is_url(source):
        scheme = databases.scheme_of(source)
        if scheme == "spark":
            if engine.name == "duckdb":
                raise ParameterError("must be spark for tables of Spark's catalogue", parameter="engine")
        elif engine.name is not None:
            raise ParameterError("is that of files; a database is read by its own engine", parameter="engine")
        elif scheme not in ("sqlite", "duckdb") and limits:
            raise ParameterError("is that of an engine on this machine, not of a database", parameter=limits[0])
    elif isinstance(source, HeldFile):
        if engine.is_spark:
            raise ParameterError("must be duckdb for a file that is held in memory", parameter="engine")
    elif frames.is_frame(source):
        if engine.is_spark:
            raise ParameterError("is that of files, and this is a data frame", parameter="engine")
    elif databases.is_ibis_table(source) and (engine.name is not None or limits):
        raise ParameterError("is that of files; an Ibis table is read by its own", parameter=(*limits, "engine")[0])


@contextmanager
def opened_source(
    source: Any,
    wanted: Sequence[str],
    table: str | None = None,
    optional: Sequence[str] = (),
    may_be_empty: bool = False,
) -> Iterator[Source]:
    """What :func:`open_source` gives, for as long as it is read. Somebody else's :class:`Source` stays open."""
    opened = open_source(source, wanted, table, optional, may_be_empty)
    try:
        yield opened
        if opened.check is not None:
            opened.check()
    finally:
        if opened is not source:
            opened.close()


def _open_database(url: str, wanted: Sequence[str], optional: Sequence[str], table: str) -> Source:
    scheme = databases.scheme_of(url)
    place = f"table {table!r}"
    if scheme == "sqlite":
        return _open_sqlite(databases.existing_file_of(url), wanted, optional, table)
    if scheme == "duckdb":
        return _open_duckdb(url, table, place)
    if spark.is_catalogue(url):
        with reading(place):
            return named(spark.catalogue_table(engine_in_use(), table), place)
    return named(databases.connected_table(url, table), place)


def _open_duckdb(url: str, table: str, place: str) -> Source:
    engine = private_engine()
    try:
        opened = named(databases.attached_duckdb_table(engine, url, table), place)
    except EpsilensError:
        engine.con.close()  # the file is locked for as long as somebody looks at the exception
        raise
    return replace(opened, release=lambda: databases.detach(engine))


def _open_sqlite(path: Path, wanted: Sequence[str], optional: Sequence[str], table: str) -> Source:
    tables = sqlitefiles.table_names(path)
    if table not in tables:
        raise databases.no_table(table, tables)
    own = sqlitefiles.column_names(path, table)
    place = f"table {table!r}"
    names = unique_names(own, place, {*wanted, *optional})
    refuse_unknown_columns(wanted, names, place)
    kept = [i for i, name in enumerate(names) if name in {*wanted, *optional}]
    batches = sqlitefiles.batches(path, table, [own[i] for i in kept])
    engine = embedded_engine()
    with reading(place):
        relation = copied(engine, batches, len(kept))
    columns = {names[i]: f"c{position}" for position, i in enumerate(kept)}
    return of_columns(relation, columns, place, lambda: drop_copy(engine))


def _open_expression(expression: Any, wanted: Sequence[str], optional: Sequence[str]) -> Source:
    place = "the Ibis table"
    if databases.is_in_memory(expression):
        with reading(place):
            return _open_frame(expression.to_pyarrow(), wanted, optional)
    with reading(place):
        expression = spark.as_ours(expression)
        databases.hand_over_memory_tables(expression)
    return named(expression, place)


def _open_frame(frame: Any, wanted: Sequence[str], optional: Sequence[str]) -> Source:
    place = "the data frame"
    with reading(place):  # a lazy frame looks for its files now
        frame = frames.prepared(frame)
        names = unique_names(frames.column_names(frame), place, {*wanted, *optional})
    refuse_unknown_columns(wanted, names, place)
    chosen = [i for i, name in enumerate(names) if name in {*wanted, *optional}]
    engine = embedded_engine()
    with reading(place):
        columns = frames.arrow_columns(frame, chosen, names)
        engine.con.register(RELATION, columns)
        relation = duckdb_relation(engine, RELATION, arrow_schema=columns.schema)
    # Columns that are not wanted are not copied; they still count as present.
    held = {name: f"c{i}" for i, name in enumerate(names)}
    return of_columns(relation, held, place, lambda: engine.con.unregister(RELATION), columns.num_rows)
