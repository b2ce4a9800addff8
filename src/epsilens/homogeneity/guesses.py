"""Which label does an attacker guess who takes a published cell at face value?

A published count is M_k = max(0, n_k + noise rounded half up), independent across labels. Two attackers:

* *hard*: guess the label with the largest published count, ties broken by a fair draw;
* *soft*: guess label k with probability M_k / (M_1 + ... + M_K), the released proportions.

A cell that shows nobody makes neither of them guess. Both laws are exact sums over the published counts, written
against ``pmf`` and ``cdf`` of the noise, so they hold for integer noise and for rounded continuous noise alike. A guess
does not care which label is which, so vectors may come sorted.

Numerical error, whatever the scale of the noise: below 1e-12 per probability (tested against full sums).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.noise.law import AnyNoise
from epsilens.noise.whole_number_sums import (
    TAIL,
    WholeNumberSum,
    distinct_positive,
    reach,
    whole_numbers,
    width,
)

_LARGEST_BLOCK = 1 << 21  # doubles held at a time
_LONGEST_LOOKUP = 1 << 17
_FEW_LABELS = 16
_LABELS_THAT_COUNT = 60
_SMALLEST = 1e-300
_ELLIPSES = np.append(np.geomspace(1.01, 3.0, 60), np.geomspace(3.2, 1e6, 60))
_LOG_STEP = 0.24  # of the trapezoid rule for soft guesses; see soft_guesses for the error


def hard_guesses(vectors: IntArray, noise: AnyNoise, zeros: IntArray | None = None) -> FloatArray:
    """P(label k is guessed) by the plurality rule, for every k of every count vector (vectors, labels).

    P(k) = sum over m >= 1 of f_k(m) E[1 / (1 + ties); the others are at most m]
         = sum over m >= 1 of integral from 0 to 1 of f_k(m) prod_{j != k} (F_j(m - 1) + z f_j(m)) dz,
    with f_k(m) = P(noise rounds to m - n_k) = ``pmf`` and F_k(m) = P(M_k <= m) = ``cdf(m + 1/2 - n_k)``. The integrand
    is a polynomial of degree K - 1 in z, so ceil(K / 2) Gauss-Legendre nodes are exact. All terms are positive.
    The winner lies within the reach of the noise around the largest count, so only those m are summed.

    Many labels need fewer nodes (:func:`_nodes_enough`), and their products are sums of logarithms, one per distinct
    count. Each label whose count is above m is at most m with probability 1/2 or less. So the winner is below the 60th
    largest count with probability 2^-59 at most: such m are left out, and panels are as short as 60 labels need.

    Source: P0 section 6, P1 section 5.
    Assumes independent noise per label. The print simulates the rule and is silent on ties.
    """
    if zeros is not None:
        return hard_guesses(_with_zeros(vectors, zeros), noise)[:, : vectors.shape[1]]
    guesses = np.zeros(vectors.shape)
    if not len(vectors):
        return guesses
    law = _TabledLaw.of(noise)
    labels = vectors.shape[1]
    order = np.lexsort((-np.sort(-vectors, axis=1)).T[::-1])
    guessed = _by_products if labels <= _FEW_LABELS else _by_logarithms
    panel = width(noise, min(labels, _LABELS_THAT_COUNT))
    for rows, grid in _blocks(vectors, order, law.reach, panel, min((labels + 1) // 2, _FEW_LABELS)):
        counts, where = _positions(vectors[rows])
        guesses[rows] = np.take_along_axis(guessed(counts, where, grid, law), where, axis=1)
    return np.minimum(guesses, 1.0)


def _by_products(counts: IntArray, where: IntArray, grid: WholeNumberSum, law: _TabledLaw) -> FloatArray:
    """P(a label with that count is guessed) for rows whose labels have ``counts[where]``, label after label."""
    nodes, node_weights = _unit_nodes((where.shape[1] + 1) // 2)
    exactly, below = _exactly_and_below(counts, grid.points, law)
    factor = below[..., None] + exactly[..., None] * nodes
    product = (grid.weights[:, None] * node_weights) * factor[where[:, 0]]
    for k in range(1, where.shape[1]):
        product *= factor[where[:, k]]
    own = np.broadcast_to(exactly[..., None], factor.shape)
    share = np.divide(own, factor, out=np.zeros_like(factor), where=factor > 0)
    return product.reshape(len(where), -1) @ share.reshape(len(counts), -1).T


def _by_logarithms(counts: IntArray, where: IntArray, grid: WholeNumberSum, law: _TabledLaw) -> FloatArray:
    """The same for many labels, some published counts at a time."""
    labels = where.shape[1]
    times = np.zeros((len(where), len(counts)))
    np.add.at(times, (np.arange(len(where))[:, None], where), 1.0)
    guessed = np.zeros(times.shape)
    step = max(1, _LARGEST_BLOCK // (4 * _FEW_LABELS * max(len(counts), len(where))))
    for start in range(0, len(grid.points), step):
        part = slice(start, start + step)
        exactly, below = _exactly_and_below(counts, grid.points[part], law)
        top = np.maximum(exactly + below, _SMALLEST)
        ties = float((times @ (exactly / top)).max(initial=0.0))
        nodes, node_weights = _unit_nodes(min((labels + 1) // 2, _nodes_enough(ties)))
        for node, node_weight in zip(nodes.tolist(), node_weights.tolist(), strict=True):
            factor = np.maximum(below + node * exactly, _SMALLEST)
            product = np.exp(times @ np.log(factor)) * (grid.weights[part] * node_weight)
            guessed += product @ (exactly / factor).T
    return guessed


def _nodes_enough(ties: float) -> int:
    """How many Gauss-Legendre nodes give the integral over z to 1e-15 of its largest integrand.

    g(z) = prod_j (F_j + z f_j) has positive coefficients, so |g| on a Bernstein ellipse about [0, 1] is at most g at
    its right end, 1 + (x + 1/x - 2) / 4 for the sum x of its half axes. log g is concave, so that this is at most g(1)
    times e^(c (x + 1/x - 2) / 4), c = sum_j f_j / (F_j + f_j) being ``ties``. The rule with q nodes errs by at most
    64 / 15 of that times x^-2q / (1 - x^-2).
    """
    growth = 0.25 * ties * (_ELLIPSES + 1.0 / _ELLIPSES - 2.0) + np.log(64.0 / 15.0 / (1.0 - _ELLIPSES**-2.0))
    return max(1, math.ceil(float(((growth - math.log(TAIL)) / (2.0 * np.log(_ELLIPSES))).min())))


def _unit_nodes(number: int) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(number)
    return 0.5 * (nodes + 1.0), 0.5 * weights


def _exactly_and_below(counts: IntArray, points: FloatArray, law: _TabledLaw) -> tuple[FloatArray, FloatArray]:
    """P(M = m) and P(M < m) for every count and every published m; an impossible label has M = 0."""
    offsets = points - counts[:, None]
    possible = (counts >= 0)[:, None]
    return np.where(possible, law.pmf(offsets), 0.0), np.where(possible, law.below(offsets), 1.0)


def soft_guesses(vectors: IntArray, noise: AnyNoise, zeros: IntArray | None = None) -> FloatArray:
    """P(label k is guessed) = E[M_k / (M_1 + ... + M_K)] with 0 / 0 = 0, for every k of every count vector.

    Because 1 / x is the integral of e^(-s x) over s > 0,
    P(k) = integral over s > 0 of E[M_k e^(-s M_k)] prod_{j != k} E[e^(-s M_j)] ds,
    and each expectation belongs to a *count*, not to a cell: it is computed once per distinct count. In log s the
    integrand is analytic in the strip |Im| < pi / 2 and on the line Im = theta it integrates to at most 1 / cos(theta),
    so the trapezoid rule with step h errs by at most 2 e^(-2 pi theta / h) / cos(theta): below 1e-15 for h = 0.24.

    Source: P1 section 5, footnote 3.
    Assumes independent noise per label. The print simulates the proportions.
    """
    if zeros is not None:
        return soft_guesses(_with_zeros(vectors, zeros), noise)[:, : vectors.shape[1]]
    if not len(vectors):
        return np.zeros(vectors.shape)
    counts, where = _positions(vectors)
    law = _TabledLaw.of(noise)
    largest = int(counts[-1]) + law.reach
    lowest, highest = math.log(10.0 * TAIL / largest), math.log(-math.log(TAIL))
    s = np.exp(np.arange(lowest, highest + _LOG_STEP, _LOG_STEP))
    transform, slope = _transforms(counts, s, law, width(noise))
    ratio = np.divide(slope, transform, out=np.zeros_like(slope), where=transform > 0) * (s * _LOG_STEP)
    guesses = np.empty(vectors.shape)
    rows_at_a_time = max(1, _LARGEST_BLOCK // len(s))
    for first in range(0, len(vectors), rows_at_a_time):
        some = where[first : first + rows_at_a_time]
        product = transform[some[:, 0]]
        for k in range(1, some.shape[1]):
            product = product * transform[some[:, k]]
        for k in range(some.shape[1]):
            guesses[first : first + rows_at_a_time, k] = np.einsum("iq,iq->i", product, ratio[some[:, k]])
    return np.clip(guesses, 0.0, 1.0)


def _transforms(counts: IntArray, s: FloatArray, law: _TabledLaw, panel: float) -> tuple[FloatArray, FloatArray]:
    """E[e^(-s M)] and E[M e^(-s M)] for every count (rows) and every s (columns); an impossible label has M = 0."""
    transform, slope = np.ones((len(counts), len(s))), np.zeros((len(counts), len(s)))
    first = int(np.searchsorted(counts, 0))
    while first < len(counts):
        last = int(np.searchsorted(counts, counts[first] + 4 * law.reach, side="right"))
        some = counts[first : min(last, first + 64)]
        start, stop = max(1, int(some[0]) - law.reach), int(some[-1]) + law.reach + 1
        grid = whole_numbers(start, stop, some.tolist(), panel, graded=True)
        mass = law.pmf(grid.points - some[:, None]) * grid.weights
        decay = np.exp(-np.outer(grid.points, s))
        rows = slice(first, first + len(some))
        transform[rows] = mass @ decay + law.noise.cdf(0.5 - some)[:, None]
        slope[rows] = (mass * grid.points) @ decay
        first += len(some)
    return transform, slope


def _blocks(
    vectors: IntArray, order: IntArray, reach_of_noise: int, panel: float, nodes: int
) -> Iterator[tuple[IntArray, WholeNumberSum]]:
    """Rows with near largest counts, and the whole numbers that their winners can have published.

    Rows share a grid, with a kink at each of their counts; a block is halved until it fits into memory, because many
    different counts make a long grid and a short grid of one's own is then cheaper.
    """
    pending = [order]
    while pending:
        rows = pending.pop()
        largest = np.maximum(vectors[rows].max(axis=1), 0)
        low, high = int(largest.min()), int(largest.max())
        close = high - low <= 8 * (reach_of_noise + 32)
        if close or len(rows) == 1:
            start, stop = max(1, low - reach_of_noise), high + reach_of_noise + 1
            if vectors.shape[1] > _LABELS_THAT_COUNT:
                last = np.partition(vectors[rows], -_LABELS_THAT_COUNT, axis=1)[:, -_LABELS_THAT_COUNT]
                start = max(start, int(last.min()))
            grid = whole_numbers(start, stop, distinct_positive(vectors[rows]), panel)
            different = len(np.unique(vectors[rows]))
            if len(rows) == 1 or max(len(rows), 8 * different) * len(grid.points) * nodes <= _LARGEST_BLOCK:
                yield rows, grid
                continue
        half = len(rows) // 2
        pending += [rows[half:], rows[:half]]


def _positions(vectors: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct counts in ascending order, and where each entry of ``vectors`` finds its own."""
    counts, where = np.unique(vectors, return_inverse=True)
    return counts, where.reshape(vectors.shape)


