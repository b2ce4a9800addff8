"""Where people's records come from: files, data frames, Ibis expressions, databases.

Every source becomes an Ibis table whose columns are looked up by the names people use. What it is made of (an embedded
DuckDB over files and frames, or the database's own engine) is of no interest further on.
"""

from __future__ import annotations

import glob
import os
import shutil
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from epsilens.errors import DataError, EpsilensError, ParameterError, SourceError
from epsilens.table.engine import engine_in_use
from epsilens.table.reading import csv_files as csvfiles
from epsilens.table.reading import databases, engine_errors, frames, spark
from epsilens.table.reading import sqlite_files as sqlitefiles
from epsilens.table.reading.csv_files import File
from epsilens.table.reading.embedded import (
    embedded_engine,
    imported_duckdb,
    private_engine,
    removed_at_exit,
    spill_directory,
)
from epsilens.table.reading.file_states import size_of, unchanged
from epsilens.table.reading.held_files import HeldFile
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.schema import refuse_missing_header, refuse_unknown_columns, refuse_unknown_in_first_line

if TYPE_CHECKING:
    from collections.abc import Iterator

CSV_SUFFIXES = (".csv", ".txt", ".tsv", ".csv.gz", ".txt.gz", ".tsv.gz")
PARQUET_SUFFIXES = (".parquet", ".pq")
RELATION, COPY = "epsilens_source", "epsilens_copy"
ROW_BYTES = 32
"""Of a row of a CSV file, about."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class Source:
    """An opened source.

    ``columns`` maps the names people use to the relation's own. ``mend`` is called once if the engine fails to read
    the relation: it raises the reason, or returns a relation to try instead. ``release`` gives back what the engine
    holds of the source: a frame, a copy, the lock on a file. ``check`` refuses files that were written to since.
    """

    relation: Any
    columns: dict[str, str]
    place: str
    mend: Callable[[], Any] | None = None
    release: Callable[[], Any] | None = None
    by_columns: bool = False
    """Whether a single column is read for much less than the whole source."""
    has_rows: Callable[[int], bool] | None = None
    """Whether it has about so many rows or more, where that is told without reading them."""
    check: Callable[[], None] | None = None

    def column(self, name: str) -> Any:
        """The Ibis column with this name, by which messages call it."""
        return self.relation[self.columns[name]].name(name)

    @property
    def engine(self) -> str:
        """The name of the Ibis backend."""
        return str(self.relation.get_backend().name)

    def kept(self, keep: Callable[[Source], Any]) -> Source:
        """The same source with those rows for which ``keep``, a Boolean column made of a source, is true."""

        def rows(relation: Any) -> Any:
            return relation.filter(keep(replace(self, relation=relation)))

        mend = self.mend
        return replace(self, relation=rows(self.relation), mend=None if mend is None else lambda: rows(mend()))

    def with_copies(self, copies: Mapping[str, str]) -> Source:
        """The same source with further names for some of its columns."""
        for name in copies:
            if name in self.columns:
                raise DataError(f"{self.place} has a column {name!r} of its own, so it cannot be a copy of another one")
        return replace(self, columns=self.columns | {name: self.columns[column] for name, column in copies.items()})

    def close(self) -> None:
        """Give back what the engine holds of the source, which cannot be read any more."""
        if self.release is not None:
            with suppress(Exception):  # it goes with the engine in any case
                self.release()

    def read_by(self, reader: Callable[[Source], Result]) -> Result:
        """What ``reader`` makes of this source. Where the engine fails, the source says why or is read another way."""
        try:
            with interruptible():
                return reader(self)
        except EpsilensError:
            raise
        except Exception as problem:
            failure = problem
        if self.check is not None:
            self.check()
        with reading(self.place):
            if self.mend is None:
                raise failure
            return reader(Source(self.mend(), self.columns, self.place))


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
        opened = _open_files(source, wanted, optional, may_be_empty)
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
        raise engine_errors.told(place, problem) from None


def _open_files(given: str | File, wanted: Sequence[str], optional: Sequence[str], may_be_empty: bool) -> Source:
    paths: list[File] = [given] if isinstance(given, HeldFile) else _matching(given)
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise SourceError(f"{given} matches CSV and Parquet files; read one kind at a time")
    place, check = str(given), unchanged(paths, str(given))
    if kinds == {"parquet"}:
        on_spark = engine_in_use().is_spark
        opened = (_open_parquet_on_spark if on_spark else _open_parquet)(paths, wanted, optional, place)
    else:
        opened = _open_csv(paths, wanted, optional, place, may_be_empty)
        if engine_in_use().is_spark:
            opened = _handed_to_spark(opened)
    return replace(opened, check=check)


def names_in_files(given: str | File) -> list[str]:
    """The names of all columns, those that stand twice with a number; of files of one kind, the first file's."""
    path = given if isinstance(given, HeldFile) else _matching(given)[0]
    with reading(str(given)):
        if _kind(path) == "csv":
            return csvfiles.numbered_names([name.strip() for name in csvfiles.dialect_of(path).header])
        if not _is_parquet(path):
            raise SourceError(f"{path} is not a Parquet file")
        return csvfiles.numbered_names([name.strip() for name in _parquet_names(path)])


