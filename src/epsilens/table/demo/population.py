"""The demo population: invented people in nested places, the same for everyone, from one row to a thousand million.

It exists to show what the measures of this package are about: places so small that a cell holds one person, and cells
whose people all share a sensitive value. Nobody in it is real.

The first m people are the same whatever the size asked for and however it is cut into batches: people come county by
county, and a county is drawn whole from the seed and its number (``demo_people``, by the rates of ``demo_rates``).
"""

from __future__ import annotations

import io
import operator
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilens.errors import ParameterError, SourceError
from epsilens.table.demo.people import County, county
from epsilens.table.demo.rates import CATEGORIES, GEOGRAPHY

if TYPE_CHECKING:
    import pyarrow as pa

MAX_ROWS = 1_000_000_000
MAX_SEED = 2**63 - 1
WRITE_ROWS = 250_000  # rows per Parquet row group: many enough to compress well, few enough to be read in parallel
ENCODE_ROWS = 65_536  # values encoded at a stroke: with Parquet's usual 1,024 the calls cost more than the work


def population(rows: int, seed: int = 2026) -> pa.Table:
    """The first ``rows`` people as one Arrow table, for sizes that fit in memory (some 40 bytes a person)."""
    import pyarrow as pa

    return pa.Table.from_batches(batches(rows, seed), _schema()).unify_dictionaries().combine_chunks()


def batches(rows: int, seed: int = 2026, batch_rows: int = 1_000_000) -> Iterator[pa.RecordBatch]:
    """The same people as a stream of batches of ``batch_rows`` (the last may be shorter), for sizes that do not fit.

    Places and categories are dictionary arrays: a name is stored once a batch, not once a person.
    """
    return _stream(  # a second function, so that arguments are refused now and not at the first batch
        _whole_within("rows", rows, 1, MAX_ROWS),
        _whole_within("seed", seed, 0, MAX_SEED),
        _whole_within("batch_rows", batch_rows, 1, MAX_ROWS),
    )


def write_population(
    path: str | os.PathLike[str],
    rows: int,
    seed: int = 2026,
    progress: Callable[[int], None] | None = None,
    force: bool = True,
) -> None:
    """Write the first ``rows`` people to a .parquet or .csv file, whole or not at all; memory does not grow with them.

    The file is written beside its final place and renamed at the end, so that a failure or Ctrl-C leaves nothing behind
    and an earlier file as it was. ``progress`` is called with the number of rows just written. Without ``force`` a file
    that exists is not replaced.
    """
    stream = batches(rows, seed, WRITE_ROWS)
    target = Path(path)
    writers = {".csv": _CsvWriter, ".parquet": _parquet_writer, ".pq": _parquet_writer}
    with _refusals(target):
        if not target.parent.is_dir():
            raise SourceError(f"cannot write {target}: its folder does not exist; create it first")
        if target.exists() and not target.is_file():  # a folder, or a device that a rename would destroy
            raise SourceError(f"cannot write {target}: it is not a regular file; name another place")
        if not force and os.path.lexists(target):
            raise _taken(target)
    if target.suffix.lower() not in writers:
        raise ParameterError("must end in .csv or .parquet", parameter="path", got=target.name)
    partial = target.with_name(f".epsilens-{secrets.token_hex(6)}.part")
    try:
        with _refusals(target):
            writer = writers[target.suffix.lower()](partial)
        with writer:
            for batch in stream:
                with _refusals(target):
                    writer.write_batch(batch)
                if progress is not None:  # outside: what the caller's own function raises is the caller's
                    progress(batch.num_rows)
            with _refusals(target):
                writer.close()
        with _refusals(target):
            if force:
                partial.replace(target)
            else:
                _linked(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def population_csv(rows: int, seed: int = 2026) -> bytes:
    """The same people as a CSV file in memory, byte by byte what :func:`write_population` writes."""
    held = io.BytesIO()
    with _CsvWriter(held) as writer:
        for batch in batches(rows, seed, WRITE_ROWS):
            writer.write_batch(batch)
    return held.getvalue()


def _linked(partial: Path, target: Path) -> None:
    """Give the file its name unless somebody took it meanwhile."""
    try:
        os.link(partial, target)
    except FileExistsError:
        raise _taken(target) from None
    except OSError:  # a file system without hard links
        partial.rename(target)


def _taken(target: Path) -> SourceError:
    return SourceError(f"{target} exists", remedy="name another file, or use `force` to replace it")


def _parquet_writer(path: Path) -> Any:
    import pyarrow.parquet as pq

    schema = _schema()
    return pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        write_batch_size=ENCODE_ROWS,
        write_statistics=["person", *GEOGRAPHY],  # what engines can skip by: all else is mixed in every group
        use_dictionary=schema.names[1:],
        column_encoding={"person": "DELTA_BINARY_PACKED"},  # a running number is nothing but its differences
        store_schema=False,  # with Arrow's schema some readers would make categories of the strings
    )


