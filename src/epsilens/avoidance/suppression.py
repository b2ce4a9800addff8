"""Cell suppression and its randomised versions: small counts are replaced by half the threshold.

Print describes two systems under each name, and both are offered. Eq. (1) raises counts to at least k/2, Algorithm 1
replaces every count below k. Eq. (2) decides for every count with noise of its own, Algorithm 2 draws one noisy
threshold for all counts, so that its cells depend on each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance import published
from epsilens.avoidance.system import CellMoments, Confidential, Neighbours, counts_of, masked, rebuilt
from epsilens.checks import one_of, positive, whole
from epsilens.errors import ParameterError
from epsilens.noise.laplace import LaplaceNoise
from epsilens.noise.published import tail_reach


@dataclass(frozen=True)
class Suppression:
    """Cell suppression with threshold ``k``; deterministic.

    ``reading="algorithm-1"``: floor(k / 2) where x < k, else x. ``"equation-1"``: max(x, k / 2).

    Source: P2 Definition 3, Eq. (1), and Algorithm 1.
    Departs from print (P2-5): the two are different systems, so both are offered.
    """

    k: int
    reading: Literal["algorithm-1", "equation-1"] = "algorithm-1"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k, 1))
        one_of("reading", self.reading, ("algorithm-1", "equation-1"))

    @property
    def name(self) -> str:
        """The system and its reading."""
        return f"suppression ({self.reading.replace('-', ' ')})"

    @property
    def epsilon(self) -> float | None:
        """None: a deterministic system has no epsilon."""
        return None

    def _suppressed(self, counts: FloatArray) -> FloatArray:
        if self.reading == "equation-1":
            return np.maximum(counts, 0.5 * self.k)
        return np.where(counts < self.k, float(self.k // 2), counts)

    def release(self, source: Confidential, rng: np.random.Generator | None = None) -> Any:
        """The suppressed counts; ``rng`` is not used."""
        del rng
        counts, histogram = counts_of(source)
        return rebuilt(self._suppressed(counts), histogram)

    def moments(self, source: Confidential) -> CellMoments:
        """The error itself, with variance 0."""
        counts, histogram = counts_of(source)
        return CellMoments(masked(self._suppressed(counts) - counts, histogram), np.zeros(counts.shape))

    def bias(self, source: Confidential) -> FloatArray:
        """The error per cell."""
        return self.moments(source).bias

    def shown_probabilities(self, source: Confidential) -> FloatArray:
        """1 where the true count is published, 0 where it is replaced: a reader knows what k/2 stands for."""
        counts, _ = counts_of(source)
        visible = counts >= self.k if self.reading == "algorithm-1" else counts > 0.5 * self.k
        return as_floats(visible)

    def published_delta(self, bound: int | None = None) -> float | None:
        """None: print says that it is not differentially private."""
        return None

    def delta(self, neighbours: Neighbours = "substitute", bound: int | None = None) -> float | None:
        """1 at every epsilon, since counts from the threshold on are published as they are; 0 if there are none."""
        lowest_shown = self.k if self.reading == "algorithm-1" else self.k // 2 + 1
        return 1.0 if bound is None or bound >= lowest_shown else 0.0


@dataclass(frozen=True)
class DPSuppression:
    """Randomised suppression with Laplace noise of scale 2 / epsilon.

    ``reading="equation-2"``: x where x + eta >= k with its own eta, else k / 2. ``"algorithm-2"``: one threshold
    k + eta for all counts; floor of half of it where x is below it, else x.

    Source: P2 Eq. (2) and Algorithm 2.
    Departs from print (P2-5): the two are different systems; the published tables used Eq. (2).
    """

    k: int
    epsilon: float
    reading: Literal["equation-2", "algorithm-2"] = "equation-2"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k, 1))
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        one_of("reading", self.reading, ("equation-2", "algorithm-2"))

    @property
    def name(self) -> str:
        """The system and its reading."""
        return f"DP suppression ({self.reading.replace('-', ' ')})"

    @property
    def noise(self) -> LaplaceNoise:
        """The noise of the comparison with the threshold."""
        return LaplaceNoise(2.0 / self.epsilon)

    def release(self, source: Confidential, rng: np.random.Generator) -> Any:
        """True counts and replacements."""
        counts, histogram = counts_of(source)
        if self.reading == "equation-2":
            hidden = counts + self.noise.sample(counts.shape, rng) < self.k
            return rebuilt(np.where(hidden, 0.5 * self.k, counts), histogram)
        noisy_threshold = self.k + float(self.noise.sample(1, rng)[0])
        return rebuilt(np.where(counts < noisy_threshold, np.floor(0.5 * noisy_threshold), counts), histogram)

    def moments(self, source: Confidential) -> CellMoments:
        """Exact bias and variance per cell.

        Eq. (2): B_i = (k/2 - x_i) p_i and Var_i = (k/2 - x_i)^2 p_i (1 - p_i) with p_i = P(x_i + eta < k). Algorithm 2:
        with the noisy threshold T and j_0 = floor(x_i / 2), E = x_i P(T <= x_i) + j_0 P(T > x_i) + sum_{j > j_0}
        P(T >= 2 j), and the second moment likewise with weights 2 j - 1. Symbols: k is ``k``, x_i are the counts.

        Source: P2 section 5.1.
        Assumes counts >= 0. Departs from print (P2-5): print gives the law of Eq. (2) only.
        """
        counts, histogram = counts_of(source)
        if self.reading == "equation-2":
            hidden, shift = self.noise.cdf(self.k - counts), 0.5 * self.k - counts
            return CellMoments(masked(shift * hidden, histogram), masked(shift**2 * hidden * (1.0 - hidden), histogram))
        mean, square = self._threshold_moments(counts)
        return CellMoments(masked(mean - counts, histogram), masked(np.maximum(square - mean**2, 0.0), histogram))

    def _threshold_moments(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """E and E of the square of a count released by Algorithm 2."""
        points, back = np.unique(counts, return_inverse=True)
        half = np.floor(0.5 * points)
        longest = (int(points.max()) + self.k + tail_reach(self.noise)) // 2 + 1
        j = np.arange(1.0, longest + 1.0)
        reached = self.noise.sf(2.0 * j - self.k)  # P(T >= 2 j)
        sums = np.append(np.cumsum(reached[::-1])[::-1], 0.0)
        weighted = np.append(np.cumsum(((2.0 * j - 1.0) * reached)[::-1])[::-1], 0.0)
        start = half.astype(np.int64)  # the sums over j > j_0
        hidden = self.noise.sf(points - self.k)
        mean = points * (1.0 - hidden) + half * hidden + sums[start]
        square = points**2 * (1.0 - hidden) + half**2 * hidden + weighted[start]
        return mean[back].reshape(counts.shape), square[back].reshape(counts.shape)

    def bias(self, source: Confidential) -> FloatArray:
        """Exact bias per cell, see :meth:`moments`."""
        return self.moments(source).bias

    def shown_probabilities(self, source: Confidential) -> FloatArray | None:
        """P(an occupied cell's true count is published); None for Algorithm 2, whose cells share a threshold.

        A count that equals k/2 is not told from a replacement, so it is not shown.
        """
        if self.reading == "algorithm-2":
            return None
        counts, _ = counts_of(source)
        readable = (counts > 0) & (counts != 0.5 * self.k)
        return np.where(readable, self.noise.sf(self.k - counts), 0.0)

    def published_delta(self, bound: int | None = None) -> float | None:
        """The printed delta, which needs the largest possible count; see ``published.suppression_delta``."""
        if bound is None:
            raise ParameterError("the published delta of DP suppression needs `bound`, the largest possible count")
        return published.suppression_delta(self.epsilon, self.k, bound)

    def delta(self, neighbours: Neighbours = "substitute", bound: int | None = None) -> float | None:
        """The exact delta over all tables whose counts are at most ``bound`` > k; 1 without a bound.

        Eq. (2): the two changed counts are either both hidden, which is as likely for neighbours up to e^epsilon, or
        tell which table it is. So delta = 1 - p_B p_{B-1} = 1 - e^(-epsilon (B - k) + epsilon / 2) / 4, and 1 - p_B
        when one count changes. Algorithm 2: delta = P(T <= B). Symbols: B is ``bound``, p_x = P(x + eta < k), T the
        noisy threshold.

        Source: P2 Theorem 1.
        Departs from print (P2-4): exact, where print has 1 - e^(-epsilon (B - k)) / 4.
        """
        one_of("neighbours", neighbours, ("add-remove", "substitute", "qid"))
        if bound is None:
            return 1.0
        if bound <= self.k:
            raise ParameterError(f"the bound must exceed the threshold {self.k}, got {bound}")
        gap = 0.5 * self.epsilon * (bound - self.k)  # p_B = e^-gap / 2
        if self.reading == "algorithm-2" or neighbours == "add-remove":
            return -math.expm1(-gap - math.log(2.0))
        return -math.expm1(-2.0 * gap + 0.5 * self.epsilon - math.log(4.0))
