"""Where the cells of a table live: what a store answers, and the one that keeps them in memory.

A table asks its store for distinct count vectors, and for the few cells that somebody wants to see. A NumPy array
answers here, a database engine in ``reading.store``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from epsilens.arrays import CodeArray, FloatArray, IntArray, as_floats, distinct_rows
from epsilens.notebook import brief
from epsilens.table.count_vectors import STRUCTURAL_ZERO, CountVectors
from epsilens.table.domain import Domain, sorted_codes
from epsilens.table.survey_weights import WeightedCells, weighted_cells

_MOST_KEYS = 1 << 62
_FEW_KEYS = 1 << 20
_EXACT = 1 << 53


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

    def coded_cells(self) -> tuple[Domain, CodeArray, CountVectors]:
        """The levels that occur, those of all cells as positions among them, and the count vectors in their order."""
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
        if (found := _distinct_by_number(self.matrix)) is not None:
            return CountVectors.of(found[0]), found[1]
        return self._sparse.distinct(np.ones(len(self.matrix), dtype=np.int64))

    def cells(self, limit: int | None) -> dict[str, list[str]]:
        return {name: values[:limit] for name, values in self.columns.items()}

    def cells_with(self, vectors: CountVectors, limit: int) -> tuple[dict[str, list[str]], CountVectors]:
        found = np.flatnonzero(vectors.places_of(self._sparse) >= 0)[:limit]
        named = {name: [values[i] for i in found.tolist()] for name, values in self.columns.items()}
        return named, self._sparse.take(found)

    def coded_cells(self) -> tuple[Domain, CodeArray, CountVectors]:
        found = [sorted_codes(values) for values in self.columns.values()]
        codes = np.empty((len(self.matrix), len(found)), dtype=np.int32)
        for j, (_, column) in enumerate(found):
            codes[:, j] = column
        return Domain(tuple(self.columns), tuple(levels for levels, _ in found)), codes, self._sparse

    def marginal(self, columns: Sequence[str]) -> MemoryStore:
        return self.merged({name: sorted_codes(self.columns[name]) for name in columns})[0]

    def merged(self, columns: Mapping[str, tuple[Sequence[str], IntArray]]) -> tuple[MemoryStore, IntArray]:
        """The same people by other columns, and where each cell went.

        A column is its levels, by code point, and the position of every cell's level among them. Cells are numbered
        and never compared as texts: these are looked at once per level.
        """
        group_of, members = groups_of([(len(levels), codes) for levels, codes in columns.values()], len(self.matrix))
        matrix = _summed(self.matrix, group_of, len(members), axis=0)
        names = {
            name: np.array([*levels, ""], dtype=object)[codes[members]].tolist()
            for name, (levels, codes) in columns.items()
        }
        weights = None if self.weights is None else as_floats(np.bincount(group_of, self.weights, len(members)))
        return MemoryStore(matrix, names, weights), group_of

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

    def coded_cells(self) -> tuple[Domain, CodeArray, CountVectors]:
        domain, codes, vectors = self.whole.coded_cells()
        return domain, codes, vectors.regrouped(self.groups)

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
    return _summed(vectors, group_of, len(groups), axis=1)


def groups_of(columns: Sequence[tuple[int, IntArray]], n_cells: int) -> tuple[IntArray, IntArray]:
    """The group of every cell, groups being in the order of their codes, and a member of each group.

    A column is its number of levels and the codes of all cells; without any column all cells are one group.
    """
    keys, size = np.zeros(n_cells, dtype=np.int64), 1
    for levels, codes in columns:
        if size * levels > _MOST_KEYS:
            keys, size = renumbered(keys, size)
        keys, size = keys * levels + codes, size * levels
    group_of, n_groups = renumbered(keys, size)
    members = np.empty(n_groups, dtype=np.int64)
    members[group_of] = np.arange(n_cells)
    return group_of, members


def renumbered(keys: IntArray, size: int) -> tuple[IntArray, int]:
    """Keys below ``size`` as positions among those that occur, and how many do."""
    if size > max(_FEW_KEYS, 8 * len(keys)):
        distinct, places = np.unique(keys, return_inverse=True)
        return places, len(distinct)
    present = np.zeros(size, dtype=bool)
    present[keys] = True
    places = np.cumsum(present) - 1
    return places[keys], int(present.sum())


def _summed(vectors: IntArray, group_of: IntArray, n_groups: int, axis: int) -> IntArray:
    """Sums of rows (axis 0) or columns (axis 1) by group, with structural zeros where every part is one."""
    rows = vectors if axis == 0 else vectors.T
    totals = np.zeros((n_groups, rows.shape[1]), dtype=np.int64)
    largest = int(rows.max(initial=0))
    if axis == 0 and largest * len(rows) < _EXACT:  # sums of doubles are exact, and made much faster
        for k in range(rows.shape[1]):
            totals[:, k] = np.bincount(group_of, np.maximum(rows[:, k], 0), n_groups)
    else:
        np.add.at(totals, group_of, np.maximum(rows, 0))
    if rows.min(initial=0) > STRUCTURAL_ZERO:
        return totals if axis == 0 else np.ascontiguousarray(totals.T)
    possible = np.zeros(totals.shape, dtype=bool)
    np.logical_or.at(possible, group_of, rows != STRUCTURAL_ZERO)
    summed = np.where(possible, totals, np.int64(STRUCTURAL_ZERO))
    return summed if axis == 0 else np.ascontiguousarray(summed.T)


def _distinct_by_number(vectors: IntArray) -> tuple[IntArray, IntArray] | None:
    """The distinct count vectors in order and how often each occurs; None where one does not fit into a number.

    The counts are its digits, those of the first label the highest, and the impossible is the lowest digit.
    """
    bases = [int(vectors.max(initial=0)) - STRUCTURAL_ZERO + 1] * vectors.shape[1]
    if math.prod(bases) > _MOST_KEYS:  # one label of large counts does not make the others large
        bases = (vectors.max(axis=0, initial=0) - STRUCTURAL_ZERO + 1).tolist()
    if math.prod(bases) > _MOST_KEYS:
        return None
    places = np.array([math.prod(bases[label + 1 :]) for label in range(len(bases))], dtype=np.int64)
    keys, times = np.unique(vectors @ places, return_counts=True)  # in one pass over the rows, and exactly
    keys -= STRUCTURAL_ZERO * places.sum()
    found = np.empty((len(keys), len(bases)), dtype=np.int64)
    for label, place in enumerate(places.tolist()):
        digits = keys // place
        found[:, label] = digits + STRUCTURAL_ZERO
        keys -= digits * place
    return found, times.astype(np.int64, copy=False)