def _matching(given: str | Path) -> list[File]:
    """The files that a path or pattern names, in order of name."""
    if not str(given).strip():
        raise SourceError("the path is empty; name a file")
    path = Path(given)
    try:
        path = path.expanduser()
        if path.exists() or not glob.has_magic(str(given)):
            with path.open("rb"):
                return [path]
    except OSError as problem:
        raise csvfiles.unreadable(path, problem) from None
    except (ValueError, RuntimeError):  # a NUL in the name, the home of somebody unknown
        raise SourceError(f"there is no file {str(given)!r}") from None
    paths = sorted(Path(name) for name in glob.glob(str(path), recursive=True) if Path(name).is_file())  # noqa: PTH207
    if not paths:
        raise SourceError(f"no file matches {given}")
    return [*paths]


def _kind(path: File) -> str:
    name = path.name.lower()
    if name.endswith(PARQUET_SUFFIXES):
        return "parquet"
    if name.endswith(CSV_SUFFIXES):
        return "csv"
    raise SourceError(f"{path} is neither CSV ({', '.join(CSV_SUFFIXES)}) nor Parquet ({', '.join(PARQUET_SUFFIXES)})")


def _open_csv(
    paths: list[File], wanted: Sequence[str], optional: Sequence[str], place: str, may_be_empty: bool
) -> Source:
    dialect = csvfiles.common_dialect(paths, wanted, may_be_empty)
    refuse_missing_header(wanted, dialect.header, place)  # before a name that may be a person's value is said
    refuse_unknown_in_first_line(wanted, csvfiles.numbered_names(dialect.header), place)
    names = csvfiles.unique_names(dialect.header, place, {*wanted, *optional})
    columns = {name: f"c{i}" for i, name in enumerate(names)}
    engine = embedded_engine()

    def mend() -> Any:
        csvfiles.refuse_malformed(paths, dialect)
        return _copied(engine, csvfiles.text_batches(paths, dialect), len(dialect.header))

    with reading(place):
        if not csvfiles.suits_duckdb(paths, dialect):
            return _of_columns(mend(), columns, place, lambda: _drop_copy(engine))
        _show(paths, engine)
        engine.con.execute(f"CREATE TEMP VIEW {RELATION} AS {csvfiles.scan_sql(paths, dialect)}")
        relation = duckdb_relation(engine, RELATION)
    return Source(
        relation,
        columns,
        place,
        mend,
        lambda: _drop_copy(engine, paths),
        has_rows=lambda least: size_of(paths) >= least * ROW_BYTES,
    )


def _open_parquet(paths: list[File], wanted: Sequence[str], optional: Sequence[str], place: str) -> Source:
    for path in paths:
        if not _is_parquet(path):
            raise SourceError(f"{path} is not a Parquet file")
    engine = embedded_engine()
    files = ", ".join(csvfiles.literal(csvfiles.verbatim(path)) for path in paths)
    with reading(place):
        _show(paths, engine)
        engine.con.execute(f"CREATE TEMP VIEW {RELATION} AS SELECT * FROM read_parquet([{files}])")
        relation = duckdb_relation(engine, RELATION)
        if instead := _nulls_for_nan(relation):
            engine.con.execute(
                f"CREATE OR REPLACE TEMP VIEW {RELATION} AS SELECT * REPLACE ({instead}) FROM read_parquet([{files}])"
            )
        own, rows = _parquet_footer(paths[0])
    # DuckDB ignores case in names, so it calls the second of "A" and "a" otherwise than the file does.
    if len(paths) > 1 and len({name.lower() for name in own}) < len(own):
        raise SourceError(f"{place}: columns whose names differ only in case can only be read from a single file")
    names = csvfiles.unique_names([*own, *relation.columns[len(own) :]], place, {*wanted, *optional})
    columns = dict(zip(names, relation.columns, strict=True))
    return _of_columns(relation, columns, place, lambda: _hide(paths), rows if len(paths) == 1 else None)


