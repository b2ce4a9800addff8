"""An opened source: an Ibis table, and what else is known of where it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeVar

from epsilens.errors import DataError, EpsilensError
from epsilens.table.reading.csv_files import File, unique_names
from epsilens.table.reading.engine_errors import interruptible, reading
from epsilens.table.reading.held_files import HeldFile
from epsilens.table.reading.relations import duckdb_relation

RELATION, COPY = "epsilens_source", "epsilens_copy"

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
            with suppress(Exception), interruptible():  # it goes with the engine in any case
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


def of_columns(
    relation: Any, columns: dict[str, str], place: str, release: Callable[[], Any], rows: int | None = None
) -> Source:
    """A source that the engine reads by columns, and so counts without looking at any, if ``rows`` are not known."""

    def has_rows(least: int) -> bool:
        return (_counted(relation) if rows is None else rows) >= least

    return Source(relation, columns, place, release=release, by_columns=True, has_rows=has_rows)


def _counted(relation: Any) -> int:
    ((found,),) = relation.get_backend().con.execute(f'SELECT count(*) FROM "{relation.op().name}"').fetchall()
    return int(found)


def named(relation: Any, place: str) -> Source:
    """A source whose own column names are the ones people use, but for blanks around them."""
    names = unique_names(relation.columns, place)
    if not names:
        raise DataError(f"{place} has no columns")
    return Source(relation, dict(zip(names, relation.columns, strict=True)), place)


def copied(engine: Any, batches: Iterator[Any], width: int) -> Any:
    """Arrow batches of ``width`` columns as a table of the embedded engine, of texts where there are no batches.

    A column that comes as text after something else becomes one of texts.
    """
    refused: list[EpsilensError] = []

    def remembered() -> Iterator[Any]:
        try:
            yield from batches
        except EpsilensError as problem:
            refused.append(problem)  # DuckDB makes an error of its own of it
            raise

    schema = None
    try:
        for found, run in groupby(remembered(), key=lambda batch: batch.schema):
            _append(engine, found, run, schema)
            schema = found
        if schema is None:
            _append(engine, text_schema(width), iter(()), None)
    except Exception:
        if refused:
            raise refused[0] from None
        raise
    return duckdb_relation(engine, COPY)


def _append(engine: Any, schema: Any, batches: Iterator[Any], before: Any) -> None:
    """Add batches of one schema to the table, whose schema was another one ``before``; None where there is no table."""
    import pyarrow as pa

    engine.con.register("epsilens_reader", pa.RecordBatchReader.from_batches(schema, batches))
    try:
        if before is None:
            engine.con.execute(f"CREATE TEMP TABLE {COPY} AS SELECT * FROM epsilens_reader")
            return
        for name in (name for name in schema.names if schema.field(name) != before.field(name)):
            engine.con.execute(f"ALTER TABLE {COPY} ALTER {name} TYPE VARCHAR")
        engine.con.execute(f"INSERT INTO {COPY} SELECT * FROM epsilens_reader")
    finally:
        engine.con.unregister("epsilens_reader")


def text_schema(width: int) -> Any:
    """An Arrow schema of ``width`` text columns ``c0``, ``c1``, ..."""
    import pyarrow as pa

    return pa.schema([(f"c{i}", pa.string()) for i in range(width)])


def drop_copy(engine: Any, paths: Sequence[File] = ()) -> None:
    """Forget what :func:`copied` made, and the files that were shown."""
    hide(paths)
    engine.con.execute(f"DROP TABLE IF EXISTS {COPY}")


def show(paths: Sequence[File], engine: Any) -> None:
    """Let the engine find the files that are held in memory."""
    for path in paths:
        if isinstance(path, HeldFile):
            path.shown_to(engine)


def hide(paths: Sequence[File]) -> None:
    """Take away what :func:`show` let the engine find."""
    for path in paths:
        if isinstance(path, HeldFile):
            path.hidden()
