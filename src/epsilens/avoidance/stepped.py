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
_MOST_REMEMBERED = 5_000_000  # kinds near a kind, in all
_ROUNDING = 1e-12


@dataclass(eq=False)
class SteppedNeighbours:
    """Kinds of rows, and which of them are near each other; what was found out of a kind is remembered.

    ``codes`` has a row per kind and a column per attribute, ``places`` where levels lie (None: all 1 apart),
    ``group`` whose kinds never find each other, if given. Ties are broken evenly over kinds.
    """

    codes: IntArray
    places: Sequence[FloatArray | None]
    shape: tuple[int, ...]
    group: IntArray | None
    _kind_at: IntArray | None = field(init=False, default=None)
    _known: dict[int, tuple[IntArray, FloatArray]] = field(init=False, default_factory=dict)

    @staticmethod
    def of(codes: IntArray, columns: Sequence[Column], group: IntArray | None) -> SteppedNeighbours:
        """Of kinds that differ in their ``codes`` of the ``columns``, which all count for the distance."""
        places = [
            None if column.numbers is None else column.numbers / (float(np.ptp(column.numbers)) or 1.0)
            for column in columns
        ]
        return SteppedNeighbours(codes, places, tuple(len(column.levels) for column in columns), group)

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

    def nearest(self, kind: int, left: IntArray, rng: np.random.Generator) -> int | None:
        """The nearest kind with a free row, of another group where groups matter; ``left`` counts the free rows."""
        near = self._known.get(kind)
        if near is None:
            near = self._one_step_away(kind)
            if len(self.codes) * len(self._offsets) <= _MOST_REMEMBERED:
                self._known[kind] = near
        kinds, distance = near
        free = left[kinds] > 0
        if free.any():
            distance = distance[free]
            return _one_of(kinds[free][distance <= distance.min() + _ROUNDING], rng)
        return self._among_all(kind, left, rng)

    def _one_step_away(self, kind: int) -> tuple[IntArray, FloatArray]:
        """The kinds that differ in one column and are nearer than any two steps, and how far each of them is."""
        if self._kind_at is None:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        own = self.codes[kind]
        found = self._kind_at[self._keys[kind] + self._offsets - (own * self._own)[self._column_of]]
        there = (found >= 0) & (found != kind)
        if self.group is not None:
            there &= self.group[found] != self.group[kind]
        distance = np.ones(len(found))
        for j, place, mine in self._numeric:
            distance[mine] = np.abs(place - place[own[j]])
        there &= distance < self._two_steps - _ROUNDING
        return found[there], distance[there]

    def _among_all(self, kind: int, left: IntArray, rng: np.random.Generator) -> int | None:
        kinds = np.flatnonzero(left > 0)
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
        return _one_of(kinds[distance <= distance.min() + _ROUNDING], rng)


def _one_of(kinds: IntArray, rng: np.random.Generator) -> int:
    return int(kinds[0] if len(kinds) == 1 else kinds[int(rng.integers(len(kinds)))])
