"""Expected risks of cells with very many people, or with very many labels, one cell at a time.

With counts N_1, ..., N_K ~ multinomial(n, p) the risk is E[sum_k m_k a(N_k) prod_{j != k} h(N_j)], as in ``kernel.py``.
A label is hidden by noise only where its count is within the reach R of the noise, beyond which h is below 1e-18. That
makes the work depend on the noise and on the spread of the counts, not on n:

* **Two labels that are surely shown**, N_j > R but for a probability below 1e-18 (Chernoff: P(N_j <= R) is at most
  exp(-(r - R)^2 / 2 r) for r = n p_j > R): the risk is 0, with an error below 1e-17.
* **Two labels present**: a sum over the count of the rarer one, nine standard deviations and forty counts about its
  mean, and only where one of the two is within R. The binomial weights are smooth over a standard deviation and the
  noise over its own scale, so that ``whole_number_sums`` needs a few dozen panels, for any n below 2^53.
* **One label surely shown**: the others' counts within R are independent Poisson counts with the weights of the
  binomial remainder, so their series are multiplied and the product is summed against that remainder.
* **None surely shown**: Fourier inversion on a circle of about 16 sqrt(n) points, one label after the other.

Errors: below 1e-12 but for the last, where rounding adds 1e-16 sqrt(2 pi n), 1e-11 for n = 1e9. Series and circles that
would take longer than seconds are refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import ComplexArray, FloatArray
from epsilens.errors import ParameterError
from epsilens.homogeneity.models.dirichlet import REACH, convolved
from epsilens.homogeneity.models.kernel import NEGLIGIBLE, matched_and_hidden_at
from epsilens.homogeneity.models.sizes import poisson_logpmf, poisson_pmf
from epsilens.noise.law import AnyNoise, reach_of
from epsilens.noise.whole_number_sums import whole_numbers, width

_FOLDED = math.log(1e-15)
_MOST_POINTS = 1 << 21  # of a circle or a series
_MOST_WORK = 1 << 26  # points times different counts
_MOST_PEOPLE = 2**53


def huge_cell_risk(size: int, rates: FloatArray, noise: AnyNoise, match: str) -> float:
    """The risk of a cell of ``size`` people with two or more present labels, expected ``rates[j]`` times each."""
    labels = _but_on_circles(size, rates, noise, match)
    risk = _on_circle(size, rates, noise, match) if labels is None else float(labels[:-1].sum())
    return min(max(risk / size if match == "share" else risk, 0.0), 1.0)


def huge_cell_labels(size: int, rates: FloatArray, noise: AnyNoise, match: str) -> FloatArray:
    """The same label by label: E[m_k; only label k is shown], with ``match="others"`` for m_k = (n - N_k) / n.

    One number more than labels: for "others" the probability that no present label is shown, otherwise 0.
    """
    labels = _but_on_circles(size, rates, noise, match)
    if labels is None:
        labels = _labels_on_circle(size, rates, noise, match)
    return np.clip(labels / size if match != "any" else labels, 0.0, 1.0)


def _but_on_circles(size: int, rates: FloatArray, noise: AnyNoise, match: str) -> FloatArray | None:
    """The labels of a cell, not yet divided by its size; None where no shorter way than the last one is known."""
    if size > _MOST_PEOPLE:
        raise ParameterError("a cell of more than 2^53 people cannot be counted one by one")
    reach = min(reach_of(noise, 2.0 * NEGLIGIBLE), size)
    shown = rates - REACH[0] * np.sqrt(rates) > reach
    labels = np.zeros(len(rates) + 1)
    if shown.sum() >= 2:
        return labels
    if len(rates) == 2:
        rarer = int(rates.argmin())
        labels[[rarer, 1 - rarer, 2]] = _two_labels(size, rates, noise, match, reach)
        return labels
    if shown.any():
        labels[:-1][shown] = _beside_one(size, float(rates[shown][0]), rates[~shown], noise, match, reach)
        return labels
    return None


def _two_labels(size: int, rates: FloatArray, noise: AnyNoise, match: str, reach: int) -> FloatArray:
    """Sums over the count of the rarer label; kinks of the noise where one of the two has nobody.

    The rarer label alone, the other alone, and for "others" neither.
    """
    mean = float(rates.min())
    deviation = math.sqrt(mean * (1.0 - mean / size))
    low = max(0, math.floor(mean - REACH[0] * deviation - REACH[1]))
    high = min(size, math.ceil(mean + REACH[0] * deviation + REACH[1]))
    ranges = [(low, high)]
    if reach < size - reach - 1:  # in between both are shown
        ranges = [(low, min(high, reach)), (max(low, size - reach), high)]
    panel = min(width(noise), 3.0 * deviation)
    total = np.zeros(3)
    for first, last in ranges:
        grid = whole_numbers(first, last + 1, (0, size), panel)
        second, other = grid.points, size - grid.points
        weights = grid.weights * np.exp(
            poisson_logpmf(second, mean) + poisson_logpmf(other, size - mean) - poisson_logpmf(size, size)
        )
        f, h = matched_and_hidden_at(noise, second, match, size)
        f_other, h_other = matched_and_hidden_at(noise, other, match, size)
        neither = size * float(weights @ (h * h_other)) if match == "others" else 0.0
        total += [float(weights @ (f * h_other)), float(weights @ (h * f_other)), neither]
    return total


def _beside_one(size: int, large: float, rates: FloatArray, noise: AnyNoise, match: str, reach: int) -> float:
    """The sum over how many people have a label other than the one that is surely shown, all of those hidden."""
    start, series = 0, np.ones(1)
    for rate in rates.tolist():
        counts = _window(rate, reach)
        if len(counts) == 0:
            return 0.0
        _refuse_long(len(series) + len(counts), 1)
        hidden = poisson_pmf(counts, rate) * noise.cdf(0.5 - counts)
        series = convolved(series, hidden, len(series) + len(counts) - 1)
        kept = np.flatnonzero(series > 1e-25)
        if len(kept) == 0:
            return 0.0
        start += int(counts[0]) + int(kept[0])
        series = series[kept[0] : kept[-1] + 1]
    others = start + np.arange(len(series), dtype=np.float64)
    possible = others <= size
    rest = size - others[possible]
    chance = np.exp(poisson_logpmf(rest, large) - float(poisson_logpmf(size, size)))
    return float((series[possible] * chance) @ {"any": np.ones(len(rest)), "share": rest}.get(match, others[possible]))


def _on_circle(size: int, rates: FloatArray, noise: AnyNoise, match: str) -> float:
    """Fourier inversion, as in ``multinomial.py``; labels with the same rate are one power."""
    distinct, times = np.unique(rates, return_counts=True)
    circle = _Circle.of(size, len(distinct), noise, match)
    one, none = np.zeros(1, dtype=np.complex128), np.ones(1, dtype=np.complex128)
    for rate, often in zip(distinct.tolist(), times.tolist(), strict=True):
        f, h = circle.series(rate)
        fewer = h ** (often - 1)
        one = one * (fewer * h) + none * (often * f * fewer)
        none = none * (fewer * h)
    return circle.coefficient(one)


def _labels_on_circle(size: int, rates: FloatArray, noise: AnyNoise, match: str) -> FloatArray:
    """The same label by label, halving the labels until one is left: what is outside a half is a factor of it.

    A series is computed anew at every halving, so that no more than one product per halving is in memory.
    """
    distinct, position, times = np.unique(rates, return_inverse=True, return_counts=True)
    circle = _Circle.of(size, len(distinct), noise, match)
    found = np.zeros(len(distinct))

    def hidden(some: range) -> ComplexArray:
        return math.prod((circle.series(distinct[i])[1] ** times[i] for i in some), start=np.ones(1, np.complex128))

    def halve(some: range, outside: ComplexArray) -> None:
        if len(some) == 1:
            f, h = circle.series(distinct[some[0]])
            found[some[0]] = circle.coefficient(outside * f * h ** (times[some[0]] - 1))
            return
        left, right = some[: len(some) // 2], some[len(some) // 2 :]
        halve(left, outside * hidden(right))
        halve(right, outside * hidden(left))

    every = range(len(distinct))
    halve(every, np.ones(1, dtype=np.complex128))
    none = size * circle.coefficient(hidden(every)) if match == "others" else 0.0
    return np.append(found[position], none)


@dataclass(frozen=True, eq=False)
class _Circle:
    """Points enough to read the n-th coefficient off a product of series."""

    size: int
    points: int
    noise: AnyNoise
    match: str

    @staticmethod
    def of(size: int, different: int, noise: AnyNoise, match: str) -> _Circle:
        points = 16
        limit = float(poisson_logpmf(size, size)) + _FOLDED
        while _folds_back(size, points, limit):
            points *= 2
        _refuse_long(points, different)
        return _Circle(size, points, noise, match)

    def series(self, rate: float) -> tuple[ComplexArray, ComplexArray]:
        """F and H of ``kernel.py`` on the circle."""
        counts = _window(rate, self.size)
        matched, hidden = matched_and_hidden_at(self.noise, counts, self.match, self.size)
        weights, places = poisson_pmf(counts, rate), (counts % self.points).astype(np.int64)
        f = np.fft.rfft(np.bincount(places, weights * matched, self.points))
        return f, np.fft.rfft(np.bincount(places, weights * hidden, self.points))

    def coefficient(self, values: ComplexArray) -> float:
        """The n-th coefficient of a product with these values, over Poisson(n; n)."""
        t = np.arange(self.points // 2 + 1)
        turns = (self.size % self.points) * t % self.points
        twice = np.where((t == 0) | (t == self.points // 2), 1.0, 2.0)
        value = float((values * np.exp(2j * math.pi * turns / self.points)).real @ twice)
        return value / (self.points * float(poisson_pmf(self.size, self.size)))


def _folds_back(size: int, points: int, limit: float) -> bool:
    """Whether the coefficients n +- L are more than 1e-15 of the n-th."""
    below = size >= points and float(poisson_logpmf(size - points, size)) > limit
    return below or float(poisson_logpmf(size + points, size)) > limit


def _window(rate: float, last: int) -> FloatArray:
    """The counts that a Poisson law of that rate takes, up to ``last``."""
    spread = REACH[0] * math.sqrt(rate) + REACH[1]
    return np.arange(max(0.0, math.floor(rate - spread)), min(float(last), math.ceil(rate + spread)) + 1.0)


def _refuse_long(points: int, different: int) -> None:
    if points > _MOST_POINTS or points * different > _MOST_WORK:
        raise ParameterError(
            "cells with so many people and labels take too long under noise that reaches so far",
            remedy="take a larger budget, fewer labels, or `measure=local`, which needs no model of the counts",
        )
