"""Has the noise in a published table the law that is claimed? An exact test, for every law and its post-processing.

Where the true counts are known, a published count y of a cell with n people is a draw from a law that the claim fixes:
Y = n + Z, perhaps rounded half up, perhaps raised to 0 where it is negative, perhaps shown only from some number on.
The *probability integral transform* U = P(Y < y) + V P(Y = y), with V uniform and independent, is uniform on (0, 1)
whatever n is, also where Y has atoms; so the U of all counts are independent draws from one known law if, and only if,
the claim holds. Every statistic of them has a null law that needs no table of its own, no large numbers and no
simulation: the tests below have their level exactly, for eight counts as for a million.

V is drawn with a seed made of the published counts themselves (:func:`uniforms`): the same release always gives the
same answer, and another release has other draws, so that the level holds over releases also where a table is small.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, FloatArray, as_floats
from epsilens.checks import probability
from epsilens.errors import ParameterError
from epsilens.noise.law import Noise, checked_noise
from epsilens.noise.published import CountNoise
from epsilens.notebook import brief

TESTS = 3
"""Size, middle and shape: the smallest of their p-values counts this many times."""
_LEAST = 1e-300  # a probability below is this: its normal score is -37, which no test lets pass
_STEP, _STEPS = 4.0, 14  # sizes are looked for from 4^-14 to 4^14 times the claimed one
_PRECISION = 1e-5


@dataclass(frozen=True)
class PublishedLaw:
    """What a count becomes: ``noise`` is added, the sum perhaps rounded, perhaps clipped at 0, perhaps not shown."""

    noise: Noise
    rounded: bool = False
    clipped: bool = False
    shown_from: float | None = None
    """Counts below this are not listed; those that are have the law of a count that is listed."""

    __repr__ = brief

    def __post_init__(self) -> None:
        checked_noise(self.noise)
        if self.clipped and self.shown_from is not None:
            raise ParameterError("counts that are not shown cannot be raised to 0 as well: declare one of the two")

    @property
    def whole(self) -> bool:
        """Whether published counts are whole numbers."""
        return self.noise.integer_valued or self.rounded

    @property
    def _half(self) -> float:
        """A published y stands for all sums from y - 1/2 to y + 1/2 where it is rounded, else for itself."""
        return 0.5 if self.whole else 0.0

    def of_size(self, size: float) -> PublishedLaw:
        """The same with noise of another size."""
        return PublishedLaw(self.noise.of_size(size), self.rounded, self.clipped, self.shown_from)

    def impossible(self, published: npt.ArrayLike) -> BoolArray:
        """Which values can never be published: fractions of whole numbers, negative ones that would be clipped."""
        values = as_floats(published)
        fractions = values != np.floor(values) if self.whole else np.zeros(values.shape, dtype=bool)
        least = 0.0 if self.clipped else -math.inf if self.shown_from is None else self.shown_from
        return np.asarray(fractions | (values < least))

    def tails(self, counts: npt.ArrayLike, published: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(P(Y < y), P(Y = y), P(Y > y)) of every count, each side directly from the law.

        With d = y - n and h = 1/2 where counts are whole, else 0: P(Y < y) = P(Z < d - h), P(Y > y) = P(Z > d + h).
        Of a clipped 0: P(Y < 0) = 0 and P(Y = 0) = P(Z <= h - n). Of counts shown from t on: all over
        P(Z >= t - h - n). Symbols: n is ``counts``, y is ``published``, t is ``shown_from``, Z is the noise.

        Assumes a noise that has no atom at a half.
        """
        true, values, half = as_floats(counts), as_floats(published), self._half
        distinct, where = np.unique(values - true, return_inverse=True)
        where = where.reshape(values.shape)
        below, above = self.noise.cdf(distinct - half)[where], self.noise.sf(distinct + half)[where]
        at = self.noise.pmf(distinct)[where] if self.whole else np.zeros(values.shape)
        if self.clipped:
            people, place = np.unique(true, return_inverse=True)
            place = place.reshape(true.shape)
            zero = values <= 0
            below = np.where(zero, 0.0, below)
            at = np.where(zero, self.noise.cdf(half - people)[place], at)
        if self.shown_from is not None:
            people, place = np.unique(true, return_inverse=True)
            shown = self.noise.logsf(self.shown_from - half - people)[place.reshape(true.shape)]
            able = np.isfinite(shown)
            shown = np.where(able, shown, 0.0)
            further = self.noise.logsf(distinct + half)[where]
            above = np.where(able, np.exp(np.minimum(further - shown, 0.0)), 0.0)
            if self.whole:
                here = CountNoise(self.noise).logpmf(distinct)[where]
                at = np.where(able, np.exp(np.minimum(here - shown, 0.0)), 0.0)
            below = np.clip(1.0 - at - above, 0.0, 1.0)
        return below, at, above


