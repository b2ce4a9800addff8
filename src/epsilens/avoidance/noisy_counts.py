"""Noisy counts: the systems that differential privacy offers, with their post-processing spelt out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.avoidance import published
from epsilens.avoidance.system import Moments, Neighbours, Source, counts_of, masked, rebuilt
from epsilens.budget import counts_moved
from epsilens.checks import one_of, positive
from epsilens.noise import MECHANISMS, Noise
from epsilens.noise.divergence import noise_delta
from epsilens.noise.published import overshoot_moments, rounded_variance


@dataclass(frozen=True)
class NoisyCounts:
    """Independent noise on every count of the universe.

    ``rounded``: to the nearest whole number, halves up. ``clipped``: at zero. Both are post-processing and cost no
    privacy, but clipping makes small counts too large on average. ``epsilon`` is what the noise was calibrated to, if
    anything.
    """

    noise: Noise
    rounded: bool = True
    clipped: bool = True
    epsilon: float | None = None

    def __post_init__(self) -> None:
        if self.epsilon is not None:
            object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))

    @staticmethod
    def as_published(law: str, epsilon: float, rounded: bool = True, clipped: bool = True) -> NoisyCounts:
        """The noise behind the published tables, :meth:`Mechanism.as_in_print`, for neighbours by substitution."""
        known = [name for name, mechanism in MECHANISMS.items() if mechanism.in_print]
        noise = MECHANISMS[one_of("law", law, known)].as_in_print(epsilon)
        return NoisyCounts(noise, rounded, clipped, epsilon)

    @property
    def name(self) -> str:
        """The law and its post-processing."""
        steps = [
            word
            for word, done in (("rounded", self.rounded and not self.noise.integer_valued), ("clipped", self.clipped))
            if done
        ]
        return f"{self.noise.title} counts, {' and '.join(steps) or 'as they are'}"

    def release(self, source: Source, rng: np.random.Generator) -> Any:
        """Noisy counts, post-processed."""
        counts, histogram = counts_of(source)
        noisy = counts + self.noise.sample(counts.shape, rng)
        if self.rounded:
            noisy = np.floor(noisy + 0.5)
        return rebuilt(np.maximum(noisy, 0.0) if self.clipped else noisy, histogram)

    def moments(self, source: Source) -> Moments:
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
            return Moments(np.zeros(counts.shape), masked(np.full(counts.shape, spread), histogram))
        first, second = overshoot_moments(self.noise, counts, self.rounded)
        variance = np.maximum(spread - second - first**2 - 2.0 * counts * first, 0.0)
        return Moments(masked(first, histogram), masked(variance, histogram))

    def bias(self, source: Source) -> FloatArray:
        """Exact bias per cell, see :meth:`moments`."""
        return self.moments(source).bias

    def shown_probabilities(self, source: Source) -> FloatArray:
        """P(x + X >= 1/2): the cell is published with at least one person once rounded."""
        counts, histogram = counts_of(source)
        return masked(self.noise.sf(0.5 - counts), histogram)

    def published_delta(self, bound: int | None = None) -> float | None:
        """What print claims: 0 for Laplace laws, the zCDP conversion with rho = epsilon / 10 for Gaussian ones.

        About any other law it claims nothing.
        """
        mechanism = MECHANISMS.get(self.noise.name)
        if self.epsilon is None or mechanism is None or not mechanism.in_print:
            return None
        return published.discrete_gaussian_delta(self.epsilon) if self.noise.has_delta else 0.0

    def delta(
        self, neighbours: Neighbours = "substitute", bound: int | None = None, epsilon: float | None = None
    ) -> float | None:
        """The exact delta at ``epsilon`` over all tables: counts far from zero, where clipping does nothing.

        A change of quasi-identifiers moves one person between two cells, as substitution does.
        """
        level = epsilon if epsilon is not None else self.epsilon
        if level is None:
            return None
        moved = counts_moved("substitute" if neighbours == "qid" else neighbours)
        return noise_delta(self.noise, positive("epsilon", level), moved, self.rounded)