def _of_columns(
    relation: Any, columns: dict[str, str], place: str, release: Callable[[], Any], rows: int | None = None
) -> Source:
    """A source that the engine reads by columns, and so counts without looking at any, if ``rows`` are not known."""

    def has_rows(least: int) -> bool:
        return (_counted(relation) if rows is None else rows) >= least

    return Source(relation, columns, place, release=release, by_columns=True, has_rows=has_rows)


def _counted(relation: Any) -> int:
    ((found,),) = relation.get_backend().con.execute(f'SELECT count(*) FROM "{relation.op().name}"').fetchall()
    return int(found)


def _nulls_for_nan(relation: Any) -> str:
    """The columns of fractions of a Parquet file, with null in the place of NaN; empty where there are none.

    DuckDB trusts the statistics of a Parquet file, which leave out NaN. So it takes ``x < 10`` and even ``isnan(x)``
    for decided, and a value that is missing would be counted in the last bin. Whether x is finite it looks up.
    """
    names = [name.replace('"', '""') for name, dtype in relation.schema().items() if dtype.is_floating()]
    return ", ".join(f'CASE WHEN isfinite("{name}") OR isinf("{name}") THEN "{name}" END AS "{name}"' for name in names)


def _open_parquet_on_spark(paths: list[File], wanted: Sequence[str], optional: Sequence[str], place: str) -> Source:
    """The same columns by the same names as DuckDB gives them. Names of folders (``year=2026``) are not columns."""
    files = [path for path in paths if isinstance(path, Path)]
    for path in files:
        if not _is_parquet(path):
            raise SourceError(f"{path} is not a Parquet file")
    with reading(place):
        own = _parquet_names(files[0])
        for path in files[1:]:
            if set(_parquet_names(path)) != set(own):
                raise SourceError(
                    f"{path} has other columns than {files[0]}", remedy="let DuckDB read them: `engine=duckdb`"
                )
        names = csvfiles.unique_names(own, place, {*wanted, *optional})
        for folder in (part for part in files[0].parts[:-1] if "=" in part):
            if (column := folder.partition("=")[0]) in wanted and column not in names:
                raise SourceError(
                    f"{place}: column {column!r} is in the names of folders only, which Spark is not asked to read",
                    remedy="let DuckDB read them: `engine=duckdb`",
                )
        relation = spark.parquet_relation(engine_in_use(), files, place)
    return Source(relation, dict(zip(names, own, strict=True)), place)


def _handed_to_spark(opened: Source) -> Source:
    """A CSV file, read by our own rules into a Parquet file that Spark reads: it would read the CSV by other ones."""
    if not engine_in_use().is_local:
        opened.close()
        raise SourceError(
            f"{opened.place} is CSV, which is read on this machine, where a cluster does not see it",
            remedy="write it as Parquet to where the cluster sees it",
        )
    folder = spill_directory()

    def handed(readable: Source) -> Any:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path, table = folder / "rows.parquet", readable.relation.op().name
        target = csvfiles.literal(str(path))
        readable.relation.get_backend().con.execute(f'COPY (SELECT * FROM "{table}") TO {target} (FORMAT parquet)')
        return spark.parquet_relation(engine_in_use(), [path], opened.place)

    removed_at_exit(folder, os.getpid())
    try:
        relation = opened.read_by(handed)
    finally:
        opened.close()
    weakref.finalize(relation.get_backend(), shutil.rmtree, folder, ignore_errors=True)
    return Source(relation, opened.columns, opened.place)


def _parquet_names(path: File) -> list[str]:
    return _parquet_footer(path)[0]


def _parquet_footer(path: File) -> tuple[list[str], int]:
    """The names of the columns, and the number of rows."""
    import pyarrow.parquet as pq

    with path.open("rb") as stream:
        found = pq.ParquetFile(stream)
        return list(found.schema_arrow.names), int(found.metadata.num_rows)


def _is_parquet(path: File) -> bool:
    """Whether the file starts and ends with Parquet's mark."""
    try:
        with path.open("rb") as stream:
            start = stream.read(4)
            stream.seek(-4, 2)
            return start == b"PAR1" == stream.read(4)
    except OSError as problem:
        if isinstance(problem, PermissionError):
            raise csvfiles.unreadable(path, problem) from None
        return False


