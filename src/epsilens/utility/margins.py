"""Many marginals of one table, each added up from the smallest table that has its columns.

The marginal of age and sex is added up from that of age, sex and race, which has far fewer numbers than the table. So
some larger marginals are made on the way, those that save more than they take: what is counted are the numbers that are
read, for every marginal those of the one it is made of.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.table.cell_store import renumbered
from epsilens.table.domain import sorted_codes
from epsilens.table.frequency import FrequencyTable

Marginal: TypeAlias = tuple[str, ...]

_MOST_COLUMNS = 9
"""Of more columns no marginals are made on the way."""
_LARGEST_KEY = 1 << 62


@dataclass(frozen=True, eq=False)
class _Step:
    """A marginal that is made: of which table before, and to which of its cells every count of that belongs."""

    source: int | None
    """The step it is made of, None for all counts."""
    group: IntArray
    size: int


@dataclass(frozen=True, eq=False)
class Margins:
    """Some marginals of a table, in the order asked for; cells without a count that may have people are none."""

    table: FrequencyTable
    marginals: Sequence[Marginal]

    @cached_property
    def counts(self) -> IntArray:
        """Every count that may have people."""
        vectors = self.table.vectors
        return vectors[vectors >= 0] if self._impossible else vectors.ravel()

    @property
    def sizes(self) -> list[int]:
        """How many cells each marginal has."""
        return [self._steps[place].size for place in self._places]

    def sums(self, counts: FloatArray) -> list[FloatArray]:
        """The marginals of rows of counts, each as long as :attr:`counts`: (rows, cells) of each."""
        found = [np.empty((len(counts), size)) for size in self.sizes]
        for i, row in enumerate(counts):
            made: list[FloatArray] = []
            for step in self._steps:
                source = row if step.source is None else made[step.source]
                made.append(as_floats(np.bincount(step.group, weights=source, minlength=step.size)))
            for marginal, place in zip(found, self._places, strict=True):
                marginal[i] = made[place]
        return found

    @cached_property
    def truth(self) -> list[FloatArray]:
        """The true counts of each marginal."""
        return [sums[0] for sums in self.sums(as_floats(self.counts)[None, :])]

    @cached_property
    def draws(self) -> list[IntArray]:
        """How many counts of the table each cell of each marginal adds up."""
        return [sums[0].astype(np.int64) for sums in self.sums(np.ones((1, len(self.counts))))]

    @cached_property
    def _impossible(self) -> bool:
        return bool((self.table.vectors < 0).any())

    @cached_property
    def _made(self) -> tuple[list[_Step], list[int]]:
        """The steps, and which of them makes each marginal."""
        levels = {name: number for name, (number, _) in self._coded.items()}
        steps: list[_Step] = []
        examples: list[IntArray] = []  # of every cell that is made one of the table's counts
        place: dict[Marginal, int] = {}
        for marginal, source in planned(levels, self.marginals, len(self.counts)):
            start = None if source is None else place[source]
            keys, size = self._keys(marginal, None if start is None else examples[start])
            group, n_groups = renumbered(keys, size)
            example = np.empty(n_groups, dtype=np.int64)
            example[group] = np.arange(len(group)) if start is None else examples[start]
            place[marginal] = len(steps)
            steps.append(_Step(start, group, n_groups))
            examples.append(example)
        return steps, [place[marginal] for marginal in self.marginals]

    @property
    def _steps(self) -> list[_Step]:
        return self._made[0]

    @property
    def _places(self) -> list[int]:
        return self._made[1]

    def _keys(self, marginal: Marginal, counts: IntArray | None) -> tuple[IntArray, int]:
        """Numbers that tell cells of a marginal apart, in their order, for some counts or all of them; their end."""
        size = math.prod(self._coded[name][0] for name in marginal)
        if counts is None and not self._impossible and size <= _LARGEST_KEY:  # no need to look every count up
            of_cells = np.zeros(self.table.n_cells, dtype=np.int64)
            of_labels = np.zeros(self.table.n_labels, dtype=np.int64)
            for name in marginal:
                levels, codes = self._coded[name]
                sensitive = name in self.table.sensitive
                of_cells = of_cells * levels + (0 if sensitive else codes)
                of_labels = of_labels * levels + (codes if sensitive else 0)
            return (of_cells[:, None] + of_labels).ravel(), size
        cells, labels = self._cells_and_labels(np.arange(len(self.counts)) if counts is None else counts)
        keys, size = np.zeros(len(cells), dtype=np.int64), 1
        for name in marginal:
            levels, codes = self._coded[name]
            if size * levels > _LARGEST_KEY:
                keys, size = renumbered(keys, size)
            keys, size = keys * levels + codes[labels if name in self.table.sensitive else cells], size * levels
        return keys, size

    def _cells_and_labels(self, counts: IntArray) -> tuple[IntArray, IntArray]:
        """Where some counts stand in the table."""
        where = self._possible[counts] if self._impossible else counts
        cells, labels = np.divmod(where, self.table.n_labels)
        return cells, labels

    @cached_property
    def _possible(self) -> IntArray:
        return np.flatnonzero(self.table.vectors >= 0)

    @cached_property
    def _coded(self) -> dict[str, tuple[int, IntArray]]:
        """The number of levels of every column, and the codes of all cells or, of a sensitive attribute, of all labels.

        Texts are looked at once per level and not once per marginal and cell.
        """
        domain, codes, _ = self.table.store.coded_cells()
        found: dict[str, tuple[int, IntArray]] = {}
        for j, (name, levels) in enumerate(zip(domain.columns, domain.levels, strict=True)):
            rank = np.empty(len(levels), dtype=np.int64)
            rank[sorted(range(len(levels)), key=levels.__getitem__)] = np.arange(len(levels))
            found[name] = len(levels), rank[codes[:, j]]
        for i, name in enumerate(self.table.sensitive):
            values, places = sorted_codes([parts[i] for parts in self.table.label_values])
            found[name] = len(values), places
        return found


def planned(
    levels: Mapping[str, int], marginals: Sequence[Marginal], n_counts: int
) -> list[tuple[Marginal, Marginal | None]]:
    """What is made, each before what is made of it, and of what: None of all counts.

    A table has as many counts as its columns have combinations of ``levels``, ``n_counts`` at most. Marginals are added
    on the way as long as one saves something, the one that saves most first.
    """
    names = list(levels)
    masks = {marginal: sum(1 << names.index(name) for name in marginal) for marginal in dict.fromkeys(marginals)}
    number = 1 << len(names) if len(names) <= _MOST_COLUMNS else 0
    sets = np.array(sorted({*range(1, number), *masks.values()}), dtype=np.int64)
    products = [math.prod(levels[name] for j, name in enumerate(names) if mask >> j & 1) for mask in sets.tolist()]
    sizes = np.array([min(product, n_counts) for product in products], dtype=np.float64)
    larger: BoolArray = (sets[:, None] & sets == sets) & (sets[:, None] != sets)  # [source, what is made of it]
    made = np.isin(sets, list(masks.values()))
    cost = np.minimum.reduce(np.where(larger & made[:, None], sizes[:, None], n_counts), axis=0)
    usable = ~made & (np.array([product <= _LARGEST_KEY for product in products]))
    while usable.any():
        saved = np.where(larger[:, made], np.maximum(cost[made] - sizes[:, None], 0.0), 0.0).sum(axis=1) - cost
        best = int(np.argmax(np.where(usable, saved, -np.inf)))
        if saved[best] <= 0:
            break
        made[best], usable[best] = True, False
        cost = np.where(larger[best], np.minimum(cost, sizes[best]), cost)
    marginal_of = {mask: tuple(name for j, name in enumerate(names) if mask >> j & 1) for mask in sets[made].tolist()}
    first_of = {mask: marginal for marginal, mask in reversed(masks.items())}
    marginal_of |= first_of
    plan: list[tuple[Marginal, Marginal | None]] = []
    for i in sorted(np.flatnonzero(made).tolist(), key=lambda i: (-int(sets[i]).bit_count(), sets[i])):
        sources = np.flatnonzero(larger[:, i] & made)
        source = None
        if len(sources) and sizes[sources].min() < n_counts:
            source = marginal_of[int(sets[sources[np.argmin(sizes[sources])]])]
        plan.append((marginal_of[int(sets[i])], source))
    for marginal, mask in masks.items():  # the same columns in another order
        if marginal != first_of[mask]:
            plan.append((marginal, first_of[mask]))
    return plan