def uniforms(published: npt.ArrayLike, seed: int = 0) -> FloatArray:
    """One V per count, by a generator whose seed is the SHA-256 of ``seed`` and of the published counts in order."""
    values = np.ascontiguousarray(as_floats(published), dtype="<f8") + 0.0  # so that -0.0 is 0.0
    digest = hashlib.sha256(f"{seed}|".encode() + values.tobytes()).digest()
    return np.random.default_rng(int.from_bytes(digest, "big")).random(values.shape)


@dataclass(frozen=True, eq=False)
class Transformed:
    """Published counts under a claimed law: ``lower`` are their U, ``upper`` are 1 - U, both sides exact."""

    lower: FloatArray
    upper: FloatArray

    @staticmethod
    def of(law: PublishedLaw, counts: npt.ArrayLike, published: npt.ArrayLike, uniform: npt.ArrayLike) -> Transformed:
        """The transform of every count, with V = ``uniform``."""
        below, at, above = law.tails(counts, published)
        share = as_floats(uniform)
        return Transformed(np.minimum(below + share * at, 1.0), np.minimum(above + (1.0 - share) * at, 1.0))

    __repr__ = brief

    @cached_property
    def scores(self) -> FloatArray:
        """Phi^-1(U), a standard normal draw for every count, from the smaller side."""
        from scipy import special

        small = np.maximum(np.minimum(self.lower, self.upper), _LEAST)
        return np.where(self.lower <= self.upper, 1.0, -1.0) * as_floats(special.ndtri(small))

    def part(self, chosen: BoolArray) -> Transformed:
        """Some of the counts."""
        return Transformed(self.lower[chosen], self.upper[chosen])

    @property
    def energy(self) -> float:
        """The sum of the squared scores: of N counts a draw from chi-squared with N degrees of freedom."""
        return float(np.square(self.scores).sum())


@dataclass(frozen=True)
class FitTest:
    """Whether counts have the claimed law. A small ``p_value`` speaks against it."""

    counts: int
    size: float
    """p-value of the size of the noise, against more and against less."""
    too_little: float
    """p-value of the size, against less noise than claimed alone: small where people are less protected than said."""
    middle: float
    """p-value of a middle at 0, against bias."""
    shape: float
    """p-value of the shape (Kolmogorov-Smirnov)."""
    impossible: int = 0
    """Counts that the claimed law can never give: one is enough to refute it."""

    __repr__ = brief

    @property
    def p_value(self) -> float:
        """All three in one: the smallest, three times (Bonferroni), which holds however they depend on each other."""
        if self.impossible:
            return 0.0
        return min(1.0, TESTS * min(self.size, self.middle, self.shape))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"p_value": self.p_value, **vars(self)}


def fit_test(transformed: Transformed, impossible: int = 0) -> FitTest:
    """The test of transformed counts: three statistics of the scores q = Phi^-1(U), each with its exact null law.

    *Size*: the sum of q^2 is chi-squared with N degrees of freedom; too little noise makes it small, too much large.
    *Middle*: the sum of q over the root of N is standard normal; bias moves it. *Shape*: the largest distance between
    the share of U below u and u, whose law (Kolmogorov's) is known for every N.

    Assumes independent noise in every count, and true counts that are the ones that noise was added to.
    """
    from scipy import special, stats

    n = len(transformed.lower)
    if n == 0:
        return FitTest(0, 1.0, 1.0, 1.0, 1.0, impossible)
    energy = transformed.energy
    less, more = float(special.chdtr(n, energy)), float(special.chdtrc(n, energy))
    middle = 2.0 * float(special.ndtr(-abs(float(transformed.scores.sum())) / math.sqrt(n)))
    ordered = np.sort(np.where(transformed.lower <= 0.5, transformed.lower, 1.0 - transformed.upper))
    steps = np.arange(n + 1) / n
    distance = max(float((ordered - steps[:-1]).max()), float((steps[1:] - ordered).max()))
    shape = float(stats.kstwo.sf(min(distance, 1.0), n))
    return FitTest(n, min(1.0, 2.0 * min(less, more)), less, min(middle, 1.0), min(shape, 1.0), impossible)


