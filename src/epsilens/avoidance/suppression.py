"""Cell suppression and its randomised versions: small counts are replaced by half the threshold.

Print describes two systems under each name, and both are offered. Eq. (1) raises counts to at least k/2, Algorithm 1
replaces every count below k. Eq. (2) decides for every count with noise of its own, Algorithm 2 draws one noisy
threshold for all counts, so that its cells depend on each other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, FloatArray, as_floats
from epsilens.avoidance import published
from epsilens.avoidance.answers import UsualAnswers, WithoutGuarantee, believed, refuse_other_epsilon
from epsilens.avoidance.enumeration import (
    AUDIT_NEIGHBOURS,
    AuditNeighbours,
    Counts,
    Enumeration,
    independent_law,
    two_counts,
)
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.protected import ProtectedTable
from epsilens.avoidance.system import LARGEST_VARIANCE, CellMoments, Confidential, counts_of, masked, rebuilt
from epsilens.checks import one_of, positive, whole
from epsilens.errors import ParameterError
from epsilens.noise.divergence import Distribution
from epsilens.noise.laplace import LaplaceNoise
from epsilens.noise.published import tail_reach

_LARGEST_ENUMERATED = 40  # counts that an audit goes up to


@dataclass(frozen=True)
class Suppression(WithoutGuarantee, UsualAnswers):
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

    def shown_probabilities(self, source: Confidential) -> FloatArray:
        """1 where the true count is published, 0 where it is replaced: a reader knows what k/2 stands for."""
        counts, _ = counts_of(source)
        visible = counts >= self.k if self.reading == "algorithm-1" else counts > 0.5 * self.k
        return as_floats(visible)

    def visible(self, counts: FloatArray, released: FloatArray) -> BoolArray:
        """Where a true count is published; a replacement is known to stand for few or none."""
        return _told_apart(counts, released, float(self.k // 2) if self.reading == "algorithm-1" else 0.5 * self.k)

    def expected_posterior(self, counts: npt.ArrayLike, prior: float) -> FloatArray:
        """1 where the release differs without the person, else the prior."""
        x = as_floats(counts)
        return np.where(self._suppressed(x - 1.0) == self._suppressed(x), prior, 1.0)

    @property
    def least_bound(self) -> int:
        """The smallest count above the threshold."""
        return self.k + 1

    def enumeration(self, bound: int | None = None) -> Enumeration:
        """Two counts up to the bound, which is a little above the threshold unless given; if large, about it."""
        if self.k <= _LARGEST_ENUMERATED or (bound is not None and bound <= _LARGEST_ENUMERATED):
            return _enumeration(self, bound)
        top = bound if bound is not None else self.k + 3
        points = [x for edge in (0, self.k // 2, self.k) for x in range(edge, edge + 3) if x <= top]
        return Enumeration.of_laws([((a, b),) for a in points for b in points], self.output_law, top)

    def output_law(self, table: Counts) -> Distribution:
        """The release itself."""
        return {tuple(float(value) for value in np.ravel(self._suppressed(as_floats(table)))): 1.0}

    def protected(self, histogram: Histogram, rng: np.random.Generator) -> ProtectedTable:
        """The cells; by Algorithm 1 a count below the threshold is left blank, since half of it says nothing more."""
        counts = as_floats(histogram.counts)
        released = histogram.masked(self._suppressed(counts))
        if self.reading == "equation-1":
            return ProtectedTable.of_grid(histogram, released)
        return ProtectedTable.of_grid(histogram, released, as_floats(counts < self.k), f"a count below {self.k}")

    def remarks(self, histogram: Histogram) -> tuple[str, ...]:
        """Whether nothing is suppressed, or nothing is left."""
        counts = as_floats(histogram.counts)
        kept = self._suppressed(counts) == counts
        if kept.all():
            return (f"does nothing here: no count is below the threshold of {self.k}",)
        if not (kept & (counts > 0)).any():
            return (f"shows nobody here: every count is below the threshold of {self.k}",)
        return ()

    def delta(
        self, neighbours: AuditNeighbours = "substitute", bound: int | None = None, epsilon: float | None = None
    ) -> float | None:
        """1 at every epsilon, since counts from the threshold on are published as they are; 0 if there are none."""
        one_of("neighbours", neighbours, AUDIT_NEIGHBOURS)
        lowest_shown = self.k if self.reading == "algorithm-1" else self.k // 2 + 1
        return 1.0 if bound is None or bound >= lowest_shown else 0.0


@dataclass(frozen=True)
class DPSuppression(UsualAnswers):
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
        """E and E of the square of a count released by Algorithm 2.

        The sums over j > j_0 are listed as far as 2 j < k; beyond, P(T >= 2 j) falls by q = e^(-2 / b) with every j, b
        being the scale of the noise, and sum_{i >= 0} q^i (2 (j + i) - 1) = (2 j - 1) / (1 - q) + 2 q / (1 - q)^2.
        """
        if self.noise.variance > LARGEST_VARIANCE:
            raise ParameterError(
                f"noise with a scale of {self.noise.scale:g} is too wide to be compared by its errors",
                remedy="take a larger `epsilon`",
            )
        points, back = np.unique(counts, return_inverse=True)
        half = np.floor(0.5 * points)  # j_0
        listed = (self.k - 1) // 2
        j = np.arange(1.0, listed + 1.0)
        reached = self.noise.sf(2.0 * j - self.k)  # P(T >= 2 j)
        start = np.minimum(half, listed).astype(np.int64)
        sums = np.append(np.cumsum(reached[::-1])[::-1], 0.0)[start]
        weighted = np.append(np.cumsum(((2.0 * j - 1.0) * reached)[::-1])[::-1], 0.0)[start]
        first = np.maximum(half, listed) + 1.0
        falls = -math.expm1(-2.0 / self.noise.scale)  # 1 - q
        beyond = self.noise.sf(2.0 * first - self.k) / falls
        sums, weighted = sums + beyond, weighted + beyond * (2.0 * first - 1.0 + 2.0 * (1.0 - falls) / falls)
        hidden = self.noise.sf(points - self.k)
        mean = points * (1.0 - hidden) + half * hidden + sums
        square = points**2 * (1.0 - hidden) + half**2 * hidden + weighted
        return mean[back].reshape(counts.shape), square[back].reshape(counts.shape)

    def absolute_errors(self, source: Confidential, moments: CellMoments | None = None) -> FloatArray:
        """The exact expected |release - truth| per cell.

        Eq. (2): a hidden count is off by k/2 - x_i, so it is |B_i|. Algorithm 2: a hidden count is off by J - x_i with
        J = floor(T / 2), and |J - x| = x - J + 2 (J - x)^+, where J > x only if T > x; so it is
        2 E(J - x_i)^+ - B_i with E(J - x)^+ = sum_{j > x} P(T >= 2 j).

        Source: P2 Figure 2, whose errors are averages over releases.
        """
        bias = (self.moments(source) if moments is None else moments).bias
        if self.reading == "equation-2":
            return np.abs(bias)
        counts, histogram = counts_of(source)
        points, back = np.unique(counts, return_inverse=True)
        listed = np.arange(1.0, (self.k - 1) // 2 + 1.0)
        sums = np.append(np.cumsum(self.noise.sf(2.0 * listed - self.k)[::-1])[::-1], 0.0)
        first = np.maximum(points, len(listed)) + 1.0  # from here on P(T >= 2 j) falls by a constant factor
        beyond = self.noise.sf(2.0 * first - self.k) / -math.expm1(-2.0 / self.noise.scale)
        above = sums[np.minimum(points, len(listed)).astype(np.int64)] + beyond
        return masked(2.0 * above[back].reshape(counts.shape), histogram) - bias

    def shown_probabilities(self, source: Confidential) -> FloatArray | None:
        """P(an occupied cell's true count is published); None for Algorithm 2, whose cells share a threshold.

        A count that equals k/2 is not told from a replacement, so it is not shown.
        """
        if self.reading == "algorithm-2":
            return None
        counts, _ = counts_of(source)
        readable = (counts > 0) & (counts != 0.5 * self.k)
        return np.where(readable, self.noise.sf(self.k - counts), 0.0)

    def visible(self, counts: FloatArray, released: FloatArray) -> BoolArray:
        """Where a true count is published; a replacement is known to stand for few or none."""
        if self.reading == "equation-2":
            return _told_apart(counts, released, 0.5 * self.k)
        return _told_apart(counts, released, 0.5 * self.k, float(self.k // 2))

    def expected_posterior(self, counts: npt.ArrayLike, prior: float) -> FloatArray:
        """The count x is published, and tells all, or hidden, which is a little likelier without the person."""
        noise, k, x = self.noise, self.k, as_floats(counts)
        if self.reading == "equation-2":
            half = 0.5 * k
            hidden, hidden_without = noise.cdf(k - x), noise.cdf(k - x + 1.0)
            hidden = np.where(x != half, hidden, 1.0)
            hidden_without = np.where(x - 1.0 == half, 1.0, hidden_without)
            return 1.0 - hidden + hidden * believed(hidden, hidden_without, prior)
        hidden = noise.sf(x - k)  # the threshold is above x
        # Half the threshold is published in every hidden cell: only the pair of numbers around an odd x tells x from
        # x - 1. Without the one person of a cell its true count is 0, which half a threshold below 2 looks like too.
        top = np.where(x % 2 == 1, x + 1.0, x)
        with_person, without = noise.sf(x - k) - noise.sf(top - k), noise.sf(x - 1.0 - k) - noise.sf(top - k)
        without = np.where(x == 1, noise.cdf(2.0 - k), without)
        odd = (x % 2 == 1) & (with_person > 0)
        near = np.where(odd, with_person * believed(with_person, without, prior), 0.0)
        return 1.0 - hidden + near + np.where(odd, hidden - with_person, hidden) * prior

    @property
    def least_bound(self) -> int:
        """The smallest count above the threshold."""
        return self.k + 1

    def published_delta(self, bound: int | None = None) -> float | None:
        """The printed delta, which needs the largest possible count; see ``published.suppression_delta``."""
        if bound is None:
            raise ParameterError("the published delta of DP suppression needs `bound`, the largest possible count")
        return published.suppression_delta(self.epsilon, self.k, bound)

    def delta(
        self, neighbours: AuditNeighbours = "substitute", bound: int | None = None, epsilon: float | None = None
    ) -> float | None:
        """The exact delta over all tables whose counts are at most ``bound`` > k; 1 without a bound.

        Eq. (2): the two changed counts are either both hidden, which is as likely for neighbours up to e^epsilon, or
        tell which table it is. So delta = 1 - p_B p_{B-1} = 1 - e^(-epsilon (B - k) + epsilon / 2) / 4, and 1 - p_B
        when one count changes. Algorithm 2: delta = P(T <= B). Symbols: B is ``bound``, p_x = P(x + eta < k), T the
        noisy threshold.

        Source: P2 Theorem 1.
        Departs from print (P2-4): exact, where print has 1 - e^(-epsilon (B - k)) / 4.
        """
        one_of("neighbours", neighbours, AUDIT_NEIGHBOURS)
        refuse_other_epsilon(self, epsilon)
        if bound is None:
            return 1.0
        if bound <= self.k:
            raise ParameterError(f"must exceed the threshold {self.k}", parameter="bound", got=bound)
        gap = 0.5 * self.epsilon * (bound - self.k)  # p_B = e^-gap / 2
        if self.reading == "algorithm-2" or neighbours == "add-remove":
            return -math.expm1(-gap - math.log(2.0))
        return -math.expm1(-2.0 * gap + 0.5 * self.epsilon - math.log(4.0))

    def enumeration(self, bound: int | None = None) -> Enumeration:
        """Two counts up to the bound, which is a little above the threshold unless given."""
        return _enumeration(self, bound)

    def output_law(self, table: Counts) -> Distribution:
        """The exact law of what is published for a small table."""
        counts = [count for row in table for count in row]
        if self.reading == "algorithm-2":
            return self._one_threshold_law(counts)
        return independent_law([self._count_law(count) for count in counts])

    def _count_law(self, count: int) -> Distribution:
        hidden = float(self.noise.cdf(self.k - count))
        half = 0.5 * self.k
        return {half: 1.0} if count == half else {half: hidden, float(count): 1.0 - hidden}

    def _one_threshold_law(self, counts: list[int]) -> Distribution:
        """Between two breakpoints (a count, an even number) the threshold decides the same."""
        reach = self.k + tail_reach(self.noise)
        breaks = sorted({*counts, *range(0, reach + 2, 2), -1})
        # thresholds of -1 and below, and those beyond the last breakpoint, all decide alike or are negligible
        edges = [-math.inf, *breaks, math.inf]
        law: dict[Hashable, float] = {}
        for low, high in itertools.pairwise(edges):
            mass = float(self.noise.sf(low - self.k) - self.noise.sf(high - self.k))
            inner = high if math.isinf(low) else low + 0.5 if math.isinf(high) else 0.5 * (low + high)
            output = tuple(float(math.floor(inner / 2)) if count < inner else float(count) for count in counts)
            law[output] = law.get(output, 0.0) + max(mass, 0.0)
        return law


def _told_apart(counts: FloatArray, released: FloatArray, *replacements: float) -> BoolArray:
    """Where the true count of an occupied cell is published and does not look like a replacement."""
    return np.asarray((released == counts) & (counts > 0) & ~np.isin(counts, replacements))


def _enumeration(system: Suppression | DPSuppression, bound: int | None) -> Enumeration:
    top = bound if bound is not None else system.k + 3
    return Enumeration.of_laws(two_counts(min(top, _LARGEST_ENUMERATED)), system.output_law, top)
