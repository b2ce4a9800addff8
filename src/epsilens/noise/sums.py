"""The noise in a sum of several published counts.

**Discrete Gaussian.** For z_1 + ... + z_d = y, sum z_i^2 = y^2 / d + sum (z_i - y/d)^2, so that P(Y = y) = exp(-rho
y^2 / d) g(y mod d) / Z^d with g(r) = sum over z with sum r of exp(-rho sum (z_i - r/d)^2). The approximation by one
discrete Gaussian with parameter d / (2 rho) says that g is constant. By Poisson summation g departs from a constant
by at most about 2 d exp(-2 pi^2 sigma^2 (1 - 1/d)): below a double's resolution for sigma >= 1.7. Where it matters,
g(r) = exp(rho d (c - r/d)^2) Z_c^d P_c(sum = r), P_c being the law of d discrete Gaussians centred at any c, Z_c their
normaliser. The centre is chosen so that their mean is r/d (for small sigma that is not c); the probability is then that
of the mode, read off the characteristic function, so nothing cancels. One g per residue gives the law at every y,
however far out.

**Geometric laws**, such as Laplace laws, rounded or discrete, fall by one factor from each whole number to the next. To
add a draw is then to run along the table once with a running sum that forgets by that factor: no product of tables, and
all sums of up to d draws cost as much as the longest.

**Any other law** is convolved by repeated squaring. All terms are positive, so far tails keep their digits.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import one_of, whole
from epsilens.errors import ParameterError
from epsilens.noise.beyond_numbers import in_sizes, squared
from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise, sum_departure
from epsilens.noise.law import Noise, checked_noise
from epsilens.noise.published import CountLaw, CountNoise, within_reach

SumMethod: TypeAlias = Literal["exact", "approximate"]

_RESOLUTION = 1e-18
_FAR_TAIL = 1e-250
_LONGEST_DIRECT = 1 << 13
_SMALLEST_KEPT = 1e-290  # next to the largest entry of a table
_LONGEST_RUN = 1 << 17
_MOST_RUNS = 1000
_MOST_RESIDUES = 1 << 13  # of these the factors are kept
_RESIDUES_AT_ONCE = 256
_MOST_TERMS = 1_000_000  # more would leave too few digits, and take too long
_LONGEST_TABLE = 20_000_000
_LONGEST_TRANSFORM = 1 << 23


@dataclass(frozen=True)
class DiscreteGaussianSum:
    """The exact law of the sum of ``terms`` discrete Gaussian variables with parameter ``sigma``."""

    sigma: float
    terms: int

    def logpmf(self, k: npt.ArrayLike) -> FloatArray:
        """Log P(Y = k)."""
        points = as_floats(k)
        bulk = -0.5 * squared(in_sizes(points, self.sigma * math.sqrt(self.terms)))
        if self.departure_bound < _RESOLUTION:
            return as_floats(bulk + self._log_middle)
        residue = np.mod(points, self.terms)
        residue = np.minimum(residue, self.terms - residue).astype(np.int64)
        if self.terms <= _MOST_RESIDUES:
            return as_floats(bulk + self._log_residue_factors[residue])
        asked, back = np.unique(residue, return_inverse=True)
        return bulk + self._log_residue_factor(asked)[back].reshape(points.shape)

    def reach(self, tail: float) -> int:
        """Sub-Gaussian bound: P(|Y| > T) <= 2 exp(-T^2 / (2 d sigma^2))."""
        return math.ceil(self.sigma * math.sqrt(2.0 * self.terms * math.log(2.0 / tail)))

    @cached_property
    def _log_middle(self) -> float:
        """Log P(Y = 0) where the law is that of one discrete Gaussian."""
        return float(CountNoise(DiscreteGaussianNoise(self.sigma * math.sqrt(self.terms))).logpmf(0.0))

    @cached_property
    def _log_residue_factors(self) -> FloatArray:
        """Log of g(r) / Z^d for r = 0 .. d/2; g is symmetric."""
        return self._log_residue_factor(np.arange(self.terms // 2 + 1))

    def _log_residue_factor(self, residues: npt.NDArray[np.int64]) -> FloatArray:
        """Log of g(r) / Z^d, some residues at a time.

        The tilted sum has its mean at r and the tail 2 exp(-T^2 / (2 d sigma^2)), so that a transform of 12 sigma
        sqrt(d) nodes folds nothing onto r; of its nodes only those matter where the characteristic function to the
        power d is not negligible.
        """
        if self._few_vectors:
            return self._log_of_few(residues)
        d = self.terms
        span = math.ceil(9.0 * self.sigma) + 2
        z = np.arange(-span, span + 1.0)
        nodes = math.ceil(12.0 * self.sigma * math.sqrt(d)) + 2 * span + 48
        log_first = float(_centred(np.zeros(1), z, self.sigma)[0][0])
        step = 2.0 * math.pi / nodes
        out = np.empty(len(residues))
        for start in range(0, len(residues), _RESIDUES_AT_ONCE):
            share = residues[start : start + _RESIDUES_AT_ONCE] / d
            centre = _centres_with_mean(share, z, self.sigma)
            log_normaliser, weights = _centred(centre, z, self.sigma)
            t = step * np.arange(_wanted_nodes(weights, nodes, d) + 1)
            shifted = np.exp(1j * np.multiply.outer(t, z))
            powers = (weights @ shifted.T * np.exp(-1j * np.outer(share, t))) ** d
            # node t and node -t are conjugates; of an even number of nodes the last is its own
            times = np.where((np.arange(len(t)) == 0) | (2 * np.arange(len(t)) == nodes), 1.0, 2.0)
            at_mode = powers.real @ times / nodes
            shift = 0.5 * d * ((centre - share) / self.sigma) ** 2
            out[start : start + _RESIDUES_AT_ONCE] = shift + d * (log_normaliser - log_first) + np.log(at_mode)
        return out

    @property
    def _few_vectors(self) -> bool:
        """Whether vectors but those of the smallest sum of squares add less than 1e-18 of them."""
        return self.terms * self.terms * math.exp(-1.0 / self.sigma / self.sigma) < _RESOLUTION

    def _log_of_few(self, residues: npt.NDArray[np.int64]) -> FloatArray:
        """The same for tiny sigma: r draws are one more than the d - r others, in any of C(d, r) ways.

        Of all z with a given sum these have the least sum of squares, above y^2 / d by r (d - r) / d; to move one unit
        from one draw to another adds 2 or more, hence a factor exp(-1 / sigma^2), and there are d^2 such moves.
        """
        from scipy import special

        d, r = self.terms, as_floats(residues)
        ways = special.gammaln(d + 1.0) - special.gammaln(r + 1.0) - special.gammaln(d - r + 1.0)
        excess = 0.5 * squared(in_sizes(np.sqrt(r * (d - r) / d), self.sigma))
        return as_floats(ways - excess + d * float(CountNoise(DiscreteGaussianNoise(self.sigma)).logpmf(0.0)))

    @property
    def departure_bound(self) -> float:
        """How far, relatively, the law can be from a single discrete Gaussian (leading term)."""
        return sum_departure(self.sigma, self.terms)


def _wanted_nodes(weights: FloatArray, nodes: int, terms: int) -> int:
    """How many nodes of the transform matter: beyond, a law's characteristic function to the power d is below e^-45.

    |phi(t)|^2 <= 1 - 4 sin^2(t / 2) p with p the sum of P(z) P(z + 1), and so |phi|^d <= exp(-2 d p sin^2(t / 2)).
    """
    neighbours = float((weights[:, 1:] * weights[:, :-1]).sum(axis=1).min())
    needed = 45.0 / (2.0 * terms * neighbours) if neighbours > 0.0 else 1.0
    if needed >= 1.0:
        return nodes // 2
    return min(nodes // 2, math.ceil(2.0 * math.asin(math.sqrt(needed)) / (2.0 * math.pi / nodes)) + 1)


def _centred(centre: FloatArray, z: FloatArray, sigma: float) -> tuple[FloatArray, FloatArray]:
    """Log normaliser and probabilities of discrete Gaussians with these centres, one per row."""
    exponents = -0.5 * ((z - centre[:, None]) / sigma) ** 2
    top = exponents.max(axis=1, keepdims=True)
    weights = np.exp(exponents - top)
    total = weights.sum(axis=1, keepdims=True)
    return as_floats(top[:, 0] + np.log(total[:, 0])), as_floats(weights / total)


def _centres_with_mean(mean: FloatArray, z: FloatArray, sigma: float) -> FloatArray:
    """The centres in [0, 1/2] whose discrete Gaussians have these means; the mean rises with the centre."""
    low, high = np.zeros_like(mean), np.full_like(mean, 0.5)
    for _ in range(60):
        middle = 0.5 * (low + high)
        below = _centred(middle, z, sigma)[1] @ z < mean
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return 0.5 * (low + high)


@dataclass(frozen=True, eq=False)
class TabulatedLaw:
    """A symmetric law from a table of its probabilities at -T .. T; beyond the table it is taken to be impossible."""

    table: FloatArray

    def logpmf(self, k: npt.ArrayLike) -> FloatArray:
        """Log P(Z = k), minus infinity beyond the table."""
        half = len(self.table) // 2
        points = np.asarray(k, dtype=np.int64)
        inside = np.abs(points) <= half
        with np.errstate(divide="ignore"):
            return np.where(inside, np.log(self.table[np.where(inside, points, 0) + half]), -np.inf)

    def reach(self, tail: float) -> int:
        """The smallest T whose tail beyond is at most ``tail``, at most the table's own end."""
        half = len(self.table) // 2
        beyond = 2.0 * np.cumsum(self.table[:half])  # P(|Z| >= half - i)
        return int(half - np.searchsorted(beyond, tail, side="right"))


