"""Answers that several systems share, so that a system states only what it knows better.

They are mixins and not a class of systems: :class:`~epsilens.avoidance.system.System` remains a protocol, and a system
may answer everything itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, FloatArray, as_floats
from epsilens.avoidance.enumeration import AUDIT_NEIGHBOURS, AuditNeighbours, Enumeration
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.protected import ProtectedTable
from epsilens.avoidance.system import AddedNoise, CellMoments, System, released_counts, simulated_moments
from epsilens.checks import one_of
from epsilens.errors import ParameterError


class UsualAnswers:
    """What holds of any system as long as nothing better is known of it."""

    def moments(self, source: Any) -> CellMoments | None:
        """None: no closed form; see ``simulated_moments``."""
        return None

    def bias(self: System, source: Any, rng: np.random.Generator | None = None, repetitions: int = 200) -> FloatArray:
        """Bias per cell: exact, or simulated where no closed form exists."""
        exact = self.moments(source)
        if exact is not None:
            return exact.bias
        if rng is None:
            raise ParameterError(f"the bias of {self.name} has no closed form and is simulated: give an `rng`")
        return simulated_moments(self, source, rng, repetitions).bias

    def absolute_errors(self: System, source: Any, moments: CellMoments | None = None) -> FloatArray | None:
        """|bias| where nothing is left to chance, else None: a bias and a variance do not tell it."""
        exact = self.moments(source) if moments is None else moments
        return None if exact is None or exact.variance.any() else np.abs(exact.bias)

    def shown_probabilities(self, source: Any) -> FloatArray | None:
        """None: no closed form, or labels that are not independent."""
        return None

    def visible(self, counts: FloatArray, released: FloatArray) -> BoolArray:
        """Where the release has at least one person once rounded."""
        return np.asarray(released >= 0.5)

    @property
    def added_noise(self) -> AddedNoise | None:
        """None: it is not noise that protects."""
        return None

    def expected_posterior(self, counts: npt.ArrayLike, prior: float) -> FloatArray | None:
        """1: with the number of people published as it is, whoever knows all others knows about the last.

        Nothing is more than that, so it is on the safe side of any system that says nothing better.
        """
        return np.ones(as_floats(counts).shape)

    @property
    def least_bound(self) -> int:
        """1: the deltas hold for counts of any size."""
        return 1

    def published_delta(self, bound: int | None = None) -> float | None:
        """None: print claims nothing."""
        return None

    def delta(
        self, neighbours: AuditNeighbours = "substitute", bound: int | None = None, epsilon: float | None = None
    ) -> float | None:
        """None: only an audit can tell."""
        one_of("neighbours", neighbours, AUDIT_NEIGHBOURS)
        return None

    def enumeration(self, bound: int | None = None) -> Enumeration | None:
        """None: what it publishes is not enumerated."""
        return None

    def protected(self: System, histogram: Histogram, rng: np.random.Generator) -> ProtectedTable:
        """The cells with their released counts."""
        return ProtectedTable.of_grid(histogram, released_counts(self.release(histogram, rng)))

    def remarks(self, histogram: Histogram) -> tuple[str, ...]:
        """None: its settings do what they say."""
        return ()


class WithoutGuarantee:
    """What holds of the traditional systems, of which print says that they are not differentially private."""

    @property
    def epsilon(self) -> float | None:
        """None: it claims no epsilon."""
        return None

    def delta(
        self, neighbours: AuditNeighbours = "substitute", bound: int | None = None, epsilon: float | None = None
    ) -> float | None:
        """1 at every epsilon: some output is certain for one table and impossible for a neighbour."""
        one_of("neighbours", neighbours, AUDIT_NEIGHBOURS)
        return 1.0


def refuse_other_epsilon(system: System, epsilon: float | None) -> None:
    """Refuse an epsilon for which the system was not built, where its delta is known for that one only."""
    if epsilon is not None and system.epsilon is not None and epsilon != system.epsilon:
        raise ParameterError(
            f"must be the {system.epsilon:g} that {system.name} was built for",
            parameter="epsilon",
            got=epsilon,
            remedy="build it for that instead",
        )


def believed(with_person: FloatArray, without: FloatArray, prior: float) -> FloatArray:
    """The posterior probability of a person's presence, given how likely an output is with and without them.

    pi p / (pi p + (1 - pi) q); the prior itself where the output cannot occur. Symbols: p is ``with_person``, q is
    ``without``, pi is ``prior``.
    """
    total = prior * with_person + (1.0 - prior) * without
    return as_floats(np.where(total > 0, prior * with_person / np.where(total > 0, total, 1.0), prior))
