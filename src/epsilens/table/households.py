"""Households of a table: who lives with whom, in which cells, with which label.

What a household gives away depends on the contents of its members' cells, on the label that its members share and on
nothing else. So households are kept as *kinds*: the label, how many people, and the distinct cells of the members by
their count vectors; a million households are some thousands of kinds.

Members of one household need not share a label. Where they do not there is no one value to learn about the household:
it is *mixed*, and its members count as persons. Somebody without a household is a household of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray, distinct_and_positions, distinct_rows
from epsilens.errors import DataError
from epsilens.notebook import one_line, table_html

_FIRST_CELL = 2


@dataclass(frozen=True, eq=False)
class Members:
    """People by household, cell and label: one entry each for every group of people who share all three."""

    household: IntArray
    cell: IntArray
    label: IntArray
    people: IntArray
    alone: BoolArray
    """Whether nothing is known of their household: then each of them is one."""

    def __repr__(self) -> str:
        return one_line(self, f"{len(self.people)} groups")


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of households whose members are in the same number of cells.

    A row of ``keys`` is the label, the number of people, and which count vectors the cells have; ``times`` is how many
    households are of this kind.
    """

    keys: IntArray
    times: IntArray

    def __repr__(self) -> str:
        return one_line(self, f"{len(self.times)} kinds of households in {self.n_cells} cells")

    @property
    def n_cells(self) -> int:
        """In how many cells the members are."""
        return int(self.keys.shape[1]) - _FIRST_CELL

    @property
    def labels(self) -> IntArray:
        """The label that all members have."""
        return self.keys[:, 0]

    @property
    def sizes(self) -> IntArray:
        """How many people live together."""
        return self.keys[:, 1]

    @property
    def cells(self) -> IntArray:
        """The members' cells, by the position of their count vector."""
        return self.keys[:, _FIRST_CELL:]


@dataclass(frozen=True, eq=False)
class Households:
    """The households of a table by kind, and people by the size of their household. True data: internal.

    ``persons`` has a row for each household size (0 for mixed households), label and count vector of a cell, and
    ``persons_times`` how many people there are with it.
    """

    labels: tuple[str, ...]
    label_weights: FloatArray
    vectors: IntArray
    """The distinct count vectors of cells, labels in order."""
    kinds: tuple[Kinds, ...]
    persons: IntArray
    persons_times: IntArray
    mixed: int
    """Households whose members do not share a label."""
    people_in_mixed: int
    without: int
    """People of whom no household is known."""
    largest: int
    """The most people in one household, mixed or not."""

    def __repr__(self) -> str:
        return one_line(self, f"{self.n_households} households of {self.n_people} people")

    def _repr_html_(self) -> str:
        facts = {
            "households": self.n_households,
            "of which mixed": self.mixed,
            "people": self.n_people,
            "in mixed households": self.people_in_mixed,
            "without a household": self.without,
            "largest household": self.largest,
        }
        return table_html("Households", facts, internal=True)

    @property
    def n_households(self) -> int:
        """All households; somebody without one counts as one."""
        return self.n_sharing + self.mixed

    @property
    def n_sharing(self) -> int:
        """Households whose members share a label."""
        return int(sum(int(kinds.times.sum()) for kinds in self.kinds))

    @property
    def n_people(self) -> int:
        """Everybody."""
        return int(self.persons_times.sum())

    @staticmethod
    def alone(vectors: IntArray, labels: Sequence[str], label_weights: FloatArray | None = None) -> Households:
        """Everybody as a household of one, from the count vectors of all cells."""
        cell, label = np.nonzero(vectors > 0)
        everybody = Members(cell, cell, label, vectors[cell, label], np.ones(len(cell), dtype=bool))
        return Households.of(vectors, everybody, labels, label_weights)

    @staticmethod
    def of(
        vectors: IntArray, members: Members, labels: Sequence[str], label_weights: FloatArray | None = None
    ) -> Households:
        """From the count vectors of all cells and who lives with whom; ``members.cell`` is a row of ``vectors``."""
        weights = np.ones(len(labels)) if label_weights is None else label_weights
        if vectors.shape[1] != len(labels) or len(weights) != len(labels):
            raise DataError("households need one count, and one weight, for each label")
        distinct, kind_of_cell = distinct_and_positions(vectors)
        found: list[tuple[IntArray, IntArray]] = []
        persons: list[tuple[IntArray, IntArray]] = []

        single = members.alone & (members.people > 0)
        one = np.ones(int(single.sum()), dtype=np.int64)
        lonely = np.stack([members.label[single], one, kind_of_cell[members.cell[single]]], axis=1)
        found.append((lonely, members.people[single]))
        persons.append((np.stack([one, *lonely[:, [0, 2]].T], axis=1), members.people[single]))

        shared = ~members.alone & (members.people > 0)
        order = np.lexsort((members.cell[shared], members.household[shared]))
        house, cell, label, people = (
            part[shared][order] for part in (members.household, members.cell, members.label, members.people)
        )
        kind = kind_of_cell[cell]
        starts = np.flatnonzero(np.r_[True, house[1:] != house[:-1]]) if len(house) else np.zeros(0, dtype=np.int64)
        if not len(starts):
            return _gathered(labels, weights, distinct, found, persons, 0, 0, int(members.people[single].sum()), 1)
        rows = np.diff(np.append(starts, len(house)))
        sizes = np.add.reduceat(people, starts)
        alike = np.minimum.reduceat(label, starts) == np.maximum.reduceat(label, starts)
        size_of_row = np.repeat(np.where(alike, sizes, 0), rows)
        persons.append((np.stack([size_of_row, label, kind], axis=1), people))
        for cells in np.unique(rows[alike]).tolist():
            chosen = starts[alike & (rows == cells)]
            inside = np.sort(kind[chosen[:, None] + np.arange(cells)], axis=1)
            keys = np.concatenate([label[chosen, None], sizes[alike & (rows == cells), None], inside], axis=1)
            found.append((keys, np.ones(len(chosen), dtype=np.int64)))
        return _gathered(
            labels,
            weights,
            distinct,
            found,
            persons,
            int((~alike).sum()),
            int(sizes[~alike].sum()),
            int(members.people[single].sum()),
            int(sizes.max()),
        )


def _gathered(
    labels: Sequence[str],
    weights: FloatArray,
    vectors: IntArray,
    found: Sequence[tuple[IntArray, IntArray]],
    persons: Sequence[tuple[IntArray, IntArray]],
    mixed: int,
    people_in_mixed: int,
    without: int,
    largest: int,
) -> Households:
    """The kinds, equal ones put together."""
    kinds = []
    for width in sorted({keys.shape[1] for keys, times in found if len(times)}):
        same = [(keys, times) for keys, times in found if keys.shape[1] == width]
        together = np.concatenate([keys for keys, _ in same]), np.concatenate([times for _, times in same])
        kinds.append(Kinds(*distinct_rows(*together)))
    everybody = np.concatenate([keys for keys, _ in persons]), np.concatenate([times for _, times in persons])
    homes = mixed, people_in_mixed, without, largest
    return Households(tuple(labels), weights, vectors, tuple(kinds), *distinct_rows(*everybody), *homes)
