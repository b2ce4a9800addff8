"""Random cell sizes as mixtures of Poisson sizes, and averages over Poisson counts.

A size n ~ Poisson(lambda) split by shares p_j gives independent counts Poisson(lambda p_j). A negative binomial size
is a Poisson size with a gamma distributed rate. Given n >= 1, the expectation of a risk r(counts) with r = 0 for an
empty cell is

    1 / P(n >= 1)  integral g(lambda) R(lambda) d lambda,       R(lambda) = E[r] under independent Poisson counts,

with g a point mass (Poisson) or the gamma density (negative binomial). For the share of people exposed, N_k / n, follow
one member of the cell: given n it has label k with probability p_k, and the n - 1 others are multinomial. Because
1 / n = integral over t in (0, 1) of t^(n - 1), the law of n - 1 is again a mixture, with density
integral over u > 0 of g(lambda + u) e^-u: e^(lambda - rate) below the rate for a Poisson size, and
e^lambda (1 + s)^-r Q(r, lambda (1 + 1/s)) for a negative binomial one (shape r, scale s, Q the upper gamma ratio).

The integrals are Gauss-Legendre sums. In x = sqrt(lambda) a Poisson average grows by at most e^(2 y^2) at distance y
from the real line, wherever it is, so 16 nodes on panels two units wide leave an error below 1e-14 (Bernstein
ellipses); panels shrink with sqrt(s) for a narrow gamma law, and geometrically towards 0, where its density is not
smooth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.errors import ParameterError
from epsilens.homogeneity.models.sizes import (
    NegativeBinomialSize,
    PoissonSize,
    ZeroInflatedSize,
    poisson_pmf,
    stirling_error,
)
from epsilens.lazy import LaterModule
from epsilens.noise.whole_number_sums import whole_numbers

special = LaterModule("scipy.special")

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_CUT = 1e-16  # probability of a gamma law left out at either end
_SMALLEST_RATE = 1e-15  # a rate below it would leave the cell empty with probability 1 - 1e-15
_FAR_BELOW = 45.0  # e^-45: how little of a Poisson size is that far below its rate in the "share" mixture
_LARGEST_RATIO = 1e6  # shape up to which scipy's incomplete gamma ratio is accurate in its lower tail
_MOST_RATES = 400_000  # a negative binomial law of a mean of a few million; beyond, a risk takes minutes
_CHUNK = 1 << 13  # rates evaluated together: their coefficients fit into a cache
_MANY_COUNTS = 1 << 13
_DEGREE = 20  # Chebyshev nodes on a panel one unit wide: error below 1e-14, by the same bound


@dataclass(frozen=True, eq=False)
class RateMixture:
    """Poisson rates and their weights, for a size law truncated to n >= 1."""

    rates: FloatArray
    weights: FloatArray


def rate_mixture(model: PoissonSize | NegativeBinomialSize | ZeroInflatedSize, match: str) -> RateMixture:
    """The mixture whose Poisson averages are the expectations under ``model`` given n >= 1."""
    base = model.base if isinstance(model, ZeroInflatedSize) else model
    if isinstance(base, NegativeBinomialSize) and base.scale < 1e-13:
        base = PoissonSize(base.mean)  # the two laws then differ by less than 1e-13 in total variation
    if match == "any":
        rates, weights = _rates_of_size(base)
    elif isinstance(base, PoissonSize):
        rates, weights = _rates_of_others(base.rate)
    elif base.shape <= _LARGEST_RATIO:
        rates, weights = _mixed_rates_of_others(base)
    else:  # scipy's gamma ratio has lost its digits: one Poisson mixture per rate of the gamma law, longer but exact
        parts = [(own, weight, _rates_of_others(own)) for own, weight in zip(*_rates_of_size(base), strict=True)]
        rates = np.concatenate([others for _, _, (others, _) in parts])
        weights = np.concatenate([weight * chances for _, weight, (_, chances) in parts])
    if len(rates) > _MOST_RATES:
        raise ParameterError(
            f"spreads the sizes of cells so far (a mean of {base.mean:.3g}) that {len(rates):,} rates would be summed, "
            f"at most {_MOST_RATES:,} are",
            parameter="size_model",
            remedy="take the local or the expected risk, or a law that is less spread",
        )
    return RateMixture(rates, weights / base.occupied)


def _rates_of_size(base: PoissonSize | NegativeBinomialSize) -> tuple[FloatArray, FloatArray]:
    """Rates and weights of n: the rate itself, or nodes of the gamma law."""
    if isinstance(base, PoissonSize):
        return np.array([base.rate]), np.ones(1)
    rates, lengths = _panel_nodes(_gamma_edges(base))
    return rates, lengths * _gamma_density(rates, base.shape, base.mean)


def _rates_of_others(rate: float) -> tuple[FloatArray, FloatArray]:
    """Rates and weights of n - 1 for a Poisson size: density e^(lambda - rate) below the rate."""
    rates, lengths = _panel_nodes(_edges(max(0.0, rate - _FAR_BELOW), rate, 2.0, 8.0))
    return rates, lengths * np.exp(rates - rate)


def _mixed_rates_of_others(base: NegativeBinomialSize) -> tuple[FloatArray, FloatArray]:
    """Rates and weights of n - 1 for a negative binomial size."""
    edges = _gamma_edges(base)
    if edges[0] > _SMALLEST_RATE:  # below, the gamma ratio is 1 and the density e^lambda: wide panels will do
        edges = np.concatenate([_edges(max(0.0, edges[0] - _FAR_BELOW), edges[0], 2.0, 8.0)[:-1], edges])
    rates, lengths = _panel_nodes(edges)
    return rates, lengths * _others_density(rates, base.shape, base.mean)


def _gamma_edges(base: NegativeBinomialSize) -> FloatArray:
    """Panel ends that cover the gamma law of rates."""
    low = max(_SMALLEST_RATE, base.scale * float(special.gammaincinv(base.shape, _CUT)))
    high = base.scale * float(special.gammainccinv(base.shape, _CUT * base.occupied))
    return _edges(low, high, 2.0 * min(1.0, math.sqrt(base.scale)), math.inf)


def _edges(low: float, high: float, width: float, longest: float) -> FloatArray:
    """Panel ends from ``low`` to ``high``: steps of ``width`` in sqrt(lambda), at most ``longest`` in lambda.

    A panel that starts near but not at 0 ends at most at 16 times its start.
    """
    edges = [low]
    while edges[-1] < high:
        start = edges[-1]
        stop = min((math.sqrt(start) + width) ** 2, start + longest)
        edges.append(min(high, stop, 16.0 * start) if start > 0 else min(high, stop))
    return as_floats(edges)


def _panel_nodes(edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre rates and weights in x = sqrt(lambda) on every panel; d lambda = 2 x dx."""
    x = np.sqrt(edges)
    half = 0.5 * np.diff(x)[:, None]
    nodes = x[:-1, None] + half * (_NODES + 1.0)
    return (nodes**2).ravel(), (2.0 * nodes * half * _WEIGHTS).ravel()


