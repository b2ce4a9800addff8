"""Noisy counts: the systems that differential privacy offers, with their post-processing spelt out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray
from epsilens.avoidance import published
from epsilens.avoidance.answers import UsualAnswers
from epsilens.avoidance.enumeration import AuditNeighbours, Counts, Enumeration, two_counts
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.system import (
    LARGEST_VARIANCE,
    AddedNoise,
    CellMoments,
    Confidential,
    counts_of,
    distinct_counts,
    masked,
    rebuilt,
)
from epsilens.budget import counts_moved
from epsilens.checks import one_of, positive
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, DiscreteGaussianNoise, Noise
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.noise.divergence import independent_delta, noise_delta
from epsilens.noise.law import checked_noise
from epsilens.noise.published import overshoot_moments, rounded_variance, tail_reach


@dataclass(frozen=True)
class NoisyCounts(UsualAnswers):
    """Independent noise on every count of the universe.

    ``rounded``: to the nearest whole number, halves up. ``clipped``: at zero. Both are post-processing and cost no
    privacy, but clipping makes small counts too large on average. ``epsilon`` is what the noise was calibrated to, if
    anything. ``reading`` says whether the paper's claim about it is that of its tables or that of its text.
    """

    noise: Noise
    rounded: bool = True
    clipped: bool = True
    epsilon: float | None = None
    reading: Literal["tables", "text"] = "tables"

    def __post_init__(self) -> None:
        checked_noise(self.noise)
        one_of("reading", self.reading, ("tables", "text"))
        if not self.noise.variance <= LARGEST_VARIANCE:
            raise ParameterError(
                f"noise with a {self.noise.parameter} of {self.noise.size:g} is too wide to be compared by its errors",
                remedy="take a larger `epsilon`",
            )
        if self.epsilon is not None:
            object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))

    @staticmethod
    def as_published(law: str, epsilon: float, rounded: bool = True, clipped: bool = True) -> NoisyCounts:
        """The noise behind the published tables, :meth:`Mechanism.as_in_print`, for neighbours by substitution."""
        known = [name for name, mechanism in MECHANISMS.items() if mechanism.in_print]
        noise = MECHANISMS[one_of("law", law, known)].as_in_print(epsilon)
        return NoisyCounts(noise, rounded, clipped, epsilon)

    @staticmethod
    def as_in_the_text(epsilon: float, rounded: bool = True, clipped: bool = True) -> NoisyCounts:
        """The discrete Gaussian of the text: N_Z(0, 4 / epsilon^2), of standard deviation 2 / epsilon.

        That is rho-zCDP with rho = epsilon^2 / 2 if one person moves counts by 2 in l2, as the text has it, and with
        half of it for neighbours by substitution, who move them by sqrt(2).

        Source: P2 section 3.
        Departs from print (P2-2): the published tables belong to the variance 20 / epsilon, see :meth:`as_published`.
        """
        noise = DiscreteGaussianNoise(2.0 / positive("epsilon", epsilon))
        return NoisyCounts(noise, rounded, clipped, epsilon, "text")

    @property
    def name(self) -> str:
        """The law and its post-processing."""
        steps = [
            word
            for word, done in (("rounded", self.rounded and not self.noise.integer_valued), ("clipped", self.clipped))
            if done
        ]
        which = " (text)" if self.reading == "text" else ""
        return f"{self.noise.title} counts{which}, {' and '.join(steps) or 'as they are'}"

    def release(self, source: Confidential, rng: np.random.Generator) -> Any:
        """Noisy counts, post-processed."""
        counts, histogram = counts_of(source)
        noisy = counts + self.noise.sample(counts.shape, rng)
        if self.rounded:
            noisy = np.floor(noisy + 0.5)
        return rebuilt(np.maximum(noisy, 0.0) if self.clipped else noisy, histogram)

    def moments(self, source: Confidential) -> CellMoments:
        """Exact bias and variance per cell.

        B_i = E Z_i and Var_i = V - E Z_i^2 - (E Z_i)^2 - 2 x_i E Z_i with the overshoot Z_i = max(0, -x_i - X) and V
        the variance of the (rounded) noise X; without clipping B_i = 0 and Var_i = V. For Laplace noise of scale b,
        clipped only, B_i = b e^(-x_i / b) / 2. Symbols: x_i are the counts of ``source``, X is ``noise``.

        Source: P2 proof of Theorem 9.
        Assumes noise that is symmetric about 0. Departs from print (P2-7): exact for rounded counts and any law,
        where print simulates.
        """
        counts, histogram = counts_of(source)
        spread = rounded_variance(self.noise) if self.rounded else self.noise.variance
        if not self.clipped:
            return CellMoments(np.zeros(counts.shape), masked(np.full(counts.shape, spread), histogram))
        points, where = distinct_counts(counts)
        first, second = overshoot_moments(self.noise, points, self.rounded)
        variance = np.maximum(spread - second - first**2 - 2.0 * points * first, 0.0)
        return CellMoments(masked(first[where], histogram), masked(variance[where], histogram))

    def absolute_errors(self, source: Confidential, moments: CellMoments | None = None) -> FloatArray:
        """E|max(0, x + X) - x| = E|X| - E max(0, -x - X), exactly; without clipping E|X|. X is the (rounded) noise.

        Source: P2 Figure 2, whose errors are averages over releases.
        Assumes noise that is symmetric about 0.
        """
        counts, histogram = counts_of(source)
        points, where = distinct_counts(counts)
        errors = np.full(points.shape, expected_absolute_error(self.noise, self.rounded))
        if self.clipped:
            errors -= overshoot_moments(self.noise, points, self.rounded)[0]
        return masked(errors[where], histogram)

    def shown_probabilities(self, source: Confidential) -> FloatArray:
        """P(x + X >= 1/2): the cell is published with at least one person once rounded."""
        counts, histogram = counts_of(source)
        points, where = distinct_counts(counts)
        return masked(self.noise.sf(0.5 - points)[where], histogram)

    @property
    def added_noise(self) -> AddedNoise:
        """The noise, and whether what is published are whole numbers."""
        return AddedNoise(self.noise, self._is_whole)

    @property
    def _is_whole(self) -> bool:
        return self.rounded or self.noise.integer_valued

    def expected_posterior(self, counts: npt.ArrayLike, prior: float) -> FloatArray | None:
        """None: it follows from :attr:`added_noise`, for every count alike but for the little that clipping hides."""
        return None

    def published_delta(self, bound: int | None = None) -> float | None:
        """What print claims: 0 for Laplace laws, the zCDP conversion with rho = epsilon / 10 for Gaussian ones.

        For the discrete Gaussian of the text rho is epsilon^2 / 2. About any other law print claims nothing.
        """
        if self.reading == "text" and self.epsilon is not None:
            return published.discrete_gaussian_text_delta(self.epsilon)
        mechanism = MECHANISMS.get(self.noise.name)
        if self.epsilon is None or mechanism is None or not mechanism.in_print:
            return None
        return published.discrete_gaussian_delta(self.epsilon) if self.noise.has_delta else 0.0

    def delta(
        self, neighbours: AuditNeighbours = "substitute", bound: int | None = None, epsilon: float | None = None
    ) -> float | None:
        """The delta at ``epsilon`` over all tables: counts far from zero, where clipping does nothing.

        Exact, but for continuous laws without a closed form that are published unrounded; of these it is a bound from
        above (:func:`epsilens.noise.divergence.noise_delta`). A change of quasi-identifiers moves one person between
        two cells, as substitution does.
        """
        level = epsilon if epsilon is not None else self.epsilon
        if level is None:
            return None
        moved = counts_moved("substitute" if neighbours == "qid" else neighbours)
        return noise_delta(self.noise, positive("epsilon", level), moved, self.rounded)

    def remarks(self, histogram: Histogram) -> tuple[str, ...]:
        """What is done to the noisy counts, and what that does to small ones."""
        clipped = self._remark_on_clipping()
        if not isinstance(self.noise, DiscreteGaussianNoise) or self.epsilon is None:
            return clipped
        if self.reading == "text":
            about = "has the variance 4 / epsilon^2 of the paper's text; its tables have 20 / epsilon"
        else:
            about = "has the variance 20 / epsilon of the published tables; the paper's text has 4 / epsilon^2"
        return (about, *clipped)

    def _remark_on_clipping(self) -> tuple[str, ...]:
        if not self.clipped:
            return ()
        rounds = self.rounded and not self.noise.integer_valued
        done = "rounds noisy counts and clips them" if rounds else "clips noisy counts"
        return (f"{done} at zero, so that small counts are too large on average",)

    def enumeration(self, bound: int | None = None) -> Enumeration:
        """Two small counts: how the noise changes with a count is the same everywhere, but for clipping at zero."""
        return Enumeration(two_counts(2), self._pair_delta, bound=bound)

    def _pair_delta(self, before: Counts, after: Counts, epsilon: float) -> float:
        """The hockey stick of a table of two noisy counts."""
        if not self._is_whole:
            raise ParameterError(
                "unrounded continuous noise has no list of outputs", remedy="audit it with `rounded=True`"
            )
        reach = tail_reach(self.noise)
        outputs = np.arange(-reach, reach + 1.0 + max(before[0] + after[0]))

        def log_masses(count: int) -> FloatArray:
            mass = self.noise.pmf(outputs - count)
            if self.clipped:
                mass = np.append(float(self.noise.cdf(0.5 - count)), mass[outputs > 0])
            with np.errstate(divide="ignore"):
                return np.log(mass)

        first, second = (
            (log_masses(count), log_masses(other)) for count, other in zip(before[0], after[0], strict=True)
        )
        return independent_delta(first, second, epsilon)
