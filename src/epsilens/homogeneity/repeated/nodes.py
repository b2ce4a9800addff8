"""What a lineage is made of: its levels, and the published counts about which something is asked, equal ones once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray
from epsilens.noise.law import AnyNoise

_LARGEST_CODE = 1 << 62


Required: TypeAlias = Mapping[int, frozenset[int]]
"""By level: the labels that must be hidden."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """How a level's counts add up to those of an earlier level."""

    parent: int
    parent_label: IntArray
    """(labels,): the label of the parent of which each label is a part."""
    kappa: IntArray
    """(cells, labels of the parent): how many counts of this level share the gap to the parent's count."""


@dataclass(frozen=True, eq=False)
class Level:
    """One release of a lineage, seen from the cells in which people are."""

    noise: AnyNoise
    vectors: IntArray
    """(cells, labels): the counts of the cell of this release that holds the person's cell."""
    fitted: Fitted | None = None
    """To what it is fitted; the root is not."""


class Form(NamedTuple):
    """What nodes of one level have in common.

    A node of some form is a row of numbers: for every level fitted to it kappa and the names of its parts there, in
    ascending order, and last its true count, -1 where nothing is asked.
    """

    must_hide: bool
    below: tuple[tuple[int, int], ...]
    """(level, number of parts) of what is fitted to it and matters."""

    def parts(self) -> Iterator[tuple[int, int, slice]]:
        """For every level below: (level, column of kappa, columns of the names)."""
        first = 0
        for level, number in self.below:
            yield level, first, slice(first + 1, first + 1 + number)
            first += 1 + number


class Nodes:
    """The nodes of a level below which something must be hidden: their numbers, and their weights once computed.

    A weight is a row: w(z) for how far a count is published from the true one, from -far to far.
    """

    def __init__(self, far: int) -> None:
        self.weights: FloatArray = np.empty((0, 2 * far + 1))
        self._weighed: BoolArray = np.empty(0, dtype=bool)
        self._numbers: dict[tuple[Form, bytes], int] = {}
        self._known: list[tuple[Form, IntArray]] = []

    def numbers(self, form: Form, rows: IntArray) -> IntArray:
        """The numbers of nodes of one form, new ones for those not seen before."""
        found = np.empty(len(rows), dtype=np.int64)
        for i, row in enumerate(rows):
            key = (form, row.tobytes())
            number = self._numbers.get(key)
            if number is None:
                number = self._numbers[key] = len(self._known)
                self._known.append((form, row))
            found[i] = number
        return found

    def without_weights(self, numbers: IntArray) -> Iterator[tuple[Form, IntArray, IntArray]]:
        """Those of some nodes that have no weights yet: (form, their numbers, their rows)."""
        self._make_room()
        missing: dict[Form, list[int]] = {}
        for number in np.unique(numbers[~self._weighed[numbers]]).tolist():
            missing.setdefault(self._known[number][0], []).append(number)
        for form, some in missing.items():
            yield form, np.array(some), np.stack([self._known[number][1] for number in some])

    def weigh(self, numbers: IntArray, weights: FloatArray) -> None:
        """Keep the weights of some nodes."""
        self.weights[numbers] = weights
        self._weighed[numbers] = True

    def _make_room(self) -> None:
        more = len(self._known) - len(self._weighed)
        if more > 0:
            more = max(more, len(self._weighed) // 2)
            self.weights = np.concatenate([self.weights, np.empty((more, self.weights.shape[1]))])
            self._weighed = np.concatenate([self._weighed, np.zeros(more, dtype=bool)])


def kinds_of(columns: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """The first of each kind of equal rows, kinds in lexicographic order, and for every row of which kind it is.

    A row is written as one number with a digit per column. To sort numbers takes a fraction of what rows take.
    """
    code = np.zeros(len(columns[0]), dtype=np.int64)
    most = 1
    for column in columns:
        lowest = int(column.min(initial=0))
        digits = int(column.max(initial=0)) - lowest + 1
        if most * digits > _LARGEST_CODE:
            numbers, code = np.unique(code, return_inverse=True)
            most = len(numbers)
        code = code * digits + (column - lowest)
        most *= digits
    _, first, kind = np.unique(code, return_index=True, return_inverse=True)
    return first, kind.reshape(-1)