def noise_of_sum(noise: Noise, terms: int, method: SumMethod = "exact") -> CountLaw:
    """The noise in the sum of ``terms`` published counts, each with its own draw of ``noise``.

    eta_1 + ... + eta_d for independent eta_i ~ DG(0, 1 / (2 rho)); ``"approximate"`` replaces it by
    DG(0, d / (2 rho)). Symbols: d is ``terms``, 1 / (2 rho) is ``noise.sigma`` squared.

    Source: P4 Eq. (3.7) and Proposition 1.
    Assumes that the draws are independent.
    Departs from print (P4-3): the default is the exact law, and any law of noise will do.
    """
    checked_noise(noise)
    whole("terms", terms, 1)
    one_of("sum_law", method, get_args(SumMethod))
    if method == "approximate":
        if (single := noise.approximate_sum(terms)) is None:
            raise ParameterError(f"a sum of {noise.title} noise has no approximation", remedy="use `sum_law=exact`")
        return CountNoise(single)
    return _exact_sum(cast("Hashable", noise), terms)


@lru_cache(maxsize=128)
def _exact_sum(noise: Any, terms: int) -> CountLaw:
    if terms == 1:
        return CountNoise(noise)
    if isinstance(noise, DiscreteGaussianNoise):
        gaussian = DiscreteGaussianSum(noise.sigma, terms)
        if terms > _MOST_TERMS and gaussian.departure_bound >= _RESOLUTION:
            raise ParameterError(f"sums of at most {_MOST_TERMS:,} draws of noise this narrow are computed", got=terms)
        return gaussian
    spread = math.sqrt(terms) * noise.reach(1e-15)
    if spread > _LONGEST_TABLE or noise.reach(_FAR_TAIL) > _LONGEST_TABLE:
        raise ParameterError(
            f"a sum of {terms} draws of {noise.title} noise this wide takes about {2 * spread:.1g} values, too many to "
            "list",
            remedy="take a larger budget, or fewer terms",
        )
    geometric = noise.geometric_rate is not None
    if geometric and terms <= _MOST_RUNS and 2 * noise.reach(_SMALLEST_KEPT) + 1 <= _LONGEST_RUN:
        return TabulatedLaw(_geometric_power(noise, terms))
    return TabulatedLaw(_convolution_power(noise, terms))


