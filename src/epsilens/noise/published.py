"""The noise of a published count: rounded, listed as far as it reaches, and clipped at zero, for any law.

What clipping does to a noisy count is exact.
With X the noise (rounded, where counts are), Y = max(0, x + X) and the overshoot Z = max(0, -x - X):
E Y = x + E X + E Z and E Y^2 = E (x + X)^2 - E Z^2. So bias and variance need the first two moments of Z only, and
these are sums over the lower tail of the noise. All terms are positive: nothing cancels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.errors import ParameterError
from epsilens.noise.law import Noise, spread_of
from epsilens.noise.whole_number_sums import whole_numbers, width

NEGLIGIBLE = 1e-13
"""Noise beyond the reach at this tail probability is left out of an expectation; its probability bounds the error."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_BOTH_TAILS = 2.0 * math.exp(-80.0)  # what a law may have beyond a list of its values: 1e-35 on either side
_LONGEST_LIST = 20_000_000
_LONGEST_SUM = 1 << 20  # longer ones are summed at few of their whole numbers
_SMOOTH = 200.0  # above this standard deviation a rounded continuous law is summed by Euler-Maclaurin, to 1e-12
_CHUNK = 2_000_000
_UNDERFLOW = 1e-200
_WIDE = 1e5
_FAR = 2.0**40


class CountLaw(Protocol):
    """A law on the whole numbers, symmetric about 0."""

    def logpmf(self, k: npt.ArrayLike) -> FloatArray:
        """Log P(Z = k) for whole k."""

    def reach(self, tail: float) -> int:
        """A T with P(|Z| > T) <= tail."""


@dataclass(frozen=True)
class CountNoise:
    """The noise of one published count."""

    noise: Noise

    def logpmf(self, k: npt.ArrayLike) -> FloatArray:
        """Log P(Z = k); for a rounded law far from 0, where the pmf underflows, from the logarithms of its tails."""
        points = as_floats(k)
        if self.noise.integer_valued:
            return self.noise.logdensity(points)
        pmf = self.noise.pmf(points)
        distance = np.maximum(np.abs(points), 1.0)
        near, far = self.noise.logsf(distance - 0.5), self.noise.logsf(distance + 0.5)
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = np.where(np.isfinite(near), far - near, -np.inf)  # not at all apart where the noise is that wide
            tail_form = near + np.log(-np.expm1(np.minimum(apart, 0.0)))
            return np.where((pmf > _UNDERFLOW) | (apart == 0.0), np.log(pmf), tail_form)

    def log_ratio(self, k: npt.ArrayLike) -> FloatArray:
        """Log P(Z = k - 1) - log P(Z = k) for whole k.

        A rounded law's probabilities fall as its density does wherever that is all but constant between neighbours, up
        to a factor of 1 + 1 / size^2, or where k is so large that doubles cannot tell it from its neighbours.
        """
        points = as_floats(k)
        if self.noise.integer_valued:
            return self.noise.log_ratio(points)
        smooth = (np.abs(points - 0.5) > 1.0) & ((self.noise.size > _WIDE) | (np.abs(points) > _FAR))
        near = np.where(smooth, 0.0, points)
        return np.where(smooth, self.noise.log_ratio(points), self.logpmf(near - 1.0) - self.logpmf(near))

    def reach(self, tail: float) -> int:
        """The smallest T with P(|Z| > T) <= tail."""
        return self.noise.reach(tail)


def within_reach(law: CountLaw, tail: float = NEGLIGIBLE) -> tuple[FloatArray, FloatArray]:
    """The whole numbers that noise takes but for a probability of at most ``tail``, and their log probabilities."""
    reach = law.reach(tail)
    if reach > _LONGEST_LIST:
        raise ParameterError(
            f"noise that reaches {reach:.3g} people is too wide to be listed person by person",
            remedy="take a larger budget",
        )
    points = np.arange(-reach, reach + 1, dtype=np.float64)
    return points, law.logpmf(points)