@dataclass(frozen=True)
class SizesNotRejected:
    """The sizes of a law that the counts do not reject, from ``low`` to ``high``: 0 and inf where there is no end.

    ``size`` is the one in the middle, which is above and below the true one equally often.
    """

    low: float
    size: float
    high: float
    confidence: float

    __repr__ = brief


def sizes_not_rejected(
    law: PublishedLaw,
    counts: npt.ArrayLike,
    published: npt.ArrayLike,
    uniform: npt.ArrayLike,
    confidence: float = 0.95,
) -> SizesNotRejected | None:
    """The confidence interval of the size of noise, by inverting the exact test of size; None where no size fits.

    Were s the true size, the sum of squared scores under s would be chi-squared with N degrees of freedom. So the s
    for which it lies between the quantiles (1 - c) / 2 and (1 + c) / 2 hold the true one with probability c, each end
    alone with probability (1 + c) / 2. From small s on the sum falls: more noise explains the same distances more
    easily. The interval is the one in which it first passes between the quantiles. Counts that are shown only from
    some number on may make the sum rise again for far too large s; under a true size as large as that, the sum would
    not have fallen before.

    Assumes that the claim is right but for the size.
    """
    from scipy import special

    outside = 1.0 - probability("confidence", confidence)
    true, values, share = as_floats(counts), as_floats(published), as_floats(uniform)
    n = len(true)
    if n == 0 or law.impossible(values).any():
        return None
    low, middle, high = (float(special.chdtri(n, tail)) for tail in (1.0 - 0.5 * outside, 0.5, 0.5 * outside))
    known: dict[float, float] = {}

    def energy(size: float) -> float:
        if size not in known:
            known[size] = Transformed.of(law.of_size(size), true, values, share).energy
        return known[size]

    claimed = law.noise.size
    grid = [claimed * _STEP**power for power in range(-_STEPS, _STEPS + 1) if 1e-300 < claimed * _STEP**power < 1e300]
    if energy(grid[0]) < low:
        return None
    ends = [_first_at_most(grid, bound, energy) for bound in (high, middle, low)]
    if ends[0] == math.inf:
        return None
    return SizesNotRejected(ends[0], ends[1], ends[2], confidence)


def _first_at_most(grid: Sequence[float], bound: float, energy: Callable[[float], float]) -> float:
    """The first size at which the energy is no more than ``bound``: 0 where it always is, inf where it never is."""
    place = next((i for i, size in enumerate(grid) if energy(size) <= bound), None)
    if place is None:
        return math.inf
    if place == 0:
        return 0.0
    outside, inside = grid[place - 1], grid[place]
    while inside / outside - 1.0 > _PRECISION:
        between = math.sqrt(inside * outside)
        outside, inside = (outside, between) if energy(between) <= bound else (between, inside)
    return inside


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values of several tests, adjusted so that with none refuted falsely the smallest keeps its level (Holm)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, largest = [1.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def no_negative_by_chance(law: PublishedLaw, counts: npt.ArrayLike) -> float:
    """P(none of these counts is published below 0), where nothing is clipped: the product of P(Z >= -h - n)."""
    people, times = np.unique(as_floats(counts), return_counts=True)
    edge = -0.5 if law.whole else 0.0
    return math.exp(float(np.maximum(law.noise.logsf(edge - people), -1e300) @ times))


def expected_residuals(law: PublishedLaw, counts: npt.ArrayLike, edges: npt.ArrayLike) -> FloatArray:
    """How many of the differences published - true are expected between neighbouring ``edges``, under the claim.

    The sum over counts n of P(Y - n < b) - P(Y - n < a), where P(Y - n < e) = P(Z < e) for a plain count, and 0 up to
    e = -n for a clipped one.

    Assumes edges at halves where counts are whole.
    """
    people, times = np.unique(as_floats(counts), return_counts=True)
    ends = as_floats(edges)[:, None]
    below = np.broadcast_to(law.noise.cdf(ends), (len(ends), len(people)))
    if law.clipped:
        below = np.where(ends + people <= 0, 0.0, below)
    if law.shown_from is not None:
        start = law.shown_from - (0.5 if law.whole else 0.0) - people
        below = np.maximum(below - law.noise.cdf(start), 0.0) / np.maximum(law.noise.sf(start), _LEAST)
    return as_floats(np.diff(below @ as_floats(times)))


__all__ = [
    "FitTest",
    "PublishedLaw",
    "SizesNotRejected",
    "Transformed",
    "expected_residuals",
    "fit_test",
    "holm",
    "no_negative_by_chance",
    "sizes_not_rejected",
    "uniforms",
]
