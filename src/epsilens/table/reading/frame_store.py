"""Data frames counted where they are: small pandas frames whose values need no cleaning never see an engine.

Whoever asks an engine pays for building, compiling and planning queries, several times what counting a few ten thousand
rows takes. So the columns of such a frame become codes and codes become cells right here. Only what is plain is counted
so: texts without blanks at their ends and whole numbers, nothing missing, and declarations that say no more than which
columns to count. Then a level is the value as it stands. Everything else, and whatever calls for a warning or an error,
is left to the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import CodeArray, IntArray, distinct_rows
from epsilens.notebook import brief
from epsilens.table.cell_store import regrouped_vectors, summed
from epsilens.table.count_vectors import STRUCTURAL_ZERO, CountVectors
from epsilens.table.domain import MISSING, Domain
from epsilens.table.engine import engine_in_use
from epsilens.table.frequency import FrequencyTable
from epsilens.table.reading import frames
from epsilens.table.reading.arrow_numbers import numbers_of
from epsilens.table.reading.problems import MANY_NUMBERS
from epsilens.table.reading.vectors import FEW_LABELS
from epsilens.table.schema import Schema
from epsilens.table.survey_weights import WeightedCells

MOST_ROWS = 200_000
"""Longer frames are counted sooner by an engine with several threads."""
_MOST_CELLS = 1 << 62


@dataclass(frozen=True, eq=False)
class FrameStore:
    """Cells as codes of levels, in the order of code points, with their count vectors."""

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    """By quasi-identifier, in their order."""
    codes: CodeArray
    matrix: IntArray

    __repr__ = brief

    def vectors(self) -> IntArray:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return self.matrix

    def count_vectors(self) -> CountVectors:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return self._sparse

    @cached_property
    def _sparse(self) -> CountVectors:
        return CountVectors.of(self.matrix)

    def ordered_signatures(self) -> tuple[CountVectors, IntArray]:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        vectors, cells = distinct_rows(self.matrix, np.ones(len(self.matrix), dtype=np.int64))
        return CountVectors.of(vectors), cells

    def cells(self, limit: int | None) -> dict[str, list[str]]:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return self._named(self.codes[:limit])

    def cells_with(self, vectors: CountVectors, limit: int) -> tuple[dict[str, list[str]], CountVectors]:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        found = np.flatnonzero(vectors.places_of(self._sparse) >= 0)[:limit]
        return self._named(self.codes[found]), self._sparse.take(found)

    def coded_cells(self) -> tuple[Domain, CodeArray, IntArray]:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return Domain(self.names, self.levels), self.codes, self.matrix

    def marginal(self, columns: Sequence[str]) -> FrameStore:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        axes = [self.names.index(name) for name in columns]
        codes, group_of = _cells(self.codes[:, axes], [len(self.levels[axis]) for axis in axes])
        matrix = summed(self.matrix, group_of, len(codes), axis=0)
        return FrameStore(tuple(columns), tuple(self.levels[axis] for axis in axes), codes, matrix)

    def marginal_signatures(self, columns: Sequence[str]) -> tuple[IntArray, IntArray, IntArray]:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        whole = self.marginal(columns).matrix
        possible = FrameStore(self.names, self.levels, self.codes, (self.matrix != STRUCTURAL_ZERO).astype(np.int64))
        kinds = np.concatenate([whole, possible.marginal(columns).matrix], axis=1)
        rows, times = distinct_rows(kinds, np.ones(len(whole), dtype=np.int64))
        return rows[:, : whole.shape[1]], rows[:, whole.shape[1] :], times

    def regrouped(self, groups: Sequence[Sequence[int]]) -> FrameStore:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return FrameStore(self.names, self.levels, self.codes, regrouped_vectors(self.matrix, groups))

    def weighted_cells(self) -> WeightedCells | None:
        """See :class:`~epsilens.table.cell_store.CellStore`. Such people have no weights."""
        return None

    def _named(self, codes: CodeArray) -> dict[str, list[str]]:
        return {
            name: [levels[code] for code in codes[:, j].tolist()]
            for j, (name, levels) in enumerate(zip(self.names, self.levels, strict=True))
        }


def counted_frame(source: Any, schema: Schema) -> FrequencyTable | None:
    """The frequency table of a data frame; None where an engine must read it."""
    if not _is_plain(source, schema):
        return None
    names = frames.column_names(source)
    if len({name.strip() for name in names}) < len(names) or not set(schema.columns) <= set(names):
        return None
    try:
        columns = frames.arrow_columns(source, [names.index(name) for name in schema.columns], names)
    except Exception:  # whoever opens it for an engine says what is wrong
        return None
    found = []
    for i in range(columns.num_columns):
        coded = _coded(columns.column(i), known=i < len(schema.qid_columns))
        if coded is None:
            return None
        found.append(coded)
    split = len(schema.qid_columns)
    levels, rows = [values for values, _ in found], np.stack([codes for _, codes in found], axis=1)
    sizes = [len(values) for values in levels]
    if float(np.prod(sizes, dtype=np.float64)) >= _MOST_CELLS:
        return None
    labels, label_of = _cells(rows[:, split:], sizes[split:])
    if not 2 <= len(labels) <= FEW_LABELS:
        return None
    values = [tuple(levels[split + j][code] for j, code in enumerate(row)) for row in labels.tolist()]
    texts = [" | ".join(parts) for parts in values]
    if texts != sorted(set(texts)):  # a bar within values: labels have another name, or another order
        return None
    cells, cell_of = _cells(rows[:, :split], sizes[:split])
    counts = np.bincount(cell_of * len(labels) + label_of, minlength=len(cells) * len(labels))
    store = FrameStore(schema.qid_columns, tuple(levels[:split]), cells, counts.reshape(-1, len(labels)))
    return FrequencyTable(
        tuple(texts), store, schema.qid_columns, schema.sensitive_columns, tuple(values), schema=schema
    )


def _is_plain(source: Any, schema: Schema) -> bool:
    """Whether a frame is small, and nothing but its columns is declared."""
    declared = (schema.bins, schema.universe, schema.structural_zeros, schema.unit, schema.missing_values)
    if not frames.is_pandas(source) or any(declared) or schema.where or schema.copies:
        return False
    return engine_in_use().name is None and 0 < len(source) <= MOST_ROWS


def _coded(column: Any, known: bool) -> tuple[tuple[str, ...], IntArray] | None:
    """The levels of a column in their order and the code of every row; None where they need a closer look."""
    import pyarrow as pa

    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    if column.null_count or not (text or pa.types.is_integer(column.type)):
        return None
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = array.dictionary_encode()
    values = encoded.dictionary.to_pylist()
    if not text:
        values = [str(value) for value in values]
        many = len(values) > MANY_NUMBERS  # a measurement, of which people are warned
    else:
        if not all(value and value[0] > " " and value[-1] > " " and value != MISSING for value in values):
            return None
        many = max(value[0] for value in values) <= "9"  # numbers, perhaps
    if known and many:
        return None
    order = sorted(range(len(values)), key=values.__getitem__)
    place = np.empty(len(values), dtype=np.int64)
    place[order] = np.arange(len(values))
    return tuple(values[i] for i in order), place[numbers_of(encoded.indices)]


def _cells(codes: IntArray | CodeArray, sizes: Sequence[int]) -> tuple[CodeArray, IntArray]:
    """The distinct rows of codes in their order, and for every row which of them it is."""
    keys = np.zeros(len(codes), dtype=np.int64)
    for j, size in enumerate(sizes):
        keys = keys * size + codes[:, j]
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return codes[first].astype(np.int32), place.reshape(-1)
