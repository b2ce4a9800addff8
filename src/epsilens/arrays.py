"""Arrays of numbers: the types that every room speaks of, and the few things that every room does with them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
ComplexArray: TypeAlias = npt.NDArray[np.complex128]
IntArray: TypeAlias = npt.NDArray[np.int64]
CodeArray: TypeAlias = npt.NDArray[np.int32]
"""Levels as positions in a list of levels."""
BoolArray: TypeAlias = npt.NDArray[np.bool_]
_WORD = 2**63


def as_floats(x: npt.ArrayLike) -> FloatArray:
    """``x`` as an array of doubles."""
    return np.asarray(x, dtype=np.float64)


def distinct_rows(rows: IntArray, weights: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct rows in lexicographic order and the total weight of each."""
    if len(rows) == 0:
        return rows, weights
    order, first = _in_order(rows)
    starts = np.flatnonzero(first)
    return rows[order[starts]], np.add.reduceat(weights[order], starts)


def distinct_and_positions(rows: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct rows, and for every row which of them it is."""
    if len(rows) == 0:
        return rows, np.zeros(0, dtype=np.int64)
    order, first = _in_order(rows)
    positions = np.empty(len(rows), dtype=np.int64)
    positions[order] = np.cumsum(first) - 1
    return rows[order[first]], positions


def _in_order(rows: IntArray) -> tuple[IntArray, BoolArray]:
    """A lexicographic order of the rows, equal ones in any, and which of them are other than the one before."""
    words = _packed(rows)
    order: IntArray = np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])
    first = np.ones(len(rows), dtype=bool)
    first[1:] = False
    for word in words:
        ordered = word[order]
        first[1:] |= ordered[1:] != ordered[:-1]
    return order, first


def _packed(rows: IntArray) -> list[IntArray]:
    """The columns as digits of as few numbers of 64 bits as hold them, which compare as the rows do."""
    words: list[IntArray] = []
    base = _WORD
    for place in range(rows.shape[1]):
        column = np.array(rows[:, place], dtype=np.int64)  # each lies together; all at once would fill memory again
        low, high = int(column.min()), int(column.max())
        span = high - low + 1
        if span < _WORD:
            column -= low
        if base * span < _WORD:
            words[-1] *= span
            words[-1] += column
            base *= span
        else:
            words.append(column)
            base = span
    return words
