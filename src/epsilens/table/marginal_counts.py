"""The counts of cells of marginals, in two forms that answer alike: a full matrix, or pairs of a label and its count.

Few labels are a full matrix with a column for each: columns are added up fastest, and what cannot occur has a place of
its own. Of thousands of labels a cell has a few, so there only pairs with people are kept, and time and memory follow
them. A label without a pair has nobody, and as many published counts add up to it as to any other label of its cell:
pairs are for tables in which every label can occur everywhere.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray, distinct_rows
from epsilens.notebook import brief
from epsilens.table.cell_store import renumbered
from epsilens.table.count_vectors import STRUCTURAL_ZERO, CountVectors
from epsilens.table.domain import TOO_MANY_TO_NUMBER


@dataclass(frozen=True, eq=False, repr=False)
class MarginalCounts(ABC):
    """The counts of some cells, with how many published counts add up to each of them."""

    vectors: IntArray | CountVectors
    parts: IntArray
    """How many published counts add up to each of them, (cells, labels) or, the same for all labels, (cells,)."""
    listed: IntArray
    """How many of these are of cells of the table; the others are of cells that nobody is in."""
    values: FloatArray | None = None
    """Whatever else is added up with every count that is kept, (any, cells, labels) or (any, pairs)."""

    __repr__ = brief

    @staticmethod
    def of(vectors: CountVectors, in_full: bool = False) -> MarginalCounts:
        """The cells of a table; ``in_full`` where labels differ in which cells beside them they may occur."""
        if in_full or vectors.better_in_full or (vectors.counts < 0).any():
            return FullCounts.of_table(vectors.dense())
        return PairCounts.of_table(vectors)

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def sparse(self) -> CountVectors:
        """The count vectors in sparse form."""

    @property
    @abstractmethod
    def each(self) -> IntArray:
        """Every count that is kept, (cells, labels) or (pairs,)."""

    @property
    @abstractmethod
    def sizes(self) -> IntArray:
        """People in each cell."""

    @abstractmethod
    def homogeneous(self, labels: BoolArray) -> BoolArray:
        """Which cells have people of a single label, one of these."""

    @abstractmethod
    def kinds(self) -> tuple[Self, IntArray]:
        """Cells that stand for others with the same counts and parts, and for how many, where that saves work."""

    @abstractmethod
    def summed_by(self, group: IntArray, size: int) -> Self:
        """The counts of each of ``size`` groups of cells, added up, with their values."""

    @abstractmethod
    def of_parts(self, parts: IntArray) -> Self:
        """The same where so many published counts add up to each, those of cells that nobody is in among them.

        ``parts`` are (cells,), or (cells, labels) in full matrices.
        """

    def with_values(self, values: FloatArray) -> Self:
        """The same with something else beside every count that is kept."""
        return replace(self, values=values)

    @abstractmethod
    def take(self, cells: IntArray) -> Self:
        """Some of the cells."""

    @abstractmethod
    def joined(self, others: Sequence[Self]) -> Self:
        """These cells and then those of others, without values unless all have them."""


@dataclass(frozen=True, eq=False, repr=False)
class FullCounts(MarginalCounts):
    """Counts as full matrices (cells, labels): :data:`STRUCTURAL_ZERO`, of 0 parts, where a label cannot occur."""

    vectors: IntArray

    @staticmethod
    def of_table(vectors: IntArray) -> FullCounts:
        """Those of the table itself: every count is one, but for what cannot occur."""
        possible = vectors >= 0
        ones = np.broadcast_to(np.int64(1), vectors.shape) if possible.all() else possible.astype(np.int64)
        return FullCounts(vectors, ones, ones)

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def sparse(self) -> CountVectors:
        return CountVectors.of(self.vectors)

    @property
    def each(self) -> IntArray:
        return self.vectors

    @cached_property
    def sizes(self) -> IntArray:
        sizes = np.zeros(len(self.vectors), dtype=np.int64)
        for column in self.vectors.T:
            sizes += np.maximum(column, 0)
        return sizes

    def homogeneous(self, labels: BoolArray) -> BoolArray:
        present, found = np.zeros(len(self.vectors), dtype=np.int64), np.zeros(len(self.vectors), dtype=bool)
        for column, wanted in zip(self.vectors.T, labels.tolist(), strict=True):
            has = column > 0
            present += has
            if wanted:
                found |= has
        return np.asarray((present == 1) & found)

    def kinds(self) -> tuple[FullCounts, IntArray]:
        labels, further = self.vectors.shape[1], self._further_parts
        columns = [column + 1 for column in self.vectors.T]
        columns += [self.parts[:, k] for k in (0, *further)]
        radices = [int(column.max(initial=0)) + 1 for column in columns]
        if math.prod(radices) < TOO_MANY_TO_NUMBER:
            keys = np.zeros(len(self.vectors), dtype=np.int64)
            for column, radix in zip(columns, radices, strict=True):
                keys = keys * radix + column
            keys, times = np.unique(keys, return_counts=True)
            rows = np.empty((len(keys), len(radices)), dtype=np.int64)
            for j in reversed(range(len(radices))):
                keys, rows[:, j] = np.divmod(keys, radices[j])
        else:
            rows, times = distinct_rows(np.stack(columns, axis=1), np.ones(len(self.vectors), dtype=np.int64))
        parts = np.repeat(rows[:, labels : labels + 1], labels, axis=1)
        for place, k in enumerate(further):
            parts[:, k] = rows[:, labels + 1 + place]
        return FullCounts(rows[:, :labels] - 1, parts, parts), times

    @property
    def _further_parts(self) -> list[int]:
        """The labels that have other numbers of parts than the first."""
        first = self.parts[:, 0]
        return [k for k in range(1, self.parts.shape[1]) if not np.array_equal(self.parts[:, k], first)]

    def summed_by(self, group: IntArray, size: int) -> FullCounts:
        counts, listed = np.empty((2, size, self.vectors.shape[1]), dtype=np.int64)
        for k, column in enumerate(self.vectors.T):
            # doubles are exact up to 2^53, the most that a table counts
            counts[:, k] = np.bincount(group, weights=np.maximum(column, 0), minlength=size)
            alike = k > 0 and np.array_equal(self.listed[:, k], self.listed[:, 0])
            listed[:, k] = listed[:, 0] if alike else np.bincount(group, weights=self.listed[:, k], minlength=size)
        vectors = np.where(listed > 0, counts, np.int64(STRUCTURAL_ZERO))
        return FullCounts(vectors, listed, listed, _summed_values(self.values, group, size))

    def of_parts(self, parts: IntArray) -> FullCounts:
        found = np.broadcast_to(parts if parts.ndim == 2 else parts[:, None], self.vectors.shape)
        # a label that cannot occur where there are people may be possible in cells that nobody is in
        vectors = np.where(found > 0, np.maximum(self.vectors, 0), np.int64(STRUCTURAL_ZERO))
        return FullCounts(vectors, found, self.listed, self.values)

    def take(self, cells: IntArray) -> FullCounts:
        values = None if self.values is None else self.values[:, cells]
        return FullCounts(self.vectors[cells], self.parts[cells], self.listed[cells], values)

    def joined(self, others: Sequence[FullCounts]) -> FullCounts:
        if not others:
            return self
        every = [self, *others]
        return FullCounts(
            np.concatenate([one.vectors for one in every]),
            np.concatenate([one.parts for one in every]),
            np.concatenate([one.listed for one in every]),
            _joined_values(every),
        )


@dataclass(frozen=True, eq=False, repr=False)
class PairCounts(MarginalCounts):
    """Counts as pairs, of labels that can all occur everywhere: those of a cell have as many parts, or would have."""

    vectors: CountVectors

    @staticmethod
    def of_table(vectors: CountVectors) -> PairCounts:
        """Those of the table itself: every count is one."""
        ones = np.ones(len(vectors), dtype=np.int64)
        return PairCounts(vectors, ones, ones)

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def sparse(self) -> CountVectors:
        return self.vectors

    @property
    def each(self) -> IntArray:
        return self.vectors.counts

    @property
    def sizes(self) -> IntArray:
        return self.vectors.sizes

    def homogeneous(self, labels: BoolArray) -> BoolArray:
        found = np.bincount(self.vectors.row_of, labels[self.vectors.labels], len(self.vectors))
        return np.asarray((self.vectors.widths == 1) & (found > 0))

    def kinds(self) -> tuple[PairCounts, IntArray]:
        """These cells as they are: of many labels few cells are alike, and to find them takes longer than it saves."""
        return PairCounts(self.vectors, self.parts, self.listed), np.ones(len(self.vectors), dtype=np.int64)

    def summed_by(self, group: IntArray, size: int) -> PairCounts:
        """Pairs of the same group and label are added up; with ``key = group * labels + label`` they are neighbours."""
        n_labels = self.vectors.n_labels
        keys = group[self.vectors.row_of] * n_labels + self.vectors.labels
        if (keys[1:] > keys[:-1]).all():
            place, number = np.arange(len(keys)), len(keys)
        else:
            place, number = renumbered(keys, size * n_labels)
        merged = np.empty(number, dtype=np.int64)
        merged[place] = keys
        counts = np.bincount(place, self.vectors.counts, number).astype(np.int64)
        starts = np.searchsorted(merged, np.arange(size + 1) * n_labels).astype(np.int64)
        listed = np.bincount(group, self.listed, size).astype(np.int64)
        vectors = CountVectors(starts, (merged % n_labels).astype(np.int32), counts, n_labels)
        return PairCounts(vectors, listed, listed, _summed_values(self.values, place, number))

    def of_parts(self, parts: IntArray) -> PairCounts:
        return PairCounts(self.vectors, parts, self.listed, self.values)

    def take(self, cells: IntArray) -> PairCounts:
        vectors, values = self.vectors.take(cells), self.values
        if values is not None:
            places = np.repeat(self.vectors.starts[cells] - vectors.starts[:-1], vectors.widths)
            values = values[:, places + np.arange(len(vectors.counts))]
        return PairCounts(vectors, self.parts[cells], self.listed[cells], values)

    def joined(self, others: Sequence[PairCounts]) -> PairCounts:
        if not others:
            return self
        every = [self, *others]
        return PairCounts(
            CountVectors.joined([one.vectors for one in every]),
            np.concatenate([one.parts for one in every]),
            np.concatenate([one.listed for one in every]),
            _joined_values(every),
        )


def _summed_values(values: FloatArray | None, group: IntArray, size: int) -> FloatArray | None:
    """``values`` (any, rows) or (any, rows, labels), added up by the group of each row."""
    if values is None:
        return None
    if values.shape[1] == size:  # every row is a group of its own
        return values[:, np.argsort(group)]
    columns = np.moveaxis(values, 1, -1)
    sums = np.empty((*columns.shape[:-1], size))
    for index in np.ndindex(columns.shape[:-1]):
        sums[index] = np.bincount(group, weights=columns[index], minlength=size)
    return np.moveaxis(sums, -1, 1)


def _joined_values(several: Sequence[MarginalCounts]) -> FloatArray | None:
    values = [one.values for one in several if one.values is not None]
    return np.concatenate(values, axis=1) if len(values) == len(several) else None
