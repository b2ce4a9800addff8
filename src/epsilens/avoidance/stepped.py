"""The nearest free combination of values by d_swap, found by changing one value at a time.

Whoever differs in one column only is nearest, unless two small steps in ordered columns come to less. So a table from
combinations to kinds answers most questions by looking up as many places as the columns have levels; the few that it
cannot answer are put to all free kinds at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.avoidance.records import Column

_LARGEST_TABLE = 50_000_000  # combinations
_ROUNDING = 1e-12


@dataclass(eq=False)
class SteppedNeighbours:
    """Kinds of rows, of which ``left`` counts the free ones (it is changed from outside).

    ``codes`` has a row per kind and a column per attribute, ``places`` where levels lie (None: all 1 apart),
    ``group`` whose kinds never find each other, if given. Ties are broken evenly over kinds.
    """

    codes: IntArray
    places: Sequence[FloatArray | None]
    shape: tuple[int, ...]
    left: IntArray
    group: IntArray | None
    rng: np.random.Generator
    _kind_at: IntArray | None = field(init=False, default=None)

    @staticmethod
    def of(
        codes: IntArray,
        columns: Sequence[Column],
        left: IntArray,
        group: IntArray | None,
        rng: np.random.Generator,
    ) -> SteppedNeighbours:
        """Of kinds that differ in their ``codes`` of the ``columns``, which all count for the distance."""
        places = [
            None if column.numbers is None else column.numbers / (float(np.ptp(column.numbers)) or 1.0)
            for column in columns
        ]
        shape = tuple(len(column.levels) for column in columns)
        return SteppedNeighbours(codes, places, shape, left, group, rng)

    def __post_init__(self) -> None:
        if math.prod(self.shape) <= _LARGEST_TABLE:
            keys = np.ravel_multi_index(tuple(self.codes.T), self.shape)
            self._kind_at = np.full(math.prod(self.shape), -1, dtype=np.int64)
            self._kind_at[keys] = np.arange(len(keys))
            self._keys = keys.astype(np.int64)
        # what a place is away in memory, and every level of every column one after another
        strides = np.append(np.cumprod(self.shape[:0:-1])[::-1], 1).astype(np.int64)
        self._offsets = np.concatenate([np.arange(n) * step for n, step in zip(self.shape, strides, strict=True)])
        self._column_of = np.repeat(np.arange(len(self.shape)), self.shape)
        self._own = strides
        steps = sorted(
            1.0 if place is None else float(np.diff(place).min(initial=np.inf)) if len(place) > 1 else np.inf
            for place in self.places
        )
        self._two_steps = steps[0] + steps[1] if len(steps) > 1 else np.inf
        self._numeric = [
            (j, place, slice(sum(self.shape[:j]), sum(self.shape[: j + 1])))
            for j, place in enumerate(self.places)
            if place is not None
        ]

    def nearest(self, kind: int) -> int | None:
        """The nearest kind with a free row, of another group where groups matter."""
        if self._kind_at is not None:
            own = self.codes[kind]
            places = self._keys[kind] + self._offsets - (own * self._own)[self._column_of]
            found = self._kind_at[places]
            free = (found >= 0) & (found != kind)
            free[free] = self.left[found[free]] > 0
            if self.group is not None:
                free &= self.group[found] != self.group[kind]
            if free.any():
                distance = np.ones(len(found))
                for j, place, mine in self._numeric:
                    distance[mine] = np.abs(place - place[own[j]])
                distance = distance[free]
                least = float(distance.min())
                if least < self._two_steps - _ROUNDING:
                    return self._one_of(found[free][distance <= least + _ROUNDING])
        return self._among_all(kind)

    def _among_all(self, kind: int) -> int | None:
        kinds = np.flatnonzero(self.left > 0)
        if self.group is not None:
            kinds = kinds[self.group[kinds] != self.group[kind]]
        kinds = kinds[kinds != kind]
        if not len(kinds):
            return None
        distance = np.zeros(len(kinds))
        for j, place in enumerate(self.places):
            codes = self.codes[kinds, j]
            mine = self.codes[kind, j]
            distance += codes != mine if place is None else np.abs(place[codes] - place[mine])
        return self._one_of(kinds[distance <= distance.min() + _ROUNDING])

    def _one_of(self, kinds: IntArray) -> int:
        return int(kinds[0] if len(kinds) == 1 else kinds[int(self.rng.integers(len(kinds)))])
