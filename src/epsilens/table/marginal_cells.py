"""The cells of every marginal of a table, from the table's own cells: people are not looked at again.

Whoever knows some of the quasi-identifiers sees a cell of a marginal: all cells of the table that agree in what they
know. What is asked of it is how many people of every label it has, and how many published counts add up to each of
them: the counts of a declared universe, or those of the cells that somebody is in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from epsilens.arrays import BoolArray, CodeArray, FloatArray, IntArray
from epsilens.notebook import brief
from epsilens.table.count_vectors import FEW_LABELS
from epsilens.table.declared_cells import CountsWithin
from epsilens.table.domain import TOO_MANY_TO_NUMBER, Domain
from epsilens.table.frequency import FrequencyTable, checked_table
from epsilens.table.marginal_counts import FullCounts, MarginalCounts

LARGEST_IN_MEMORY = 2_000_000
"""With more cells than this, marginals are left to the engine, which gives kinds of cells and not the cells. Of many
labels it has lists, which are added up here: those cells come here however many they are."""
_MARKED = 16


@dataclass(frozen=True, eq=False)
class MarginalCells:
    """Cells of a marginal, or kinds of cells that are alike."""

    columns: tuple[str, ...]
    counts: MarginalCounts
    times: IntArray
    """How many cells of the marginal are of each kind."""
    group: IntArray | None = None
    """Which of the cells each cell of the table falls into; None for kinds of cells, or if nobody asked."""
    some: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """One cell of the table in each; nothing for kinds of cells."""

    __repr__ = brief

    def kinds(self) -> MarginalCells:
        """The distinct kinds of these cells: they have the same counts and as many parts."""
        return self if self.some.size == 0 else MarginalCells(self.columns, *self.counts.kinds())

    @cached_property
    def people(self) -> IntArray:
        """People in all cells of each kind."""
        return self.counts.sizes * self.times


@dataclass(frozen=True, eq=False)
class TableCells:
    """The cells of a table as numbers, ready for any marginal."""

    table: FrequencyTable
    domain: Domain
    """The quasi-identifiers and the levels that are found in the table."""
    codes: CodeArray | None
    """(cells, columns); None for a table that is left to its engine."""
    counts: MarginalCounts
    """Their counts in the same order, which need not be that of the table."""
    within: CountsWithin | None
    """How many counts of the declared universe a cell of a marginal has; None without a universe."""

    __repr__ = brief

    @staticmethod
    def of(table: FrequencyTable, largest: int = LARGEST_IN_MEMORY) -> TableCells:
        """The cells of ``table``; beyond ``largest`` of them they stay where they are."""
        within = CountsWithin.of(checked_table(table))
        ruled = within is not None and bool(within.rules)
        if table.n_cells > largest and table.n_labels <= FEW_LABELS and not ruled:
            nothing = FullCounts.of_table(np.empty((0, table.n_labels), dtype=np.int64))
            return TableCells(table, Domain((), ()), None, nothing, within)
        domain, codes, vectors = table.store.coded_cells()
        apart = within is not None and not within.alike
        return TableCells(table, domain, codes, MarginalCounts.of(vectors, in_full=apart), within)

    @cached_property
    def sizes(self) -> IntArray:
        """People in each cell of the table."""
        return self.counts.sizes

    def with_values(self, values: FloatArray) -> TableCells:
        """The same cells with something else beside every count, which every marginal adds up as well."""
        return replace(self, counts=self.counts.with_values(values))

    def marginal(
        self, columns: Sequence[str], finer: MarginalCells | None = None, grouped: bool = True
    ) -> MarginalCells:
        """The cells of the marginal by ``columns``; none of them makes one cell of everybody.

        A ``finer`` marginal, which has these columns and others, saves work: its cells are fewer than the table's.
        ``grouped`` says whether to tell which cell of the table is in which.
        """
        kept = tuple(columns)
        if self.codes is None:
            vectors, listed, times = self.table.store.marginal_signatures(kept)
            parts = listed if self.within is None else np.where(vectors >= 0, self.within.total(kept), 0)
            return MarginalCells(kept, FullCounts(vectors, parts, listed), times)
        group: IntArray | None
        if finer is None or finer.some.size == 0 or (grouped and finer.group is None):
            group, size, some = self._group(kept, self.codes)
            counts = self.counts.summed_by(group, size)
        else:
            within, size, some = self._group(kept, self.codes[finer.some])
            counts = finer.counts.summed_by(within, size)
            group, some = within[finer.group] if grouped and finer.group is not None else None, finer.some[some]
        if self.within is not None:
            counts = counts.of_parts(self._declared(kept, self.domain.project(kept), self.codes_of(kept, some)))
        return MarginalCells(kept, counts, np.ones(size, dtype=np.int64), group, some)

    def recoded(self, axis: int, places: CodeArray) -> MarginalCells:
        """The cells of the table where level i of one column has become level ``places[i]``, with others."""
        assert self.codes is not None
        codes = self.codes.copy()
        codes[:, axis] = places[codes[:, axis]]
        group, size, some = self._group(self.domain.columns, codes, alike=True)
        counts = self.counts.summed_by(group, size)
        if self.within is not None and self.within.rules:  # one count each where any of its levels may have it
            counts = counts.of_parts(self._possible(axis, codes[some], places).astype(np.int64))
        return MarginalCells(self.domain.columns, counts, np.ones(size, dtype=np.int64), group, some)

    def _possible(self, axis: int, recoded: CodeArray, places: CodeArray) -> BoolArray:
        """Which labels can occur in cells whose levels of one column are those that ``places`` makes of the table's."""
        several = []
        for level in range(len(places)):
            rows = np.flatnonzero(recoded[:, axis] == places[level])
            codes = recoded[rows].copy()
            codes[:, axis] = level
            several.append((rows, self._declared(self.domain.columns, self.domain, codes) > 0))
        possible = np.zeros((len(recoded), *several[0][1].shape[1:]), dtype=bool)
        for rows, there in several:
            possible[rows] |= there
        return possible

    def codes_of(self, columns: Sequence[str], some: IntArray) -> CodeArray:
        """The levels of ``columns`` in ``some`` cells of the table, as positions."""
        assert self.codes is not None
        return self.codes[some][:, list(self.domain.axes(columns))]

    def _declared(self, columns: tuple[str, ...], domain: Domain, codes: CodeArray) -> IntArray:
        """How many counts of the universe each cell with these codes has: (cells, labels), or (cells,) if all alike."""
        assert self.within is not None
        if self.within.alike:
            return self.within.counts_of_each(columns, domain, codes)
        return self.within.counts(columns, domain, codes)

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


def _one_of_each(group: IntArray, size: int) -> IntArray:
    some = np.empty(size, dtype=np.int64)
    some[group] = np.arange(len(group))
    return some


def number_of_subsets(columns: int, largest: int | None = None) -> int:
    """How many non-empty sets of so many columns there are, of at most ``largest`` columns each."""
    return sum(math.comb(columns, size) for size in range(1, min(columns, largest or columns) + 1))
