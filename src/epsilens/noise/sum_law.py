"""The sum of several draws of noise is a law like any other, so that whatever works on a law works on sums.

Who knows only some attributes adds up the published counts of all cells that look alike to them; with m counts come m
draws of noise. A law that knows the law of such a sum says so (``exact_sum``): Gaussian noise stays Gaussian, Laplace
noise becomes a difference of two Gamma variables, discrete Laplace noise one of two negative binomial ones. Any other
law is convolved, its draws rounded as they are published (:mod:`~epsilens.noise.sums`).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import whole
from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.noise.law import AnyNoise, Noise, SymmetricLaw, checked_noise
from epsilens.noise.published import CountLaw, rounded_variance, within_reach
from epsilens.noise.sums import noise_of_sum, sum_of_many

_FARTHEST_TAIL = 1e-300


def law_of_sum(noise: Noise, terms: int) -> AnyNoise:
    """The law of eta_1 + ... + eta_m for independent draws of ``noise``; m is ``terms``.

    Source: P4 Eq. (3.7), where the draws are discrete Gaussian.
    Assumes independent draws; those of a law without a known sum are rounded to whole numbers, as published.
    Departs from print (P4-3): the law is exact, and that of any noise.
    """
    checked_noise(noise)
    return _law_of_sum(cast("Hashable", noise), whole("terms", terms, 1))


def sides_of_sums(noise: Noise, terms: IntArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(P(S > x), P(S <= x)) for sums S of so many draws, each point with its own number: many laws asked at once.

    The small side is computed directly, the other is one minus it: both are as exact as doubles are.
    """
    lower, start = x < 0.0, np.abs(x)
    if noise.integer_valued:  # X <= x means X <= floor(x), and the small side starts at a whole number
        below_x = np.floor(x)
        lower, start = below_x < 0.0, np.where(below_x < 0.0, -below_x, below_x + 1.0)
    tail = noise.tails_of_sums(terms, start)
    if tail is not None:
        return np.where(lower, 1.0 - tail, tail), np.where(lower, tail, 1.0 - tail)
    above, below = np.empty(len(x)), np.empty(len(x))
    order = np.argsort(terms, kind="stable")
    starts = np.flatnonzero(np.diff(terms[order], prepend=-1))
    for some in np.split(order, starts[1:]) if len(order) else ():
        law = law_of_sum(noise, int(terms[some[0]]))
        above[some], below[some] = law.sf(x[some]), law.cdf(x[some])
    return above, below


@lru_cache(maxsize=4096)
def _law_of_sum(noise: Any, terms: int) -> AnyNoise:
    if terms == 1:
        return cast("AnyNoise", noise)
    known: AnyNoise | None = noise.exact_sum(terms)
    if known is not None:
        return known
    many = sum_of_many(noise, terms)
    if isinstance(many, DiscreteGaussianNoise):
        return many
    return ListedSum(many or noise_of_sum(noise, terms), noise, terms)


@dataclass(frozen=True, eq=False)
class ListedSum(SymmetricLaw):
    """A sum of draws whose probabilities are listed, as far out as they are numbers."""

    law: CountLaw
    noise: Noise
    terms: int
    name: ClassVar[str] = "listed-sum"
    title: ClassVar[str] = "noise (added up)"
    integer_valued: ClassVar[bool] = True

    @property
    def size(self) -> float:
        """The standard deviation; a list has no parameter."""
        return math.sqrt(self.variance)

    @property
    def variance(self) -> float:
        """M times that of a draw, rounded."""
        return self.terms * rounded_variance(self.noise)

    def tail(self, x: FloatArray) -> FloatArray:
        """P(X >= x) for whole x >= 1: the listed probabilities, added up from the smallest."""
        return np.exp(self.logtail(x))

    def logtail(self, x: FloatArray) -> FloatArray:
        """Log of :meth:`tail`; minus infinity beyond the list."""
        beyond = self._log_beyond
        return beyond[np.minimum(as_floats(x), len(beyond) - 1.0).astype(np.int64)]

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log P(X = x); minus infinity between whole numbers."""
        points = as_floats(x)
        is_whole = (points == np.floor(points)) & (np.abs(points) < len(self._log_beyond))
        return np.where(is_whole, self.law.logpmf(np.where(is_whole, points, 0.0)), -np.inf)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws by inversion of the list."""
        half = len(self._log_beyond) - 1
        k = np.arange(-half, half + 1.0)
        mass = np.cumsum(np.exp(self.law.logpmf(k)))
        return as_floats(np.searchsorted(mass, rng.random(size) * mass[-1]) - half)

    @cached_property
    def _log_beyond(self) -> FloatArray:
        """Log P(X >= k) for k = 0, 1, ..., and minus infinity at the end."""
        points, logpmf = within_reach(self.law, _FARTHEST_TAIL)
        upper = logpmf[len(points) // 2 :]
        return np.append(np.logaddexp.accumulate(upper[::-1])[::-1], -np.inf)
