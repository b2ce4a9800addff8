"""What laws of noise compute where sizes or distances are so extreme that a square, a ratio or an integer would end."""

from __future__ import annotations

import math

import numpy as np

from epsilens.arrays import FloatArray, as_floats

_LARGEST_INTEGER_SCALE = 2.0**40


def in_sizes(x: FloatArray, size: float) -> FloatArray:
    """``x / size``; infinite where that is beyond any number, which every tail takes for what it is."""
    with np.errstate(over="ignore"):
        return as_floats(x / size)


def squared(x: FloatArray) -> FloatArray:
    """``x`` squared; infinite where that is beyond any number."""
    with np.errstate(over="ignore"):
        return as_floats(x * x)


def geometric_differences(scale: float, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Draws of the difference of two geometric variables with chance 1 - e^(-1 / scale).

    A geometric variable is an exponential one of mean ``scale``, rounded up. That is how it is drawn where the scale is
    beyond 2^40: integers of 64 bits would end.
    """
    if scale > _LARGEST_INTEGER_SCALE:
        first, second = rng.exponential(scale, size), rng.exponential(scale, size)
        return as_floats(np.ceil(first) - np.ceil(second))
    success = -math.expm1(-1.0 / scale)
    return as_floats(rng.geometric(success, size) - rng.geometric(success, size))
