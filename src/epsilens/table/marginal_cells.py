"""The cells of every marginal of a table, from the table's own cells: people are not looked at again.

Whoever knows some of the quasi-identifiers sees a cell of a marginal: all cells of the table that agree in what they
know. What is asked of it is how many people of every label it has, and how many published counts add up to each of
them: the counts of a declared universe, or those of the cells that somebody is in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from epsilens.arrays import BoolArray, CodeArray, FloatArray, IntArray, distinct_rows
from epsilens.notebook import brief
from epsilens.table.declared_cells import CountsWithin
from epsilens.table.domain import TOO_MANY_TO_NUMBER, Domain
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable, checked_table

LARGEST_IN_MEMORY = 2_000_000
"""With more cells than this, marginals are left to the engine, which gives kinds of cells and not the cells."""
_MARKED = 16


@dataclass(frozen=True, eq=False)
class MarginalCells:
    """Cells of a marginal, or kinds of cells that are alike."""

    columns: tuple[str, ...]
    vectors: IntArray
    """Counts (cells, labels), :data:`STRUCTURAL_ZERO` where a label cannot occur."""
    parts: IntArray
    """How many published counts add up to each of them."""
    listed: IntArray
    """How many of these are of cells of the table; the others are of cells that nobody is in."""
    times: IntArray
    """How many cells of the marginal are of each kind."""
    group: IntArray | None = None
    """Which of the cells each cell of the table falls into; None for kinds of cells, or if nobody asked."""
    some: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """One cell of the table in each; nothing for kinds of cells."""
    sums: FloatArray | None = None
    """Whatever else of the table's cells was added up, (cells, any); None for kinds of cells, or if nobody asked."""

    __repr__ = brief

    def kinds(self) -> MarginalCells:
        """The distinct kinds of these cells: they have the same counts and as many parts."""
        if self.some.size == 0:
            return self
        columns = [self.vectors[:, k] + 1 for k in range(self.vectors.shape[1])]
        columns += [self.parts[:, 0], *(self.parts[:, k] for k in self._further_parts)]
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
            rows, times = distinct_rows(np.stack(columns, axis=1), self.times)
        labels = self.vectors.shape[1]
        parts = np.repeat(rows[:, labels : labels + 1], labels, axis=1)
        for place, k in enumerate(self._further_parts):
            parts[:, k] = rows[:, labels + 1 + place]
        return MarginalCells(self.columns, rows[:, :labels] - 1, parts, parts, times)

    @cached_property
    def _further_parts(self) -> list[int]:
        """The labels that have other numbers of parts than the first."""
        first = self.parts[:, 0]
        return [k for k in range(1, self.parts.shape[1]) if not np.array_equal(self.parts[:, k], first)]

    @cached_property
    def sizes(self) -> IntArray:
        """People in one cell of each kind."""
        sizes = np.zeros(len(self.vectors), dtype=np.int64)
        for k in range(self.vectors.shape[1]):
            sizes += np.maximum(self.vectors[:, k], 0)
        return sizes

    @cached_property
    def people(self) -> IntArray:
        """People in all cells of each kind."""
        return self.sizes * self.times