def _gamma_density(rates: FloatArray, shape: float, mean: float) -> FloatArray:
    """The gamma density, as sqrt(r / 2 pi) exp(-r (w - log(1 + w)) - stirling(r)) / lambda with w = lambda / mean - 1.

    Stirling's formula has taken the large parts out, so a narrow law (r up to 1e9) keeps its digits.
    """
    w = (rates - mean) / mean
    powers = np.where(np.abs(w) < 0.01, w, 0.0)
    series = powers**2 * np.polyval([(-1.0) ** k / k for k in range(12, 1, -1)], powers)
    excess = np.where(np.abs(w) < 0.01, series, w - np.log(rates / mean))
    with np.errstate(under="ignore"):
        height = np.exp(-shape * excess - float(stirling_error(np.asarray(shape))))
    return as_floats(height * math.sqrt(shape / (2.0 * math.pi)) / rates)


def _others_density(rates: FloatArray, shape: float, mean: float) -> FloatArray:
    """e^lambda (1 + s)^-r Q(r, y), y = lambda (1 + 1/s): directly, or by a continued fraction where Q underflows.

    There Gamma(r, y) = e^-y y^r / (y + 1 - r - 1 (1 - r) / (y + 3 - r - 2 (2 - r) / ...)), and
    e^lambda (1 + s)^-r e^-y y^r / Gamma(r) = lambda g(lambda) with g the gamma density.
    """
    scale = mean / shape
    y = rates * (1.0 + 1.0 / scale)
    ratio = special.gammaincc(shape, y)
    near = ratio > 1e-200
    density = np.empty_like(y)
    density[near] = np.exp(rates[near] - shape * math.log1p(scale) + np.log(ratio[near]))
    far = rates[~near]
    density[~near] = far * _gamma_density(far, shape, mean) * _gamma_fraction(shape, y[~near])
    return density


