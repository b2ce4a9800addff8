"""Laplace noise: density exp(-|x| / b) / (2 b)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import positive
from epsilens.noise.law import SymmetricLaw


@dataclass(frozen=True)
class LaplaceNoise(SymmetricLaw):
    """Laplace law with ``scale`` b: tail P(X > x) = exp(-x / b) / 2 for x >= 0."""

    scale: float
    integer_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive("scale", self.scale))

    @property
    def variance(self) -> float:
        """2 b^2."""
        return 2.0 * self.scale * self.scale

    def tail(self, x: FloatArray) -> FloatArray:
        """exp(-x / b) / 2."""
        return 0.5 * np.exp(-x / self.scale)

    def logtail(self, x: FloatArray) -> FloatArray:
        """-x / b - log 2."""
        return -x / self.scale - math.log(2.0)

    def density(self, x: npt.ArrayLike) -> FloatArray:
        """exp(-|x| / b) / (2 b)."""
        return np.exp(self.logdensity(x))

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log of :meth:`density`."""
        return -np.abs(as_floats(x)) / self.scale - math.log(2.0 * self.scale)

    def pmf(self, k: npt.ArrayLike) -> FloatArray:
        """P(X rounds to k): 1 - e^(-1/2b) at 0, else e^(-(|k| - 1/2)/b) (1 - e^(-1/b)) / 2."""
        distance = np.abs(as_floats(k))
        off_centre = -0.5 * np.exp(-(np.maximum(distance, 0.5) - 0.5) / self.scale) * math.expm1(-1.0 / self.scale)
        return np.where(distance == 0, -math.expm1(-0.5 / self.scale), off_centre)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws."""
        return rng.laplace(0.0, self.scale, size)