def overshoot_moments(noise: Noise, counts: FloatArray, rounded: bool) -> tuple[FloatArray, FloatArray]:
    """E Z and E Z^2 with Z = max(0, -x - X), per count x >= 0.

    For whole-number noise with tail t(m) = P(X >= m):  E Z = sum_{m > x} t(m) and
    E Z^2 = sum_{j >= 1} (2 j - 1) t(x + j) = E Z(x) + 2 sum_{i >= 1} E Z(x + i). For continuous noise the sums are
    integrals, int_0^inf t(x + u) du and int_0^inf 2 u t(x + u) du. Assumes noise that is symmetric about 0, as all of
    ours is.
    """
    points, back = np.unique(counts, return_inverse=True)
    whole = rounded or noise.integer_valued
    spread = spread_of(noise)
    if noise.integer_valued and noise.reach(_BOTH_TAILS) > _LONGEST_SUM:
        first, second = _shortened_sums(noise, points)
    elif whole and (noise.integer_valued or spread <= _SMOOTH):
        first, second = _sums(noise, points)
    else:
        first, second = _integrals(noise, points, spread)
        if whole:  # midpoint Euler-Maclaurin: the sum over m - 1/2 against the integral
            first = first - noise.density(points) / 24.0
            second = second + noise.sf(points) / 12.0
    return first[back].reshape(counts.shape), second[back].reshape(counts.shape)


def rounded_variance(noise: Noise) -> float:
    """Variance of the noise after rounding to whole numbers: 2 sum_{m >= 1} (2 m - 1) P(X >= m - 1/2)."""
    if noise.integer_valued:
        return noise.variance
    return 2.0 * float(overshoot_moments(noise, np.zeros(1), rounded=True)[1][0])


def tail_reach(noise: Noise) -> int:
    """How far a list of the law's values must go until its tail is negligible; refused where that is too far."""
    reach = noise.reach(_BOTH_TAILS)
    if reach > _LONGEST_LIST:
        raise ParameterError(
            f"noise with a standard deviation of {math.sqrt(noise.variance):.3g} is too wide to be summed exactly",
            remedy="take a larger budget",
        )
    return reach


def _sums(noise: Noise, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    reach = max(tail_reach(noise), 1)
    tail = noise.sf(np.arange(1.0, reach + 1.0) - 0.5)  # P(X >= m) for whole X, P(X rounds to m or more) otherwise
    first = np.append(np.cumsum(tail[::-1])[::-1], 0.0)  # E Z at x = 0, 1, ...
    second = first.copy()
    second[:-1] += 2.0 * np.append(np.cumsum(first[:0:-1])[::-1], 0.0)[: len(first) - 1]
    index = np.minimum(points, reach).astype(np.int64)
    return first[index], second[index]


def _shortened_sums(noise: Noise, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The sums over P(X >= x + j) and (2 j - 1) P(X >= x + j), j >= 1, at few j; the law is smooth here."""
    terms = whole_numbers(1, noise.reach(_BOTH_TAILS) + 1, (), width(noise))
    first, second = np.empty(len(points)), np.empty(len(points))
    step = max(1, _CHUNK // len(terms.points))
    for start in range(0, len(points), step):
        part = slice(start, start + step)
        tail = noise.sf(points[part, None] + terms.points - 0.5)
        first[part] = tail @ terms.weights
        second[part] = tail @ ((2.0 * terms.points - 1.0) * terms.weights)
    return first, second


def _integrals(noise: Noise, points: FloatArray, spread: float) -> tuple[FloatArray, FloatArray]:
    panels = np.arange(0.0, 60.0, 0.25) * spread  # 60 standard deviations: 1e-36 of a Laplace law lie beyond
    nodes = (panels[:, None] + 0.125 * spread * (_NODES + 1.0)).ravel()
    weights = np.tile(0.125 * spread * _WEIGHTS, len(panels))
    first, second = np.empty(len(points)), np.empty(len(points))
    step = max(1, _CHUNK // len(nodes))
    for start in range(0, len(points), step):
        part = slice(start, start + step)
        tail = noise.sf(points[part, None] + nodes)
        first[part] = tail @ weights
        second[part] = tail @ (2.0 * nodes * weights)
    return as_floats(first), as_floats(second)
