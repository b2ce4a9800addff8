"""The universe: every cell that could be published, known before anybody looks at the data.

A release adds noise to *all* cells of the universe, the empty ones included: which cells exist is a fact about people.
The universe is the product of the declared levels of the columns, less the structural zeros. Levels are public when
they are declared, or follow from declared bin edges; a column of fixed-width bins needs a declared range, and columns
that nest (county and tract) are declared by their paths. Quantile bins are read from the data and are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from epsilens.arrays import BoolArray, CodeArray, IntArray
from epsilens.errors import DataError, ParameterError, counted
from epsilens.table import STRUCTURAL_ZERO, FrequencyTable, Schema
from epsilens.table.bins import Edges
from epsilens.table.cells import Cells, added_up, cell_names
from epsilens.table.domain import Domain, encoded, level_text, refuse_many_cells
from epsilens.table.reading.misfits import UNDECLARED, Misfit

NO_CELL = "in a structural zero or on an undeclared path"

Paths = Mapping[tuple[str, ...], Sequence[Sequence[object]]]
"""Columns that nest, and the combinations of their levels that exist."""


@dataclass(frozen=True, eq=False)
class Universe:
    """The publishable cells of a ``domain``: ``codes[i]`` are the positions of cell i's levels."""

    domain: Domain
    codes: CodeArray

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the domain."""
        return self.domain.columns

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """The levels of the domain."""
        return self.domain.levels

    @property
    def n_cells(self) -> int:
        """How many cells there are, empty ones included."""
        return len(self.codes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many levels each column has."""
        return self.domain.shape

    @property
    def complete(self) -> bool:
        """Whether every combination of levels is a cell: no structural zeros, no nesting."""
        return self.n_cells == self.domain.size

    @cached_property
    def _sorted_keys(self) -> tuple[IntArray, IntArray]:
        keys = self.domain.keys(self.codes)
        if is_ascending(keys):
            return keys, np.arange(len(keys))
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def positions(self, codes: CodeArray) -> IntArray:
        """The cells with these codes; -1 where there is none."""
        if not self.columns:
            return np.zeros(len(codes), dtype=np.int64)
        ordered, order = self._sorted_keys
        keys = self.domain.keys(np.maximum(codes, 0))
        known = (codes >= 0).all(axis=1)
        if self.complete:  # a cell's key is its place among the keys
            return np.where(known, order[keys], -1)
        place = np.minimum(np.searchsorted(ordered, keys), max(len(ordered) - 1, 0))
        found = (ordered[place] == keys) & known
        return np.where(found, order[place], -1)

    def counts(self, cells: Cells) -> IntArray:
        """The people in every cell. People outside the universe are not counted: see :meth:`misfits`."""
        place = self.positions(self._translated(cells))
        inside = place >= 0
        return added_up(place[inside], cells.counts[inside], self.n_cells)

    def misfits(self, cells: Cells) -> tuple[Misfit, ...]:
        """The people outside the universe, and why. Confidential."""
        translated = self._translated(cells)
        found = [
            Misfit(name, UNDECLARED, int(cells.counts[translated[:, j] < 0].sum()))
            for j, name in enumerate(self.columns)
        ]
        known = (translated >= 0).all(axis=1)
        elsewhere = known & (self.positions(translated) < 0)
        found.append(Misfit(None, NO_CELL, int(cells.counts[elsewhere].sum())))
        return tuple(misfit for misfit in found if misfit.rows)

    def _translated(self, cells: Cells) -> CodeArray:
        """The codes of cells in this universe's levels; -1 where a level is not one of them."""
        translated = np.empty((len(cells.counts), len(self.columns)), dtype=np.int32)
        for j, name in enumerate(self.columns):
            there = cells.domain.axis(name)
            translated[:, j] = self.domain.coded(name, cells.domain.levels[there])[cells.codes[:, there]]
        return translated

    def marginal(self, columns: Sequence[str]) -> tuple[Universe, IntArray]:
        """The universe of fewer columns, and the cell there that each of these cells adds to."""
        if tuple(columns) == self.columns:
            return self, np.arange(self.n_cells)
        domain = self.domain.project(columns)
        codes, group = domain.distinct(self.codes[:, list(self.domain.axes(columns))])
        return Universe(domain, codes), group

    def where(self, shown: BoolArray) -> Universe:
        """Some of the cells."""
        return Universe(self.domain, self.codes[shown])

    def sorted_by_text(self) -> Universe:
        """The same cells, sorted by their texts, with only the levels that they use."""
        return Universe(*self.domain.used(self.codes[self.domain.text_order(self.codes)]))

    def level_columns(self) -> dict[str, tuple[tuple[str, ...], CodeArray]]:
        """Per column its levels and every cell's position among them."""
        return {name: (self.levels[j], self.codes[:, j]) for j, name in enumerate(self.columns)}


def is_ascending(keys: IntArray) -> bool:
    """Whether each number is greater than the one before it."""
    return bool((keys[1:] > keys[:-1]).all())


