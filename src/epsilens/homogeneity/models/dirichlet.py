"""Risks where the label shares of a cell come from a Dirichlet law, for all sizes at once.

The counts are then Dirichlet-multinomial: independent negative binomial counts with shapes alpha_j and a common chance,
conditioned on their total. The risk depends on a cell through its size only, so the series of ``kernel.py`` are
multiplied as coefficient arrays and every size is read off the same product. All coefficients are positive: nothing
cancels.

The common chance is free. Set to give totals a mean of n it makes the n-th coefficient large, and sizes for which that
coefficient would be lost are served by a product of their own (:class:`Band`). Long arrays are multiplied by Fourier
transform, except for their first coefficients: a small alpha puts nearly all its mass there, which would drown the rest
in rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import fft

from epsilens.arrays import FloatArray, IntArray
from epsilens.homogeneity.models.kernel import match_by_count, one_alone, shown_and_hidden_by_count
from epsilens.homogeneity.models.sizes import negative_binomial_pmf
from epsilens.noise.law import AnyNoise

_HEAD = 512
_LONGEST_DIRECT = 1 << 24  # products of lengths up to which a direct convolution is the faster one
_LONG = 4096  # sizes from which Fourier multiplication may be used
_VANISHED = 1e-280


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
        largest = int(self.sizes.max())
        shown, hidden = shown_and_hidden_by_count(noise, largest)
        matched = match_by_count(shown, self.match)
        risks = np.zeros(len(self.sizes))
        for band in self.bands:
            length = len(band.weights[0])
            f = [weights * matched[:length] for weights in band.weights]
            h = [weights * hidden[:length] for weights in band.weights]
            product = one_alone(f, h, lambda x, y: convolved(x, y, len(x)))
            values = product[band.sizes] / band.totals
            risks[np.searchsorted(self.sizes, band.sizes)] = values
        if self.match == "share":
            risks = risks / self.sizes
        return np.clip(risks, 0.0, 1.0)


def dirichlet_sizes(alpha: FloatArray, sizes: IntArray, match: str) -> DirichletSizes:
    """Prepare distinct ascending ``sizes`` >= 1 for label parameters ``alpha``."""
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
    return DirichletSizes(alpha, sizes, tuple(bands), match)


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
