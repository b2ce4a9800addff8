"""The sum of several Laplace draws: a finite sum of positive terms, in either tail.

X = b (G - H) with G and H independent Gamma(m) variables. Count the arrivals of two Poisson processes of the same rate:
the m-th arrival of the first comes before the m-th of the second, with j arrivals of the second so far, with
probability C(m - 1 + j, j) 2^-(m + j), j < m; then H - G is the time of the m - j arrivals that the second still lacks.
So with u = x / b and Q(a, u) = P(an Erlang variable of a stages exceeds u) = P(Poisson(u) < a)

    P(X > x) = sum over a = 1 .. m of w_a Q(a, u),  w_a = C(2 m - 1 - a, m - a) 2^-(2 m - a)
             = sum over i = 0 .. m - 1 of P(Poisson(u) = i) W_i,  W_i = w_(i+1) + ... + w_m,  x >= 0.

Nothing cancels. The terms rise to one peak, at i = m + u - sqrt(m^2 + u^2) about, and fall from there, so that only
those near it are summed. The w_a add up to 1/2, and each is 2 (m - a) / (2 m - a - 1) of the one before: so they are
found without any factorial of a large number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import positive, whole
from epsilens.noise.beyond_numbers import in_sizes
from epsilens.noise.law import SymmetricLaw

_AT_ONCE = 1 << 20  # terms
_FURTHEST = 1e7  # peaks beyond are not summed: the bound of Chernoff stands for such a tail, which is 0 in any double


@dataclass(frozen=True)
class LaplaceSum(SymmetricLaw):
    """The law of the sum of ``terms`` independent Laplace variables with ``scale`` b."""

    scale: float
    terms: int
    name: ClassVar[str] = "laplace-sum"
    title: ClassVar[str] = "Laplace (added up)"
    integer_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive("scale", self.scale))
        object.__setattr__(self, "terms", whole("terms", self.terms, 1))

    @property
    def variance(self) -> float:
        """2 m b^2."""
        return 2.0 * self.terms * self.scale * self.scale

    def tail(self, x: FloatArray) -> FloatArray:
        """The sum over i < m of P(Poisson(x / b) = i) W_i."""
        return np.exp(self.logtail(x))

    def logtail(self, x: FloatArray) -> FloatArray:
        """Log of :meth:`tail`."""
        return self._log_mixture(x, beyond=True)

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log of the sum over i < m of P(Poisson(|x| / b) = i) w_(i+1), over b."""
        return self._log_mixture(np.abs(as_floats(x)), beyond=False) - math.log(self.scale)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws: the difference of two Gamma variables."""
        return as_floats(self.scale * (rng.gamma(self.terms, size=size) - rng.gamma(self.terms, size=size)))

    def _log_mixture(self, x: FloatArray, beyond: bool) -> FloatArray:
        """Log of the sum of Poisson probabilities times W_i (``beyond``) or w_(i+1), for x >= 0."""
        from scipy import special

        u = in_sizes(as_floats(x), self.scale).ravel()
        m = float(self.terms)
        with np.errstate(over="ignore", invalid="ignore"):
            # m + u - sqrt(m^2 + u^2) without cancellation
            peak = np.minimum(2.0 * m * u / (m + u + np.hypot(m, u)), m - 1.0)
        peak = np.where(np.isfinite(u), peak, m - 1.0)
        first = np.maximum(np.floor(peak - 11.0 * np.sqrt(peak + 1.0) - 20.0), 0.0)
        last = np.minimum(np.ceil(peak + 11.0 * np.sqrt(peak + 1.0) + 45.0), m - 1.0)
        out = -u  # of one draw, and of what is further out than is ever summed, a bound from above up to a factor
        summed = np.flatnonzero(np.isfinite(u) & (last < _FURTHEST))
        if len(summed) == 0:
            return out.reshape(np.shape(x))
        weights = _log_weights(self.terms, _rounded_up(int(last[summed].max()) + 1, self.terms))[int(beyond)]
        longest = int((last - first)[summed].max()) + 1
        for part in np.array_split(summed, max(1, math.ceil(len(summed) * longest / _AT_ONCE))):
            i = first[part, None] + np.arange(longest)
            inside = i <= last[part, None]
            i = np.where(inside, i, 0.0)
            log_poisson = special.xlogy(i, u[part, None]) - u[part, None] - special.gammaln(i + 1.0)
            terms = np.where(inside, log_poisson + weights[i.astype(np.int64)], -np.inf)
            top = terms.max(axis=1)
            out[part] = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
        return out.reshape(np.shape(x))


def _rounded_up(length: int, terms: int) -> int:
    """A power of two, so that few lengths are kept; at most all."""
    return min(terms, 1 << (length - 1).bit_length())


@lru_cache(maxsize=1024)
def _log_weights(terms: int, length: int) -> tuple[FloatArray, FloatArray]:
    """Logs of w_1 .. w_length, and of W_0 .. W_(length - 1).

    All of the w_a that are not negligible are summed, so that their sum is 1/2 however few are asked for.
    """
    m = float(terms)
    enough = min(terms, max(length, math.ceil(60.0 * math.sqrt(m)) + 60))
    a = np.arange(1.0, enough)
    log_w = np.concatenate([[0.0], np.cumsum(np.log1p((1.0 - a) / (2.0 * m - a - 1.0)))])
    tail = np.logaddexp.accumulate(log_w[::-1])[::-1]
    if enough < terms:  # what is left out beyond is a geometric sum at most, and next to nothing
        ratio = 2.0 * (m - enough) / (2.0 * m - enough - 1.0)
        beyond = log_w[-1] + math.log(ratio) - math.log1p(-ratio)
        tail = np.logaddexp(tail, beyond)
    shift = math.log(0.5) - tail[0]
    return as_floats(log_w[:length] + shift), as_floats(tail[:length] + shift)