def _open_frame(frame: Any, wanted: Sequence[str], optional: Sequence[str]) -> Source:
    place = "the data frame"
    with reading(place):  # a lazy frame looks for its files now
        frame = frames.prepared(frame)
        names = csvfiles.unique_names(frames.column_names(frame), place, {*wanted, *optional})
    refuse_unknown_columns(wanted, names, place)
    chosen = [i for i, name in enumerate(names) if name in {*wanted, *optional}]
    engine = embedded_engine()
    with reading(place):
        columns = frames.arrow_columns(frame, chosen, names)
        engine.con.register(RELATION, columns)
        relation = duckdb_relation(engine, RELATION, arrow_schema=columns.schema)
    # Columns that are not wanted are not copied; they still count as present.
    held = {name: f"c{i}" for i, name in enumerate(names)}
    return _of_columns(relation, held, place, lambda: engine.con.unregister(RELATION), columns.num_rows)


def _open_expression(expression: Any, wanted: Sequence[str], optional: Sequence[str]) -> Source:
    place = "the Ibis table"
    if databases.is_in_memory(expression):
        with reading(place):
            return _open_frame(expression.to_pyarrow(), wanted, optional)
    with reading(place):
        expression = spark.as_ours(expression)
        databases.hand_over_memory_tables(expression)
    return _named(expression, place)


def _open_database(url: str, wanted: Sequence[str], optional: Sequence[str], table: str) -> Source:
    scheme = databases.scheme_of(url)
    place = f"table {table!r}"
    if scheme == "sqlite":
        return _open_sqlite(databases.existing_file_of(url), wanted, optional, table)
    if scheme == "duckdb":
        return _open_duckdb(url, table, place)
    if spark.is_catalogue(url):
        with reading(place):
            return _named(spark.catalogue_table(engine_in_use(), table), place)
    return _named(databases.connected_table(url, table), place)


def _open_duckdb(url: str, table: str, place: str) -> Source:
    engine = private_engine()
    try:
        opened = _named(databases.attached_duckdb_table(engine, url, table), place)
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
    names = csvfiles.unique_names(own, place, {*wanted, *optional})
    refuse_unknown_columns(wanted, names, place)
    kept = [i for i, name in enumerate(names) if name in {*wanted, *optional}]
    batches = sqlitefiles.text_batches(path, table, [own[i] for i in kept])
    engine = embedded_engine()
    with reading(place):
        relation = _copied(engine, batches, len(kept))
    columns = {names[i]: f"c{position}" for position, i in enumerate(kept)}
    return _of_columns(relation, columns, place, lambda: _drop_copy(engine))


def _copied(engine: Any, batches: Iterator[Any], width: int) -> Any:
    """Arrow batches of ``width`` text columns as a table of the embedded engine."""
    import pyarrow as pa

    refused: list[EpsilensError] = []

    def remembered() -> Iterator[Any]:
        try:
            yield from batches
        except EpsilensError as problem:
            refused.append(problem)  # DuckDB makes an error of its own of it
            raise

    reader = pa.RecordBatchReader.from_batches(sqlitefiles.text_schema(width), remembered())
    engine.con.register("epsilens_reader", reader)
    try:
        engine.con.execute(f"CREATE TEMP TABLE {COPY} AS SELECT * FROM epsilens_reader")
    except Exception:
        if refused:
            raise refused[0] from None
        raise
    finally:
        engine.con.unregister("epsilens_reader")
    return duckdb_relation(engine, COPY)


def _drop_copy(engine: Any, paths: Sequence[File] = ()) -> None:
    _hide(paths)
    engine.con.execute(f"DROP TABLE IF EXISTS {COPY}")


def _show(paths: Sequence[File], engine: Any) -> None:
    """Let the engine find the files that are held in memory."""
    for path in paths:
        if isinstance(path, HeldFile):
            path.shown_to(engine)


def _hide(paths: Sequence[File]) -> None:
    for path in paths:
        if isinstance(path, HeldFile):
            path.hidden()


def _named(relation: Any, place: str) -> Source:
    """A source whose own column names are the ones people use, but for blanks around them."""
    names = csvfiles.unique_names(relation.columns, place)
    if not names:
        raise DataError(f"{place} has no columns")
    return Source(relation, dict(zip(names, relation.columns, strict=True)), place)
