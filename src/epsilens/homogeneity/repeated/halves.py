"""Sums of products over many short lists of names, where most lists have much in common.

    answer(list) = sum over g of turn(g) prod over the names in the list of T_name(g),

for many frequencies at a time. A list is cut into two halves. There are far fewer different halves than lists, so the
products of halves are few, and the answers to all lists made of some of them are one product of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from epsilens.arrays import ComplexArray, FloatArray, IntArray

AnyArray = TypeVar("AnyArray", ComplexArray, FloatArray)

_LEFTS_AT_ONCE = 64
"""Rows of a product of matrices: enough for speed, and few enough that most of what is multiplied is asked for."""
_SPARSE = 4
"""How many times as long as a product of matrices takes what is asked alone, number by number."""


@dataclass(frozen=True, eq=False)
class _Half:
    """The different beginnings of rows, column by column: each is a shorter one and a name."""

    steps: tuple[tuple[IntArray, IntArray], ...]
    number: int
    of_row: IntArray
    """For every row which of the ``number`` whole ones it is."""

    def longer(self, column: IntArray) -> _Half:
        """With one column more."""
        many = int(column.max(initial=0)) + 1
        _, first, found = np.unique(self.of_row * many + column, return_index=True, return_inverse=True)
        return _Half((*self.steps, (self.of_row[first], column[first])), len(first), found.reshape(-1))

    def products(self, tables: AnyArray) -> AnyArray:
        """(frequencies, halves, g) from (frequencies, names, g)."""
        found = np.ones((len(tables), 1, tables.shape[2]), dtype=tables.dtype)
        for shorter, name in self.steps:
            found = found[:, shorter] * tables[:, name] if len(shorter) > 1 or shorter[0] else found * tables[:, name]
        return found


class Halves:
    """Lists of names as rows of equal length; a name is a row of the tables."""

    def __init__(self, rows: IntArray) -> None:
        lefts = [_Half((), 1, np.zeros(len(rows), dtype=np.int64))]
        rights = lefts[:]
        for column, last in zip(rows.T, rows.T[::-1], strict=True):
            lefts.append(lefts[-1].longer(column))
            rights.append(rights[-1].longer(last))
        pairs = zip(lefts, reversed(rights), strict=True)
        self._left, self._right = min(pairs, key=lambda pair: pair[0].number + pair[1].number)

    @property
    def number(self) -> int:
        """How many different halves there are."""
        return self._left.number + self._right.number

    def largest(self, tables: FloatArray) -> FloatArray:
        """For every g a bound of all products, from tables (names, g) of probabilities."""
        left, right = (half.products(tables[None])[0].max(axis=0) for half in (self._left, self._right))
        return np.asarray(left * right)

    def sums(self, tables: ComplexArray, turn: ComplexArray) -> ComplexArray:
        """(lists, frequencies): the answers, from tables (frequencies, names, g) and turns (frequencies, g)."""
        left = self._left.products(tables) * turn[:, None, :]
        right = self._right.products(tables)
        found = np.empty((len(self._left.of_row), len(tables)), dtype=tables.dtype)
        for lists, lefts, rights, place in self._blocks():
            if len(lists) * _SPARSE < (lefts.stop - lefts.start) * len(rights):
                pairs = left[:, self._left.of_row[lists]], right[:, self._right.of_row[lists]]
                found[lists] = np.einsum("wlg,wlg->lw", *pairs)
            else:
                every = left[:, lefts] @ right[:, rights].swapaxes(1, 2)
                found[lists] = every[:, self._left.of_row[lists] - lefts.start, place].T
        return found

    def _blocks(self) -> Iterator[tuple[IntArray, slice, IntArray, IntArray]]:
        """Lists with some left halves, their right halves, and where among these each list has its own."""
        order = np.argsort(self._left.of_row, kind="stable")
        firsts = np.arange(0, self._left.number, _LEFTS_AT_ONCE)
        bounds = np.searchsorted(self._left.of_row[order], [*firsts, self._left.number])
        for first, start, stop in zip(firsts.tolist(), bounds[:-1], bounds[1:], strict=True):
            lists = order[start:stop]
            rights, place = np.unique(self._right.of_row[lists], return_inverse=True)
            yield lists, slice(first, min(first + _LEFTS_AT_ONCE, self._left.number)), rights, place.reshape(-1)
