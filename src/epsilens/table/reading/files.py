"""Files by their path or pattern: which ones it names, of which kind they are, and how they are opened."""

from __future__ import annotations

import glob
import os
import shutil
import weakref
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from epsilens.errors import SourceError
from epsilens.table.engine import engine_in_use
from epsilens.table.reading import csv_files as csvfiles
from epsilens.table.reading import spark
from epsilens.table.reading.csv_files import File
from epsilens.table.reading.embedded import embedded_engine, removed_at_exit, spill_directory
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.file_states import size_of, unchanged
from epsilens.table.reading.held_files import HeldFile
from epsilens.table.reading.parquet_files import is_parquet, open_parquet, open_parquet_on_spark, parquet_names
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.source import RELATION, Source, copied, drop_copy, of_columns, show
from epsilens.table.schema import refuse_missing_header, refuse_unknown_in_first_line

CSV_SUFFIXES = (".csv", ".txt", ".tsv", ".csv.gz", ".txt.gz", ".tsv.gz")
PARQUET_SUFFIXES = (".parquet", ".pq")
ROW_BYTES = 32
"""Of a row of a CSV file, about."""


def open_files(given: str | File, wanted: Sequence[str], optional: Sequence[str], may_be_empty: bool) -> Source:
    """The files that a path or pattern names, or one that is held in memory, as a source that knows if they change."""
    paths: list[File] = [given] if isinstance(given, HeldFile) else _matching(given)
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise SourceError(f"{given} matches CSV and Parquet files; read one kind at a time")
    place, check = str(given), unchanged(paths, str(given))
    if kinds == {"parquet"}:
        on_spark = engine_in_use().is_spark
        opened = (open_parquet_on_spark if on_spark else open_parquet)(paths, wanted, optional, place)
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
        if not is_parquet(path):
            raise SourceError(f"{path} is not a Parquet file")
        return csvfiles.numbered_names([name.strip() for name in parquet_names(path)])


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
    raise SourceError(
        f"{path} is neither CSV ({', '.join(CSV_SUFFIXES)}) nor Parquet ({', '.join(PARQUET_SUFFIXES)})",
        remedy="save a spreadsheet as 'CSV UTF-8'",
    )


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
        return copied(engine, csvfiles.text_batches(paths, dialect), len(dialect.header))

    with reading(place):
        if not csvfiles.suits_duckdb(paths, dialect):
            return of_columns(mend(), columns, place, lambda: drop_copy(engine))
        show(paths, engine)
        engine.con.execute(f"CREATE TEMP VIEW {RELATION} AS {csvfiles.scan_sql(paths, dialect)}")
        relation = duckdb_relation(engine, RELATION)
    return Source(
        relation,
        columns,
        place,
        mend,
        lambda: drop_copy(engine, paths),
        has_rows=lambda least: size_of(paths) >= least * ROW_BYTES,
    )


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
