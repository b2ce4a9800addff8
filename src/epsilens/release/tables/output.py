"""The released tables as a CSV or Parquet file: levels, counts, standard errors, intervals.

Several tables share one file, so that they appear together or not at all: a first column names the table, and columns
that a table does not have are empty. Rows come in the order of the universe, never in that of the data.
"""

from __future__ import annotations

import csv as text_csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from epsilens.release.tables.postprocessing import ReleasedTable

NUMBERS = ("count", "standard_error", "lower", "upper")
ROWS_AT_ONCE = 100_000
NUMBER_BYTES = 26  # the longest double in text, with its delimiter


def column_names(columns: Sequence[str], several: bool) -> tuple[str | None, tuple[str, ...]]:
    """The names of the table column (where several tables share a file) and of the four number columns."""
    own = ("table", *NUMBERS)
    prefix = "released_" if any(name in columns for name in own) else ""
    while any(f"{prefix}{name}" in columns for name in own):
        prefix += "_"
    return (f"{prefix}table" if several else None), tuple(f"{prefix}{name}" for name in NUMBERS)


def room_for(path: Path, levels: dict[str, tuple[str, ...]], rows: int, several: bool) -> int:
    """An upper bound of the bytes that ``rows`` rows take: every text as long as its column's longest, quoted."""
    header = 4096
    if path.suffix.lower() != ".csv":
        texts = sum(len("".join(found).encode()) + 8 * len(found) for found in levels.values())
        return 65_536 + texts + rows * (8 * len(NUMBERS) + 4 * (len(levels) + several))
    longest = sum(2 * max(map(len, map(str.encode, found)), default=0) + 3 for found in levels.values())
    names = sum(2 * len(name.encode()) + 3 for name in levels) if several else 0
    return header + rows * (longest + names + NUMBER_BYTES * len(NUMBERS))


def write_tables(stream: BinaryIO, path: Path, columns: Sequence[str], tables: Sequence[ReleasedTable]) -> None:
    """Write the tables in the format that ``path`` names."""
    schema = _schema(columns, tables)
    texts = ("".join(found) for table in tables for found in (*table.universe.levels, (table.name,)))
    plain = not any(mark in text for text in texts for mark in '",\r\n')
    with _writer(stream, path, schema, plain) as writer:
        for batch in _batches(columns, tables, schema):
            writer.write_batch(batch)


def arrow_table(columns: Sequence[str], tables: Sequence[ReleasedTable]) -> Any:
    """The tables as one Arrow table."""
    import pyarrow as pa

    schema = _schema(columns, tables)
    return pa.Table.from_batches(list(_batches(columns, tables, schema)), schema)


def _schema(columns: Sequence[str], tables: Sequence[ReleasedTable]) -> Any:
    """Texts for levels; whole numbers for counts and bounds where they all are."""
    import pyarrow as pa

    label, numbers = column_names(columns, len(tables) > 1)
    whole = all(np.issubdtype(table.counts.dtype, np.integer) for table in tables)
    kind = pa.int64() if whole else pa.float64()
    fields = [(label, pa.string())] if label else []
    fields += [(name, pa.string()) for name in columns]
    fields += [(name, pa.float64() if name == numbers[1] else kind) for name in numbers]
    return pa.schema(fields)


def _writer(stream: BinaryIO, path: Path, schema: Any, plain: bool) -> Any:
    """The format's writer. Arrow quotes all texts or none, so quotes are left out only where no text needs them."""
    if path.suffix.lower() == ".csv":
        from pyarrow import csv

        header = io.StringIO()
        text_csv.writer(header, lineterminator="\n").writerow(schema.names)
        stream.write(header.getvalue().encode())
        options = csv.WriteOptions(include_header=False, quoting_style="none" if plain else "needed")
        return csv.CSVWriter(stream, schema, write_options=options)
    from pyarrow import parquet

    return parquet.ParquetWriter(stream, schema)


def _batches(columns: Sequence[str], tables: Sequence[ReleasedTable], schema: Any) -> Iterator[Any]:
    import pyarrow as pa

    for table in tables:
        known = {name: (_texts(levels), codes) for name, (levels, codes) in table.universe.level_columns().items()}
        for start in range(0, table.universe.n_cells, ROWS_AT_ONCE):
            rows = slice(start, min(start + ROWS_AT_ONCE, table.universe.n_cells))
            size = rows.stop - rows.start
            arrays = [pa.repeat(_texts([table.name])[0], size)] if len(tables) > 1 else []
            for name in columns:
                if name in known:
                    levels, codes = known[name]
                    arrays.append(levels.take(_numbers(codes[rows])))
                else:
                    arrays.append(pa.nulls(size, pa.string()))
            for values in (table.counts, table.standard_errors, table.lower, table.upper):
                arrays.append(_numbers(values[rows]))
            typed = [a if a.type == f.type else a.cast(f.type) for a, f in zip(arrays, schema, strict=True)]
            yield pa.record_batch(typed, schema=schema)


def _texts(texts: Sequence[str]) -> Any:
    """The texts as an Arrow array, from their bytes: Arrow's own way looks at them one by one, and imports pandas."""
    import pyarrow as pa

    ends = np.zeros(len(texts) + 1, dtype=np.int32)
    np.cumsum(np.fromiter(map(len, map(str.encode, texts)), np.int32, len(texts)), out=ends[1:])
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer("".join(texts).encode()))


def _numbers(values: Any) -> Any:
    """The numbers as an Arrow array that shares their memory."""
    import pyarrow as pa

    own = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(own.dtype), len(own), [None, pa.py_buffer(own)])
