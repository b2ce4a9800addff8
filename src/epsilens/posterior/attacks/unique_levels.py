"""The adversary who knows at how many levels the target's group holds everybody like the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.noise import Noise
from epsilens.posterior.attacks.attack import (
    exceedance_of_same_people,
    risk_of_same_people,
    too_wide_for_same_people,
)


@dataclass(frozen=True)
class UniqueLevels:
    """:func:`~epsilens.posterior.combined.expected_unique_at_levels` over those levels, which are the key."""

    name = "unique-levels"
    levels_needed = 1

    family: int = 1

    def of_family(self, family: int) -> Self:
        """The same, after so many people together."""
        return replace(self, family=family)

    def keys(self, counts: IntArray, siblings: IntArray, laws: Sequence[Noise]) -> IntArray:
        """(levels, counted from the lowest, with the count of the lowest; 0)."""
        used = counts[:, : len(laws)]
        alone = np.cumprod(used == used[:, :1], axis=1).sum(axis=1)
        return np.stack([alone, np.zeros_like(alone)], axis=1)

    def risks(
        self, keys: IntArray, laws: Sequence[Noise], prior: float, decisions: bool
    ) -> tuple[FloatArray, FloatArray]:
        """Key by key: there are at most as many as levels."""
        found = np.asarray(
            [risk_of_same_people(laws[:levels], prior, decisions, self.family) for levels in keys[:, 0].tolist()]
        )
        return found[:, 0], found[:, 1]

    def exceedance(self, key: Sequence[int], laws: Sequence[Noise], prior: float, threshold: float) -> float:
        """From the noisy counts of the levels in the key."""
        return exceedance_of_same_people(laws[: key[0]], prior, threshold, self.family)

    def too_wide(self, laws: Sequence[Noise], decisions: bool, factor: float) -> bool:
        """For somebody who is unique at every level."""
        return too_wide_for_same_people(laws, decisions, factor)

    def leans(self, prior: float) -> bool:
        """Never: without evidence nothing is left but the prior."""
        return False
