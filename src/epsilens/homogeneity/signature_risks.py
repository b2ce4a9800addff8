"""Local, hard and soft risks of many count vectors, made ready for any noise.

``local.py`` and ``guesses.py`` say what each label of a vector is worth. An average, a maximum or a share of people
above a ceiling needs the sum over labels alone, and that is one label alone among many (``products.py``): what the
vectors have in common is found once, when they are made ready, and computed once per noise. The law of the noise is
asked once per distinct count.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.homogeneity.guesses import (
    FEW_LABELS,
    LABELS_THAT_COUNT,
    TabledLaw,
    decay_nodes,
    exactly_and_below,
    nodes_enough,
    transforms,
    unit_nodes,
)
from epsilens.homogeneity.products import SharedProducts, Symbols, shared_products, symbols_of
from epsilens.noise.law import AnyNoise
from epsilens.noise.whole_number_sums import WholeNumberSum, distinct_positive, whole_numbers, width

Risks: TypeAlias = Callable[[AnyNoise], FloatArray]
"""From a noise to one risk per vector."""

_MOST_POINTS = 1 << 12  # of a grid that vectors share: where their counts make a longer one, fewer share it
_MOST_VALUES = 1 << 24  # symbols times points
_MANY_VECTORS = 1 << 11


def local_of(vectors: IntArray, match: str, weights: FloatArray | None = None, zeros: IntArray | None = None) -> Risks:
    """:func:`epsilens.homogeneity.local` of count vectors (vectors, labels), made ready for any noise.

    risk = sum over k of w_k m_k a_k prod_{j != k} (1 - a_j), with a_k = P(noise >= 1/2 - n_k); ``weights`` w_k of
    labels, (labels,) or as ``vectors``, 1 by default; ``zeros`` further labels that nobody has.
    """
    symbols = symbols_of(vectors, zeros, weights)
    ready, matched, sizes = shared_products(symbols), _matched(symbols, match), _divisors(vectors, match)

    def risks(noise: AnyNoise) -> FloatArray:
        shown, hidden = as_floats(noise.sf(0.5 - symbols.counts)), as_floats(noise.cdf(0.5 - symbols.counts))
        return ready.one(matched * shown, hidden) / sizes

    return risks


def threshold_of(
    vectors: IntArray,
    rule: str,
    part: str,
    match: str,
    weights: FloatArray | None = None,
    zeros: IntArray | None = None,
) -> Risks:
    """The hard or soft risk of ``part`` of the released cells, made ready for any noise.

    Cells that show one label are known in closed form; what the sum over all cells has beyond them is thresholding.
    """
    alone = local_of(vectors, match, weights, zeros)
    if part == "homogeneity":
        return alone
    guessed = (hard_of if rule == "hard" else soft_of)(vectors, match, weights, zeros)
    most = 1.0 if weights is None else float(weights.max(initial=0.0))

    def risks(noise: AnyNoise) -> FloatArray:
        single = alone(noise)
        beyond = np.maximum(guessed(noise) - single, 0.0)
        return np.minimum(beyond if part == "thresholding" else single + beyond, most)

    return risks


def soft_of(vectors: IntArray, match: str, weights: FloatArray | None = None, zeros: IntArray | None = None) -> Risks:
    """The probability that a guess drawn from the released proportions is right, made ready for any noise.

    risk = integral over s > 0 of sum over k of w_k m_k E[M_k e^(-s M_k)] prod_{j != k} E[e^(-s M_j)], as in
    :func:`epsilens.homogeneity.guesses.soft_guesses`, with the points s of :func:`decay_nodes`.
    """
    sizes, beside = _divisors(vectors, match), _beside(vectors, zeros)
    parts: dict[tuple[int, int], tuple[SharedProducts, FloatArray]] = {}

    def risks(noise: AnyNoise) -> FloatArray:
        found, law = np.zeros(len(vectors)), TabledLaw.of(noise)
        if not len(vectors):
            return found
        s, steps = decay_nodes(vectors, beside, law)
        pending = [(0, len(vectors))]
        while pending:
            first, last = pending.pop()
            if (first, last) not in parts:
                part = slice(first, last)
                symbols = symbols_of(vectors[part], None if zeros is None else zeros[part], _some(weights, part))
                parts[first, last] = shared_products(symbols), _matched(symbols, match)
            ready, matched = parts[first, last]
            counts = ready.symbols.counts
            if len(counts) * len(s) > _MOST_VALUES and last - first > 1:
                middle = (first + last) // 2
                pending += [(middle, last), (first, middle)]
                continue
            distinct, where = np.unique(counts, return_inverse=True)
            transform, slope = transforms(distinct, s, law, width(noise))
            found[first:last] = ready.totals(matched[:, None] * slope[where], transform[where], steps)
        return found / sizes

    return risks


def hard_of(vectors: IntArray, match: str, weights: FloatArray | None = None, zeros: IntArray | None = None) -> Risks:
    """The probability that guessing the largest published count is right, made ready for any noise.

    risk = sum over m >= 1 of integral from 0 to 1 of sum over k of w_k m_k f_k(m) prod_{j != k} (F_j(m - 1) + z f_j(m))
    dz, as in :func:`epsilens.homogeneity.guesses.hard_guesses`; the points are pairs (m, z).
    """
    sizes, beside = _divisors(vectors, match), _beside(vectors, zeros)
    order = np.lexsort((-np.sort(-vectors, axis=1)).T[::-1])
    labels = vectors.shape[1] + int(beside.max(initial=0))
    runs: dict[tuple[int, int], _Run] = {}

    def run(first: int, last: int) -> _Run:
        if (first, last) not in runs:
            rows = order[first:last]
            own = None if zeros is None else zeros[rows]
            runs[first, last] = _Run.of(vectors[rows], own, _some(weights, rows), match)
        return runs[first, last]

    def risks(noise: AnyNoise) -> FloatArray:
        found, law = np.zeros(len(vectors)), TabledLaw.of(noise)
        panel = width(noise, min(labels, LABELS_THAT_COUNT))
        pending = [(0, len(vectors))] if len(vectors) else []
        while pending:
            first, last = pending.pop()
            some = run(first, last)
            grid = some.grid(law.reach, panel, min((labels + 1) // 2, FEW_LABELS))
            if grid is None:
                middle = (first + last) // 2
                pending += [(middle, last), (first, middle)]
                continue
            exactly, below = exactly_and_below(some.ready.symbols.counts, grid.points, law)
            found[order[first:last]] = _winners(some.ready, some.matched, exactly, below, grid.weights, labels)
        return found / sizes

    return risks


@dataclass(frozen=True, eq=False)
class _Run:
    """Vectors with near largest counts, and what their winners can have published."""

    vectors: IntArray
    zeros: IntArray | None
    weights: FloatArray | None
    match: str
    low: int
    high: int
    """The least and the greatest of their largest counts."""
    floor: int
    """Winners are not below: the 60th largest count of each is at least so large."""
    kinks: list[int]
    """All their counts."""

    @staticmethod
    def of(vectors: IntArray, zeros: IntArray | None, weights: FloatArray | None, match: str) -> _Run:
        """A run of these vectors."""
        largest, floor, kinks = np.maximum(vectors.max(axis=1, initial=0), 0), 0, distinct_positive(vectors)
        if vectors.shape[1] > LABELS_THAT_COUNT:
            floor = int(np.partition(vectors, -LABELS_THAT_COUNT, axis=1)[:, -LABELS_THAT_COUNT].min())
        if zeros is not None and zeros.any():
            kinks = sorted({0, *kinks})
        return _Run(vectors, zeros, weights, match, int(largest.min()), int(largest.max()), floor, kinks)

    @cached_property
    def ready(self) -> SharedProducts:
        """What the vectors share."""
        return shared_products(symbols_of(self.vectors, self.zeros, self.weights))

    @cached_property
    def matched(self) -> FloatArray:
        """w_k m_k by symbol."""
        return _matched(self.ready.symbols, self.match)

    def grid(self, reach: int, panel: float, nodes: int) -> WholeNumberSum | None:
        """The whole numbers to sum over; None where parts of the run are better off with grids of their own.

        All share a kink at each of their counts, up to the largest of all. So many vectors are cut into runs as narrow
        as the noise, and as the counts themselves, few are not worth it.
        """
        alone, many = len(self.vectors) == 1, len(self.vectors) > _MANY_VECTORS
        widest = min(2 * reach, self.low) + 16 if many else 8 * (reach + 32)
        if not alone and self.high - self.low > widest:
            return None
        start, stop = max(1, self.low - reach, self.floor), self.high + reach + 1
        grid = _with_long_tail(start, stop, self.kinks, panel)
        fits = len(grid.points) <= _MOST_POINTS and len(self.kinks) * len(grid.points) * nodes <= _MOST_VALUES
        return grid if alone or fits else None


def _winners(
    ready: SharedProducts, matched: FloatArray, exactly: FloatArray, below: FloatArray, weights: FloatArray, labels: int
) -> FloatArray:
    """The sum over published counts, those that need as many nodes of z at a time."""
    found = np.zeros(len(ready.beginning))
    top = np.maximum(exactly + below, np.finfo(np.float64).tiny)
    needed = np.minimum((labels + 1) // 2, nodes_enough(labels * (exactly / top).max(axis=0, initial=0.0)))
    for number in np.unique(needed).tolist():
        points = np.flatnonzero(needed == number)
        nodes, node_weights = unit_nodes(number)
        own = exactly[:, points]
        factor = (below[:, points, None] + own[..., None] * nodes).reshape(len(own), -1)
        single = np.repeat(matched[:, None] * own, number, axis=1)
        found += ready.totals(single, factor, np.outer(weights[points], node_weights).ravel())
    return found


def _with_long_tail(start: int, stop: int, kinks: list[int], panel: float) -> WholeNumberSum:
    """:func:`whole_numbers`, with panels beyond the last kink as long as their distance from it.

    There the summand is a sum of powers of the noise's tail, which falls by e^-2 at least on each plain panel: at the
    distance of d panels the j-th power is e^(-2 j d) of what it was, and on a panel as long as that it needs no higher
    degree than the first power on a panel of one's own.
    """
    last = min(max([start, *(kink + 1 for kink in kinks)]), stop)
    pieces = [whole_numbers(start, last, kinks, panel)]
    position = last
    while position < stop:
        length = max(math.ceil(panel), position - last, 1)
        end = min(stop, position + length)
        pieces.append(whole_numbers(position, end, (), float(length)))
        position = end
    return WholeNumberSum(
        np.concatenate([piece.points for piece in pieces]), np.concatenate([piece.weights for piece in pieces])
    )


def _matched(symbols: Symbols, match: str) -> FloatArray:
    """w_k m_k by symbol, to be divided by :func:`_divisors`."""
    counts = np.maximum(symbols.counts, 0)
    return as_floats(symbols.harm * (counts > 0 if match == "any" else counts))


def _divisors(vectors: IntArray, match: str) -> FloatArray:
    """The people of a vector where shares are matched, else 1."""
    return as_floats(np.maximum(np.maximum(vectors, 0).sum(axis=1), 1)) if match == "share" else np.ones(len(vectors))


def _beside(vectors: IntArray, zeros: IntArray | None) -> IntArray:
    return np.zeros(len(vectors), dtype=np.int64) if zeros is None else zeros


def _some(weights: FloatArray | None, rows: IntArray | slice) -> FloatArray | None:
    """The weights of these rows, where each has its own."""
    return weights if weights is None or weights.ndim == 1 else weights[rows]