@dataclass(frozen=True, eq=False)
class TableCells:
    """The cells of a table as numbers, ready for any marginal."""

    table: FrequencyTable
    domain: Domain
    """The quasi-identifiers and the levels that are found in the table."""
    codes: CodeArray | None
    """(cells, columns); None for a table that is left to its engine."""
    vectors: IntArray
    """Counts (cells, labels) in the same order, which need not be that of the table."""
    within: CountsWithin | None
    """How many counts of the declared universe a cell of a marginal has; None without a universe."""

    __repr__ = brief

    @staticmethod
    def of(table: FrequencyTable, largest: int = LARGEST_IN_MEMORY) -> TableCells:
        """The cells of ``table``; beyond ``largest`` of them they stay where they are."""
        within = CountsWithin.of(checked_table(table))
        if table.n_cells > largest and (within is None or not within.rules):
            return TableCells(table, Domain((), ()), None, np.empty((0, table.n_labels), dtype=np.int64), within)
        return TableCells(table, *table.store.coded_cells(), within)

    @cached_property
    def sizes(self) -> IntArray:
        """People in each cell of the table."""
        sizes: IntArray = np.maximum(self.vectors, 0).sum(axis=1)
        return sizes

    def marginal(
        self,
        columns: Sequence[str],
        finer: MarginalCells | None = None,
        grouped: bool = True,
        values: FloatArray | None = None,
    ) -> MarginalCells:
        """The cells of the marginal by ``columns``; none of them makes one cell of everybody.

        A ``finer`` marginal, which has these columns and others, saves work: its cells are fewer than the table's.
        ``grouped`` says whether to tell which cell of the table is in which. ``values`` of the table's cells, (cells,
        any), are added up as well; a finer marginal has them already.
        """
        kept = tuple(columns)
        if self.codes is None:
            vectors, listed, times = self.table.store.marginal_signatures(kept)
            parts = listed if self.within is None else np.where(vectors >= 0, self.within.total(kept), 0)
            return MarginalCells(kept, vectors, parts, listed, times)
        group: IntArray | None
        if finer is None or finer.some.size == 0 or (grouped and finer.group is None):
            group, size, some = self._group(kept, self.codes)
            vectors, listed = summed_by(group, self.vectors, size)
            sums = None if values is None else _summed_values(group, values, size)
        else:
            within, size, some = self._group(kept, self.codes[finer.some])
            vectors, listed = summed_by(within, finer.vectors, size, finer.listed)
            sums = None if finer.sums is None else _summed_values(within, finer.sums, size)
            group, some = within[finer.group] if grouped and finer.group is not None else None, finer.some[some]
        parts = listed
        if self.within is not None:
            parts = self._declared_parts(kept, some)
            # a label that cannot occur where there are people may be possible in cells that nobody is in
            vectors = np.where(parts > 0, np.maximum(vectors, 0), np.int64(STRUCTURAL_ZERO))
        return MarginalCells(kept, vectors, parts, listed, np.ones(size, dtype=np.int64), group, some, sums)

    def recoded(self, axis: int, places: CodeArray) -> MarginalCells:
        """The cells of the table where level i of one column has become level ``places[i]``, with others."""
        assert self.codes is not None
        codes = self.codes.copy()
        codes[:, axis] = places[codes[:, axis]]
        group, size, some = self._group(self.domain.columns, codes, alike=True)
        vectors, listed = summed_by(group, self.vectors, size)
        if self.within is not None and self.within.rules:
            # a label that cannot occur where there are people may be possible in cells that nobody is in
            possible = self._possible(axis, codes[some], places)
            vectors = np.where(possible, np.maximum(vectors, 0), np.int64(STRUCTURAL_ZERO))
        return MarginalCells(self.domain.columns, vectors, listed, listed, np.ones(size, dtype=np.int64), group, some)

    def _possible(self, axis: int, recoded: CodeArray, places: CodeArray) -> BoolArray:
        """Which labels can occur in cells whose levels of one column are those that ``places`` makes of the table's."""
        assert self.within is not None
        possible = np.zeros((len(recoded), self.vectors.shape[1]), dtype=bool)
        for level, place in enumerate(places.tolist()):
            rows = np.flatnonzero(recoded[:, axis] == place)
            codes = recoded[rows].copy()
            codes[:, axis] = level
            possible[rows] |= self.within.counts(self.domain.columns, self.domain, codes) > 0
        return possible

    def codes_of(self, columns: Sequence[str], some: IntArray) -> CodeArray:
        """The levels of ``columns`` in ``some`` cells of the table, as positions."""
        assert self.codes is not None
        return self.codes[some][:, list(self.domain.axes(columns))]

    def _declared_parts(self, columns: tuple[str, ...], some: IntArray) -> IntArray:
        assert self.within is not None
        return self.within.counts(columns, self.domain.project(columns), self.codes_of(columns, some))

    def _group(self, columns: tuple[str, ...], codes: CodeArray, alike: bool = False) -> tuple[IntArray, int, IntArray]:
        """Which cell of a marginal cells with these codes fall into, how many there are, and one cell in each.

        By all columns the table's cells differ, unless they were made ``alike`` by other codes. Where there are not
        many more combinations of levels than cells, those that occur are marked: nothing is sorted.
        """
        axes = self.domain.axes(columns)
        if len(axes) == len(self.domain.columns) and not alike:
            return np.arange(len(codes)), len(codes), np.arange(len(codes))
        size = math.prod(self.domain.shape[axis] for axis in axes)
        if size >= TOO_MANY_TO_NUMBER:
            distinct, group = self.domain.project(columns).distinct(codes[:, list(axes)])
            return group, len(distinct), _one_of_each(group, len(distinct))
        keys = np.zeros(len(codes), dtype=np.int64)
        for axis in axes:
            keys *= self.domain.shape[axis]
            keys += codes[:, axis]
        if size > _MARKED * len(keys):
            numbers, some, group = np.unique(keys, return_index=True, return_inverse=True)
            return group, len(numbers), some
        occurs = np.zeros(size, dtype=bool)
        occurs[keys] = True
        places = np.cumsum(occurs)
        group = places[keys] - 1
        return group, int(places[-1]), _one_of_each(group, int(places[-1]))


