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

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import positive, whole
from epsilens.noise.beyond_numbers import in_sizes
from epsilens.noise.law import SymmetricLaw

_AT_ONCE = 1 << 18  # terms
_NEAR = 600.0
_LEAST = 256  # weights that are kept, so that noises of several sizes find them
_BEYOND = 1e150
_NOTHING = -80.0
_FAR = 25.0  # sums of m draws beyond 18 b sqrt(m) have a bound below e^-80, where m is not small
_NORMAL = 1 << 26  # of more draws the sum is normal but for one correction; a declared universe may have any number
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
        points = as_floats(x)
        u = in_sizes(points, self.scale).ravel()
        return log_mixtures(np.full(u.shape, self.terms), u, beyond).reshape(points.shape)


def tails(terms: IntArray, u: FloatArray) -> FloatArray:
    """P(X > b u) for many sums at a time, each u >= 0 with its m; 0 where Chernoff's bound is below e^-80.

    E e^(t X / b) = (1 - t^2)^-m, and t = (r - m) / u with r = sqrt(m^2 + u^2) makes the bound least:
    log P(X > b u) <= m log((m + r) / 2 m) - (r - m).
    """
    m, within = terms.astype(np.float64), np.minimum(u, _BEYOND)
    root = np.hypot(m, within)
    bound = m * np.log((m + root) / (2.0 * m)) - within * (within / (m + root))
    out = np.zeros(len(u))
    many = (bound > _NOTHING) & (terms > _NORMAL)
    out[many] = _nearly_normal(m[many], within[many])
    few = np.flatnonzero(terms <= _NORMAL)
    distinct, which = np.unique(terms[few], return_inverse=True)  # of all, so that every size of noise finds the same
    weights, begins = _usual_weights(distinct.astype(np.int64).tobytes())
    there = bound[few] > _NOTHING
    summed = few[there]
    out[summed] = _mixtures(terms[summed], u[summed], weights, begins[which[there]])
    return out


def _nearly_normal(m: FloatArray, u: FloatArray) -> FloatArray:
    """P(X > b u) of so many draws that the next term of Edgeworth's series, of order 1 / m^2, is lost in a double.

    With z = u / sqrt(2 m) and an excess kurtosis of 3 / m: P = 1 - Phi(z) + phi(z) (z^3 - 3 z) / (8 m).
    """
    from scipy import special

    z = u / np.sqrt(2.0 * m)
    density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    return as_floats(special.ndtr(-z) + density * (z**3 - 3.0 * z) / (8.0 * m))


