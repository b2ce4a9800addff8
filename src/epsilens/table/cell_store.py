"""Where the cells of a table live: what a store answers, and the one that keeps them in memory.

A table asks its store for distinct count vectors, and for the few cells that somebody wants to see. A NumPy array
answers here, a database engine in ``reading.store``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from epsilens.arrays import CodeArray, FloatArray, IntArray, as_floats, distinct_rows
from epsilens.notebook import brief
from epsilens.table.count_vectors import STRUCTURAL_ZERO, CountVectors
from epsilens.table.domain import Domain, encoded
from epsilens.table.survey_weights import WeightedCells, weighted_cells


class CellStore(Protocol):
    """Where a table's cells live. Vectors are (cells, labels), :data:`STRUCTURAL_ZERO` marks the impossible."""

    def vectors(self) -> IntArray:
        """All count vectors as a full matrix, in the table's cell order."""
        ...

    def count_vectors(self) -> CountVectors:
        """All count vectors in sparse form, in the order of :meth:`vectors`."""
        ...

    def ordered_signatures(self) -> tuple[CountVectors, IntArray]:
        """The distinct count vectors (label order kept) and how many cells have each."""
        ...

    def cells(self, limit: int | None) -> dict[str, list[str]]:
        """The quasi-identifier values of the cells, one list per column, in the order of :meth:`vectors`."""
        ...

    def cells_with(self, vectors: CountVectors, limit: int) -> tuple[dict[str, list[str]], CountVectors]:
        """The first ``limit`` cells whose count vector is one of ``vectors``, and their count vectors."""
        ...

    def coded_cells(self) -> tuple[Domain, CodeArray, IntArray]:
        """The levels that occur, those of all cells as positions among them, and the count vectors; in any order."""
        ...

    def marginal(self, columns: Sequence[str]) -> CellStore:
        """The store of the same people counted by fewer quasi-identifiers."""
        ...

    def marginal_signatures(self, columns: Sequence[str]) -> tuple[IntArray, IntArray, IntArray]:
        """Of the same people by fewer quasi-identifiers: the distinct kinds of cells, and how many there are of each.

        A kind is a count vector and, label by label, how many counts of this store add up to it.
        """
        ...

    def regrouped(self, groups: Sequence[Sequence[int]]) -> CellStore:
        """The store whose label g is the sum of this store's labels ``groups[g]``."""
        ...

    def weighted_cells(self) -> WeightedCells | None:
        """The distinct pairs of a count vector and a sum of survey weights; None where people have no weights."""
        ...


@dataclass(frozen=True, eq=False)
class MemoryStore:
    """Cells in a NumPy array."""

    matrix: IntArray
    columns: dict[str, list[str]]
    weights: FloatArray | None = None
    """The sum of the survey weights of each cell's people, where they have any."""

    __repr__ = brief

    def vectors(self) -> IntArray:
        return self.matrix

    def count_vectors(self) -> CountVectors:
        return self._sparse

    @cached_property
    def _sparse(self) -> CountVectors:
        return CountVectors.of(self.matrix)

    def ordered_signatures(self) -> tuple[CountVectors, IntArray]:
        return self._sparse.distinct(np.ones(len(self.matrix), dtype=np.int64))

    def cells(self, limit: int | None) -> dict[str, list[str]]:
        return {name: values[:limit] for name, values in self.columns.items()}

    def cells_with(self, vectors: CountVectors, limit: int) -> tuple[dict[str, list[str]], CountVectors]:
        found = np.flatnonzero(vectors.places_of(self._sparse) >= 0)[:limit]
        named = {name: [values[i] for i in found.tolist()] for name, values in self.columns.items()}
        return named, self._sparse.take(found)

    def coded_cells(self) -> tuple[Domain, CodeArray, IntArray]:
        found = [encoded(values) for values in self.columns.values()]
        codes = np.empty((len(self.matrix), len(found)), dtype=np.int32)
        for j, (_, column) in enumerate(found):
            codes[:, j] = column
        return Domain(tuple(self.columns), tuple(levels for levels, _ in found)), codes, self.matrix

    def marginal(self, columns: Sequence[str]) -> MemoryStore:
        keys = list(zip(*(self.columns[name] for name in columns), strict=True)) or [()] * len(self.matrix)
        distinct = sorted(set(keys))
        position = {key: i for i, key in enumerate(distinct)}
        group_of = np.array([position[key] for key in keys])
        matrix = summed(self.matrix, group_of, len(distinct), axis=0)
        names = {name: [key[j] for key in distinct] for j, name in enumerate(columns)}
        weights = None if self.weights is None else as_floats(np.bincount(group_of, self.weights, len(distinct)))
        return MemoryStore(matrix, names, weights)

    def marginal_signatures(self, columns: Sequence[str]) -> tuple[IntArray, IntArray, IntArray]:
        whole = self.marginal(columns).matrix
        possible = MemoryStore((self.matrix != STRUCTURAL_ZERO).astype(np.int64), self.columns).marginal(columns).matrix
        rows, times = distinct_rows(np.concatenate([whole, possible], axis=1), np.ones(len(whole), dtype=np.int64))
        return rows[:, : whole.shape[1]], rows[:, whole.shape[1] :], times

    def regrouped(self, groups: Sequence[Sequence[int]]) -> MemoryStore:
        return MemoryStore(regrouped_vectors(self.matrix, groups), self.columns, self.weights)

    def weighted_cells(self) -> WeightedCells | None:
        if self.weights is None:
            return None
        return weighted_cells(self.matrix, self.weights, np.ones(len(self.matrix), dtype=np.int64))


