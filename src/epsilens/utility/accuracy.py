"""How far a released count may be from the truth: standard errors, intervals, and the bias that clipping adds.

Everything here follows from the law of the noise alone, so it may be published. True counts are whole numbers, so that
rounding a noisy count rounds its noise: ``rounded`` asks for the law of that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import integrate, optimize, special

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import probability
from epsilens.noise import Noise
from epsilens.noise.published import overshoot_moments, rounded_variance

WIDE = 1e10


def standard_error(noise: Noise, rounded: bool = False) -> float:
    """The standard deviation of the noise."""
    return math.sqrt(rounded_variance(noise) if rounded else noise.variance)


def half_width(noise: Noise, confidence: float, rounded: bool = False) -> float:
    """The smallest h with P(|Z| <= h) >= confidence, a whole number for whole-number or rounded noise.

    The law is symmetric, so P(|Z| > h) = 2 P(Z > h). The interval count -+ h covers the true count with at least that
    probability, exactly and for every single cell; it is not simultaneous for all cells. Rounded half up, |Z| exceeds a
    whole h where Z does h + 1/2.
    """
    if rounded:
        return float(max(math.ceil(half_width(noise, confidence) - 0.5), 0))
    tail = 0.5 * (1.0 - probability("confidence", confidence))
    high = 1.0
    while float(noise.sf(high)) > tail:
        high *= 2.0
    if not noise.integer_valued:
        return float(optimize.brentq(lambda h: float(noise.sf(h)) - tail, 0.0, high, xtol=1e-12))
    candidates = np.arange(0.0, high + 1.0) if high < 1e6 else None
    if candidates is not None:
        return float(candidates[np.argmax(noise.sf(candidates) <= tail)])
    low = 0.0
    while high - low > 1.0:
        middle = math.floor(0.5 * (low + high))
        low, high = (low, float(middle)) if float(noise.sf(middle)) <= tail else (float(middle), high)
    return high


def fitted_half_width(errors: FloatArray, noises: Sequence[Noise], confidence: float) -> FloatArray:
    """The half width for counts that combine draws of several laws, from their standard errors.

    A count that many draws have a part in is nearly normal; one that hangs on a single draw has the law of that, and
    Laplace noise has the heavier tails. The wider of the two is taken, so that neither covers too little.
    """
    normal = float(special.ndtri(0.5 + 0.5 * probability("confidence", confidence)))
    single = max(half_width(noise, confidence) / standard_error(noise) for noise in noises)
    return as_floats(max(normal, single) * errors)


def mean_absolute_error(noise: Noise, rounded: bool = False) -> float:
    """E|Z| = 2 E max(Z, 0), the expected error of one count."""
    return 2.0 * float(clipping_bias(noise, [0], rounded)[0])


def clipping_bias(noise: Noise, counts: npt.ArrayLike, rounded: bool = False) -> FloatArray:
    """E max(0, x + Z) - x for each true count x: what moving negative counts to 0 adds on average.

    It is E max(0, -x - Z) = E max(0, Z - x), Z being symmetric: the sum of P(Z > j) over whole j >= x, or the integral
    of P(Z > t) from x on. Always > 0, largest at x = 0, and falling as x grows.
    """
    given = as_floats(counts)
    if not noise.integer_valued or noise.variance < WIDE:
        return overshoot_moments(noise, given, rounded)[0]
    # A wide whole-number law is its integral from half a count below on, up to one part in its variance.
    reach = 60.0 * math.sqrt(noise.variance)
    values, back = np.unique(given, return_inverse=True)
    biases = [integrate.quad(lambda t: float(noise.sf(t)), x - 0.5, x + reach, limit=200)[0] for x in values]
    return as_floats(biases)[back].reshape(given.shape)


def shown_probability(noise: Noise, counts: npt.ArrayLike, threshold: int) -> FloatArray:
    """P(x + Z >= tau): how likely a cell with x people is shown by a thresholded release."""
    return noise.sf(threshold - as_floats(counts) - 1.0)