def _mixtures(terms: IntArray, u: FloatArray, weights: FloatArray, begins: IntArray) -> FloatArray:
    """The sums of P(Poisson(u) = i) times the weights, which are not tiny: no logarithm is taken of them."""
    from scipy import special

    first, last = _ends(terms, u)
    lengths = last - first + 1
    # P(Poisson(u) = first); the further ones by their ratios u / i
    start_at = np.exp(special.xlogy(first, u) - u - special.gammaln(first + 1.0))
    out = np.empty(len(u))
    order = np.argsort(lengths, kind="stable")  # so that short sums are not padded to long ones
    ordered = lengths[order]
    start = 0
    while start < len(order):
        longest = max(int(1.5 * ordered[start]), 24)
        stop = min(int(np.searchsorted(ordered, longest, side="right")), start + max(1, _AT_ONCE // longest))
        some = order[start:stop]
        steps = np.arange(int(ordered[stop - 1]))
        parts = np.empty((len(some), len(steps)))
        parts[:, 0] = start_at[some]
        np.divide(u[some, None], first[some, None] + steps[1:], out=parts[:, 1:])
        np.cumprod(parts, axis=1, out=parts)
        at = (begins[some] + first[some])[:, None] + steps  # beyond the last of them are others of the sum, or zeros
        out[some] = np.einsum("ij,ij->i", parts, weights.take(at, mode="clip"))
        start = stop
    return out


@lru_cache(maxsize=8)
def _usual_weights(several: bytes) -> tuple[FloatArray, IntArray]:
    """W_0, W_1, ... of several m one after another, as far as :func:`tails` needs them, and where each m's begin.

    Each m's are followed by so many zeros that sums of up to half as many terms more than are needed find nothing else.
    Those with m nearly alike are rows of one matrix. The terms are those of :func:`_log_weights`.
    """
    terms = np.frombuffer(several, dtype=np.int64)
    lengths = np.minimum(terms, np.ceil(_FAR * np.sqrt(terms)).astype(np.int64) + 80)
    room = lengths + np.ceil(9.0 * np.sqrt(terms)).astype(np.int64) + 64
    begins = np.concatenate([[0], np.cumsum(room)[:-1]]).astype(np.int64)
    out = np.zeros(int(room.sum()))
    kinds = np.frexp(terms.astype(np.float64))[1]
    for kind in np.unique(kinds).tolist():
        rows = np.flatnonzero(kinds == kind)
        step = max(1, _AT_ONCE // int(2 * lengths[rows].max()))
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            m = terms[some].astype(np.float64)[:, None]
            enough = min(int(terms[some].max()), int(1.25 * lengths[some].max()) + 60)
            a = np.arange(1.0, enough)
            ratios = np.maximum((2.0 * (m - a)) / (2.0 * m - a - 1.0), 0.0)
            w = np.cumprod(np.concatenate([np.ones((len(some), 1)), ratios], axis=1), axis=1)
            sums = np.cumsum(w[:, ::-1], axis=1)[:, ::-1]
            sums *= 0.5 / sums[:, :1]
            for row, position in enumerate(some.tolist()):
                length = int(lengths[position])
                out[begins[position] : begins[position] + length] = sums[row, :length]
    return out, begins


def _ends(terms: IntArray, u: FloatArray) -> tuple[IntArray, IntArray]:
    """Between which terms a sum is to be taken: those about its largest."""
    m, within = terms.astype(np.float64), np.minimum(u, _BEYOND)
    # m + u - sqrt(m^2 + u^2) without cancellation
    peak = np.minimum(2.0 * m * (within / (m + within + np.hypot(m, within))), m - 1.0)
    reach = 8.5 * np.sqrt(peak + 0.5) + 10.0
    first = np.maximum(np.floor(peak - reach), 0.0)
    last = np.minimum(np.ceil(peak + reach), m - 1.0)
    return first.astype(np.int64), np.minimum(last, 2.0**62).astype(np.int64)


def log_mixtures(terms: IntArray, u: FloatArray, beyond: bool) -> FloatArray:
    """Log of the sum of P(Poisson(u) = i) times W_i (``beyond``) or w_(i+1), for u >= 0, each u with its m, ``terms``.

    The points are taken by the length of their sums, so that short ones are not padded to long ones.
    """
    first, last = _ends(terms, u)
    out = -u  # of what is further out than is ever summed, a bound up to a factor; no double can tell it from 0
    summed = np.flatnonzero((u < _BEYOND) & (last < _FURTHEST))
    if len(summed) == 0:
        return out
    lengths = (last - first)[summed] + 1
    weights, begins = _weights_of(terms[summed], last[summed] + 1, beyond)
    kinds = np.frexp(lengths.astype(np.float64))[1]  # by the power of two above
    for kind in np.unique(kinds).tolist():
        alike = np.flatnonzero(kinds == kind)
        longest = int(lengths[alike].max())
        step = max(1, _AT_ONCE // longest)
        for start in range(0, len(alike), step):
            some = alike[start : start + step]
            at = summed[some]
            out[at] = _log_sums(u[at], first[at], lengths[some], longest, weights, begins[some])
    return out


def _log_sums(
    u: FloatArray, first: IntArray, lengths: IntArray, longest: int, weights: FloatArray, begins: IntArray
) -> FloatArray:
    """The sums over i = first, first + 1, ...; the weights of every point begin somewhere in ``weights``."""
    steps = np.arange(longest)
    inside = steps < lengths[:, None]
    i = np.where(inside, first[:, None] + steps, first[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = np.where(i > 0, i * np.log(u)[:, None], 0.0)  # 0^0 = 1
    logs = powers - _log_factorials(int((first + lengths).max()))[i] + weights[begins[:, None] + i]
    logs[~inside] = -np.inf
    top = logs.max(axis=1)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return as_floats(top - u + np.log(np.exp(logs - top[:, None]).sum(axis=1)))


def _weights_of(terms: IntArray, lengths: IntArray, beyond: bool) -> tuple[FloatArray, IntArray]:
    """The weights of several m one after another, as long as some point needs them, and where each point's begin."""
    distinct, which = np.unique(terms, return_inverse=True)
    longest = np.zeros(len(distinct), dtype=np.int64)
    np.maximum.at(longest, which, lengths)
    found = [
        _log_weights(m, _rounded_up(length, m))[int(beyond)]
        for m, length in zip(distinct.tolist(), longest.tolist(), strict=True)
    ]
    begins = np.concatenate([[0], np.cumsum([len(weights) for weights in found])[:-1]]).astype(np.int64)
    return np.concatenate(found), begins[which]


@lru_cache(maxsize=8)
def _log_factorials_up_to(length: int) -> FloatArray:
    from scipy import special

    return as_floats(special.gammaln(np.arange(1.0, length + 1.0)))


def _log_factorials(length: int) -> FloatArray:
    """Log i! for i = 0 .. length - 1 and some further ones."""
    return _log_factorials_up_to(1 << (length - 1).bit_length())


def _rounded_up(length: int, terms: int) -> int:
    """A power of two, so that few lengths are kept; at most all."""
    return min(terms, 1 << max(length - 1, _LEAST - 1).bit_length())


@lru_cache(maxsize=4096)
def _log_weights(terms: int, length: int) -> tuple[FloatArray, FloatArray]:
    """Logs of w_1 .. w_length, and of W_0 .. W_(length - 1).

    w_a falls like exp(-a^2 / 4 m). So the sum from a on is that of the next sqrt(a^2 + 200 m) - a or fewer, and the
    last one that is asked for keeps its digits.
    """
    m = float(terms)
    enough = min(terms, math.ceil(math.sqrt(float(length) ** 2 + 200.0 * m)) + 60)
    a = np.arange(1.0, enough)
    log_w = np.concatenate([[0.0], np.cumsum(np.log1p((1.0 - a) / (2.0 * m - a - 1.0)))])
    near = int(np.searchsorted(-log_w, _NEAR))  # up to here doubles hold the w_a themselves
    log_rest = log_w[near:]
    beyond = np.logaddexp.accumulate(log_rest[::-1])[::-1] if near < length else log_rest[:0]
    last = math.exp(beyond[0]) if len(beyond) else 0.0
    tail = np.concatenate([np.log(np.cumsum(np.exp(log_w[:near])[::-1])[::-1] + last), beyond])
    shift = math.log(0.5) - tail[0]
    return as_floats(log_w[:length] + shift), as_floats(tail[:length] + shift)
