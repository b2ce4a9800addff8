"""How far a released count may be from the truth: standard errors, intervals, and the bias that clipping adds.

Everything here follows from the law of the noise alone, so it may be published. True counts are whole numbers, so that
rounding a noisy count rounds its noise: ``rounded`` asks for the law of that.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, FloatArray, as_floats
from epsilens.checks import probability
from epsilens.lazy import LaterModule
from epsilens.noise import Noise
from epsilens.noise.published import overshoot_moments, rounded_variance

optimize = LaterModule("scipy.optimize")


def standard_error(noise: Noise, rounded: bool = False) -> float:
    """The standard deviation of the noise."""
    return math.sqrt(rounded_variance(noise) if rounded else noise.variance)


def half_width(noise: Noise, confidence: float, rounded: bool = False) -> float:
    """The smallest h with P(|Z| <= h) >= confidence, a whole number for whole-number or rounded noise.

    The interval count -+ h covers the true count with at least that probability, exactly and for every single cell; it
    is not simultaneous for all cells. For whole numbers h is how far the law reaches; otherwise it solves
    2 P(Z > h) = 1 - confidence, the law being symmetric.
    """
    outside = 1.0 - probability("confidence", confidence)
    if rounded or noise.integer_valued:
        return float(noise.reach(outside))
    high = 1.0
    while float(noise.sf(high)) > 0.5 * outside:
        high *= 2.0
    return float(optimize.brentq(lambda h: float(noise.sf(h)) - 0.5 * outside, 0.0, high, xtol=1e-12))


def shown_interval(
    noise: Noise, noisy: npt.ArrayLike, threshold: int, confidence: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The interval of a noisy count that is shown because it is at least ``threshold``.

    A cell near the threshold is shown when its noise is large, so count -+ h would cover too little of what is shown.
    Given that it is shown, a cell with x people has Y = x + Z with Z >= tau - x. The interval holds every x >= 1 with
    P(Y >= y | shown) > (1 - c) / 2 and P(Y <= y | shown) > (1 - c) / 2; so whatever x is, it misses x with probability
    at most 1 - c among the releases that show the cell. Far above the threshold it is y -+ h of :func:`half_width`;
    near it the interval reaches down to one person. Symbols: y is ``noisy``, tau is ``threshold``, c is
    ``confidence``.

    Assumes noise on whole numbers with a log-concave law, so that Y grows with x: both probabilities are monotone in x
    and the ends are found by bisection.
    """
    half = 0.5 * (1.0 - probability("confidence", confidence))
    points, back = np.unique(np.asarray(noisy, dtype=np.int64), return_inverse=True)

    def reaches_up(x: npt.NDArray[np.int64]) -> BoolArray:
        """P(Y >= y | shown) > half."""
        return np.asarray(noise.logsf(points - 1.0 - x) - noise.logsf(threshold - 1.0 - x) > math.log(half))

    def reaches_down(x: npt.NDArray[np.int64]) -> BoolArray:
        """P(Y <= y | shown) > half."""
        return np.asarray(noise.cdf(points - x) - noise.cdf(threshold - 1.0 - x) > half * noise.sf(threshold - 1.0 - x))

    lower = _first(reaches_up, np.ones_like(points), points)
    far = points + noise.reach(half) + 1
    upper = _first(lambda x: ~reaches_down(x), lower, far) - 1
    return lower[back], np.maximum(upper, lower)[back]


def _first(
    holds: Callable[[npt.NDArray[np.int64]], BoolArray], low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """For each element the first number from ``low`` to ``high`` at which ``holds``, from which on it does."""
    low, high = low.copy(), high.copy()
    while (low < high).any():
        middle = (low + high) // 2
        found = holds(middle)
        low, high = np.where(found, low, np.minimum(middle + 1, high)), np.where(found, middle, high)
    return low


def clipping_bias(noise: Noise, counts: npt.ArrayLike, rounded: bool = False) -> FloatArray:
    """E max(0, x + Z) - x for each true count x: what moving negative counts to 0 adds on average.

    It is E max(0, -x - Z) = E max(0, Z - x), Z being symmetric: the sum of P(Z > j) over whole j >= x, or the integral
    of P(Z > t) from x on. Always > 0, largest at x = 0, and falling as x grows.
    """
    return overshoot_moments(noise, as_floats(counts), rounded)[0]


def shown_probability(noise: Noise, counts: npt.ArrayLike, threshold: int) -> FloatArray:
    """P(x + Z >= tau): how likely a cell with x people is shown by a thresholded release."""
    return noise.sf(threshold - as_floats(counts) - 1.0)
