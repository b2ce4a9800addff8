"""Parquet files: their names, and how DuckDB and Spark read them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from epsilens.errors import SourceError
from epsilens.table.engine import engine_in_use
from epsilens.table.reading import spark
from epsilens.table.reading.csv_files import File, literal, unique_names, unreadable, verbatim
from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.source import RELATION, Source, hide, of_columns, show


def open_parquet(paths: list[File], wanted: Sequence[str], optional: Sequence[str], place: str) -> Source:
    """Files that DuckDB reads, with null in the place of NaN."""
    for path in paths:
        if not is_parquet(path):
            raise SourceError(f"{path} is not a Parquet file")
    engine = embedded_engine()
    files = ", ".join(literal(verbatim(path)) for path in paths)
    with reading(place):
        show(paths, engine)
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
    names = unique_names([*own, *relation.columns[len(own) :]], place, {*wanted, *optional})
    columns = dict(zip(names, relation.columns, strict=True))
    return of_columns(relation, columns, place, lambda: hide(paths), rows if len(paths) == 1 else None)


def _nulls_for_nan(relation: Any) -> str:
    """The columns of fractions of a Parquet file, with null in the place of NaN; empty where there are none.

    DuckDB trusts the statistics of a Parquet file, which leave out NaN. So it takes ``x < 10`` and even ``isnan(x)``
    for decided, and a value that is missing would be counted in the last bin. Whether x is finite it looks up.
    """
    names = [name.replace('"', '""') for name, dtype in relation.schema().items() if dtype.is_floating()]
    return ", ".join(f'CASE WHEN isfinite("{name}") OR isinf("{name}") THEN "{name}" END AS "{name}"' for name in names)


def open_parquet_on_spark(paths: list[File], wanted: Sequence[str], optional: Sequence[str], place: str) -> Source:
    """The same columns by the same names as DuckDB gives them. Names of folders (``year=2026``) are not columns."""
    files = [path for path in paths if isinstance(path, Path)]
    for path in files:
        if not is_parquet(path):
            raise SourceError(f"{path} is not a Parquet file")
    with reading(place):
        own = parquet_names(files[0])
        for path in files[1:]:
            if set(parquet_names(path)) != set(own):
                raise SourceError(
                    f"{path} has other columns than {files[0]}", remedy="let DuckDB read them: `engine=duckdb`"
                )
        names = unique_names(own, place, {*wanted, *optional})
        for folder in (part for part in files[0].parts[:-1] if "=" in part):
            if (column := folder.partition("=")[0]) in wanted and column not in names:
                raise SourceError(
                    f"{place}: column {column!r} is in the names of folders only, which Spark is not asked to read",
                    remedy="let DuckDB read them: `engine=duckdb`",
                )
        relation = spark.parquet_relation(engine_in_use(), files, place)
    return Source(relation, dict(zip(names, own, strict=True)), place)


def parquet_names(path: File) -> list[str]:
    """The names of its columns, as they stand in the file."""
    return _parquet_footer(path)[0]


def _parquet_footer(path: File) -> tuple[list[str], int]:
    """The names of the columns, and the number of rows."""
    import pyarrow.parquet as pq

    with path.open("rb") as stream:
        found = pq.ParquetFile(stream)
        return list(found.schema_arrow.names), int(found.metadata.num_rows)


def is_parquet(path: File) -> bool:
    """Whether the file starts and ends with Parquet's mark."""
    try:
        with path.open("rb") as stream:
            start = stream.read(4)
            stream.seek(-4, 2)
            return start == b"PAR1" == stream.read(4)
    except OSError as problem:
        if isinstance(problem, PermissionError):
            raise unreadable(path, problem) from None
        return False
