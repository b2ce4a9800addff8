"""Distances between counts, cell by cell."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.errors import DataError


def difference(released: npt.ArrayLike, original: npt.ArrayLike) -> FloatArray:
    """Released minus original counts, which must have the same shape."""
    after, before = as_floats(released), as_floats(original)
    if after.shape != before.shape:
        raise DataError(
            f"must have the shape of the original counts, {before.shape}", parameter="released", got=after.shape
        )
    return after - before


def l1_error(released: npt.ArrayLike, original: npt.ArrayLike) -> float:
    """The sum over cells of |released - original|.

    Source: P2 Figure 2.
    """
    return float(np.abs(difference(released, original)).sum())


def rmse(released: npt.ArrayLike, original: npt.ArrayLike) -> float:
    """The root of the mean squared error over cells."""
    return float(np.sqrt(np.mean(difference(released, original) ** 2)))