def public_schema(schema: Schema, paths: Paths | None = None) -> Schema:
    """The schema with every level that is public without looking at the data: declared, of bin edges, on paths."""
    refuse_levels_read_from_data(schema)
    declared: dict[str, Sequence[object]] = dict(schema.universe_levels)
    for name, rule in schema.bin_rules.items():
        if name not in declared and isinstance(rule, Edges):
            declared[name] = rule.labels()
    for columns, rows in (paths or {}).items():
        for j, name in enumerate(columns):
            if name not in schema.columns:
                raise ParameterError(f"the `paths` name column {name!r}, which the release does not have")
            if any(len(row) != len(columns) for row in rows):
                raise ParameterError(f"each path of {', '.join(columns)} must have {counted(len(columns), 'level')}")
            if name not in declared:
                declared[name] = tuple(dict.fromkeys(level_text(row[j]) for row in rows))
    return replace(schema, universe=declared or None)


def refuse_levels_read_from_data(schema: Schema) -> None:
    """Quantile bins are facts about the people counted: refused."""
    refuse_quantiles(schema.read_from_data)


def refuse_quantiles(columns: Sequence[str]) -> None:
    """Refuse ``columns``, if there are any, whose bins would be read from the data."""
    if columns:
        raise ParameterError(
            f"the quantile bins of {', '.join(map(repr, columns))} are read from the data, which a release would have "
            "to pay for",
            remedy="declare edges with `bins` instead, such as 0, 18 and 65",
        )


def undeclared_columns(schema: Schema) -> tuple[str, ...]:
    """The columns whose levels are not public yet."""
    return tuple(name for name in schema.columns if name not in schema.universe_levels)


def declared_universe(schema: Schema, paths: Paths | None = None) -> Universe:
    """The universe that a schema with all levels declared (:func:`public_schema`) describes, last column fastest."""
    columns, declared = schema.columns, schema.universe_levels
    domain = Domain(columns, tuple(declared[name] for name in columns))
    blocks = _blocks(domain, paths or {})
    size = math.prod(len(rows) for _, rows in blocks)
    refuse_many_cells(size)
    codes = np.empty((size, len(columns)), dtype=np.int32)
    stride = size
    for members, rows in blocks:
        stride //= len(rows)
        where = (np.arange(size) // stride) % len(rows)
        for j, name in enumerate(members):
            codes[:, domain.axis(name)] = rows[where, j]
    possible = np.ones(size, dtype=bool)
    for number, rule in enumerate(schema.impossible, start=1):
        for name, levels in rule.items():
            if (domain.coded(name, levels) < 0).any():
                raise ParameterError(f"structural zero {number} names a level of {name!r} that nobody declared")
        possible &= ~domain.matches(rule, codes)
    if not possible.any():
        raise ParameterError("the structural zeros leave no cell to publish")
    return Universe(domain, codes[possible])


def table_universe(table: FrequencyTable) -> Universe:
    """The universe that a ready-made table of counts spells out itself: its cells x its labels, as the curator says."""
    if not table.by_hand:
        raise ParameterError(
            "a table read from data has only the cells that exist, which is a fact about people; "
            "declare the universe in a `schema` instead"
        )
    names, known = cell_names(table)
    possible = table.vectors != STRUCTURAL_ZERO
    cell, label = np.nonzero(possible)
    levels, codes = [], []
    sides = [(values, cell) for values in known]
    sides += [([parts[j] for parts in table.label_values], label) for j in range(len(table.sensitive))]
    for values, where in sides:
        found, code = encoded(values)
        levels.append(found)
        codes.append(code[where])
    universe = Universe(Domain((*names, *table.sensitive), tuple(levels)), np.stack(codes, axis=1))
    ordered, _ = universe._sorted_keys
    if (ordered[1:] == ordered[:-1]).any():
        raise DataError("two cells of the table have the same name; each cell is published once")
    return universe


def occupied_universe(cells: Cells, columns: Sequence[str]) -> tuple[Universe, IntArray]:
    """The occupied cells in the order of their levels' code points, which tells nothing about the order of the data."""
    marginal = cells.marginal(columns)
    universe = Universe(marginal.domain, marginal.codes).sorted_by_text()
    return universe, marginal.counts[marginal.domain.text_order(marginal.codes)]


def _blocks(domain: Domain, paths: Paths) -> list[tuple[tuple[str, ...], CodeArray]]:
    """Groups of columns that vary together, with the rows of codes they can take, in the order of first columns."""
    blocks: list[tuple[tuple[str, ...], CodeArray]] = []
    nested = {name: tuple(group) for group in paths for name in group}
    if sum(len(group) for group in paths) != len(nested):
        raise ParameterError("a column may nest in one group of `paths` only")
    for name in domain.columns:
        group = nested.get(name, (name,))
        if any(group == members for members, _ in blocks):
            continue
        if group == (name,) and name not in nested:
            blocks.append((group, np.arange(len(domain.levels_of(name)), dtype=np.int32)[:, None]))
            continue
        rows = [
            [domain.position(column, level_text(level)) for column, level in zip(group, row, strict=True)]
            for row in paths[group]
        ]
        if any(min(row) < 0 for row in rows):
            raise ParameterError(f"a path of {', '.join(group)} has a level that the universe does not declare")
        if not rows or len({tuple(row) for row in rows}) != len(rows):
            raise ParameterError(f"the paths of {', '.join(group)} must be given once each, at least one")
        blocks.append((group, np.array(sorted(rows), dtype=np.int32)))
    return blocks
