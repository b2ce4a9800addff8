"""Laplace noise: density exp(-|x| / b) / (2 b)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import positive
from epsilens.noise.beyond_numbers import in_sizes
from epsilens.noise.laplace_sum import LaplaceSum, tails
from epsilens.noise.law import SecureSampler, SymmetricLaw


@dataclass(frozen=True)
class LaplaceNoise(SymmetricLaw):
    """Laplace law with ``scale`` b: tail P(X > x) = exp(-x / b) / 2 for x >= 0."""

    scale: float
    name: ClassVar[str] = "laplace"
    title: ClassVar[str] = "Laplace"
    integer_valued: ClassVar[bool] = False
    secure_sampler: ClassVar[SecureSampler] = "laplace"
    steepest: ClassVar[float] = 0.185
    """max of u e^-u / 2 = 1 / (2 e)."""
    sharpest_bend: ClassVar[float] = 0.155
    """max of |u - u^2| e^-u / 2, at u = (3 + sqrt(5)) / 2."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive("scale", self.scale))

    @property
    def variance(self) -> float:
        """2 b^2."""
        return 2.0 * self.scale * self.scale

    def tail(self, x: FloatArray) -> FloatArray:
        """exp(-x / b) / 2."""
        return 0.5 * np.exp(-in_sizes(x, self.scale))

    def logtail(self, x: FloatArray) -> FloatArray:
        """-x / b - log 2."""
        return -in_sizes(x, self.scale) - math.log(2.0)

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """-|x| / b - log(2 b)."""
        return -in_sizes(np.abs(as_floats(x)), self.scale) - math.log(2.0) - math.log(self.scale)

    def pmf(self, k: npt.ArrayLike) -> FloatArray:
        """P(X rounds to k): 1 - e^(-1/2b) at 0, else e^(-(|k| - 1/2)/b) (1 - e^(-1/b)) / 2."""
        distance = np.abs(as_floats(k))
        beyond = in_sizes(np.maximum(distance, 0.5) - 0.5, self.scale)
        off_centre = -0.5 * np.exp(-beyond) * math.expm1(-1.0 / self.scale)
        return np.where(distance == 0, -math.expm1(-0.5 / self.scale), off_centre)

    def log_ratio(self, x: npt.ArrayLike) -> FloatArray:
        """(|x| - |x - 1|) / b: 1, -1, or 2 x - 1 between, over the scale."""
        return np.clip(2.0 * as_floats(x) - 1.0, -1.0, 1.0) / self.scale

    @property
    def geometric_rate(self) -> float:
        """1 / b."""
        return 1.0 / self.scale

    def largest_loss(self, moved: float = 1) -> float:
        """One count moves the loss by 1 / b at most."""
        return moved / self.scale

    def known_delta(self, epsilon: float, moved: int) -> float | None:
        """The delta of one count, or of two, that move by one person each.

        1 - e^-u for one count and 1 - (1 + u / 2) e^-u for two, with u = (m / b - epsilon) / 2 and m = ``moved``; 0
        from epsilon = m / b on. The loss of one count is 1 / b with probability 1/2, -1 / b with probability
        e^(-1/b) / 2, and between them has the density e^((L - 1/b) / 2) / 4; so E max(0, 1 - e^(epsilon - L)) is the
        first, and that of a sum of two such losses the second.

        Source: P0 Eq. (1), for the law itself.
        Assumes epsilon >= 0.
        """
        if moved not in (1, 2) or epsilon < 0:
            return None
        u = max(0.0, 0.5 * (moved / self.scale - epsilon))
        return -math.expm1(-u) - (0.5 * u * math.exp(-u) if moved == 2 else 0.0)

    def known_absolute_sum(self, terms: int) -> float:
        """2 b Gamma(m + 1/2) / (sqrt(pi) Gamma(m)), the Gini difference of a Gamma law; m is ``terms``."""
        return 2.0 * self.scale * math.exp(math.lgamma(terms + 0.5) - math.lgamma(terms)) / math.sqrt(math.pi)

    def exact_sum(self, terms: int) -> LaplaceSum:
        """The difference of two Gamma variables."""
        return LaplaceSum(self.scale, terms)

    def tails_of_sums(self, terms: IntArray, x: FloatArray) -> FloatArray:
        """Finite sums of positive terms, many at a time."""
        return tails(terms, in_sizes(x, self.scale))

    def known_characteristic(self, angles: FloatArray) -> FloatArray:
        """1 / (1 + b^2 u^2)."""
        return as_floats(1.0 / (1.0 + (self.scale * angles) ** 2))

    def known_log_moments(self, rates: FloatArray) -> FloatArray:
        """-log(1 - b^2 u^2), for |u| < 1 / b."""
        ratio = self.scale * np.abs(rates)
        return np.where(ratio < 1.0, -np.log1p(-(np.minimum(ratio, 1.0 - 1e-16) ** 2)), np.inf)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws: the difference of two exponential ones has this law, and takes half the time of a logarithm."""
        drawn = rng.standard_exponential(size)
        drawn -= rng.standard_exponential(size)
        drawn *= self.scale
        return as_floats(drawn)
