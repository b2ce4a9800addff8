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


def as_floats(x: npt.ArrayLike) -> FloatArray:
    """``x`` as an array of doubles."""
    return np.asarray(x, dtype=np.float64)


def distinct_rows(rows: IntArray, weights: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct rows in lexicographic order and the total weight of each."""
    if len(rows) == 0:
        return rows, weights
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    starts = np.flatnonzero(np.r_[True, np.any(ordered[1:] != ordered[:-1], axis=1)])
    return ordered[starts], np.add.reduceat(weights[order], starts)


def distinct_and_positions(rows: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct rows, and for every row which of them it is."""
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    first = np.r_[True, np.any(ordered[1:] != ordered[:-1], axis=1)] if len(rows) else np.zeros(0, dtype=bool)
    positions = np.empty(len(rows), dtype=np.int64)
    positions[order] = np.cumsum(first) - 1
    return ordered[first], positions
