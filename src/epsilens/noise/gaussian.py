"""Gaussian noise: density exp(-x^2 / 2 sigma^2) / (sigma sqrt(2 pi)), and its exact delta."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.checks import positive
from epsilens.lazy import LaterModule
from epsilens.noise.beyond_numbers import in_sizes, squared
from epsilens.noise.law import SecureSampler, SymmetricLaw

special = LaterModule("scipy.special")

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_LOG_ROOT = 0.5 * math.log(2.0 * math.pi)
_BEYOND = 1e100  # standard deviations whose tail has no logarithm that counts


@dataclass(frozen=True)
class GaussianNoise(SymmetricLaw):
    """Normal law with standard deviation ``sigma``: tail P(X > x) = Phi(-x / sigma)."""

    sigma: float
    name: ClassVar[str] = "gaussian"
    title: ClassVar[str] = "Gaussian"
    integer_valued: ClassVar[bool] = False
    secure_sampler: ClassVar[SecureSampler] = "gaussian"
    rotates: ClassVar[bool] = True
    steepest: ClassVar[float] = 0.2425
    """max of u phi(u) = phi(1)."""
    sharpest_bend: ClassVar[float] = 0.326
    """max of |u - u^3| phi(u), at u^2 = 2 + sqrt(3)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive("sigma", self.sigma))

    @property
    def variance(self) -> float:
        """sigma^2."""
        return self.sigma * self.sigma

    def tail(self, x: FloatArray) -> FloatArray:
        """Phi(-x / sigma)."""
        return as_floats(special.ndtr(-in_sizes(x, self.sigma)))

    def logtail(self, x: FloatArray) -> FloatArray:
        """Log Phi(-x / sigma)."""
        return as_floats(special.log_ndtr(-in_sizes(x, self.sigma)))

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log of :meth:`density`."""
        exponent = -0.5 * squared(in_sizes(as_floats(x), self.sigma))
        return as_floats(exponent - math.log(self.sigma) - _LOG_ROOT)

    def _is_flat(self, distance: FloatArray) -> BoolArray:
        """The log of the density changes by |k| / sigma^2."""
        return np.asarray((in_sizes(distance, self.sigma) < self.sigma) & (self.sigma >= 1.0))

    def log_ratio(self, x: npt.ArrayLike) -> FloatArray:
        """(2 x - 1) / (2 sigma^2)."""
        return (as_floats(x) / self.sigma - 0.5 / self.sigma) / self.sigma

    def largest_loss(self, moved: float = 1) -> float:
        """Infinity: (2 x + 1) / (2 sigma^2) grows with x."""
        return math.inf

    def known_delta(self, epsilon: float, moved: int) -> float:
        """That of one count that moves by the square root of ``moved``, since the law rotates."""
        return math.exp(gaussian_log_delta(epsilon, math.sqrt(moved) / self.sigma))

    def known_absolute_sum(self, terms: int) -> float:
        """Sigma sqrt(2 m / pi)."""
        return self.sigma * math.sqrt(2.0 * terms / math.pi)

    def exact_sum(self, terms: int) -> GaussianNoise:
        """Normal again, with standard deviation sigma sqrt(m); m is ``terms``."""
        return GaussianNoise(self.sigma * math.sqrt(terms))

    def tails_of_sums(self, terms: IntArray, x: FloatArray) -> FloatArray:
        """Phi(-x / (sigma sqrt(m)))."""
        return as_floats(special.ndtr(-in_sizes(x / np.sqrt(terms), self.sigma)))

    def known_characteristic(self, angles: FloatArray) -> FloatArray:
        """exp(-sigma^2 u^2 / 2)."""
        return as_floats(np.exp(-0.5 * (self.sigma * angles) ** 2))

    def known_log_moments(self, rates: FloatArray) -> FloatArray:
        """sigma^2 u^2 / 2."""
        return as_floats(0.5 * (self.sigma * rates) ** 2)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws."""
        return rng.normal(0.0, self.sigma, size)


def gaussian_log_delta(epsilon: float, ratio: float) -> float:
    """Log of the exact delta(epsilon) of Gaussian noise with sensitivity / sigma = ``ratio``.

    delta = Phi(a) - e^epsilon Phi(b) with a = r / 2 - epsilon / r, b = -r / 2 - epsilon / r (Balle and Wang 2018,
    Theorem 8). Since epsilon = (b^2 - a^2) / 2, e^epsilon phi(b) = phi(a), and with the Mills ratio
    m(x) = Phi(-x) / phi(x): delta = phi(a) (m(-a) - m(-b)), which for a <= 0 loses nothing to e^epsilon or to a tiny
    delta. For a > 0: delta = (Phi(a) - Phi(b)) - (e^epsilon - 1) Phi(b), where the first part dominates, or where r is
    above 1: Phi(a) - phi(a) m(-b), in which nothing overflows. Where r is above 1e15 rounding leaves a no digits, and
    delta is that of a sigma of which the same holds.
    """
    a, b = 0.5 * ratio - epsilon / ratio, -0.5 * ratio - epsilon / ratio
    if a <= -_BEYOND:
        return -0.5 * a * a
    if a <= 0:
        return -0.5 * a * a - _LOG_ROOT + math.log(_mills_difference(-a, ratio))
    if ratio > 1:
        return math.log(float(special.ndtr(a)) - math.exp(-0.5 * a * a - _LOG_ROOT) * _mills(-b))
    density = np.exp(-0.5 * (b + 0.5 * ratio * (_NODES + 1.0)) ** 2) / math.sqrt(2.0 * math.pi)
    return math.log(0.5 * ratio * float(_WEIGHTS @ density) - math.expm1(epsilon) * float(special.ndtr(b)))


def _mills(x: float) -> float:
    """The Mills ratio m(x) = sqrt(pi / 2) erfcx(x / sqrt 2)."""
    return math.sqrt(0.5 * math.pi) * float(special.erfcx(x / math.sqrt(2.0)))


def _mills_difference(x: float, step: float) -> float:
    """m(x) - m(x + step) for the Mills ratio m, x >= 0, without cancellation."""
    if step > 0.5 * (1.0 + x):
        return math.sqrt(0.5 * math.pi) * float(
            special.erfcx(x / math.sqrt(2.0)) - special.erfcx((x + step) / math.sqrt(2.0))
        )
    points = x + 0.5 * step * (_NODES + 1.0)
    return 0.5 * step * float(_WEIGHTS @ _mills_slope(points))


def _mills_slope(x: FloatArray) -> FloatArray:
    """1 - x m(x), the decrease of the Mills ratio; by its continued fraction where x m(x) is next to 1."""
    plain = 1.0 - x * math.sqrt(0.5 * math.pi) * special.erfcx(x / math.sqrt(2.0))
    if x[-1] <= 5.0:  # points ascend
        return as_floats(plain)
    # m(x) = 1 / (x + 1 / (x + 2 / (x + 3 / ...))) gives 1 - x m(x) = t / (x + t) with t = 1 / (x + 2 / (x + ...))
    t = np.zeros_like(x)
    for k in range(60, 0, -1):
        t = k / (np.maximum(x, 1.0) + t)
    return as_floats(np.where(x > 5.0, t / (x + t), plain))
