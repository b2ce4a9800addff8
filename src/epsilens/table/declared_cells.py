"""How many cells a declared universe has, and how many of them nobody is in: counted, never listed.

A release adds noise to every cell of the universe, and a universe may have a thousand million of them. How many there
are is a product of numbers of levels; structural zeros are taken off without listing a cell, since levels that no rule
tells apart are alike. What needs the cells themselves lists them, within limits (``choice.beside.whole_universe``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epsilens.arrays import CodeArray, IntArray
from epsilens.errors import ParameterError
from epsilens.notebook import brief
from epsilens.table.bins import Edges
from epsilens.table.domain import Domain
from epsilens.table.frequency import FrequencyTable, checked_table

MOST_KINDS = 200_000
"""Kinds of cells, by the structural zeros that concern them, that are told apart."""

Rule = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class DeclaredCells:
    """The cells and counts that a release of a table over its declared universe publishes."""

    cells: int
    """Combinations of quasi-identifiers that may have people."""
    counts: int
    """Their counts, structural zeros left out: one per cell and label."""
    further_cells: int
    """Those cells that the table does not have, because nobody is in them."""
    further_counts: int
    """Those counts, all 0, that the table does not have."""
    found: tuple[str, ...] = ()
    """Columns that the universe leaves out; their levels are the ones found in the data, which a release refuses."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**vars(self), "found": list(self.found)}


def declared_levels_of(table: FrequencyTable) -> dict[str, tuple[str, ...]]:
    """The levels that are known without the data: declared, or those of bins between edges; none without a universe."""
    if table.schema is None or not table.schema.universe_levels:
        return {}
    levels = dict(table.schema.universe_levels)
    for name, rule in table.schema.bin_rules.items():
        if name not in levels and isinstance(rule, Edges):
            levels[name] = tuple(rule.labels())
    return levels


def declared_cells(table: FrequencyTable) -> DeclaredCells | None:
    """How many cells and counts the declared universe of ``table`` has; None where none is declared.

    Every set of rules is a bit mask. A level carries the mask of the rules that it meets (a rule that says nothing of
    its column is met), a cell the common ones of its levels' masks, a label likewise; a count is a structural zero if
    some rule is met by its cell and by its label. Cells with the same mask are counted together.
    """
    whole = checked_table(table).joint or table
    known = declared_levels_of(whole)
    if not known:
        return None
    split = len(whole.quasi_identifiers)
    columns = (*whole.quasi_identifiers, *whole.sensitive)
    levels = [known[name] if name in known else _found(whole, name) for name in columns]
    rules = () if whole.schema is None else whole.schema.impossible
    cells = _kinds(columns[:split], levels[:split], rules)
    labels = _labels(table, whole, levels[split:], rules)
    possible = {mask: sum(any(not mask & one for one in masks) for masks in labels) for mask in cells}
    n_cells = sum(times for mask, times in cells.items() if possible[mask])
    n_counts = sum(times * possible[mask] for mask, times in cells.items())
    vectors, multiplicities = table.sparse_signatures()
    there = int((vectors.positive + vectors.zeros) @ multiplicities)
    return DeclaredCells(
        n_cells,
        n_counts,
        max(n_cells - table.n_cells, 0),
        max(n_counts - there, 0),
        tuple(name for name in columns if name not in known),
    )