def sum_of_many(noise: Noise, terms: int) -> TabulatedLaw | DiscreteGaussianNoise | None:
    """A sum of more discrete Gaussian draws than :func:`noise_of_sum` lists; None for others.

    phi(t) = 1 - 4 sum over z >= 1 of P(z) sin^2(z t / 2), so that phi^d = exp(d log(1 - ...)) keeps its digits however
    large d is; its transform over 24 standard deviations folds nothing back. It is exact to a double next to the
    largest entry: what is smaller is not kept.

    A sum too wide for that is one discrete Gaussian of the same variance V: the next term of Edgeworth's series is
    d k_4 / (24 V^2), k_4 being the fourth cumulant of a draw, which is of the size of 1 / (24 V) and below 1e-12.

    Assumes a law whose characteristic function is positive, as that of a discrete Gaussian is.
    """
    if not isinstance(noise, DiscreteGaussianNoise) or terms <= _MOST_TERMS:
        return None
    if sum_departure(noise.sigma, terms) < _RESOLUTION:
        return None  # it is that of one discrete Gaussian
    z = np.arange(1.0, noise.reach(_FAR_TAIL) + 1.0)
    masses = np.exp(CountNoise(noise).logpmf(z))
    spread = math.sqrt(2.0 * terms * float(masses @ (z * z)))
    if (width := 24.0 * spread + 128.0) > _LONGEST_TRANSFORM:
        return DiscreteGaussianNoise(spread)
    nodes = 1 << math.ceil(math.log2(width))
    t = 2.0 * math.pi / nodes * np.arange(nodes // 2 + 1)
    drop = np.zeros(len(t))
    for place, mass in zip(z.tolist(), masses.tolist(), strict=True):
        drop += 4.0 * mass * np.square(np.sin(0.5 * place * t))
    table = np.fft.irfft(np.exp(terms * np.log1p(-np.minimum(drop, 1.0 - 1e-16))), nodes)
    half = nodes // 2 - 1
    return TabulatedLaw(_trimmed(np.maximum(np.concatenate([table[half:0:-1], table[: half + 1]]), 0.0), 1e-15))


def _geometric_power(noise: Noise, terms: int) -> FloatArray:
    """The table of the sum of ``terms`` draws, draw by draw from the longest shorter sum that is known.

    h(y) = f(0) g(y) + f(1) (l(y) + l(-y)) with l(y) = g(y - 1) + c l(y - 1). Symbols: g and h are the sums before and
    after a draw, f is the law of one draw, c = e^-r its f(k + 1) / f(k) for k >= 1, r its geometric rate.
    """
    from scipy import signal

    rate = cast("float", noise.geometric_rate)
    known, forgets = _geometric_powers(cast("Hashable", noise)), math.exp(-rate)
    f0, f1 = np.exp(CountNoise(noise).logpmf([0.0, 1.0]))
    # at 1e-290 of its middle a sum is wider than the sum with one draw less by six scales at most
    margin = math.ceil(8.0 / rate) + 1
    start = max(length for length in known if length <= terms)
    table = known[start]
    for _ in range(terms - start):
        padded = np.pad(table, margin)
        left = signal.lfilter([0.0, 1.0], [1.0, -forgets], padded)
        table = _trimmed(f0 * padded + f1 * (left + left[::-1]), _SMALLEST_KEPT)
    known[terms] = table
    return table


@lru_cache(maxsize=8)
def _geometric_powers(noise: Any) -> dict[int, FloatArray]:
    """The tables of sums that were asked for, by the number of draws; at first that of one draw."""
    return {1: np.exp(within_reach(CountNoise(noise), _SMALLEST_KEPT)[1])}


def _convolution_power(noise: Noise, terms: int) -> FloatArray:
    """The table of the sum of ``terms`` draws: the product of sums of 1, 2, 4, ... draws."""
    result: FloatArray | None = None
    for exponent in range(terms.bit_length()):
        if terms >> exponent & 1:
            power = _doubled(cast("Hashable", noise), exponent)
            result = power if result is None else _product(noise, result, power)
    assert result is not None
    return 0.5 * (result + result[::-1])


@lru_cache(maxsize=16)  # sums of different lengths under one noise are made of the same tables
def _doubled(noise: Any, exponent: int) -> FloatArray:
    """The table of the sum of 2^exponent draws."""
    if exponent:
        half = _doubled(noise, exponent - 1)
        return _product(noise, half, half)
    _, logpmf = within_reach(CountNoise(noise), _FAR_TAIL)
    return _trimmed(np.exp(logpmf), _SMALLEST_KEPT if len(logpmf) <= _LONGEST_DIRECT else 1e-15)


def _product(noise: Noise, left: FloatArray, right: FloatArray) -> FloatArray:
    """The table of the sum of two sums; short laws keep their far tails."""
    if 2 * noise.reach(_FAR_TAIL) + 1 <= _LONGEST_DIRECT:
        return _trimmed(np.convolve(left, right), _SMALLEST_KEPT)
    # a Fourier product is exact to a double next to its largest entry only: what is smaller is not kept
    return _trimmed(np.maximum(_fourier_product(left, right), 0.0), 1e-15)


def _fourier_product(left: FloatArray, right: FloatArray) -> FloatArray:
    """The convolution of two long tables."""
    size = len(left) + len(right) - 1
    padded = 1 << (size - 1).bit_length()
    return np.fft.irfft(np.fft.rfft(left, padded) * np.fft.rfft(right, padded), padded)[:size]


def _trimmed(table: FloatArray, smallest: float) -> FloatArray:
    """The table without its ends below ``smallest`` times its largest entry."""
    kept = np.flatnonzero(table >= smallest * table.max())
    cut = min(int(kept[0]), len(table) - 1 - int(kept[-1]))
    return table[cut : len(table) - cut]


def sum_approximation_error(noise: Noise, terms: int) -> float:
    """The total variation distance between the exact noise of a sum and its approximation by one discrete Gaussian.

    Half the sum over y of |P(eta_1 + ... + eta_d = y) - P(DG(0, d / (2 rho)) = y)|; d is ``terms``.

    Source: P4 section S2, Figure 9.
    Assumes discrete Gaussian noise.
    """
    exact, rough = noise_of_sum(noise, terms), noise_of_sum(noise, terms, "approximate")
    if isinstance(exact, DiscreteGaussianSum) and exact.departure_bound < _RESOLUTION:
        return exact.departure_bound
    reach = max(exact.reach(1e-16), rough.reach(1e-16))
    y = np.arange(-reach, reach + 1)
    return 0.5 * float(np.abs(np.exp(exact.logpmf(y)) - np.exp(rough.logpmf(y))).sum())
