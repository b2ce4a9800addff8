"""Several releases of the same counts, averaged: the noise that is left is a law like any other.

The attacker gets r_1, ..., r_m, each the count plus rounded noise, and takes their mean with weights proportional to
the precisions, rounded half up. What that mean adds to the count is a whole number with a law of its own, found here by
convolution, so every risk that is written against a law (local, hard, soft, scenarios) serves pooled releases as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.errors import ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.noise.whole_number_sums import reach

fft = LaterModule("scipy.fft")

_LONGEST_SUPPORT = 1 << 24
_FINEST_WEIGHTS = 64
_PRECISION_KEPT = 0.999


@dataclass(frozen=True, eq=False)
class WholeNumberNoise:
    """An integer-valued law given by its probabilities at lowest, lowest + 1, ...; it need not be symmetric."""

    lowest: int
    mass: FloatArray
    integer_valued: ClassVar[bool] = True

    @property
    def variance(self) -> float:
        """Sum of squares less the square of the mean."""
        values = self.lowest + np.arange(len(self.mass))
        mean = float(values @ self.mass)
        return float((values - mean) ** 2 @ self.mass)

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X <= x)."""
        return self._running(np.concatenate([[0.0], np.cumsum(self.mass)]), x)

    def sf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X > x), summed from above so that a small one keeps its digits."""
        return self._running(np.concatenate([np.cumsum(self.mass[::-1])[::-1], [0.0]]), x)

    def logcdf(self, x: npt.ArrayLike) -> FloatArray:
        """Log P(X <= x)."""
        return _log(self.cdf(x))

    def logsf(self, x: npt.ArrayLike) -> FloatArray:
        """Log P(X > x)."""
        return _log(self.sf(x))

    def density(self, x: npt.ArrayLike) -> FloatArray:
        """P(X = x), 0 between whole numbers."""
        points = as_floats(x)
        index = np.floor(points) - self.lowest
        inside = (points == np.floor(points)) & (index >= 0) & (index < len(self.mass))
        return np.where(inside, self.mass[np.where(inside, index, 0).astype(np.int64)], 0.0)

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log of :meth:`density`."""
        return _log(self.density(x))

    def pmf(self, k: npt.ArrayLike) -> FloatArray:
        """P(X = k)."""
        return self.density(k)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws by inversion."""
        return as_floats(np.searchsorted(np.cumsum(self.mass), rng.random(size) * self.mass.sum()) + self.lowest)

    def _running(self, sums: FloatArray, x: npt.ArrayLike) -> FloatArray:
        index = np.clip(np.floor(as_floats(x)) - self.lowest + 1, 0, len(self.mass)).astype(np.int64)
        return as_floats(np.clip(sums[index], 0.0, 1.0))


def pooled_noise(noises: Sequence[AnyNoise], copies: Sequence[int] | None = None) -> WholeNumberNoise:
    """The law of what the attacker's weighted mean of several releases adds to a count.

    With e_jc the noise of release j rounded half up, c = 1, ..., c_j (``copies``: the release's estimate is a sum of
    c_j published counts), and whole weights a_j: R = floor(1/2 + sum over j of a_j (e_j1 + ... + e_jcj) / sum of a_j).
    The weights are the precisions 1 / (c_j Var e_j), scaled and rounded: any fixed weights make an attack, and these
    are the coarsest that keep 99.9 % of the precision (or, where the noise reaches very far, the best that fit).
    Exact convolution by FFT: absolute error below 1e-13.

    Source: P0 section 4.3.
    Assumes independent noise; the attacker sees the counts before they are clipped at 0 (one who sees them clipped
    knows less).
    Departs from print (P0-11): the noises actually added are combined.
    """
    if not noises:
        raise ParameterError("pooling needs at least one noise, got an empty list")
    number = [1] * len(noises) if copies is None else list(copies)
    if len(number) != len(noises) or min(number) < 1:
        raise ParameterError(f"must be one whole number >= 1 per noise ({len(noises)})", parameter="copies", got=number)
    reaches = [reach(checked_noise(noise, "noises")) for noise in noises]
    if sum(c * r for c, r in zip(number, reaches, strict=True)) * 2 > _LONGEST_SUPPORT:
        raise ParameterError(
            f"pooling sums over every whole number the noise can reach, at most {_LONGEST_SUPPORT // 2}; "
            f"these reach {max(reaches)}",
            remedy="pool fewer releases or use larger budgets",
        )
    laws = [noise.pmf(np.arange(-far, far + 1.0)) for noise, far in zip(noises, reaches, strict=True)]
    spreads = [
        c * float(np.arange(-far, far + 1.0) ** 2 @ law) for law, far, c in zip(laws, reaches, number, strict=True)
    ]
    weights, length = _whole_weights(spreads, number, reaches)
    size = fft.next_fast_len(length, real=True)
    spectrum = np.ones(size // 2 + 1, dtype=np.complex128)
    for law, c, a in zip(laws, number, weights, strict=True):
        if a:
            spread_out = np.zeros(a * (len(law) - 1) + 1)
            spread_out[::a] = law
            spectrum *= fft.rfft(spread_out, size) ** c
    mass = np.maximum(fft.irfft(spectrum, size)[:length], 0.0)
    total = sum(weights)
    sums = np.arange(length) - (length - 1) // 2
    rounded = (2 * sums + total) // (2 * total)
    lowest = int(rounded[0])
    return WholeNumberNoise(lowest, np.bincount(rounded - lowest, weights=mass) / mass.sum())


def _whole_weights(spreads: list[float], copies: list[int], reaches: list[int]) -> tuple[list[int], int]:
    """Whole weights near the precisions, and the length of the support of the weighted sum."""
    floor = 1e-9 * max(spreads) or 1.0  # noise that never moves a count has no finite precision
    precisions = [1.0 / max(spread, floor) for spread in spreads]
    best: tuple[float, list[int], int] = (-1.0, [], 0)
    for finest in range(1, _FINEST_WEIGHTS + 1):
        weights = [round(finest * precision / max(precisions)) for precision in precisions]
        divisor = reduce(math.gcd, weights)
        weights = [weight // divisor for weight in weights]
        length = 2 * sum(a * c * far for a, c, far in zip(weights, copies, reaches, strict=True)) + 1
        noise = sum(a * a / precision for a, precision in zip(weights, precisions, strict=True))
        kept = sum(weights) ** 2 / noise / sum(precisions)
        if length <= _LONGEST_SUPPORT and kept > best[0]:
            best = (kept, weights, length)
        if best[0] >= _PRECISION_KEPT:
            break
    return best[1], best[2]


def _log(values: FloatArray) -> FloatArray:
    return np.log(values, out=np.full(values.shape, -np.inf), where=values > 0)
