"""The adversary who also looks at the parent's noisy count and at the siblings' noisy total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.noise import Noise
from epsilens.posterior.attacks.attack import exceedance_of_same_people, longest_reach, risk_of_same_people
from epsilens.posterior.two_levels.expected import exceedance_two_level
from epsilens.posterior.two_levels.many import expected_two_level_of_many

LONGEST_REACH = 80
"""Sums run over the plane of two noisy counts, so noise is too wide earlier than where it is summed along a line."""


@dataclass(frozen=True)
class TwoLevels:
    """:func:`~epsilens.posterior.two_levels.expected.expected_two_level` with the person's own parent and siblings.

    The key is (others like the person in the parent, number of siblings). Without siblings the parent counts the same
    people as the group, and both counts speak of them.
    """

    name = "two-level"
    levels_needed = 2

    family: int = 1

    def of_family(self, family: int) -> Self:
        """The same, after so many people together."""
        return replace(self, family=family)

    def keys(self, counts: IntArray, siblings: IntArray, laws: Sequence[Noise]) -> IntArray:
        """Further people in the parent make no difference once noise cannot bring its count near the child's."""
        enough = 3 * laws[1].reach(1e-13)
        return np.stack([np.minimum(counts[:, 1] - counts[:, 0], enough), siblings], axis=1)

    def risks(
        self, keys: IntArray, laws: Sequence[Noise], prior: float, decisions: bool
    ) -> tuple[FloatArray, FloatArray]:
        """Keys with the same number of siblings together."""
        posterior, correct = np.empty(len(keys)), np.empty(len(keys))
        only_child = keys[:, 1] == 0
        for siblings in np.unique(keys[~only_child, 1]).tolist():
            chosen = keys[:, 1] == siblings
            posterior[chosen], correct[chosen] = expected_two_level_of_many(
                (keys[chosen, 0] + self.family).tolist(), siblings, (laws[0], laws[1]), prior, decisions, self.family
            )
        if only_child.any():
            posterior[only_child], correct[only_child] = risk_of_same_people(laws[:2], prior, decisions, self.family)
        return posterior, correct

    def exceedance(self, key: Sequence[int], laws: Sequence[Noise], prior: float, threshold: float) -> float:
        """From the three noisy counts, or without siblings from two of the same people."""
        if key[1] == 0:
            return exceedance_of_same_people(laws[:2], prior, threshold, self.family)
        noise = (laws[0], laws[1])
        return exceedance_two_level(
            threshold, key[0] + self.family, key[1], noise=noise, prior=prior, family=self.family
        )

    def too_wide(self, laws: Sequence[Noise], decisions: bool, factor: float) -> bool:
        """A sum over a plane."""
        return longest_reach(laws[:2]) > factor * LONGEST_REACH

    def leans(self, prior: float) -> bool:
        """At even odds: the parent's count must not be negative, which leans the adversary one way."""
        return prior == 0.5