@dataclass(frozen=True, eq=False)
class RegroupedStore:
    """The cells of another store with labels merged: its signatures are merged here, and no cell is looked at again."""

    whole: CellStore
    groups: tuple[tuple[int, ...], ...]

    __repr__ = brief

    def vectors(self) -> IntArray:
        return self.count_vectors().dense()

    def count_vectors(self) -> CountVectors:
        return self.whole.count_vectors().regrouped(self.groups)

    def ordered_signatures(self) -> tuple[CountVectors, IntArray]:
        vectors, multiplicities = self.whole.ordered_signatures()
        return vectors.regrouped(self.groups).distinct(multiplicities)

    def cells(self, limit: int | None) -> dict[str, list[str]]:
        return self.whole.cells(limit)

    def cells_with(self, vectors: CountVectors, limit: int) -> tuple[dict[str, list[str]], CountVectors]:
        before, _ = self.whole.ordered_signatures()
        wanted = vectors.places_of(before.regrouped(self.groups)) >= 0
        cells, found = self.whole.cells_with(before.take(wanted), limit)
        return cells, found.regrouped(self.groups)

    def coded_cells(self) -> tuple[Domain, CodeArray, IntArray]:
        domain, codes, vectors = self.whole.coded_cells()
        return domain, codes, regrouped_vectors(vectors, self.groups)

    def marginal(self, columns: Sequence[str]) -> RegroupedStore:
        return RegroupedStore(self.whole.marginal(columns), self.groups)

    def marginal_signatures(self, columns: Sequence[str]) -> tuple[IntArray, IntArray, IntArray]:
        return MemoryStore(self.vectors(), self.cells(None)).marginal_signatures(columns)

    def regrouped(self, groups: Sequence[Sequence[int]]) -> RegroupedStore:
        merged = tuple(tuple(k for g in members for k in self.groups[g]) for members in groups)
        return RegroupedStore(self.whole, merged)

    def weighted_cells(self) -> WeightedCells | None:
        found = self.whole.weighted_cells()
        if found is None:
            return None
        by_label = found.by_label
        sums = None if by_label is None else [float(by_label[list(members)].sum()) for members in self.groups]
        return weighted_cells(regrouped_vectors(found.vectors, self.groups), found.weights, found.multiplicities, sums)


def regrouped_vectors(vectors: IntArray, groups: Sequence[Sequence[int]]) -> IntArray:
    """Count vectors with labels merged; a merged label is structurally zero only where all its parts are."""
    group_of = np.empty(vectors.shape[1], dtype=np.int64)
    for g, members in enumerate(groups):
        group_of[list(members)] = g
    return summed(vectors, group_of, len(groups), axis=1)


def summed(vectors: IntArray, group_of: IntArray, n_groups: int, axis: int) -> IntArray:
    """Sums of rows (axis 0) or columns (axis 1) by group, with structural zeros where every part is one."""
    rows = vectors if axis == 0 else vectors.T
    totals = np.zeros((n_groups, rows.shape[1]), dtype=np.int64)
    possible = np.zeros(totals.shape, dtype=bool)
    np.add.at(totals, group_of, np.maximum(rows, 0))
    np.logical_or.at(possible, group_of, rows != STRUCTURAL_ZERO)
    summed = np.where(possible, totals, np.int64(STRUCTURAL_ZERO))
    return summed if axis == 0 else np.ascontiguousarray(summed.T)