def _gamma_fraction(shape: float, y: FloatArray) -> FloatArray:
    """The continued fraction of :func:`_others_density`, by Lentz's method."""
    b = y + 1.0 - shape
    c = np.full_like(y, 1e300)
    d = 1.0 / b
    value = d.copy()
    for i in range(1, 10_000):
        step = -i * (i - shape)
        b = b + 2.0
        d = 1.0 / (step * d + b)
        c = b + step / c
        change = c * d
        value *= change
        if float(np.abs(change - 1.0).max(initial=0.0)) < 1e-15:  # smaller steps are rounding and would go on for ever
            break
    return value


@dataclass(frozen=True, eq=False)
class PoissonAverages:
    """E[v(N)] for N ~ Poisson(rate) at many rates, for any v made from a law of noise.

    In x = sqrt(rate) such an average is equally smooth everywhere, so it is computed at Chebyshev nodes of panels one
    unit wide and read off in between; the Poisson weights at the nodes do not depend on v and are kept.

    A large rate has many counts near it. Over them v changes slowly: noise that reaches so far at all is wider than
    sqrt(rate). So from :data:`_MANY_COUNTS` on runs of three sqrt(rate) are summed by ``whole_number_sums``, with an
    error below 1e-15, and a law with rates up to 10^8 is asked for a few counts of each panel only.
    """

    counts: IntArray
    """The counts at which v is needed, ascending."""
    blocks: tuple[tuple[IntArray, FloatArray], ...]
    """Per panel: where its counts are in ``counts``, and the matrix from v there to its Chebyshev coefficients."""
    panel: IntArray
    """The panel of every rate."""
    position: FloatArray
    """Where in its panel a rate lies, from -1 to 1."""

    @staticmethod
    def at(rates: FloatArray) -> PoissonAverages:
        """Prepare averages at ``rates``, flattened."""
        x = np.sqrt(rates.ravel())
        highest = float(x.max(initial=0.0))
        n_panels = max(1, math.ceil(highest))
        width = max(highest, 1e-6) / n_panels
        panel = np.minimum((x / width).astype(np.int64), n_panels - 1)
        angles = math.pi * (np.arange(_DEGREE) + 0.5) / _DEGREE
        to_coefficients = 2.0 / _DEGREE * np.cos(np.outer(np.arange(_DEGREE), angles))
        to_coefficients[0] *= 0.5
        blocks = []
        occupied, panel_of_rate = np.unique(panel, return_inverse=True)
        for p in occupied.tolist():  # a Poisson size has a few rates only, however large they are
            nodes = (width * (p + 0.5 * (1.0 + np.cos(angles)))) ** 2
            reach = 9.0 * width * (p + 1) + 40.0
            first, last = max(0, math.floor(nodes.min() - reach)), math.ceil(nodes.max() + reach)
            run = 1.0 if last < _MANY_COUNTS else 3.0 * width * p  # short runs are summed number by number
            sums = whole_numbers(first, last + 1, (), run)
            weights = poisson_pmf(sums.points, nodes[:, None]) * sums.weights
            blocks.append((sums.points.astype(np.int64), to_coefficients @ weights))
        needed = np.sort(np.concatenate([points for points, _ in blocks]))
        counts = needed[np.diff(needed, prepend=-1) > 0]
        placed = tuple((np.searchsorted(counts, points), matrix) for points, matrix in blocks)
        return PoissonAverages(counts, placed, panel_of_rate, 2.0 * (x / width - panel) - 1.0)

    def of(self, values: FloatArray) -> FloatArray:
        """E[v(N)] at every rate; ``values`` are those of v at :attr:`counts`."""
        coefficients = np.stack([block @ values[places] for places, block in self.blocks], axis=1)
        averages = np.empty(len(self.panel))
        for start in range(0, len(averages), _CHUNK):
            part = slice(start, start + _CHUNK)
            averages[part] = _clenshaw(coefficients[:, self.panel[part]], self.position[part])
        return averages


def _clenshaw(coefficients: FloatArray, x: FloatArray) -> FloatArray:
    """Sum over k of coefficients[k] T_k(x)."""
    older, newer = coefficients[-1], coefficients[-2] + 2.0 * x * coefficients[-1]
    for k in range(len(coefficients) - 3, 0, -1):
        older, newer = newer, coefficients[k] + 2.0 * x * newer - older
    return as_floats(coefficients[0] + x * newer - older)