@dataclass(frozen=True, eq=False)
class _TabledLaw:
    """A law at whole offsets: looked up where its reach is short, evaluated where it is long."""

    noise: AnyNoise
    reach: int
    mass: FloatArray | None
    lower: FloatArray | None

    @staticmethod
    def of(noise: AnyNoise) -> _TabledLaw:
        """Tabulate ``noise`` once; offsets beyond the table have no mass that counts."""
        far = reach(noise)
        if far > _LONGEST_LOOKUP:
            return _TabledLaw(noise, far, None, None)
        offsets = np.arange(-far - 1.0, far + 2.0)
        mass, lower = noise.pmf(offsets), noise.cdf(offsets - 0.5)
        mass[[0, -1]] = 0.0
        lower[0], lower[-1] = 0.0, 1.0
        return _TabledLaw(noise, far, mass, lower)

    def pmf(self, offsets: FloatArray) -> FloatArray:
        """P(rounded noise = offset)."""
        return as_floats(self.noise.pmf(offsets)) if self.mass is None else self.mass[self._index(offsets)]

    def below(self, offsets: FloatArray) -> FloatArray:
        """P(rounded noise < offset)."""
        return as_floats(self.noise.cdf(offsets - 0.5)) if self.lower is None else self.lower[self._index(offsets)]

    def _index(self, offsets: FloatArray) -> IntArray:
        return np.asarray(np.clip(offsets, -self.reach - 1, self.reach + 1) + (self.reach + 1), dtype=np.int64)


def _with_zeros(vectors: IntArray, zeros: IntArray) -> IntArray:
    """Vectors with so many further labels that nobody has."""
    further = np.arange(int(zeros.max(initial=0)))
    return np.concatenate([vectors, np.where(further < zeros[:, None], 0, -1)], axis=1)
