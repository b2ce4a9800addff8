"""The people of a table as long rows: one level per column and a count, for the cells that have people.

A frequency table knows quasi-identifiers and labels; a release treats all columns alike. Levels are kept once and cells
as positions in them, so a million cells are a matrix of small integers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import CodeArray, IntArray
from epsilens.errors import DataError
from epsilens.table import FrequencyTable, Schema, read_table

UNNAMED_CELL = "cell"
"""The column that numbers the cells of a table whose cells have no names."""
EVERYONE = "(everyone)"
"""The column of one level that stands in for quasi-identifiers where a single column is counted."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Occupied cells: ``codes[i, j]`` is the position of cell i's level in ``levels[j]``, ``counts[i]`` its people."""

    columns: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    codes: CodeArray
    counts: IntArray

    @staticmethod
    def of(table: FrequencyTable) -> Cells:
        """The occupied cells of a frequency table, quasi-identifiers first, then sensitive attributes."""
        names, known = cell_names(table)
        counts = table.counts
        cell, label = np.nonzero(counts)
        levels, codes = [], []
        for values in known:
            found, code = _encoded(values)
            levels.append(found)
            codes.append(code[cell])
        for j in range(len(table.sensitive)):
            found, code = _encoded([parts[j] for parts in table.label_values])
            levels.append(found)
            codes.append(code[label])
        return Cells(
            (*names, *table.sensitive), tuple(levels), np.stack(codes, axis=1), counts[cell, label].astype(np.int64)
        )

    @cached_property
    def people(self) -> int:
        """How many rows are counted."""
        return int(self.counts.sum())

    def marginal(self, columns: Sequence[str]) -> Cells:
        """The same people by fewer columns."""
        kept = [self.columns.index(name) for name in columns]
        levels = tuple(self.levels[j] for j in kept)
        codes, group = grouped_codes(self.codes[:, kept], [len(found) for found in levels])
        counts = np.bincount(group, weights=self.counts, minlength=len(codes)).astype(np.int64)
        return Cells(tuple(columns), levels, codes, counts)

    @cached_property
    def fingerprint(self) -> bytes:
        """SHA-256 of columns, levels and counts in a canonical order. It stays in memory: see :func:`sealed`."""
        digest = hashlib.sha256()
        kept, ranked = [], []
        for j, levels in enumerate(self.levels):
            used = np.unique(self.codes[:, j])
            order = sorted(range(len(used)), key=lambda i: levels[used[i]])
            rank = np.zeros(len(levels), dtype="<i4")
            rank[used[order]] = np.arange(len(used), dtype="<i4")
            kept.append([levels[used[i]] for i in order])
            ranked.append(rank[self.codes[:, j]])
        by_column = np.stack(ranked, axis=1) if ranked else np.zeros((len(self.counts), 0), dtype="<i4")
        order_of_rows = np.lexsort(by_column.T[::-1]) if ranked else np.arange(len(self.counts))
        digest.update(json.dumps([self.columns, kept], ensure_ascii=False).encode())
        digest.update(np.ascontiguousarray(by_column[order_of_rows], dtype="<i4").tobytes())
        digest.update(self.counts[order_of_rows].astype("<i8").tobytes())
        return digest.digest()


def cell_names(table: FrequencyTable) -> tuple[tuple[str, ...], list[list[str]]]:
    """The columns that name a table's cells and their values; unnamed cells are numbered."""
    if table.quasi_identifiers:
        found = table.cells()
        return table.quasi_identifiers, [found[name] for name in table.quasi_identifiers]
    return (UNNAMED_CELL,), [[str(i) for i in range(len(table.counts))]]


def read_cells(
    source: Any, schema: Schema, table: str | None = None, count: str | None = None, row_salt: str | None = None
) -> FrequencyTable:
    """``source`` counted by the schema; a table that was counted already must have been counted by the same one.

    ``row_salt`` counts the same rows again, where people have too many; without it they are drawn anew.
    """
    if not isinstance(source, FrequencyTable):
        if EVERYONE not in schema.qid_columns:
            return read_table(source, schema, table, count, row_salt)
        with _with_everyone(source, schema, table, count) as counted_as_one:
            return read_table(counted_as_one, schema, None, count, row_salt)
    if (source.quasi_identifiers, source.sensitive) != (schema.qid_columns, schema.sensitive_columns):
        raise DataError(
            f"the table was counted by {', '.join((*source.quasi_identifiers, *source.sensitive))}, the schema names "
            f"{', '.join(schema.columns)}; give the schema that the table was read with"
        )
    bound = schema.max_rows_per_unit if schema.unit else 1
    if source.max_rows_per_unit != bound:
        raise DataError(
            f"the table was counted with at most {source.max_rows_per_unit} rows per person, the schema says {bound}; "
            "give the schema that the table was read with"
        )
    return source


@contextmanager
def _with_everyone(source: Any, schema: Schema, table: str | None, count: str | None) -> Iterator[Any]:
    """``source`` with the column :data:`EVERYONE`, for a schema that counts a single column."""
    from epsilens.table.reading.sources import opened_source

    (column,) = schema.sensitive_columns
    wanted = [column, *([schema.unit] if schema.unit else []), *([count] if count else [])]
    with opened_source(source, wanted, table) as opened:

        def with_everyone(relation: Any) -> Any:
            known = relation[opened.columns[column]]
            # Always true, and said without naming an engine.
            return relation.mutate(**{EVERYONE: known.isnull() | known.notnull()})

        yield opened.changed(with_everyone, {**opened.columns, EVERYONE: EVERYONE})


def grouped_codes(codes: CodeArray, sizes: Sequence[int]) -> tuple[CodeArray, IntArray]:
    """The distinct rows of ``codes`` in lexicographic order, and the row of each of them that every row became."""
    if codes.shape[1] == 0:
        return np.zeros((1, 0), dtype=np.int32), np.zeros(len(codes), dtype=np.int64)
    distinct, first, group = np.unique(row_keys(codes, sizes), return_index=True, return_inverse=True)
    return codes[first], group.reshape(-1).astype(np.int64) if len(distinct) else np.zeros(0, dtype=np.int64)


def row_keys(codes: CodeArray, sizes: Sequence[int]) -> IntArray:
    """One number per row, in lexicographic order of the rows: the row read as digits to mixed bases."""
    if np.prod([float(size) for size in sizes]) >= 2**62:
        raise DataError("the columns have too many combinations of levels to be numbered; use fewer columns or levels")
    keys = np.zeros(len(codes), dtype=np.int64)
    for j, size in enumerate(sizes):
        keys = keys * size + codes[:, j]
    return keys


def _encoded(values: Sequence[str]) -> tuple[tuple[str, ...], CodeArray]:
    """The distinct values in order of appearance, and the position of each value among them."""
    position: dict[str, int] = {}
    codes = np.fromiter((position.setdefault(value, len(position)) for value in values), np.int32, len(values))
    return tuple(position), codes
