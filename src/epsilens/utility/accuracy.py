"""How far a released count may be from the truth: standard errors, intervals, and the bias that clipping adds.

Everything here follows from the law of the noise alone, so it may be published. True counts are whole numbers, so that
rounding a noisy count rounds its noise: ``rounded`` asks for the law of that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy.typing as npt
from scipy import optimize, special

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import probability
from epsilens.noise import Noise
from epsilens.noise.published import overshoot_moments, rounded_variance


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


def fitted_half_width(errors: FloatArray, noises: Sequence[Noise], confidence: float) -> FloatArray:
    """The half width for counts that combine draws of several laws, from their standard errors.

    A count that many draws have a part in is nearly normal; one that hangs on a single draw has the law of that, and
    Laplace noise has the heavier tails. The wider of the two is taken, so that neither covers too little.
    """
    normal = float(special.ndtri(0.5 + 0.5 * probability("confidence", confidence)))
    single = max(half_width(noise, confidence) / standard_error(noise) for noise in noises)
    return as_floats(max(normal, single) * errors)


def clipping_bias(noise: Noise, counts: npt.ArrayLike, rounded: bool = False) -> FloatArray:
    """E max(0, x + Z) - x for each true count x: what moving negative counts to 0 adds on average.

    It is E max(0, -x - Z) = E max(0, Z - x), Z being symmetric: the sum of P(Z > j) over whole j >= x, or the integral
    of P(Z > t) from x on. Always > 0, largest at x = 0, and falling as x grows.
    """
    return overshoot_moments(noise, as_floats(counts), rounded)[0]


def shown_probability(noise: Noise, counts: npt.ArrayLike, threshold: int) -> FloatArray:
    """P(x + Z >= tau): how likely a cell with x people is shown by a thresholded release."""
    return noise.sf(threshold - as_floats(counts) - 1.0)
