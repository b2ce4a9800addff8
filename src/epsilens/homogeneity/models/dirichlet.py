"""Risks where the label shares of a cell come from a Dirichlet law, for all sizes at once.

The counts are then Dirichlet-multinomial: independent negative binomial counts with shapes alpha_j and a common chance,
conditioned on their total. The risk depends on a cell through its size only, so the series of ``kernel.py`` are
multiplied as coefficient arrays and every size is read off the same product. All coefficients are positive: nothing
cancels.

The common chance is free. Set to give totals a mean of n it makes the n-th coefficient large, and sizes for which that
coefficient would be lost are served by a product of their own (:class:`Band`). Long arrays are multiplied by Fourier
transform, except for their first coefficients: a small alpha puts nearly all its mass there, which would drown the rest
in rounding.

Sizes beyond what fits into memory need no long arrays where the noise is short of them. All labels but one are hidden,
and a label is hidden only up to the reach R of the noise, beyond which h is below 1e-18. So in
risk(n) = sum_k sum_t P_k(t) F_k(n - t) / W(n), with P_k the product of the series of the other labels, hidden,
t is at most (K - 1) R, and F_k and W are asked at single counts. For two labels that is a sum of one smooth function
over the count of either, for which ``whole_number_sums`` needs a few hundred counts whatever n and R are. What still
takes too long (three labels or more, and noise that reaches millions) is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.errors import ParameterError
from epsilens.homogeneity.models.kernel import (
    NEGLIGIBLE,
    match_by_count,
    matched_and_hidden_at,
    one_alone,
    products_of_others,
    shown_and_hidden_by_count,
)
from epsilens.homogeneity.models.sizes import negative_binomial_logpmf, negative_binomial_pmf
from epsilens.lazy import LaterModule
from epsilens.noise.law import AnyNoise, reach_of
from epsilens.noise.whole_number_sums import NODES, whole_numbers, width

fft = LaterModule("scipy.fft")

_HEAD = 512
_LONGEST_DIRECT = 1 << 24  # products of lengths up to which a direct convolution is the faster one
_LONG = 4096  # sizes from which Fourier multiplication may be used
_VANISHED = 1e-280
_LARGEST_SERIES = 1 << 18  # sizes up to which a series has a coefficient for every count, whatever the labels
_MOST_COEFFICIENTS = 1 << 23  # of three labels or more together
_MOST_PANELS = 20_000
_LOWEST_LOG = -500.0
_DEGREE = 24
REACH = (9.2, 40.0)
"""Standard deviations and counts beyond which sub-Gaussian, Poisson and binomial tails are below 1e-17."""
_MOST_NUMBERS = 1 << 24  # of all the products that short noise needs


@dataclass(frozen=True, eq=False)
class Band:
    """Sizes that one product of series serves."""

    sizes: IntArray
    weights: tuple[FloatArray, ...]
    """Per label: negative binomial weights of the counts 0, ..., the largest size."""
    totals: FloatArray
    """The coefficients of the product of all weights at ``sizes``."""


@dataclass(frozen=True, eq=False)
class DirichletSizes:
    """Dirichlet-multinomial risks of cells with given sizes; calling it gives one risk per size."""

    alpha: FloatArray
    sizes: IntArray
    bands: tuple[Band, ...]
    match: str

    def __call__(self, noise: AnyNoise) -> FloatArray:
        """One risk per size, in the order of ``sizes``."""
        short = int(np.searchsorted(self.sizes, _LARGEST_SERIES, side="right"))
        risks = np.zeros(len(self.sizes))
        risks[:short] = _by_series(self.bands, self.sizes[:short], noise, self.match)
        if short < len(self.sizes):
            risks[short:] = _huge(self.alpha, self.sizes[short:], noise, self.match, apart=False).sum(axis=1)
        if self.match == "share":
            risks = risks / self.sizes
        return np.clip(risks, 0.0, 1.0)

    def by_label(self, noise: AnyNoise, wrong: bool = False) -> FloatArray:
        """E[m_k; only label k is shown] per size and label; ``wrong``: with the share of those who have others."""
        what = "others" if wrong else self.match
        short = int(np.searchsorted(self.sizes, _LARGEST_SERIES, side="right"))
        risks = np.zeros((len(self.sizes), len(self.alpha)))
        if short:
            risks[:short] = _labels_by_series(self.bands, self.sizes[:short], noise, what)
        if short < len(self.sizes):
            risks[short:] = _huge(self.alpha, self.sizes[short:], noise, what)
        if what != "any":
            risks = risks / self.sizes[:, None]
        return np.clip(risks, 0.0, 1.0)


def dirichlet_sizes(alpha: FloatArray, sizes: IntArray, match: str) -> DirichletSizes:
    """Prepare distinct ascending ``sizes`` >= 1 for label parameters ``alpha``."""
    return DirichletSizes(alpha, sizes, _bands(alpha, sizes[sizes <= _LARGEST_SERIES]), match)


def _bands(alpha: FloatArray, sizes: IntArray) -> tuple[Band, ...]:
    bands: list[Band] = []
    left = sizes
    concentration = float(alpha.sum())
    while len(left):
        centre = int(left[-1])
        totals = negative_binomial_pmf(left, concentration, centre)
        kept = totals >= totals[-1] * (1e-3 if centre > _LONG else 1e-150)
        kept |= totals >= 1.0
        counts = np.arange(centre + 1)
        weights = tuple(negative_binomial_pmf(counts, a, centre * a / concentration) for a in alpha.tolist())
        bands.append(Band(left[kept], weights, totals[kept]))
        left = left[~kept]
    return tuple(bands)


def _by_series(bands: tuple[Band, ...], sizes: IntArray, noise: AnyNoise, match: str) -> FloatArray:
    """The risks of sizes whose series are at hand, not yet divided by the size."""
    shown, hidden = shown_and_hidden_by_count(noise, int(sizes.max(initial=0)))
    matched = match_by_count(shown, match)
    risks = np.zeros(len(sizes))
    for band in bands:
        length = len(band.weights[0])
        f = [weights * matched[:length] for weights in band.weights]
        h = [weights * hidden[:length] for weights in band.weights]
        product = one_alone(f, h, lambda x, y: convolved(x, y, len(x)))
        risks[np.searchsorted(sizes, band.sizes)] = product[band.sizes] / band.totals
    return risks


def _labels_by_series(bands: tuple[Band, ...], sizes: IntArray, noise: AnyNoise, match: str) -> FloatArray:
    """The same label by label; in the product of the others, hidden, every coefficient t belongs to t people."""
    shown, hidden = shown_and_hidden_by_count(noise, int(sizes.max(initial=0)))
    matched = shown if match == "others" else match_by_count(shown, match)
    risks = np.zeros((len(sizes), len(bands[0].weights)))
    for band in bands:
        length = len(band.weights[0])
        factors = [weights * hidden[:length] for weights in band.weights]
        unit = np.zeros(length)
        unit[0] = 1.0
        others, _ = products_of_others(factors, lambda x, y: convolved(x, y, len(x)), unit)
        rows = np.searchsorted(sizes, band.sizes)
        for k, (weights, product) in enumerate(zip(band.weights, others, strict=True)):
            followed = product * np.arange(length) if match == "others" else product
            whole = convolved(followed, weights * matched[:length], length)
            risks[rows, k] = whole[band.sizes] / band.totals
    return risks


def _huge(alpha: FloatArray, sizes: IntArray, noise: AnyNoise, match: str, apart: bool = True) -> FloatArray:
    """The risks of sizes for which no series is at hand, not yet divided by the size.

    Label by label, or in as many columns as are at hand where labels are not wanted ``apart``.
    """
    labels = len(alpha)
    if labels == 1:
        if match == "others":
            return np.zeros((len(sizes), 1))
        return matched_and_hidden_at(noise, as_floats(sizes), match)[0][:, None]
    if labels == 2:
        return as_floats([_two_labels(alpha, size, noise, match) for size in sizes.tolist()])
    reach = reach_of(noise, 2.0 * NEGLIGIBLE)
    if labels * reach <= min(_LARGEST_SERIES, int(sizes[0]) // 2, _MOST_NUMBERS // labels):
        return _short_noise(alpha, sizes, noise, match, reach)
    if labels * int(sizes[-1]) <= _MOST_COEFFICIENTS:
        bands = _bands(alpha, sizes)
        if apart:
            return _labels_by_series(bands, sizes, noise, match)
        return _by_series(bands, sizes, noise, match)[:, None]
    raise _too_long(int(sizes[-1]), labels)


def _two_labels(alpha: FloatArray, size: int, noise: AnyNoise, match: str) -> FloatArray:
    """Sums over counts m of w_1(m) w_2(n - m) F(m) H(n - m) / W(n), and the same with H(m) F(n - m).

    From either end to the middle, each end with its own label as the small one. The share of a label is sub-Gaussian
    with variance 1 / (4 (A + 1)), A the sum of alpha (Marchal and Arbel 2017), and the count given the share with
    n / 4: nine standard deviations of both and forty counts about the mean leave out less than 1e-17. Panels grow with
    the distance from the end, up to two and a half standard deviations of the count.
    """
    reach = min(reach_of(noise, 2.0 * NEGLIGIBLE), size)
    concentration = float(alpha.sum())
    spread = 0.5 * REACH[0] * (size / math.sqrt(concentration + 1.0) + math.sqrt(size)) + REACH[1]
    log_all = float(negative_binomial_logpmf(size, concentration, size))
    total = np.zeros(2)
    ends = ((0, alpha[0], alpha[1], size // 2), (1, alpha[1], alpha[0], (size - 1) // 2))
    for near, first, second, middle in ends:
        mean = size * float(first) / concentration
        low, high = max(0, math.floor(mean - spread)), min(middle, reach, math.ceil(mean + spread))
        if high < low:
            continue
        deviation = math.sqrt(mean * (1.0 - mean / size) * (size + concentration) / (concentration + 1.0))
        panel = min(width(noise), 2.5 * deviation if first > 1.0 else 2.0 * size / max(concentration, 1.0))
        if (high - low) / max(panel, 2.0 * NODES) > _MOST_PANELS:
            raise _too_long(size, 2)
        grid = whole_numbers(low, high + 1, (0,), panel, graded=True)
        m = grid.points
        logs = _log_weights(m, first, mean) + _log_weights(size - m, second, size - mean)
        chances = grid.weights * np.exp(logs - log_all)
        f, h = matched_and_hidden_at(noise, m, match, size)
        f_other, h_other = matched_and_hidden_at(noise, size - m, match, size)
        total[near] += float(chances @ (f * h_other))
        total[1 - near] += float(chances @ (h * f_other))
    return total


def _log_weights(counts: FloatArray, shape: float, mean: float) -> FloatArray:
    return negative_binomial_logpmf(counts, float(shape), float(mean))


def _short_noise(alpha: FloatArray, sizes: IntArray, noise: AnyNoise, match: str, reach: int) -> FloatArray:
    """The sums over t of the module docstring; sizes share their series as long as nothing underflows.

    The label that is shown has n - t people, more than R, and is shown but for 1e-18. Its chance w_k(n - t) / W(n) is
    analytic in t up to t = n, twice as far as t goes, so that 24 Chebyshev nodes give it to 1e-17, unless alpha is so
    large that it changes by more than e^4 on the way.
    """
    concentration, counts = float(alpha.sum()), np.arange(reach + 1.0)
    hidden = as_floats(noise.cdf(0.5 - counts))
    longest = (len(alpha) - 1) * reach + 1
    nodes = 0.5 * (longest - 1) * (1.0 + np.cos(math.pi * (np.arange(_DEGREE) + 0.5) / _DEGREE))
    risks = np.zeros((len(sizes), len(alpha)))
    left = len(sizes)
    while left:
        centre = int(sizes[left - 1])
        means = centre * alpha / concentration
        log_all = negative_binomial_logpmf(sizes[:left], concentration, centre)
        first = int(np.argmax(log_all >= min(_LOWEST_LOG, log_all[-1])))
        parts = zip(alpha, means, strict=True)
        factors = [np.exp(_log_weights(counts, a, mean)) * hidden for a, mean in parts]
        others, _ = products_of_others(factors, _grown, np.ones(1))
        few = concentration * longest <= 4.0 * int(sizes[first])
        places = nodes if few else np.arange(longest, dtype=np.float64)
        masses = [_at_nodes(series) for series in others] if few else others
        for i in range(first, left):
            rest = as_floats(sizes[i]) - places
            matched = {"any": 1.0, "share": rest, "others": places}[match]
            for k, (a, mean, mass) in enumerate(zip(alpha, means, masses, strict=True)):
                risks[i, k] = float(mass @ (np.exp(_log_weights(rest, a, mean) - log_all[i]) * matched))
        left = first
    return risks


def _at_nodes(masses: FloatArray) -> FloatArray:
    """Weights at Chebyshev nodes that give the sum of masses times a smooth function of their places."""
    x = 2.0 * np.arange(len(masses)) / max(len(masses) - 1, 1) - 1.0
    moments = np.empty(_DEGREE)
    older, newer = masses, masses * x  # masses times T_0 and T_1
    for degree in range(_DEGREE):
        moments[degree] = older.sum()
        older, newer = newer, 2.0 * x * newer - older
    moments[0] *= 0.5
    angles = math.pi * (np.arange(_DEGREE) + 0.5) / _DEGREE
    return as_floats(2.0 / _DEGREE * (np.cos(np.outer(angles, np.arange(_DEGREE))) @ moments))


def _too_long(size: int, labels: int) -> ParameterError:
    return ParameterError(
        f"cells of {size} people and {labels} labels take too long under noise that reaches so far",
        remedy="take a larger budget, fewer labels, or `measure=expected`",
    )


def _grown(x: FloatArray, y: FloatArray) -> FloatArray:
    return convolved(x, y, len(x) + len(y) - 1)


def convolved(x: FloatArray, y: FloatArray, length: int) -> FloatArray:
    """The first ``length`` coefficients of the product of two positive power series."""
    product = np.zeros(length)
    (x_start, x_part), (y_start, y_part) = _support(x), _support(y)
    if len(x_part) == 0 or len(y_part) == 0:
        return product
    if len(x_part) * len(y_part) <= _LONGEST_DIRECT or min(len(x_part), len(y_part)) <= _HEAD:
        _add(product, np.convolve(x_part, y_part), x_start + y_start)
        return product
    _add(product, np.convolve(x_part[:_HEAD], y_part), x_start + y_start)
    _add(product, np.convolve(x_part[_HEAD:], y_part[:_HEAD]), x_start + _HEAD + y_start)
    x_tail, y_tail = x_part[_HEAD:], y_part[_HEAD:]
    points = fft.next_fast_len(len(x_tail) + len(y_tail) - 1, real=True)
    tails = fft.irfft(fft.rfft(x_tail, points) * fft.rfft(y_tail, points), points)
    _add(product, np.maximum(tails[: len(x_tail) + len(y_tail) - 1], 0.0), x_start + y_start + 2 * _HEAD)
    return product


def _support(x: FloatArray) -> tuple[int, FloatArray]:
    """The part of ``x`` between its first and last number that is not negligible, and where it starts."""
    kept = np.flatnonzero(x > _VANISHED)
    return (int(kept[0]), x[kept[0] : kept[-1] + 1]) if len(kept) else (0, x[:0])


def _add(target: FloatArray, values: FloatArray, start: int) -> None:
    """Add ``values`` to ``target`` from ``start`` on, as far as it reaches."""
    fitting = min(len(values), len(target) - start)
    if fitting > 0:
        target[start : start + fitting] += values[:fitting]
