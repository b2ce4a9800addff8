"""Gaussian noise: density exp(-x^2 / 2 sigma^2) / (sigma sqrt(2 pi))."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy import special

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import positive
from epsilens.noise.law import SymmetricLaw

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True)
class GaussianNoise(SymmetricLaw):
    """Normal law with standard deviation ``sigma``: tail P(X > x) = Phi(-x / sigma)."""

    sigma: float
    integer_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive("sigma", self.sigma))

    @property
    def variance(self) -> float:
        """sigma^2."""
        return self.sigma * self.sigma

    def tail(self, x: FloatArray) -> FloatArray:
        """Phi(-x / sigma)."""
        return as_floats(special.ndtr(-x / self.sigma))

    def logtail(self, x: FloatArray) -> FloatArray:
        """Log Phi(-x / sigma)."""
        return as_floats(special.log_ndtr(-x / self.sigma))

    def density(self, x: npt.ArrayLike) -> FloatArray:
        """exp(-x^2 / 2 sigma^2) / (sigma sqrt(2 pi))."""
        return np.exp(self.logdensity(x))

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log of :meth:`density`."""
        return -0.5 * (as_floats(x) / self.sigma) ** 2 - math.log(self.sigma * math.sqrt(2.0 * math.pi))

    def pmf(self, k: npt.ArrayLike) -> FloatArray:
        """P(X rounds to k) = Phi((|k| + 1/2) / sigma) - Phi((|k| - 1/2) / sigma).

        Where the density is flat over the interval (its log changes by |k| / sigma^2 < 1, sigma >= 1) the two values
        are close together and their difference would cancel, so the density is integrated instead; twelve
        Gauss-Legendre nodes are then exact to a double.
        """
        distance = np.abs(as_floats(k))
        outside = self.tail(distance + 0.5)
        difference = np.where(distance == 0, 1.0 - 2.0 * outside, self.tail(np.abs(distance - 0.5)) - outside)
        flat = (distance < self.sigma**2) & (self.sigma >= 1.0)
        if not flat.any():
            return difference
        area = 0.5 * (self.density(distance[..., None] + 0.5 * _NODES) @ _WEIGHTS)
        return np.where(flat, area, difference)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws."""
        return rng.normal(0.0, self.sigma, size)