def _summed_values(group: IntArray, values: FloatArray, size: int) -> FloatArray:
    """``values`` (rows, any) added up by ``group``."""
    if len(values) == size:  # every row is a group of its own, and in its order
        return values[np.argsort(group)]
    sums = np.empty((size, values.shape[1]))
    for k in range(values.shape[1]):
        sums[:, k] = np.bincount(group, weights=values[:, k], minlength=size)
    return sums


def _one_of_each(group: IntArray, size: int) -> IntArray:
    some = np.empty(size, dtype=np.int64)
    some[group] = np.arange(len(group))
    return some


def summed_by(
    group: IntArray, vectors: IntArray, size: int, listed: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Count vectors added up by ``group``, and how many counts each sum has; what can occur nowhere is a zero.

    ``listed`` says how many counts each of the vectors' own is a sum of; one, unless given.
    """
    if listed is not None:
        counts, parts = np.empty((2, size, vectors.shape[1]), dtype=np.int64)
        for k in range(vectors.shape[1]):
            alike = k > 0 and np.array_equal(listed[:, k], listed[:, 0])
            counts[:, k] = np.bincount(group, weights=np.maximum(vectors[:, k], 0), minlength=size)
            parts[:, k] = parts[:, 0] if alike else np.bincount(group, weights=listed[:, k], minlength=size)
        return np.where(parts > 0, counts, np.int64(STRUCTURAL_ZERO)), parts
    counts, parts = np.zeros((2, size, vectors.shape[1]), dtype=np.int64)
    everywhere = np.bincount(group, minlength=size)
    for k in range(vectors.shape[1]):
        column = vectors[:, k]
        impossible = column == STRUCTURAL_ZERO
        # doubles are exact up to 2^53, the most that a table counts
        counts[:, k] = np.bincount(group, weights=column, minlength=size)
        parts[:, k] = everywhere
        if impossible.any():
            ruled_out = np.bincount(group[impossible], minlength=size)
            counts[:, k] += ruled_out
            parts[:, k] -= ruled_out
    return np.where(parts > 0, counts, np.int64(STRUCTURAL_ZERO)), parts


def number_of_subsets(columns: int, largest: int | None = None) -> int:
    """How many non-empty sets of so many columns there are, of at most ``largest`` columns each."""
    return sum(math.comb(columns, size) for size in range(1, min(columns, largest or columns) + 1))