class _CsvWriter:
    """Batches as lines of CSV, each name written out."""

    def __init__(self, path: Path | io.BytesIO) -> None:
        import pyarrow as pa
        from pyarrow import csv

        kinds = [(f.name, pa.string() if pa.types.is_dictionary(f.type) else f.type) for f in _schema()]
        self._schema = pa.schema(kinds)
        self._writer = csv.CSVWriter(path, self._schema, write_options=csv.WriteOptions(quoting_style="needed"))

    def write_batch(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch.cast(self._schema))

    def close(self) -> None:
        self._writer.close()

    def __enter__(self) -> _CsvWriter:
        return self

    def __exit__(self, *_problem: object) -> None:
        self.close()


@contextmanager
def _refusals(target: Path) -> Iterator[None]:
    """Say what the operating system refused (no permission, no space) in our own words."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or next(iter(str(error).splitlines()), type(error).__name__)
        raise SourceError(f"cannot write {target}: {reason}; choose a folder that is writable and has room") from error


def _whole_within(name: str, value: int, low: int, high: int) -> int:
    """``value`` as an int, refused unless it is a whole number from ``low`` to ``high``."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not low <= number <= high:
        raise ParameterError(f"must be a whole number from {low} to {high}", parameter=name, got=value)
    return number


def _stream(rows: int, seed: int, batch_rows: int) -> Iterator[pa.RecordBatch]:
    """County after county, cut and joined into batches."""
    parts: list[pa.RecordBatch] = []
    done = held = 0  # people taken from counties, and those of them not yet handed out
    for index in count():
        people = county(seed, index)
        size, start = min(len(people.ages), rows - done), 0
        while start < size:
            stop = min(size, start + batch_rows - held)
            parts.append(_record_batch(people, start, stop, first_person=done))
            done, held, start = done + stop - start, held + stop - start, stop
            if held == batch_rows or done == rows:
                yield _joined(parts)
                parts, held = [], 0
        if done == rows:
            return


def _record_batch(people: County, start: int, stop: int, first_person: int) -> pa.RecordBatch:
    """The people ``start`` to ``stop`` of a county, with the names of those places only in which they live."""
    import pyarrow as pa

    columns = [pa.array(np.arange(first_person, first_person + stop - start, dtype=np.int64))]
    for level in GEOGRAPHY:
        codes = people.place_codes[level][start:stop]
        low, high = codes[0], codes[-1]  # codes never fall: a stretch of people lives in a stretch of places
        names = pa.array(people.places[level][low : high + 1])
        columns.append(pa.DictionaryArray.from_arrays(codes - low, names))
    columns.append(pa.array(people.ages[start:stop]))
    for column, labels in CATEGORIES.items():
        columns.append(pa.DictionaryArray.from_arrays(people.codes[column][start:stop], pa.array(labels)))
    return pa.RecordBatch.from_arrays(columns, schema=_schema())


def _joined(parts: list[pa.RecordBatch]) -> pa.RecordBatch:
    """One batch with one dictionary per column."""
    import pyarrow as pa

    if len(parts) == 1:
        return parts[0]
    return pa.Table.from_batches(parts).unify_dictionaries().combine_chunks().to_batches()[0]


def _schema() -> pa.Schema:
    """The columns in order: a running number, places from large to small, age, then the categories."""
    import pyarrow as pa

    place, category = pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int8(), pa.string())
    return pa.schema(
        [("person", pa.int64())]
        + [(level, place) for level in GEOGRAPHY]
        + [("age", pa.int32())]
        + [(column, category) for column in CATEGORIES]
    )
