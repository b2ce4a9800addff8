"""Discrete Laplace (two-sided geometric) noise: pmf proportional to exp(-|k| / s) on the whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import positive
from epsilens.noise.beyond_numbers import geometric_differences, in_sizes
from epsilens.noise.discrete_laplace_sum import DiscreteLaplaceSum, tails
from epsilens.noise.law import SecureSampler, SymmetricLaw


@dataclass(frozen=True)
class DiscreteLaplaceNoise(SymmetricLaw):
    """Discrete Laplace law with ``scale`` s; with p = e^(-1/s): P(k) = (1 - p) / (1 + p) p^|k|.

    Its tail is P(X >= m) = p^m / (1 + p) for m >= 1.
    """

    scale: float
    name: ClassVar[str] = "discrete-laplace"
    title: ClassVar[str] = "discrete Laplace"
    integer_valued: ClassVar[bool] = True
    secure_sampler: ClassVar[SecureSampler] = "laplace"
    steepest: ClassVar[float] = 0.2245
    """At one person away: max of x / (4 cosh^2(x / 2)) with x = 1 / scale."""
    sharpest_bend: ClassVar[float] = 0.235
    """At one person away, where it is larger than further off, which tends to that of the Laplace law."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive("scale", self.scale))

    @property
    def _p(self) -> float:
        return math.exp(-1.0 / self.scale)

    @property
    def _one_minus_p(self) -> float:
        return -math.expm1(-1.0 / self.scale)

    @property
    def variance(self) -> float:
        """2 p / (1 - p)^2."""
        return 2.0 * self._p / self._one_minus_p / self._one_minus_p  # in this order nothing underflows

    def tail(self, x: FloatArray) -> FloatArray:
        """p^m / (1 + p)."""
        return as_floats(np.exp(-in_sizes(x, self.scale)) / (1.0 + self._p))

    def logtail(self, x: FloatArray) -> FloatArray:
        """Log of :meth:`tail`."""
        return -in_sizes(x, self.scale) - math.log1p(self._p)

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log P(X = x), with log((1 - p) / (1 + p)) = log tanh(1 / 2s); minus infinity between whole numbers."""
        points = as_floats(x)
        log_centre = math.log(self._one_minus_p) - math.log1p(self._p)
        return np.where(points == np.floor(points), log_centre - in_sizes(np.abs(points), self.scale), -np.inf)

    def log_ratio(self, x: npt.ArrayLike) -> FloatArray:
        """(|x| - |x - 1|) / s: 1, -1, or 2 x - 1 between, over the scale."""
        return np.clip(2.0 * as_floats(x) - 1.0, -1.0, 1.0) / self.scale

    @property
    def geometric_rate(self) -> float:
        """1 / s."""
        return 1.0 / self.scale

    def largest_loss(self, moved: float = 1) -> float:
        """One count moves the loss by 1 / s at most."""
        return moved / self.scale

    def exact_sum(self, terms: int) -> DiscreteLaplaceSum:
        """The difference of two negative binomial variables."""
        return DiscreteLaplaceSum(self.scale, terms)

    def tails_of_sums(self, terms: IntArray, x: FloatArray) -> FloatArray:
        """Sums of positive terms; those that are next to nothing are not summed."""
        return tails(self.scale, terms, x)

    def known_characteristic(self, angles: FloatArray) -> FloatArray:
        """(1 - p)^2 / (1 - 2 p cos u + p^2) = 1 / (1 + (sin(u / 2) / sinh(1 / 2s))^2)."""
        return as_floats(1.0 / (1.0 + (np.sin(0.5 * angles) * self._steepness) ** 2))

    def known_log_moments(self, rates: FloatArray) -> FloatArray:
        """-log(1 - (sinh(u / 2) / sinh(1 / 2s))^2), for |u| < 1 / s."""
        inside = np.abs(rates) < 1.0 / self.scale
        half = np.where(inside, 0.5 * np.abs(rates), 0.0)
        # the ratio of two sinh without overflow
        ratio = np.exp(half - 0.5 / self.scale) * np.expm1(-2.0 * half) / math.expm1(-1.0 / self.scale)
        return np.where(inside & (ratio < 1.0), -np.log1p(-(np.minimum(ratio, 1.0 - 1e-16) ** 2)), np.inf)

    @property
    def _steepness(self) -> float:
        """1 / sinh(1 / 2s)."""
        return 2.0 * math.exp(-0.5 / self.scale) / self._one_minus_p

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws: the difference of two geometric variables."""
        return geometric_differences(self.scale, size, rng)
