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
from functools import cached_property, lru_cache

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.homogeneity.geometric_transforms import geometric_transforms
from epsilens.homogeneity.products import numbered
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
FEW_LABELS = 16
LABELS_THAT_COUNT = 60
_SMALLEST = 1e-300
_ELLIPSES = np.append(np.geomspace(1.01, 3.0, 60), np.geomspace(3.2, 1e6, 60))
_NODE_ERROR = 1e-13
_DECAYED = 16.0  # see decay_nodes
_NEAR_NODES = 16
_LOG_ERROR = 38.0


def hard_guesses(vectors: IntArray, noise: AnyNoise, zeros: IntArray | None = None) -> FloatArray:
    """P(label k is guessed) by the plurality rule, for every k of every count vector (vectors, labels).

    P(k) = sum over m >= 1 of f_k(m) E[1 / (1 + ties); the others are at most m]
         = sum over m >= 1 of integral from 0 to 1 of f_k(m) prod_{j != k} (F_j(m - 1) + z f_j(m)) dz,
    with f_k(m) = P(noise rounds to m - n_k) = ``pmf`` and F_k(m) = P(M_k <= m) = ``cdf(m + 1/2 - n_k)``. The integrand
    is a polynomial of degree K - 1 in z, so ceil(K / 2) Gauss-Legendre nodes are exact. All terms are positive.
    The winner lies within the reach of the noise around the largest count, so only those m are summed.

    Many labels need fewer nodes (:func:`nodes_enough`), and their products are sums of logarithms, one per distinct
    count. Each label whose count is above m is at most m with probability 1/2 or less. So the winner is below the 60th
    largest count with probability 2^-59 at most: such m are left out, and panels are as short as 60 labels need.

    ``zeros``: how many further labels of each vector have nobody; they compete, and have no column of their own.

    Source: P0 section 6, P1 section 5.
    Assumes independent noise per label. The print simulates the rule and is silent on ties.
    """
    guesses = np.zeros(vectors.shape)
    if not len(vectors):
        return guesses
    law = TabledLaw.of(noise)
    beside = np.zeros(len(vectors), dtype=np.int64) if zeros is None else zeros
    labels = vectors.shape[1] + int(beside.max())
    order = np.lexsort((-np.sort(-vectors, axis=1)).T[::-1])
    guessed = _by_products if labels <= FEW_LABELS else _by_logarithms
    panel = width(noise, min(labels, LABELS_THAT_COUNT))
    for rows, grid in _blocks(vectors, order, law.reach, panel, min((labels + 1) // 2, FEW_LABELS)):
        counts, where = _positions(vectors[rows], beside[rows].any())
        guesses[rows] = np.take_along_axis(guessed(counts, where, beside[rows], grid, law), where, axis=1)
    return np.minimum(guesses, 1.0)


def _by_products(
    counts: IntArray, where: IntArray, zeros: IntArray, grid: WholeNumberSum, law: TabledLaw
) -> FloatArray:
    """P(a label with that count is guessed) for rows whose labels have ``counts[where]``, label after label."""
    nodes, node_weights = unit_nodes((where.shape[1] + int(zeros.max()) + 1) // 2)
    exactly, below = exactly_and_below(counts, grid.points, law)
    factor = below[..., None] + exactly[..., None] * nodes
    product = (grid.weights[:, None] * node_weights) * factor[where[:, 0]]
    for k in range(1, where.shape[1]):
        product *= factor[where[:, k]]
    if zeros.any():
        product *= factor[np.searchsorted(counts, 0)] ** zeros[:, None, None]
    own = np.broadcast_to(exactly[..., None], factor.shape)
    share = np.divide(own, factor, out=np.zeros_like(factor), where=factor > 0)
    return product.reshape(len(where), -1) @ share.reshape(len(counts), -1).T


def _by_logarithms(
    counts: IntArray, where: IntArray, zeros: IntArray, grid: WholeNumberSum, law: TabledLaw
) -> FloatArray:
    """The same for many labels, some published counts at a time."""
    labels = where.shape[1] + int(zeros.max())
    times = np.zeros((len(where), len(counts)))
    np.add.at(times, (np.arange(len(where))[:, None], where), 1.0)
    if zeros.any():
        times[:, np.searchsorted(counts, 0)] += zeros
    guessed = np.zeros(times.shape)
    step = max(1, _LARGEST_BLOCK // (4 * FEW_LABELS * max(len(counts), len(where))))
    for start in range(0, len(grid.points), step):
        part = slice(start, start + step)
        exactly, below = exactly_and_below(counts, grid.points[part], law)
        top = np.maximum(exactly + below, _SMALLEST)
        ties = (times @ (exactly / top)).max(initial=0.0, keepdims=True).reshape(1)
        nodes, node_weights = unit_nodes(min((labels + 1) // 2, int(nodes_enough(ties)[0])))
        for node, node_weight in zip(nodes.tolist(), node_weights.tolist(), strict=True):
            factor = np.maximum(below + node * exactly, _SMALLEST)
            product = np.exp(times @ np.log(factor)) * (grid.weights[part] * node_weight)
            guessed += product @ (exactly / factor).T
    return guessed


def nodes_enough(ties: FloatArray) -> IntArray:
    """How many Gauss-Legendre nodes give the integral over z to 1e-13 of its largest integrand.

    g(z) = prod_j (F_j + z f_j) = prod_j F_j (1 + z x_j). With c = sum_j f_j / (F_j + f_j), which is ``ties``, one of
    two bounds is enough:

    * Few ties: in powers of 1 - z, g(z) / g(1) = prod_j (1 - (1 - z) y_j) with sum_j y_j = c, so its d-th coefficient
      is at most c^d / d! in size, and q nodes err by at most the sum over d >= 2q of that times their error for the
      d-th power.
    * Many: g has positive coefficients, so |g| on a Bernstein ellipse about [0, 1] is at most g at its right end,
      1 + (x + 1/x - 2) / 4 for the sum x of its half axes. log g is concave, so that this is at most g(1) times
      e^(c (x + 1/x - 2) / 4). The rule with q nodes errs by at most 64 / 15 of that times x^-2q / (1 - x^-2).
    """
    growth = 0.25 * (_ELLIPSES + 1.0 / _ELLIPSES - 2.0)
    constant = np.log(64.0 / 15.0 / (1.0 - _ELLIPSES**-2.0)) - math.log(_NODE_ERROR)
    most, few = float(ties.max(initial=0.0)), _most_ties()
    enough = np.searchsorted(few, ties) + 1
    if most > few[-1]:
        bound = (np.multiply.outer(ties, growth) + constant) / (2.0 * np.log(_ELLIPSES))
        enough = np.where(ties > few[-1], np.ceil(bound.min(axis=-1)), enough)
    return np.asarray(np.maximum(enough, 1), dtype=np.int64)


@lru_cache(maxsize=1)
def _most_ties() -> FloatArray:
    """The largest ``ties`` for which 1, 2, ... nodes are enough by the first bound of :func:`nodes_enough`."""
    found = []
    powers = np.arange(80)
    factorials = np.cumsum(np.log(np.maximum(powers, 1)))
    for number in range(1, 9):
        nodes, weights = unit_nodes(number)
        errors = np.where(powers >= 2 * number, np.abs(weights @ nodes[:, None] ** powers - 1.0 / (powers + 1.0)), 0.0)
        low, high = 0.0, 16.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            bound = float(errors @ np.exp(powers * math.log(middle) - factorials))
            low, high = (middle, high) if bound <= _NODE_ERROR else (low, middle)
        found.append(low)
    return as_floats(found)


@lru_cache(maxsize=256)
def unit_nodes(number: int) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(number)
    return 0.5 * (nodes + 1.0), 0.5 * weights


def exactly_and_below(counts: IntArray, points: FloatArray, law: TabledLaw) -> tuple[FloatArray, FloatArray]:
    """P(M = m) and P(M < m) for every count and every published m; an impossible label has M = 0."""
    offsets = points - counts[:, None]
    possible = (counts >= 0)[:, None]
    return np.where(possible, law.pmf(offsets), 0.0), np.where(possible, law.below(offsets), 1.0)


def soft_guesses(vectors: IntArray, noise: AnyNoise, zeros: IntArray | None = None) -> FloatArray:
    """P(label k is guessed) = E[M_k / (M_1 + ... + M_K)] with 0 / 0 = 0, for every k of every count vector.

    Because 1 / x is the integral of e^(-s x) over s > 0,
    P(k) = integral over s > 0 of E[M_k e^(-s M_k)] prod_{j != k} E[e^(-s M_j)] ds,
    and each expectation belongs to a *count*, not to a cell: it is computed once per distinct count, at the nodes of
    :func:`decay_nodes`.

    ``zeros``: how many further labels of each vector have nobody; they compete, and have no column of their own.

    Source: P1 section 5, footnote 3.
    Assumes independent noise per label. The print simulates the proportions.
    """
    if not len(vectors):
        return np.zeros(vectors.shape)
    beside = np.zeros(len(vectors), dtype=np.int64) if zeros is None else zeros
    counts, where = _positions(vectors, beside.any())
    law = TabledLaw.of(noise)
    s, steps = decay_nodes(vectors, beside, law)
    transform, slope = transforms(counts, s, law, width(noise))
    ratio = np.divide(slope, transform, out=np.zeros_like(slope), where=transform > 0) * steps
    guesses = np.empty(vectors.shape)
    rows_at_a_time = max(1, _LARGEST_BLOCK // len(s))
    for first in range(0, len(vectors), rows_at_a_time):
        some, others = where[first : first + rows_at_a_time], beside[first : first + rows_at_a_time]
        product = transform[some[:, 0]]
        for k in range(1, some.shape[1]):
            product = product * transform[some[:, k]]
        if others.any():
            product = product * transform[np.searchsorted(counts, 0)] ** others[:, None]
        for k in range(some.shape[1]):
            guesses[first : first + rows_at_a_time, k] = np.einsum("iq,iq->i", product, ratio[some[:, k]])
    return np.clip(guesses, 0.0, 1.0)


def decay_nodes(vectors: IntArray, zeros: IntArray, law: TabledLaw) -> tuple[FloatArray, FloatArray]:
    """Nodes s > 0 and weights that integrate E[M_k e^(-s M)], M = M_1 + ... + M_K, to 1e-14 for these vectors.

    Up to s_0 = 16 / T, where M is at most T but for a probability below 1e-16, the integrand is an average of
    e^(-x u) with x <= 16: 16 Gauss-Legendre nodes err by less than 16^33 (16!)^4 / (33 (32!)^3) < 2e-15. From there to
    s_1 = 37, beyond which e^(-s M) is nothing for M >= 1, it is integrated in log s. There it is analytic in the strip
    |Im| < pi / 2, and on the line Im = t it integrates to at most 1 / cos(t). An ellipse about the range of length l
    that stays within |Im| <= 1.5 has half axes whose sum is e^v l / 2 with sinh(v) = 3 / l, so that q Gauss-Legendre
    nodes err by a small multiple of e^(-2 q v).
    """
    sizes, labels = np.maximum(vectors, 0).sum(axis=1), vectors.shape[1] + zeros
    deviation = math.sqrt(law.noise.variance)
    # a sum of K positive parts of noise has a mean below K deviations / 2, and tails no longer than those of one
    most = float(sizes.max()) + 2.0 * law.reach + float(labels.max()) * deviation
    near, far = _DECAYED / most, -math.log(TAIL)
    length = math.log(far / near)
    u, first = unit_nodes(_NEAR_NODES)
    x, second = unit_nodes(math.ceil(_LOG_ERROR / (2.0 * math.asinh(3.0 / length))))
    s = near * np.exp(length * x)
    return np.concatenate([near * u, s]), np.concatenate([near * first, length * second * s])


def transforms(counts: IntArray, s: FloatArray, law: TabledLaw, panel: float) -> tuple[FloatArray, FloatArray]:
    """E[e^(-s M)] and E[M e^(-s M)] for every count (rows) and every s (columns); an impossible label has M = 0.

    In closed form where the tails of the noise are geometric, by sums over published counts otherwise.
    """
    transform, slope = np.ones((len(counts), len(s))), np.zeros((len(counts), len(s)))
    first = int(np.searchsorted(counts, 0))
    rate = getattr(law.noise, "geometric_rate", None)
    if rate is not None:
        transform[first:], slope[first:] = geometric_transforms(counts[first:], s, law.noise, rate)
        return transform, slope
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
            if vectors.shape[1] > LABELS_THAT_COUNT:
                last = np.partition(vectors[rows], -LABELS_THAT_COUNT, axis=1)[:, -LABELS_THAT_COUNT]
                start = max(start, int(last.min()))
            grid = whole_numbers(start, stop, distinct_positive(vectors[rows]), panel)
            different = len(np.unique(vectors[rows]))
            if len(rows) == 1 or max(len(rows), 8 * different) * len(grid.points) * nodes <= _LARGEST_BLOCK:
                yield rows, grid
                continue
        half = len(rows) // 2
        pending += [rows[half:], rows[:half]]


def _positions(vectors: IntArray, with_zero: np.bool_ | bool = False) -> tuple[IntArray, IntArray]:
    """The distinct counts in ascending order, 0 among them if wanted, and where each entry finds its own."""
    counts, where = numbered(vectors)
    if with_zero and 0 not in counts:
        place = int(np.searchsorted(counts, 0))
        return np.insert(counts, place, 0), where + (where >= place)
    return counts, where


@dataclass(frozen=True, eq=False)
class TabledLaw:
    """A law at whole offsets: looked up where its reach is short, evaluated where it is long."""

    noise: AnyNoise
    reach: int

    @staticmethod
    def of(noise: AnyNoise) -> TabledLaw:
        """``noise``, tabulated when it is first asked; offsets beyond the table have no mass that counts."""
        return TabledLaw(noise, reach(noise))

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray] | None:
        """P(rounded noise = offset) and P(rounded noise < offset) from -reach - 1 up; None where that is too long."""
        if self.reach > _LONGEST_LOOKUP:
            return None
        offsets = np.arange(-self.reach - 1.0, self.reach + 2.0)
        mass, lower = self.noise.pmf(offsets), self.noise.cdf(offsets - 0.5)
        mass[[0, -1]] = 0.0
        lower[0], lower[-1] = 0.0, 1.0
        return mass, lower

    def pmf(self, offsets: FloatArray) -> FloatArray:
        """P(rounded noise = offset)."""
        return as_floats(self.noise.pmf(offsets)) if self._table is None else self._table[0][self._index(offsets)]

    def below(self, offsets: FloatArray) -> FloatArray:
        """P(rounded noise < offset)."""
        return as_floats(self.noise.cdf(offsets - 0.5)) if self._table is None else self._table[1][self._index(offsets)]

    def _index(self, offsets: FloatArray) -> IntArray:
        return np.asarray(np.clip(offsets, -self.reach - 1, self.reach + 1) + (self.reach + 1), dtype=np.int64)
