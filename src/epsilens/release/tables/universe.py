"""The universe: every cell that could be published, known before anybody looks at the data.

A release adds noise to *all* cells of the universe, the empty ones included: which cells exist is a fact about people.
The universe is the product of the declared levels of the columns, less the structural zeros. Levels are public when
they are declared, or follow from declared bin edges; a column of fixed-width bins needs a declared range, and columns
that nest (county and tract) are declared by their paths. Quantile bins are read from the data and are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from epsilens.arrays import CodeArray, IntArray
from epsilens.errors import DataError, ParameterError
from epsilens.release.tables.cells import Cells, cell_names, grouped_codes, row_keys
from epsilens.table import STRUCTURAL_ZERO, FrequencyTable, Schema
from epsilens.table.bins import Edges, Width, number_text
from epsilens.table.reading.store import EngineStore

MAX_CELLS = 20_000_000
Paths = Mapping[tuple[str, ...], Sequence[Sequence[object]]]
"""Columns that nest, and the combinations of their levels that exist."""


@dataclass(frozen=True, eq=False)
class Universe:
    """The publishable cells: ``codes[i, j]`` is the position of cell i's level in ``levels[j]``."""

    columns: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    codes: CodeArray

    @property
    def n_cells(self) -> int:
        """How many cells there are, empty ones included."""
        return len(self.codes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many levels each column has."""
        return tuple(len(found) for found in self.levels)

    @property
    def complete(self) -> bool:
        """Whether every combination of levels is a cell: no structural zeros, no nesting."""
        return self.n_cells == int(np.prod([float(size) for size in self.sizes]))

    @cached_property
    def _sorted_keys(self) -> tuple[IntArray, IntArray]:
        keys = row_keys(self.codes, self.sizes)
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def positions(self, codes: CodeArray) -> IntArray:
        """The cells with these codes; -1 where there is none."""
        if not self.columns:
            return np.zeros(len(codes), dtype=np.int64)
        ordered, order = self._sorted_keys
        keys = row_keys(np.maximum(codes, 0), self.sizes)
        place = np.minimum(np.searchsorted(ordered, keys), max(len(ordered) - 1, 0))
        found = (ordered[place] == keys) & (codes >= 0).all(axis=1)
        return np.where(found, order[place], -1)

    def counts(self, cells: Cells) -> IntArray:
        """The people in every cell. People outside the universe are an error, counted but not named."""
        translated = np.empty(cells.codes.shape, dtype=np.int32)
        for j, name in enumerate(self.columns):
            position = {level: i for i, level in enumerate(self.levels[j])}
            there = cells.columns.index(name)
            lookup = np.array([position.get(level, -1) for level in cells.levels[there]], dtype=np.int32)
            translated[:, j] = lookup[cells.codes[:, there]]
            if (strange := int(cells.counts[translated[:, j] < 0].sum())) > 0:
                raise DataError(
                    f"column {name!r} has levels in {strange} rows that its universe does not declare; declare them "
                    "('(missing)' for missing values), or correct the data"
                )
        place = self.positions(translated)
        if (outside := int(cells.counts[place < 0].sum())) > 0:
            raise DataError(f"{outside} rows lie in structural zeros or undeclared paths; correct the declaration")
        counts = np.zeros(self.n_cells, dtype=np.int64)
        np.add.at(counts, place, cells.counts)
        return counts

    def marginal(self, columns: Sequence[str]) -> tuple[Universe, IntArray]:
        """The universe of fewer columns, and the cell there that each of these cells adds to."""
        if tuple(columns) == self.columns:
            return self, np.arange(self.n_cells)
        kept = [self.columns.index(name) for name in columns]
        levels = tuple(self.levels[j] for j in kept)
        codes, group = grouped_codes(self.codes[:, kept], [len(found) for found in levels])
        return Universe(tuple(columns), levels, codes), group

    def level_columns(self) -> dict[str, tuple[tuple[str, ...], CodeArray]]:
        """Per column its levels and every cell's position among them."""
        return {name: (self.levels[j], self.codes[:, j]) for j, name in enumerate(self.columns)}


def width_levels(step: float | Decimal, low: float | Decimal, high: float | Decimal) -> tuple[str, ...]:
    """The bins of one width that cover the public range from ``low`` to ``high``: 5, 0, 15 gives [0, 5), [5, 10), ...

    ``high`` itself is covered too where it is not a bound; values outside the range are refused when read.
    """
    rule = Width(Decimal(number_text(Decimal(str(step)))))
    bottom, top = Decimal(str(low)), Decimal(str(high))
    if rule.step <= 0 or not bottom < top:
        raise ParameterError(f"a range of bins must ascend in steps > 0, got {low} to {high} by {step}")
    first = int((bottom / rule.step).to_integral_value(ROUND_FLOOR))
    last = int((top / rule.step).to_integral_value(ROUND_CEILING))
    if last - first > MAX_CELLS:
        raise ParameterError(f"a range of {last - first} bins is too long; use wider bins or a shorter range")
    bounds = [f"{index * rule.step:.{rule.decimals}f}" for index in range(first, last + 1)]
    return tuple(f"[{lower}, {upper})" for lower, upper in pairwise(bounds))


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
                raise ParameterError(f"the paths name column {name!r}, which the release does not have")
            if any(len(row) != len(columns) for row in rows):
                raise ParameterError(f"each path of {', '.join(columns)} must have {len(columns)} levels")
            if name not in declared:
                declared[name] = tuple(dict.fromkeys(str(row[j]) for row in rows))
    return replace(schema, universe=declared or None)


def refuse_levels_read_from_data(schema: Schema) -> None:
    """Quantile bins are facts about the people counted: refused."""
    if schema.read_from_data:
        raise ParameterError(
            f"the quantile bins of {', '.join(map(repr, schema.read_from_data))} are read from the data, which a "
            "release would have to pay for",
            remedy="declare edges with `bins` instead, such as 0, 18 and 65",
        )


def undeclared_columns(schema: Schema) -> tuple[str, ...]:
    """The columns whose levels are not public yet."""
    return tuple(name for name in schema.columns if name not in schema.universe_levels)


def declared_universe(schema: Schema, paths: Paths | None = None) -> Universe:
    """The universe that a schema with all levels declared (:func:`public_schema`) describes, last column fastest."""
    columns, declared = schema.columns, schema.universe_levels
    position = {name: {level: i for i, level in enumerate(declared[name])} for name in columns}
    blocks = _blocks(columns, position, paths or {})
    size = int(np.prod([float(len(rows)) for _, rows in blocks]))
    if size > MAX_CELLS:
        raise ParameterError(
            f"the universe has {size:,} cells, more than {MAX_CELLS:,}; use fewer columns or levels, or marginals"
        )
    codes = np.empty((size, len(columns)), dtype=np.int32)
    stride = size
    for members, rows in blocks:
        stride //= len(rows)
        where = (np.arange(size) // stride) % len(rows)
        for j, name in enumerate(members):
            codes[:, columns.index(name)] = rows[where, j]
    possible = ~_impossible(schema, position, codes)
    if not possible.any():
        raise ParameterError("the structural zeros leave no cell to publish")
    return Universe(columns, tuple(declared[name] for name in columns), codes[possible])


def table_universe(table: FrequencyTable) -> Universe:
    """The universe that a ready-made table of counts spells out itself: its cells x its labels, as the curator says."""
    if isinstance(table.store, EngineStore):
        raise ParameterError(
            "a table read from data has only the cells that exist, which is a fact about people; "
            "declare the universe in a schema instead"
        )
    names, known = cell_names(table)
    possible = table.vectors != STRUCTURAL_ZERO
    cell, label = np.nonzero(possible)
    levels, codes = [], []
    sides = [(values, cell) for values in known]
    sides += [([parts[j] for parts in table.label_values], label) for j in range(len(table.sensitive))]
    for values, where in sides:
        position = {value: i for i, value in enumerate(dict.fromkeys(values))}
        levels.append(tuple(position))
        codes.append(np.array([position[value] for value in values], dtype=np.int32)[where])
    universe = Universe((*names, *table.sensitive), tuple(levels), np.stack(codes, axis=1))
    if len(np.unique(row_keys(universe.codes, universe.sizes))) < universe.n_cells:
        raise DataError("two cells of the table have the same name; each cell is published once")
    return universe


def occupied_universe(cells: Cells, columns: Sequence[str]) -> tuple[Universe, IntArray]:
    """The occupied cells in the order of their levels' code points, which tells nothing about the order of the data."""
    marginal = cells.marginal(columns)
    universe = sorted_by_text(Universe(marginal.columns, marginal.levels, marginal.codes))
    return universe, marginal.counts[_text_order(marginal.levels, marginal.codes)]


def sorted_by_text(universe: Universe) -> Universe:
    """The same cells, sorted by their texts, with only the levels that they use."""
    codes = universe.codes[_text_order(universe.levels, universe.codes)]
    levels, columns = [], []
    for j, found in enumerate(universe.levels):
        used = np.unique(codes[:, j])
        ordered = sorted(found[i] for i in used)
        position = {level: i for i, level in enumerate(ordered)}
        lookup = np.array([position.get(level, -1) for level in found], dtype=np.int32)
        levels.append(tuple(ordered))
        columns.append(lookup[codes[:, j]])
    return Universe(universe.columns, tuple(levels), np.stack(columns, axis=1) if columns else codes)


def _text_order(levels: Sequence[Sequence[str]], codes: CodeArray) -> IntArray:
    ranks = []
    for j, found in enumerate(levels):
        rank = np.empty(len(found), dtype=np.int64)
        rank[sorted(range(len(found)), key=found.__getitem__)] = np.arange(len(found))
        ranks.append(rank[codes[:, j]])
    return np.lexsort(ranks[::-1]) if ranks else np.arange(len(codes))


def _blocks(
    columns: Sequence[str], position: Mapping[str, Mapping[str, int]], paths: Paths
) -> list[tuple[tuple[str, ...], CodeArray]]:
    """Groups of columns that vary together, with the rows of codes they can take, in the order of first columns."""
    blocks: list[tuple[tuple[str, ...], CodeArray]] = []
    nested = {name: tuple(group) for group in paths for name in group}
    if sum(len(group) for group in paths) != len(nested):
        raise ParameterError("a column may nest in one group of paths only")
    for name in columns:
        group = nested.get(name, (name,))
        if any(group == members for members, _ in blocks):
            continue
        if group == (name,) and name not in nested:
            blocks.append((group, np.arange(len(position[name]), dtype=np.int32)[:, None]))
            continue
        rows = []
        for row in paths[group]:
            found = [position[column].get(str(level)) for column, level in zip(group, row, strict=True)]
            if None in found:
                raise ParameterError(f"a path of {', '.join(group)} has a level that the universe does not declare")
            rows.append(found)
        if not rows or len({tuple(row) for row in rows}) != len(rows):
            raise ParameterError(f"the paths of {', '.join(group)} must be given once each, at least one")
        blocks.append((group, np.array(sorted(rows), dtype=np.int32)))
    return blocks


def _impossible(schema: Schema, position: Mapping[str, Mapping[str, int]], codes: CodeArray) -> npt.NDArray[np.bool_]:
    """Which cells some structural zero rules out."""
    ruled_out = np.zeros(len(codes), dtype=bool)
    for number, rule in enumerate(schema.impossible, start=1):
        matches = np.ones(len(codes), dtype=bool)
        for name, levels in rule.items():
            if any(level not in position[name] for level in levels):
                raise ParameterError(f"structural zero {number} names a level of {name!r} that nobody declared")
            wanted = [position[name][level] for level in levels]
            matches &= np.isin(codes[:, schema.columns.index(name)], wanted)
        ruled_out |= matches
    return ruled_out
