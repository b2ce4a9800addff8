"""How well the marginals of a table survive: total variation distance of 1-, 2-, 3-way tables."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.errors import ParameterError
from epsilens.utility.cell_errors import difference


def total_variation(released: npt.ArrayLike, original: npt.ArrayLike) -> float:
    """Half the sum of |p - q| over cells, p and q the shares of people in each cell.

    Negative counts count as zero. A release without anybody says nothing about anybody: its distance is 1.
    """
    difference(released, original)  # refuse different shapes
    after, before = np.maximum(as_floats(released), 0.0), np.maximum(as_floats(original), 0.0)
    if before.sum() <= 0:
        raise ParameterError("must not be all zero: there is nothing to compare with", parameter="original")
    if after.sum() <= 0:
        return 1.0
    return float(0.5 * np.abs(after / after.sum() - before / before.sum()).sum())


def marginal_variation(released: npt.ArrayLike, original: npt.ArrayLike, ways: int) -> float:
    """The total variation distance of ``ways``-way marginals, averaged over all choices of that many axes.

    The counts have one axis per attribute. Negative counts count as zero once the whole table is released, so before
    marginals are taken, as a reader of the release would do.
    """
    after, before = np.maximum(as_floats(released), 0.0), as_floats(original)
    axes = range(before.ndim)
    if not 1 <= ways <= before.ndim:
        raise ParameterError(
            f"must lie between 1 and {before.ndim}, the number of attributes", parameter="ways", got=ways
        )
    distances: list[float] = []
    for kept in itertools.combinations(axes, ways):
        away = tuple(axis for axis in axes if axis not in kept)
        distances.append(total_variation(_summed(after, away), _summed(before, away)))
    return float(np.mean(distances))


def _summed(counts: FloatArray, axes: tuple[int, ...]) -> FloatArray:
    return as_floats(counts.sum(axis=axes)) if axes else counts
