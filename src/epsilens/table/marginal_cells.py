"""The cells of every marginal of a table, from the table's own cells: people are not looked at again.

Whoever knows some of the quasi-identifiers sees a cell of a marginal: all cells of the table that agree in what they
know. What is asked of it is how many people of every label it has, and how many published counts add up to each of
them: the counts of a declared universe, or those of the cells that somebody is in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epsilens.arrays import CodeArray, FloatArray, IntArray
from epsilens.notebook import brief
from epsilens.table.cells import cell_names
from epsilens.table.declared_cells import CountsWithin
from epsilens.table.domain import Domain, encoded
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable, checked_table

LARGEST_IN_MEMORY = 2_000_000
"""With more cells than this, marginals are left to the engine, which gives kinds of cells and not the cells."""


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
    """Which of the cells each cell of the table falls into; None for kinds of cells."""
    codes: CodeArray | None = None
    """The levels of each cell, as positions; None for kinds of cells."""

    __repr__ = brief

    @cached_property
    def sizes(self) -> IntArray:
        """People in one cell of each kind."""
        return np.maximum(self.vectors, 0).sum(axis=1)

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
    within: CountsWithin | None
    """How many counts of the declared universe a cell of a marginal has; None without a universe."""

    __repr__ = brief

    @staticmethod
    def of(table: FrequencyTable, largest: int = LARGEST_IN_MEMORY) -> TableCells:
        """The cells of ``table``; beyond ``largest`` of them they stay where they are."""
        within = CountsWithin.of(checked_table(table))
        if table.n_cells > largest and (within is None or not within.rules):
            return TableCells(table, Domain((), ()), None, within)
        names, columns = cell_names(table)
        found = [encoded(column) for column in columns]
        codes = np.stack([codes for _, codes in found], axis=1)
        return TableCells(table, Domain(names, tuple(levels for levels, _ in found)), codes, within)

    @cached_property
    def sizes(self) -> IntArray:
        """People in each cell of the table."""
        return self.table.counts.sum(axis=1)

    def marginal(self, columns: Sequence[str]) -> MarginalCells:
        """The cells of the marginal by ``columns``; none of them makes one cell of everybody."""
        kept = tuple(columns)
        if self.codes is None:
            vectors, listed, times = self.table.store.marginal_signatures(kept)
            parts = listed if self.within is None else np.where(vectors >= 0, self.within.total(kept), 0)
            return MarginalCells(kept, vectors, parts, listed, times)
        domain = self.domain.project(kept)
        codes, group = domain.distinct(self.codes[:, list(self.domain.axes(kept))])
        vectors, listed = summed_by(group, self.table.vectors, len(codes))
        parts = listed
        if self.within is not None:
            parts = self.within.counts(kept, domain, codes)
            # a label that cannot occur where there are people may be possible in cells that nobody is in
            vectors = np.where(parts > 0, np.maximum(vectors, 0), np.int64(STRUCTURAL_ZERO))
        return MarginalCells(kept, vectors, parts, listed, np.ones(len(codes), dtype=np.int64), group, codes)

    def summed(self, found: MarginalCells, values: FloatArray) -> FloatArray:
        """``values`` of the table's cells (cells, labels), added up within each cell of a marginal."""
        assert found.group is not None
        return np.stack(
            [np.bincount(found.group, weights=column, minlength=len(found.vectors)) for column in values.T], axis=1
        )


def summed_by(group: IntArray, vectors: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Count vectors added up by ``group``, and how many counts each sum has; what can occur nowhere is a zero."""
    counts, parts = np.zeros((2, size, vectors.shape[1]), dtype=np.int64)
    for k in range(vectors.shape[1]):
        column = vectors[:, k]
        # doubles are exact up to 2^53, the most that a table counts
        counts[:, k] = np.bincount(group, weights=np.maximum(column, 0), minlength=size)
        parts[:, k] = np.bincount(group, weights=column != STRUCTURAL_ZERO, minlength=size)
    return np.where(parts > 0, counts, np.int64(STRUCTURAL_ZERO)), parts


def number_of_subsets(columns: int, largest: int | None = None) -> int:
    """How many non-empty sets of so many columns there are, of at most ``largest`` columns each."""
    return sum(math.comb(columns, size) for size in range(1, min(columns, largest or columns) + 1))
