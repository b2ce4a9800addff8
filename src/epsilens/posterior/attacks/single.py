"""The adversary who looks at the noisy count of the target's own group and at nothing else."""

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
class SingleCount:
    """:func:`~epsilens.posterior.single.expected_single_level` for everybody: one key, since all are at one risk."""

    name = "single"
    levels_needed = 1

    family: int = 1

    def of_family(self, family: int) -> Self:
        """The same, after so many people together."""
        return replace(self, family=family)

    def keys(self, counts: IntArray, siblings: IntArray, laws: Sequence[Noise]) -> IntArray:
        """(0, 0), whatever the situation."""
        return np.zeros((len(counts), 2), dtype=np.int64)

    def risks(
        self, keys: IntArray, laws: Sequence[Noise], prior: float, decisions: bool
    ) -> tuple[FloatArray, FloatArray]:
        """That of the lowest level, for every key."""
        posterior, correct = risk_of_same_people(laws[:1], prior, decisions, self.family)
        return np.full(len(keys), posterior), np.full(len(keys), correct)

    def exceedance(self, key: Sequence[int], laws: Sequence[Noise], prior: float, threshold: float) -> float:
        """That of the lowest level."""
        return exceedance_of_same_people(laws[:1], prior, threshold, self.family)

    def too_wide(self, laws: Sequence[Noise], decisions: bool, factor: float) -> bool:
        """One sum over the noise of the lowest level."""
        return too_wide_for_same_people(laws[:1], decisions, factor)

    def leans(self, prior: float) -> bool:
        """Never: without evidence nothing is left but the prior."""
        return False
