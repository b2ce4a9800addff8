"""Survey weights: how many of the population each person of a sample, and so each cell, stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.errors import DataError, counted, verb
from epsilens.notebook import brief

LARGEST_WEIGHT = 1e9
"""Nobody stands for more people than that, and sums of such weights have all their digits."""
ROUNDING = 1e-9
"""By what share a sum of weights may fall short of the number of people: they are written with few digits."""


@dataclass(frozen=True, eq=False)
class WeightedCells:
    """The distinct pairs of a count vector and a cell's sum of weights, and how many cells have each."""

    vectors: IntArray
    weights: FloatArray
    """How many of the population a cell stands for; at least its own people."""
    multiplicities: IntArray
    by_label: FloatArray | None = None
    """The weights of all people with each label; None where only those of cells are known."""

    __repr__ = brief


def weighted_cells(
    vectors: IntArray, weights: FloatArray, cells: IntArray, by_label: Sequence[float] | None = None
) -> WeightedCells:
    """Pairs as they come, each once, in the order of their vectors and weights.

    A cell stands for its own people at least: what falls short of that by rounding is made good.
    """
    sums = np.maximum(weights, np.maximum(vectors, 0).sum(axis=1))
    order = np.lexsort((sums, *vectors.T[::-1]))
    ordered, ordered_sums = vectors[order], sums[order]
    new = np.any(ordered[1:] != ordered[:-1], axis=1) | (ordered_sums[1:] != ordered_sums[:-1])
    starts = np.flatnonzero(np.r_[True, new]) if len(order) else np.zeros(0, dtype=np.int64)
    labels = None if by_label is None else as_floats(by_label)
    return WeightedCells(ordered[starts], ordered_sums[starts], np.add.reduceat(cells[order], starts), labels)


def checked_cell_weights(given: npt.ArrayLike, counts: IntArray) -> FloatArray:
    """One sum of weights per cell, each at least the number of people in the cell."""
    try:
        weights = as_floats(given)
    except (TypeError, ValueError):
        raise DataError("must be numbers, one per cell", parameter="weights") from None
    if weights.shape != (len(counts),):
        raise DataError(
            f"must have one number per cell ({len(counts)}), got shape {weights.shape}", parameter="weights"
        )
    if (odd := int((~np.isfinite(weights)).sum())) > 0:
        raise DataError(f"must be finite; {odd} of them {verb(odd)} not", parameter="weights")
    people = np.maximum(counts, 0).sum(axis=1)
    if (short := int((weights < people * (1.0 - ROUNDING)).sum())) > 0:
        raise DataError(
            f"{counted(short, 'cell')} {verb(short, 'stands', 'stand')} for fewer people than "
            f"{verb(short, 'it has', 'they have')}",
            parameter="weights",
            remedy="a person stands at least for themselves: add up weights of 1 or more",
        )
    return weights
