"""Risks where the counts of a cell are multinomial, for fixed and for random sizes.

The power series of ``kernel.py`` have Poisson weights here. A cell with counts c_j and n people gives label j the
Poisson weights of rate n p_j = c_j, so a table needs one series per *distinct count*, however many cells it has. A
fixed size n is read off the product of series by Fourier inversion on a circle, or, where a cell has two labels, as
most mixed cells do, summed directly over its binomial outcomes; a random size is a mixture of Poisson sizes, for
which the counts are independent and no inversion is needed at all.

Errors: with a circle of L points the coefficients n +- L, n +- 2L, ... are folded onto the n-th one; L is chosen so
that they are below 1e-15 of it. Rounding adds 1e-16 sqrt(2 pi n). Outcomes further than nine standard deviations and
forty counts from the mean are left out: less than 1e-17. Together this stays below 1e-12 up to n = 1e7; larger cells,
and those whose series would not fit into memory, are for ``huge_cells.py``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import ComplexArray, FloatArray, IntArray, as_floats
from epsilens.homogeneity.models.huge_cells import huge_cell_labels, huge_cell_risk
from epsilens.homogeneity.models.kernel import (
    dual_product,
    match_by_count,
    products_of_others,
    shown_and_hidden_at,
    shown_and_hidden_by_count,
)
from epsilens.homogeneity.models.mixtures import PoissonAverages, RateMixture
from epsilens.homogeneity.models.sizes import poisson_logpmf, poisson_pmf
from epsilens.homogeneity.products import IMPOSSIBLE, SharedProducts, shared_products, symbols_of
from epsilens.noise.law import AnyNoise

_FOLDED = 1e-15
_REACH = (9.0, 40.0)  # standard deviations and counts beyond which Poisson and binomial tails are below 1e-17
_MOST_OUTCOMES = 1 << 22  # of two-label cells that are held in memory; the rest goes to circles
_MOST_SHARED = 10_000_000  # people in a cell that shares its series with others
_MOST_WEIGHTS = 1 << 23  # held in memory per circle
_WEIGHTS_PER_CELL = 1 << 20  # a few cells with many different counts are quicker one by one
_CHUNK = 1 << 19  # numbers per array in flight: stays within the processor's caches and out of the way of memory


@dataclass(frozen=True, eq=False)
class Circle:
    """The cells that share a circle of ``points``."""

    points: int
    rows: IntArray
    """Which cells."""
    sizes: IntArray
    """The people of each."""
    labels: IntArray
    """(cells, labels): the position of each label's rate in ``weights``, the largest first; -1 for absent ones."""
    rates: FloatArray
    counts: IntArray
    """(rates, folds, points): the counts m that the weights belong to."""
    weights: FloatArray
    """(rates, folds, points): Poisson weights, the counts modulo ``points`` along the last axis."""
    harm: FloatArray | None
    """(cells, labels): how much each label counts; None where all count once."""

    def series(self, values: FloatArray) -> ComplexArray:
        """(rates, points // 2 + 1): on the circle, the series with the coefficients Poisson weight times value."""
        return np.fft.rfft((self.weights * values[self.counts]).sum(axis=1))

    @cached_property
    def ready(self) -> SharedProducts:
        """What the cells share: a label enters through its rate, and how much it counts."""
        return shared_products(symbols_of(self.labels, None, self.harm))

    @cached_property
    def turned(self) -> ComplexArray:
        """e^(2 pi i r t / L) for every symbol's rate r: its series times that has its r-th coefficient at 0.

        The rates of a cell add up to its size n, so the product of its series, all turned, has the n-th one there.
        """
        rates = self.rates[self.ready.symbols.counts]
        turns = np.mod(rates[:, None] * np.arange(self.points // 2 + 1), self.points)
        return np.asarray(np.exp(2j * math.pi * turns / self.points), dtype=np.complex128)

    @cached_property
    def scale(self) -> FloatArray:
        """1 / (L Poisson(n; n)) per cell."""
        return as_floats(1.0 / (self.points * poisson_pmf(self.sizes, self.sizes)))

    def risks(self, matched: FloatArray, hidden: FloatArray) -> FloatArray:
        """The n-th coefficient of the sum of products, over Poisson(n; n): a sum over the circle, half of it twice."""
        symbols = self.ready.symbols
        f, h = (self.series(values)[symbols.counts] * self.turned for values in (matched, hidden))
        if self.harm is not None:
            f *= symbols.harm[:, None]
        return self.ready.totals(f, h, _twice(self.points)) * self.scale

    @cached_property
    def by_number(self) -> tuple[tuple[IntArray, IntArray, ComplexArray, IntArray], ...]:
        """Cells with as many labels: which, the rates' positions, and what reads their sizes off the circle."""
        present, found = (self.labels >= 0).sum(axis=1), []
        for labels in np.unique(present).tolist():
            rows = np.flatnonzero(present == labels)
            distinct_sizes, size_of = np.unique(self.sizes[rows], return_inverse=True)
            found.append((rows, self.labels[rows, :labels], _reading(distinct_sizes, self.points), size_of))
        return tuple(found)


@dataclass(frozen=True, eq=False)
class Pairs:
    """The binomial outcomes (m, n - m) of cells with two present labels, cell after cell."""

    rows: IntArray
    starts: IntArray
    first: IntArray
    second: IntArray
    weights: FloatArray

    def risks(self, matched: FloatArray, hidden: FloatArray) -> FloatArray:
        """Sum over outcomes of weight [F(m) H(n - m) + H(m) F(n - m)]."""
        if not len(self.rows):
            return np.zeros(0)
        alone = matched[self.first] * hidden[self.second] + hidden[self.first] * matched[self.second]
        return as_floats(np.add.reduceat(self.weights * alone, self.starts))

    def labels(self, shown: FloatArray, hidden: FloatArray, match: str) -> FloatArray:
        """The two terms of it apart, (cells, 2), and for "others" n P(neither is shown)."""
        if not len(self.rows):
            return np.zeros((0, 3))
        first, second = self.first, self.second
        if match == "any":
            of_first, of_second = as_floats(first > 0), as_floats(second > 0)
        else:
            of_first, of_second = (as_floats(n) for n in ((first, second) if match == "share" else (second, first)))
        apart = np.zeros((len(first), 3))
        apart[:, 0] = of_first * shown[first] * hidden[second]
        apart[:, 1] = of_second * hidden[first] * shown[second]
        if match == "others":
            apart[:, 2] = (first + second) * hidden[first] * hidden[second]
        return as_floats(np.add.reduceat(self.weights[:, None] * apart, self.starts, axis=0))


@dataclass(frozen=True, eq=False)
class FixedSizes:
    """Multinomial risks of cells with known sizes and label rates n p_j; calling it gives one risk per cell."""

    n_cells: int
    sizes: FloatArray
    pairs: Pairs
    circles: tuple[Circle, ...]
    huge: tuple[tuple[int, int, FloatArray], ...]
    """Cells for ``huge_cells.py``: which, their sizes and their rates."""
    largest: int
    match: str
    order: IntArray
    """(cells, labels): which label has the largest rate, the second largest, ..."""
    harm: FloatArray | None = None
    """(cells, labels): how much each label counts, in that order; None where all count once."""

    def __call__(self, noise: AnyNoise) -> FloatArray:
        """One risk per cell, not counting labels that cannot occur or have no chance."""
        shown, hidden = shown_and_hidden_by_count(noise, self.largest)
        matched = match_by_count(shown, self.match)
        risks = np.zeros(self.n_cells)
        if self.harm is None:
            risks[self.pairs.rows] = self.pairs.risks(matched, hidden)
        else:
            apart = self.pairs.labels(shown, hidden, self.match)[:, :2]
            risks[self.pairs.rows] = (apart * self.harm[self.pairs.rows, :2]).sum(axis=1)
        for circle in self.circles:
            risks[circle.rows] = circle.risks(matched, hidden)
        if self.match == "share":
            risks = risks / self.sizes
        for row, size, rates in self.huge:
            if self.harm is None:
                risks[row] = huge_cell_risk(size, rates, noise, self.match)
            else:
                labels = huge_cell_labels(size, rates, noise, self.match)[:-1]
                risks[row] = float(labels @ self.harm[row, : len(rates)])
        return np.clip(risks, 0.0, 1.0 if self.harm is None else float(self.harm.max(initial=0.0)))

    def by_label(self, noise: AnyNoise, wrong: bool = False) -> tuple[FloatArray, FloatArray]:
        """E[m_k; only label k is shown] per cell and label; ``wrong``: with the share of those who have others.

        Then, besides, the probability that no label with a chance is shown.
        """
        what = "others" if wrong else self.match
        shown, hidden = shown_and_hidden_by_count(noise, self.largest)
        ranked = np.zeros((self.n_cells, self.order.shape[1]))
        none = np.zeros(self.n_cells)
        apart = self.pairs.labels(shown, hidden, what)
        ranked[self.pairs.rows, :2], none[self.pairs.rows] = apart[:, :2], apart[:, 2]
        matched = shown if wrong else match_by_count(shown, what)
        for circle in self.circles:
            f, h = circle.series(matched), circle.series(hidden)
            slope = circle.series(np.arange(len(hidden)) * hidden) if wrong else None
            for members, places, readings, size_of in circle.by_number:
                step = max(1, _CHUNK // (f.shape[1] * places.shape[1]))
                for start in range(0, len(members), step):
                    part = slice(start, start + step)
                    rows, columns = circle.rows[members[part]], places[part].T
                    reading = readings[size_of[part]]
                    others, all_hidden = _hidden_others(h, slope, columns)
                    for k, (c, product) in enumerate(zip(columns, others, strict=True)):
                        ranked[rows, k] = _read(f[c] * product, reading)
                    none[rows] = _read(all_hidden, reading) if wrong else 0.0
        if what != "any":
            ranked, none = ranked / self.sizes[:, None], none / self.sizes
        for row, size, rates in self.huge:
            found = huge_cell_labels(size, rates, noise, what)
            ranked[row, : len(rates)], none[row] = found[:-1], found[-1]
        labels = np.empty(ranked.shape)
        np.put_along_axis(labels, self.order, np.clip(ranked, 0.0, 1.0), axis=1)
        return labels, np.clip(none, 0.0, 1.0)


def _hidden_others(hidden: Any, slope: Any, columns: IntArray) -> tuple[list[Any], Any]:
    """Per label the product of the others' ``hidden``, and that of all; with ``slope`` z d/dz of the products."""
    if slope is None:
        return products_of_others([hidden[c] for c in columns], np.multiply, np.ones(1))
    products, every = products_of_others([(hidden[c], slope[c]) for c in columns], dual_product, (1.0, 0.0))
    return [product[1] for product in products], every[1]


def _read(values: ComplexArray, reading: ComplexArray) -> FloatArray:
    """The real part of the sums of values times reading, row by row."""
    real = np.einsum("ij,ij->i", values.real, reading.real)
    return as_floats(real - np.einsum("ij,ij->i", values.imag, reading.imag))


def fixed_sizes(sizes: IntArray, rates: FloatArray, match: str, weights: FloatArray | None = None) -> FixedSizes:
    """Prepare cells with ``sizes`` people and expected counts ``rates`` (cells, labels), 0 where a label is absent.

    The rates of a cell add up to its size; cells with a single label are left to the caller, who knows their risk.
    ``weights`` of labels, (labels,) or as ``rates``, say how often a label counts; once by default.
    """
    present = (rates > 0).sum(axis=1)
    order = np.argsort(-rates, axis=1, kind="stable")
    ordered = np.take_along_axis(rates, order, axis=1)
    shared = np.flatnonzero(sizes <= _MOST_SHARED)
    pairs = _pairs(sizes, ordered, shared[present[shared] == 2])
    points = np.zeros(len(sizes), dtype=np.int64)
    points[shared] = _points_for(sizes[shared])
    points[pairs.rows] = 0
    alone = sizes > _MOST_SHARED
    circles = []
    largest = int(max(pairs.first.max(initial=1), pairs.second.max(initial=1)))
    harm = None
    if weights is not None:
        harm = np.take_along_axis(as_floats(np.broadcast_to(weights, rates.shape)), order, axis=1)
    for length in np.unique(points[points > 0]).tolist():
        on_circle = np.flatnonzero(points == length)
        some = ordered[on_circle, : int(present[on_circle].max())]
        distinct, where = np.unique(some, return_inverse=True)
        labels = where.reshape(some.shape) - (distinct[0] == 0)  # absent labels are not on the circle
        distinct = distinct[distinct > 0]
        if len(distinct) * length > min(_MOST_WEIGHTS, _WEIGHTS_PER_CELL * len(on_circle)):
            alone[on_circle] = True
            continue
        counts, masses = _folded_weights(distinct, length)
        largest = max(largest, int(counts.max()))
        own = None if harm is None else harm[on_circle, : some.shape[1]]
        circles.append(Circle(length, on_circle, sizes[on_circle], labels, distinct, counts, masses, own))
    huge = tuple((row, int(sizes[row]), ordered[row, : present[row]]) for row in np.flatnonzero(alone).tolist())
    return FixedSizes(len(sizes), as_floats(sizes), pairs, tuple(circles), huge, largest, match, order, harm)


def _pairs(sizes: IntArray, rates: FloatArray, rows: IntArray) -> Pairs:
    """The outcomes of those ``rows`` whose two leading rates are their only ones, smallest cells first."""
    if not len(rows):
        return Pairs(rows, rows, rows, rows, np.zeros(0))
    rows = rows[np.argsort(sizes[rows], kind="stable")]
    n = sizes[rows]
    mean, deviation = rates[rows, 0], np.sqrt(rates[rows, 0] * rates[rows, 1] / n)
    low = np.maximum(0, np.floor(mean - _REACH[0] * deviation - _REACH[1])).astype(np.int64)
    high = np.minimum(n, np.ceil(mean + _REACH[0] * deviation + _REACH[1])).astype(np.int64)
    ends = np.cumsum(high - low + 1)
    kept = int(np.searchsorted(ends, _MOST_OUTCOMES, side="right"))
    rows, n, low, ends = rows[:kept], n[:kept], low[:kept], ends[:kept]
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64) if kept else np.zeros(0, dtype=np.int64)
    cell = np.repeat(np.arange(kept), np.diff(np.append(starts, ends[-1:])))
    first = low[cell] + np.arange(len(cell)) - starts[cell]
    second = n[cell] - first
    binomial = poisson_logpmf(first, rates[rows[cell], 0]) + poisson_logpmf(second, rates[rows[cell], 1])
    with np.errstate(under="ignore"):
        weights = np.exp(binomial - poisson_logpmf(n, n)[cell])
    return Pairs(rows, starts, first, second, weights)


def _points_for(sizes: IntArray) -> IntArray:
    """Per size so many points that Poisson(n +- L; n) is below 1e-15 of Poisson(n; n): 2^k or 3 2^k, 16 at least."""
    distinct, where = np.unique(sizes, return_inverse=True)
    limit = poisson_logpmf(distinct, distinct) + math.log(_FOLDED)
    points = np.full(len(distinct), 16)
    while True:
        above = poisson_logpmf(distinct + points, distinct) > limit
        below = (distinct >= points) & (poisson_logpmf(np.maximum(distinct - points, 0), distinct) > limit)
        if not (above | below).any():
            return points[where]
        powers = (points & (points - 1)) == 0
        points = np.where(above | below, np.where(powers, points // 2 * 3, points // 3 * 4), points)


def _folded_weights(rates: FloatArray, points: int) -> tuple[IntArray, FloatArray]:
    """Poisson weights of every rate around its mode, as (rates, folds, points) with m = position modulo points."""
    reach = _REACH[0] * np.sqrt(rates) + _REACH[1]
    folds = math.ceil(2.0 * reach.max() / points) + 1
    first = np.maximum(0, np.floor((rates - reach) / points).astype(np.int64)) * points
    counts = first[:, None, None] + np.arange(folds * points).reshape(folds, points)
    weights = poisson_pmf(counts, rates[:, None, None])
    return counts, weights


def _reading(sizes: IntArray, points: int) -> ComplexArray:
    """e^(2 pi i n t / L) / (L Poisson(n; n)) for t = 0, ..., L / 2, the inner points twice for their conjugates."""
    t = np.arange(points // 2 + 1)
    turns = (sizes[:, None] % points) * t % points  # whole turns taken off while the numbers are still exact
    scale = _twice(points) / (points * poisson_pmf(sizes, sizes)[:, None])
    return np.asarray(scale * np.exp(2j * math.pi * turns / points), dtype=np.complex128)


def _twice(points: int) -> FloatArray:
    """1 at t = 0 and t = L / 2, 2 at what stands for its conjugate as well."""
    t = np.arange(points // 2 + 1)
    return np.where((t == 0) | (t == points // 2), 1.0, 2.0)


@dataclass(frozen=True, eq=False)
class RandomSizes:
    """Multinomial risks of cells with known shares p_j whose size is a mixture of Poisson sizes.

    At rate lambda the counts are independent Poisson(lambda p_j), so with averages over them
    risk = sum_k E[1[N_k > 0] a(N_k)] prod_{j != k} E[h(N_j)] for "any". For "share" a member of the cell is followed:
    E[N_k / n ...] = sum over n - 1 others, p_k E[a(N_k + 1)] prod_{j != k} E[h(N_j)] (see ``rates.py``).
    """

    mixture: RateMixture
    averages: PoissonAverages
    shares: FloatArray
    """Distinct positive shares, and 0 last."""
    labels: IntArray
    """(cells, labels): the position of each label's share in ``shares``."""
    match: str

    order: IntArray
    """(cells, all labels): which label has the largest share, the second largest, ..."""

    harm: FloatArray | None = None
    """(cells, labels): how much each label counts, in that order; None where all count once."""

    @cached_property
    def ready(self) -> SharedProducts:
        """What the cells share: a label enters through its share, and how much it counts."""
        present = np.where(self.labels < len(self.shares) - 1, self.labels, IMPOSSIBLE)
        return shared_products(symbols_of(present, None, self.harm))

    def __call__(self, noise: AnyNoise) -> FloatArray:
        """One risk per cell, not counting labels that cannot occur or have no chance."""
        f, h, _ = self._averages(noise, self.match)
        symbols = self.ready.symbols
        single, hidden = f[symbols.counts] * symbols.harm[:, None], h[symbols.counts]
        if len(self.mixture.weights) == 1:
            risks = self.ready.one(single[:, 0], hidden[:, 0]) * self.mixture.weights[0]
        else:
            risks = self.ready.totals(single, hidden, self.mixture.weights)
        return as_floats(np.clip(risks, 0.0, 1.0 if self.harm is None else float(self.harm.max(initial=0.0))))

    def by_label(self, noise: AnyNoise, wrong: bool = False) -> tuple[FloatArray, FloatArray]:
        """As :meth:`FixedSizes.by_label`; who is shown wrongly is followed as well, with each of the other labels:

        E[(1 - N_k / n) ...] = sum over j != k of p_j E[h(N_j + 1)] E[a(N_k)] prod_{i != j, k} E[h(N_i)].
        """
        what = "others" if wrong else self.match
        f, h, slope = self._averages(noise, what)
        ranked, none = np.zeros(self.order.shape), np.zeros(len(self.labels))
        step = max(1, _CHUNK // (f.shape[1] * self.labels.shape[1]))
        for start in range(0, len(none), step):
            rows = slice(start, start + step)
            columns = self.labels[rows].T
            others, all_hidden = _hidden_others(h, slope if wrong else None, columns)
            for k, (c, product) in enumerate(zip(columns, others, strict=True)):
                ranked[rows, k] = (f[c] * product) @ self.mixture.weights
            none[rows] = all_hidden @ self.mixture.weights if wrong else 0.0
        labels = np.empty(ranked.shape)
        np.put_along_axis(labels, self.order, np.clip(ranked, 0.0, 1.0), axis=1)
        return labels, np.clip(none, 0.0, 1.0)

    def _averages(self, noise: AnyNoise, what: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(shares, rates): of the label shown, of a label hidden, and of one hidden that the followed member has."""
        counts = self.averages.counts
        shown, hidden = shown_and_hidden_at(noise, counts)
        shown_with_one_more, hidden_with_one_more = shown_and_hidden_at(noise, counts + 1)
        shape = (len(self.shares), len(self.mixture.rates))
        h = self.averages.of(hidden).reshape(shape)
        slope = np.zeros(shape)
        if what == "any":  # E[1[N > 0] a(N)] = rate E[a(N + 1) / (N + 1)], accurate for tiny rates as well
            f = self.averages.of(shown_with_one_more / (counts + 1.0)).reshape(shape)
            f *= self.shares[:, None] * self.mixture.rates
        elif what == "share":
            f = self.averages.of(shown_with_one_more).reshape(shape) * self.shares[:, None]
        else:
            f = self.averages.of(shown).reshape(shape)
            slope = self.averages.of(hidden_with_one_more).reshape(shape) * self.shares[:, None]
        f[-1], h[-1] = 0.0, 1.0  # the absent label: never matched; whether its zero may show is the caller's business
        return f, h, slope


def random_sizes(
    shares: FloatArray, mixture: RateMixture, match: str, weights: FloatArray | None = None
) -> RandomSizes:
    """Prepare cells with label ``shares`` (cells, labels), 0 where a label is absent.

    ``weights`` of labels, (labels,) or as ``shares``, say how often a label counts; once by default.
    """
    order = np.argsort(-shares, axis=1, kind="stable")
    ordered = np.take_along_axis(shares, order, axis=1)
    ordered = ordered[:, : max(1, int((ordered > 0).sum(axis=1).max(initial=0)))]
    harm = None
    if weights is not None:
        harm = np.take_along_axis(as_floats(np.broadcast_to(weights, shares.shape)), order, axis=1)
        harm = harm[:, : ordered.shape[1]]
    distinct, where = np.unique(-ordered, return_inverse=True)  # descending, so that 0 is last
    values = -distinct
    if not len(values) or values[-1] != 0:
        values = np.append(values, 0.0)
    averages = PoissonAverages.at(values[:, None] * mixture.rates)
    return RandomSizes(mixture, averages, values, where.reshape(ordered.shape), match, order, harm)