@dataclass(frozen=True, eq=False)
class CountsWithin:
    """How many counts of a declared universe lie within a cell of a marginal, label by label: counted, never listed."""

    levels: Mapping[str, tuple[str, ...]]
    """Of every quasi-identifier."""
    labels: tuple[frozenset[int], ...]
    """For every label the masks of the combinations of sensitive values that it stands for."""
    rules: tuple[Rule, ...]
    found: tuple[str, ...] = ()
    """Columns that the universe leaves out; their levels are the ones found in the data, which a release refuses."""

    __repr__ = brief

    @staticmethod
    def of(table: FrequencyTable) -> CountsWithin | None:
        """Those of the universe that ``table`` declares; None where none is declared."""
        whole = table.joint or table
        known = declared_levels_of(whole)
        if not known:
            return None
        rules = () if whole.schema is None else tuple(whole.schema.impossible)
        others = [name for name in whole.sensitive if name not in table.sensitive]
        rest = _kinds(others, [known[name] if name in known else _found(whole, name) for name in others], rules)
        own = [_common(table.sensitive, parts, rules) for parts in table.label_values]
        return CountsWithin(
            {name: known[name] if name in known else _found(whole, name) for name in table.quasi_identifiers},
            tuple(frozenset(mask & other for other in rest) for mask in own),
            rules,
            tuple(name for name in (*table.quasi_identifiers, *table.sensitive) if name not in known),
        )

    @property
    def alike(self) -> bool:
        """Whether every label has as many counts as any other, because no rule tells labels apart."""
        return not self.rules or len(set(self.labels)) == 1

    def total(self, columns: Iterable[str]) -> int:
        """How many combinations of the other quasi-identifiers there are, impossible ones included."""
        kept = set(columns)
        return math.prod(len(found) for name, found in self.levels.items() if name not in kept)

    def counts(self, columns: Sequence[str], domain: Domain, codes: CodeArray) -> IntArray:
        """(cells, labels): the counts within each cell of the marginal by ``columns``, whose levels are ``codes``."""
        if not self.rules:
            return np.full((len(codes), len(self.labels)), self.total(columns), dtype=np.int64)
        others = [name for name in self.levels if name not in columns]
        kinds = _kinds(others, [self.levels[name] for name in others], self.rules)
        masks = np.full(len(codes), (1 << len(self.rules)) - 1, dtype=object)
        for j, name in enumerate(columns):
            of_level = np.array([_mask(name, value, self.rules) for value in domain.levels[j]], dtype=object)
            masks &= of_level[codes[:, j]]
        known = {
            mask: [
                sum(times for kind, times in kinds.items() if any(not mask & kind & one for one in of_label))
                for of_label in self.labels
            ]
            for mask in set(masks.tolist())
        }
        return np.array([known[mask] for mask in masks.tolist()], dtype=np.int64).reshape(len(codes), len(self.labels))

    def counts_of_each(self, columns: Sequence[str], domain: Domain, codes: CodeArray) -> IntArray:
        """(cells,): :meth:`counts` of any label, where labels are :attr:`alike`."""
        return replace(self, labels=self.labels[:1]).counts(columns, domain, codes)[:, 0]


def empty_cells(table: FrequencyTable) -> int:
    """How many cells of the declared universe nobody is in, those of the table included."""
    vectors, multiplicities = table.sparse_signatures()
    own = int(multiplicities[vectors.sizes == 0].sum())
    declared = declared_cells(table)
    return own if declared is None else own + declared.further_cells


def _found(table: FrequencyTable, name: str) -> tuple[str, ...]:
    if name in table.sensitive:
        position = table.sensitive.index(name)
        return tuple(sorted({parts[position] for parts in table.label_values}))
    return tuple(table.marginal([name]).cells()[name])


def _kinds(columns: Sequence[str], levels: Sequence[Iterable[str]], rules: Sequence[Rule]) -> dict[int, int]:
    """How many combinations of levels meet each set of rules."""
    kinds = {(1 << len(rules)) - 1: 1}
    for name, values in zip(columns, levels, strict=True):
        masks = Counter(_mask(name, value, rules) for value in values)
        merged: Counter[int] = Counter()
        for mask, times in kinds.items():
            for other, more in masks.items():
                merged[mask & other] += times * more
        kinds = dict(merged)
        if len(kinds) > MOST_KINDS:
            raise ParameterError(
                f"tell more than {MOST_KINDS:,} kinds of cells apart",
                parameter="structural_zeros",
                remedy="declare fewer rules",
            )
    return kinds


def _mask(name: str, value: str, rules: Sequence[Rule]) -> int:
    return sum(1 << i for i, rule in enumerate(rules) if name not in rule or value in rule[name])


def _common(columns: Sequence[str], values: Sequence[str], rules: Sequence[Rule]) -> int:
    """The rules that all of these values meet."""
    mask = (1 << len(rules)) - 1
    for name, value in zip(columns, values, strict=True):
        mask &= _mask(name, value, rules)
    return mask


def _labels(
    table: FrequencyTable, whole: FrequencyTable, levels: Sequence[tuple[str, ...]], rules: Sequence[Rule]
) -> list[set[int]]:
    """For every label of ``table`` the masks of the combinations of sensitive values that it stands for."""
    everything = (1 << len(rules)) - 1
    if table is whole:
        if not rules:
            return [{0}] * math.prod(map(len, levels))
        kinds = _kinds(whole.sensitive, levels, rules)
        return [{mask} for mask, times in kinds.items() for _ in range(times)]
    position = whole.sensitive.index(table.sensitive[0])
    others = [name for name in whole.sensitive if name != whole.sensitive[position]]
    rest = _kinds(others, [values for j, values in enumerate(levels) if j != position], rules)
    own = [_mask(table.sensitive[0], value, rules) for value in levels[position]]
    return [{mask & other & everything for other in rest} for mask in own]
