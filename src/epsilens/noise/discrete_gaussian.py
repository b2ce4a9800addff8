"""Discrete Gaussian noise: pmf proportional to exp(-k^2 / 2 sigma^2) on the whole numbers.

``sigma`` is the parameter, not quite the standard deviation: the variance is a little below sigma^2 for small sigma.

**Normaliser.** Z = sum_k exp(-k^2 / 2 sigma^2). By Poisson summation also
Z = sigma sqrt(2 pi) (1 + 2 sum_j exp(-2 pi^2 sigma^2 j^2)): the first series is short for sigma < 1, the second for
sigma >= 1, where its second term is below 1e-33.

**Tail.** P(X >= m) = exp(-m^2 / 2 sigma^2) T(m) / Z with T(m) = sum_{j >= 0} exp(-(j^2 + 2 m j) / 2 sigma^2). All terms
are positive and T >= 1, so nothing cancels or underflows. Where the sum would be long (large sigma, m of the order of
sigma) the midpoint Euler-Maclaurin formula replaces it: with x = m - 1/2 and h = x / sigma^2, T(m) is
e^((m - 1/4) / 2 sigma^2) [sigma sqrt(pi/2) erfcx(x / sigma sqrt 2) - h / 24 - 7 (3 h / sigma^2 - h^3) / 5760 + ...];
it is used only where the next term is below 1e-15.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import positive
from epsilens.lazy import LaterModule
from epsilens.noise.beyond_numbers import geometric_differences, in_sizes, squared
from epsilens.noise.law import SecureSampler, SymmetricLaw

special = LaterModule("scipy.special")

_LONGEST_SUM = 4096
_TERMS_AT_ONCE = 1 << 16
_FURTHEST = 1e300
_WIDE = 1e4  # from here on lists get long
_FAR = 1e3  # so many sigmas from 0 its probabilities are 0 to a double
_NEGLIGIBLE = 40.0  # e^-40 is below the resolution of a double next to 1


@dataclass(frozen=True)
class DiscreteGaussianNoise(SymmetricLaw):
    """Discrete Gaussian law with parameter ``sigma``."""

    sigma: float
    name: ClassVar[str] = "discrete-gaussian"
    title: ClassVar[str] = "discrete Gaussian"
    integer_valued: ClassVar[bool] = True
    secure_sampler: ClassVar[SecureSampler] = "gaussian"
    steepest: ClassVar[float] = 0.345
    """At one person away: max of 2 u e^-u / (1 + 2 e^-u)^2 with u = 1 / (2 sigma^2)."""
    sharpest_bend: ClassVar[float] = 0.791
    """At one person away, where it is larger than further off, which tends to that of the Gaussian law."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive("sigma", self.sigma))

    @cached_property
    def _log_normaliser(self) -> float:
        if self.sigma < 1.0:
            return math.log1p(2.0 * sum(math.exp(-0.5 * (k / self.sigma) * (k / self.sigma)) for k in range(1, 12)))
        return math.log(self.sigma) + 0.5 * math.log(2.0 * math.pi) + math.log1p(2.0 * self._wrap)

    @property
    def _wrap(self) -> float:
        """exp(-2 pi^2 sigma^2): how far the discrete law is from the continuous one."""
        return math.exp(-2.0 * (math.pi * self.sigma) * (math.pi * self.sigma))

    @property
    def variance(self) -> float:
        """Sum k^2 P(k); for sigma >= 1 from the second series: sigma^2 - 8 pi^2 sigma^4 w / (1 + 2 w)."""
        if self.sigma < 1.0:
            k = np.arange(1.0, 12.0)
            return float(2.0 * np.sum(k**2 * self.pmf(k)))
        square = self.sigma * self.sigma
        if not (wrap := self._wrap):
            return square
        return square - 8.0 * math.pi**2 * square * square * wrap / (1.0 + 2.0 * wrap)

    def tail(self, x: FloatArray) -> FloatArray:
        """P(X >= m)."""
        return np.exp(self.logtail(x))

    def logtail(self, x: FloatArray) -> FloatArray:
        """Log P(X >= m)."""
        bulk = -0.5 * squared(in_sizes(x, self.sigma))
        return as_floats(bulk - self._log_normaliser + np.log(self._tail_sum(x)))

    def _tail_sum(self, m: FloatArray) -> FloatArray:
        """T(m) of the module docstring, for m >= 0."""
        points, back = np.unique(m, return_inverse=True)
        far = math.sqrt(2.0 * _NEGLIGIBLE) * self.sigma
        reached = far * (far / (np.hypot(points, far) + points))  # sqrt(m^2 + 80 sigma^2) - m
        lengths = np.ceil(np.minimum(reached, _LONGEST_SUM)).astype(np.int64) + 1
        sums = np.empty_like(points)
        short = lengths <= _LONGEST_SUM
        start = int(np.searchsorted(short, True))  # points rise, so that lengths fall: from here on all are short
        while start < len(points):
            rows = slice(start, start + max(1, _TERMS_AT_ONCE // int(lengths[start])))
            j = np.arange(lengths[start], dtype=np.float64)[::-1]  # smallest terms first
            further = np.minimum(in_sizes(j + 2.0 * points[rows, None], self.sigma), _FURTHEST)
            with np.errstate(over="ignore"):
                sums[rows] = np.exp(-0.5 * (j / self.sigma) * further).sum(axis=1)
            start = rows.stop
        x = points[~short] - 0.5
        h = x / self.sigma / self.sigma
        bulk = self.sigma * math.sqrt(0.5 * math.pi) * special.erfcx(x / (self.sigma * math.sqrt(2.0)))
        correction = -h / 24.0 - 7.0 * (3.0 * h / self.sigma / self.sigma - h**3) / 5760.0
        sums[~short] = np.exp(0.5 * (points[~short] - 0.25) / self.sigma / self.sigma) * (bulk + correction)
        return sums[back].reshape(m.shape)

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log P(X = x), minus infinity between whole numbers."""
        points = as_floats(x)
        whole = points == np.floor(points)
        return np.where(whole, -0.5 * squared(in_sizes(points, self.sigma)) - self._log_normaliser, -np.inf)

    def log_ratio(self, x: npt.ArrayLike) -> FloatArray:
        """(2 x - 1) / (2 sigma^2)."""
        return (as_floats(x) / self.sigma - 0.5 / self.sigma) / self.sigma

    def largest_loss(self, moved: float = 1) -> float:
        """Infinity: (2 k + 1) / (2 sigma^2) grows with k."""
        return math.inf

    def known_delta(self, epsilon: float, moved: int) -> float | None:
        """P(Z >= k) - e^epsilon P(Z >= k + m), Z discrete Gaussian with parameter sigma sqrt(m); of wide noise only.

        The loss of m counts that move is (2 Z + m) / (2 sigma^2), Z being the sum of their noises, so k is the first
        whole number above epsilon sigma^2 - m / 2. A sum of wide discrete Gaussian noises is discrete Gaussian, but for
        less than e^(-pi^2 sigma^2).
        """
        if self.sigma < _WIDE:
            return None
        if epsilon * self.sigma > _FAR:
            return 0.0
        first = math.floor(epsilon * self.sigma * self.sigma - 0.5 * moved) + 1.0
        total = self.approximate_sum(moved)
        inside = float(total.pmf(first + np.arange(moved)).sum())
        return max(0.0, inside - math.expm1(epsilon) * float(total.sf(first + moved - 0.5)))

    def approximate_sum(self, terms: int) -> DiscreteGaussianNoise:
        """The discrete Gaussian whose parameter is sigma sqrt(d); d is ``terms``."""
        return DiscreteGaussianNoise(self.sigma * math.sqrt(terms))

    def exact_sum(self, terms: int) -> DiscreteGaussianNoise | None:
        """One discrete Gaussian, where doubles cannot tell it from the sum; None where sigma is too small for that."""
        return self.approximate_sum(terms) if sum_departure(self.sigma, terms) < 1e-18 else None

    def known_characteristic(self, angles: FloatArray) -> FloatArray:
        """The sum over k of P(k) cos(u k); for sigma >= 1 from the second series, a normal law's wrapped about 2 pi."""
        if self.sigma < 1.0:
            return as_floats(1.0 - 2.0 * sum(float(self.pmf(k)) * (1.0 - np.cos(k * angles)) for k in range(1, 12)))
        nearest = np.remainder(angles + math.pi, 2.0 * math.pi) - math.pi
        turns = 2.0 * math.pi * np.arange(-2.0, 3.0)
        wrapped = sum(np.exp(-0.5 * (self.sigma * (nearest + turn)) ** 2) for turn in turns)
        return as_floats(wrapped / np.exp(-0.5 * (self.sigma * turns) ** 2).sum())

    def known_log_moments(self, rates: FloatArray) -> FloatArray:
        """At most sigma^2 u^2 / 2.

        E e^(u X) is e^(sigma^2 u^2 / 2) times the sum over k of e^(-(k - sigma^2 u)^2 / 2 sigma^2), divided by the same
        sum about 0; and by Poisson summation that about 0 is the largest. For small sigma the variance is far below
        sigma^2, and the sum over k of P(k) cosh(u k) is taken instead, where 60 terms hold all of it.
        """
        steps = np.abs(as_floats(rates))
        bound = 0.5 * (self.sigma * steps) ** 2
        if self.sigma >= 1.0:
            return as_floats(bound)
        k = np.arange(1.0, 60.0)
        # E e^(u X) = 1 + the sum over k >= 1 of 2 P(k) (cosh(u k) - 1)
        terms = np.logaddexp.reduce(self.logdensity(k) + _log_rise(steps[..., None] * k), axis=-1)
        return np.where(self.sigma**2 * steps < 40.0, np.minimum(np.logaddexp(0.0, terms), bound), bound)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws by rejection from a discrete Laplace law of scale t = floor(sigma) + 1.

        A proposal y is accepted with probability exp(-(|y| - sigma^2 / t)^2 / 2 sigma^2)
        (Canonne, Kamath and Steinke 2020, Algorithm 3).
        """
        t = math.floor(self.sigma) + 1.0
        wanted = int(np.prod(size))
        accepted: list[FloatArray] = []
        while (missing := wanted - sum(map(len, accepted))) > 0:
            proposals = max(64, 2 * missing)
            y = geometric_differences(t, proposals, rng)
            accept = np.exp(-0.5 * squared(in_sizes(np.abs(y) - self.sigma * (self.sigma / t), self.sigma)))
            accepted.append(y[rng.random(proposals) < accept][:missing])
        return np.concatenate([*accepted, np.empty(0)]).reshape(size)


def sum_departure(sigma: float, terms: int) -> float:
    """How far, relatively, a sum of discrete Gaussians can be from a single one (leading term)."""
    apart = (math.pi * sigma) * (math.pi * sigma)
    return 2.0 * terms * math.exp(-2.0 * apart * (1.0 - 1.0 / terms))


def _log_rise(x: FloatArray) -> FloatArray:
    """Log of 2 (cosh x - 1) = log(4 sinh(x / 2)^2) = x + 2 log(1 - e^-x)."""
    with np.errstate(divide="ignore"):
        return as_floats(x + 2.0 * np.log(-np.expm1(-x)))
