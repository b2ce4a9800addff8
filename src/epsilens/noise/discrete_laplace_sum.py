"""The sum of several discrete Laplace draws: the difference of two negative binomial variables.

A discrete Laplace variable is the difference of two geometric ones with P(g) = (1 - p) p^g, p = e^(-1/s). So the sum of
m of them is A - B with A and B independent, negative binomial: P(A = j) = C(m - 1 + j, j) (1 - p)^m p^j. And

    P(X >= k) = sum over j of P(B = j) P(A >= j + k),   P(X = k) = sum over j of P(B = j) P(A = j + k),

all terms of which are positive. With e^(t X) as weight B is negative binomial again, with p e^-t for p; the terms of a
far tail are largest where that variable is, so that only those near it are summed. Where even these are too many, the
law is so wide that whole numbers no longer matter (:meth:`DiscreteLaplaceSum._log_sums`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import positive, whole
from epsilens.noise.laplace_sum import LaplaceSum
from epsilens.noise.law import SymmetricLaw

_LONGEST = 1 << 24
_FURTHEST = 2.0**52  # whole numbers beyond are not told apart, and their tail is 0 in any double
_AT_ONCE = 1 << 21
_NOTHING = -80.0
_DEEP = 46.0  # e^-46 of a sum is left out at most at either end


@dataclass(frozen=True)
class DiscreteLaplaceSum(SymmetricLaw):
    """The law of the sum of ``terms`` independent discrete Laplace variables with ``scale`` s."""

    scale: float
    terms: int
    name: ClassVar[str] = "discrete-laplace-sum"
    title: ClassVar[str] = "discrete Laplace (added up)"
    integer_valued: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive("scale", self.scale))
        object.__setattr__(self, "terms", whole("terms", self.terms, 1))

    @property
    def variance(self) -> float:
        """2 m p / (1 - p)^2."""
        q = -math.expm1(-1.0 / self.scale)
        return 2.0 * self.terms * math.exp(-1.0 / self.scale) / q / q

    def tail(self, x: FloatArray) -> FloatArray:
        """The sum over j of P(B = j) P(A >= j + m)."""
        return np.exp(self.logtail(x))

    def logtail(self, x: FloatArray) -> FloatArray:
        """Log of :meth:`tail`."""
        return self._log_sums(as_floats(x), beyond=True)

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log P(X = x); minus infinity between whole numbers."""
        points = as_floats(x)
        is_whole = points == np.floor(points)
        return np.where(is_whole, self._log_sums(np.abs(np.where(is_whole, points, 0.0)), beyond=False), -np.inf)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws: the difference of two negative binomial variables."""
        success = -math.expm1(-1.0 / self.scale)
        return as_floats(
            rng.negative_binomial(self.terms, success, size) - rng.negative_binomial(self.terms, success, size)
        )

    def _log_sums(self, k: FloatArray, beyond: bool) -> FloatArray:
        """Log of the sum over j of P(B = j) times P(A >= j + k) (``beyond``) or P(A = j + k), for whole k >= 0.

        A law so wide that the terms are too many to list is that of a sum of Laplace draws with b = sqrt(p) / (1 - p),
        read at k - 1/2. The characteristic functions are (1 + 4 b^2 sin^2(t / 2))^-m and (1 + b^2 t^2)^-m: their
        logarithms differ by m b^2 t^4 / 12 / (1 + b^2 t^2) at most, where t is of the size of 1 / (b sqrt(m)), hence by
        the order of 1 / (12 m b^2), which is below 1e-12 for a standard deviation of 24^-1 2^24 and more.
        """
        spread = math.sqrt(self.variance)
        if 24.0 * spread > _LONGEST:
            wide = LaplaceSum(math.exp(-0.5 / self.scale) / -math.expm1(-1.0 / self.scale), self.terms)
            return wide.logtail(np.maximum(k - 0.5, 0.0)) if beyond else wide.logdensity(k)
        points, back = np.unique(k.ravel(), return_inverse=True)
        out = np.full(len(points), -np.inf)
        start, end = 0, int(np.searchsorted(points, _FURTHEST))
        width = max(8.0, 2.0 * spread)
        while start < end:  # of points near each other the same terms matter
            stop = min(end, int(np.searchsorted(points, points[start] + width, side="right")))
            out[start:stop] = self._near(points[start:stop], beyond)
            start = stop
        return out[back].reshape(k.shape)

    def _near(self, k: FloatArray, beyond: bool) -> FloatArray:
        """The same for points that are near each other."""
        low, high = self._window(float(k[0]), float(k[-1]))
        j = np.arange(low, high + 1.0)
        b = _log_masses(self.scale, self.terms, j)
        a = _log_masses(self.scale, self.terms, np.arange(low + k[0], high + k[-1] + 1.0))
        if beyond:
            # P(A >= j): the probabilities fall by p (m + j) / (j + 1) at most, less and less, so what lies beyond the
            # last is at most a geometric sum, and far out next to nothing of what is asked
            last = high + k[-1]
            ratio = math.exp(-1.0 / self.scale) * (self.terms + last) / (last + 1.0)
            rest = a[-1] + math.log(ratio) - math.log1p(-ratio) if 0.0 < ratio < 1.0 else -np.inf
            a = np.logaddexp.accumulate(np.append(a, rest)[::-1])[::-1][:-1]
        out = np.empty(len(k))
        step = max(1, _AT_ONCE // len(j))
        for start in range(0, len(k), step):
            rows = (k[start : start + step] - k[0]).astype(np.int64)
            terms = b + a[rows[:, None] + np.arange(len(j))]
            top = terms.max(axis=1)
            out[start : start + step] = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
        return out

    def _window(self, nearest: float, furthest: float) -> tuple[float, float]:
        """From where to where j matters for points between these.

        For X = k the weight e^(t X) with m K'(t) = k makes the mean of A - B equal k, K being the log of the moments:
        with E = e^t, m p E / (1 - p E) - m (p / E) / (1 - p / E) = k. The terms are then those of a negative binomial
        variable B with p / E for p, of mean m r and variance m r (1 + r), r = (p / E) / (1 - p / E).
        """
        m, p = float(self.terms), math.exp(-1.0 / self.scale)
        ends = []
        for k in (nearest, furthest):
            # with c = k / m: p (E - 1 / E) = c (1 + p^2 - p (E + 1 / E)), a quadratic equation in E
            c = k / m
            root = math.hypot(c * -math.expm1(-2.0 / self.scale), 2.0 * p)
            rise = (c * (1.0 + p * p) + root) / (2.0 * p * (1.0 + c)) if p > 0.0 else math.inf
            q = p / max(rise, 1.0)
            ratio = q / (1.0 - q)
            ends.append((m * ratio, math.sqrt(m * ratio * (1.0 + ratio)), 1.0 + ratio))
        (mean, spread, step), (far_mean, far_spread, _) = ends
        low = math.floor(min(mean - 11.0 * spread, far_mean - 11.0 * far_spread) - 2.0)
        high = math.ceil(max(mean, far_mean) + 11.0 * max(spread, far_spread) + _DEEP * step + 20.0)
        return float(max(low, 0)), float(high)


def tails(scale: float, terms: IntArray, k: FloatArray) -> FloatArray:
    """P(X >= k) for many sums at a time, each whole k >= 1 with its m; 0 where Chernoff's bound is below e^-80.

    E e^(t X) = ((1 - p)^2 / ((1 - p E) (1 - p / E)))^m with E = e^t, and the E that :meth:`DiscreteLaplaceSum._window`
    finds makes the bound E e^(t X) e^(-t k) least.
    """
    m, p = terms.astype(np.float64), math.exp(-1.0 / scale)
    out = np.zeros(len(k))
    if p == 0.0:
        return out  # no double holds the tail of so little noise
    single = terms == 1
    out[single] = np.exp(-k[single] / scale) / (1.0 + p)
    c = np.minimum(k, _FURTHEST) / m
    rise = (c * (1.0 + p * p) + np.hypot(c * -math.expm1(-2.0 / scale), 2.0 * p)) / (2.0 * p * (1.0 + c))
    log_rise = np.log(np.maximum(rise, 1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        log_moments = 2.0 * math.log(-math.expm1(-1.0 / scale)) - np.log(-np.expm1(log_rise - 1.0 / scale))
        bound = m * (log_moments - np.log1p(-p * np.exp(-log_rise))) - log_rise * k
    there = np.flatnonzero(~(bound <= _NOTHING) & ~single)  # where rounding made it no number, the sum is taken
    order = there[np.argsort(terms[there], kind="stable")]
    starts = np.flatnonzero(np.diff(terms[order], prepend=-1))
    for some in np.split(order, starts[1:]) if len(order) else ():
        out[some] = DiscreteLaplaceSum(scale, int(terms[some[0]])).tail(k[some])
    return out


def _log_masses(scale: float, terms: int, j: FloatArray) -> FloatArray:
    """Log P(A = j) for neighbouring whole numbers: one of them, the others by their ratios p (m + j) / (j + 1)."""
    return _log_masses_between(scale, terms, float(j[0]), len(j))


@lru_cache(maxsize=16)
def _log_masses_between(scale: float, terms: int, first: float, length: int) -> FloatArray:
    m = float(terms)
    start = _log_mass(m, first, math.exp(-1.0 / scale), -math.expm1(-1.0 / scale), scale)
    j = first + np.arange(length - 1.0)
    steps = np.log1p((m - 1.0) / (j + 1.0)) - 1.0 / scale
    return as_floats(start + np.concatenate([[0.0], np.cumsum(steps)]))


def _log_mass(m: float, j: float, p: float, q: float, scale: float) -> float:
    """Log of C(m - 1 + j, j) q^m p^j: m / (m + j) times a binomial probability, by its deviance from the mean.

    Stirling's formula with its corrections makes n! = sqrt(2 pi n) (n / e)^n e^c(n); the powers of a binomial
    probability then are e^-(x log(x / mean) + mean - x), small numbers where the probability is not tiny.
    """
    if j == 0.0:
        return m * math.log(q)
    n = m + j
    if n * p == 0.0:
        return -j / scale + m * math.log(q)  # so little noise that a draw but 0 is beyond any number
    powers = _deviance(m, n * q) + _deviance(j, n * p)
    corrections = _stirling(n) - _stirling(m) - _stirling(j)
    return math.log(m / n) + corrections - powers + 0.5 * math.log(n / (2.0 * math.pi * m * j))


def _deviance(x: float, mean: float) -> float:
    """X log(x / mean) + mean - x; both parts are of the size of x - mean, where that is small."""
    apart = (x - mean) / mean
    return x * math.log1p(apart) - (x - mean) if abs(apart) < 0.5 else x * math.log(x / mean) + mean - x


def _stirling(n: float) -> float:
    """Log n! less that of Stirling's formula."""
    if n < 16.0:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2.0 * math.pi)
    inverse = 1.0 / n
    square = inverse * inverse
    return inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))))
