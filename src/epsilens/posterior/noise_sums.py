"""Sums over all that noise may be, however wide it is.

Up to a million whole numbers are simply listed. Wider noise is smooth at the scale of whole numbers, so a sum of a
smooth function over it needs few of them (:mod:`~epsilens.noise.whole_number_sums`), with kinks where the law has one:
at 0, and as many counts on either side as the target is people. A decision is not a smooth function; but it turns at
few places, found by bisection between those whole numbers, and the probability between two turns is a difference of
tails.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.noise import Noise
from epsilens.noise.published import CountNoise, within_reach
from epsilens.noise.whole_number_sums import whole_numbers, width

TAIL = 1e-16
"""What is left out of a sum over the noise."""

_DEEP_TAIL = 1e-300
"""Narrow noise is listed so far out that also what it almost never does counts, next to a prior that is tiny."""
_SHORT_LIST = 2_000
LONGEST_LIST = 500_000


def is_listed(noise: Noise) -> bool:
    """Whether noise is narrow enough for all its whole numbers to be listed."""
    return noise.reach(TAIL) <= LONGEST_LIST


def sum_over_noise(noise: Noise, longest: int = LONGEST_LIST, family: int = 1) -> tuple[FloatArray, FloatArray]:
    """Points and weights with E g(Z) = sum of weight x g(point), Z being the noise of a published count, g smooth.

    Noise that reaches no further than ``longest`` is listed. A count that moves by ``family`` people has kinks that far
    from 0.
    """
    if noise.reach(_DEEP_TAIL) <= _SHORT_LIST:
        return listed_noise(noise, _DEEP_TAIL)
    reach = noise.reach(TAIL)
    if reach <= longest:
        return listed_noise(noise)
    terms = whole_numbers(-reach, reach + 1, (-family, 0, family), width(noise))
    return terms.points, terms.weights * np.exp(CountNoise(noise).logpmf(terms.points))


def listed_noise(noise: Noise, tail: float = TAIL) -> tuple[FloatArray, FloatArray]:
    """The whole numbers that noise takes but for a probability of ``tail``, and their probabilities."""
    points, logpmf = within_reach(CountNoise(noise), tail)
    return points, np.exp(logpmf)


def decided(
    noise: Noise, points: FloatArray, odds: FloatArray, tie: float, odds_at: Callable[[FloatArray], FloatArray]
) -> tuple[float, float]:
    """P(the log odds are above 0), and P(they are even), from the log odds at the points of :func:`sum_over_noise`.

    ``odds_at`` gives the log odds at any whole number of noise.
    """
    verdict = np.where(odds > tie, 1, np.where(odds < -tie, -1, 0))
    if is_listed(noise):
        mass = np.exp(CountNoise(noise).logpmf(points))
        return float(mass[verdict > 0].sum()), float(mass[verdict == 0].sum())
    starts, verdicts = [float(points[0])], [int(verdict[0])]
    for i in np.flatnonzero(np.diff(verdict)).tolist():
        low, high = float(points[i]), float(points[i + 1])
        while verdicts[-1] != verdict[i + 1]:
            start, found = _turn(low, high, verdicts[-1], tie, odds_at)
            starts.append(start)
            verdicts.append(found)
            low = start
    # P(start <= Z < next start); halves are never whole, so that rounding half up makes no difference
    below, above = noise.cdf(as_floats(starts) - 0.5), noise.sf(as_floats(starts) - 0.5)
    ends_below, ends_above = np.append(below[1:], 1.0), np.append(above[1:], 0.0)
    mass = np.where(as_floats(starts) > 0, above - ends_above, ends_below - below)
    mass[0] = ends_below[0]
    runs = np.asarray(verdicts)
    return float(mass[runs > 0].sum()), float(mass[runs == 0].sum())


def _turn(
    low: float, high: float, before: int, tie: float, odds_at: Callable[[FloatArray], FloatArray]
) -> tuple[float, int]:
    """The first whole number after ``low`` with another verdict, and that verdict; there is one at ``high``."""

    def verdict(z: float) -> int:
        odds = float(odds_at(as_floats(z)))
        return 1 if odds > tie else -1 if odds < -tie else 0

    while high - low > 1.0:
        middle = np.floor(0.5 * (low + high))
        low, high = (middle, high) if verdict(middle) == before else (low, middle)
    return high, verdict(high)
