"""What an adversary on a hierarchy is: everything that the risk of a release and the choice of its budget ask of it.

A person's risk depends on a *key*: two whole numbers >= 0 that an attack takes from the person's situation (the true
counts of people like them in their group and in the groups above, and the number of sibling groups). Situations with
the same key have the same risk, which is computed once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from epsilens.arrays import FloatArray, IntArray
from epsilens.noise import Noise
from epsilens.posterior.combined import evidence, exceedance, expected_combined
from epsilens.posterior.odds import log_odds
from epsilens.posterior.single import exceedance_single_level

LONGEST_REACH = 500
"""Noise that reaches further than this is too wide unless a ceiling asks for it; at this reach, a sigma of 67, a ratio
is within 6e-5 of 1 already."""
MOST_DECISION_STATES = 200_000


class Attack(Protocol):
    """An adversary who sees noisy counts of a hierarchy, one law of noise per level, lowest first."""

    @property
    def name(self) -> str:
        """How users call it."""
        ...

    @property
    def levels_needed(self) -> int:
        """The fewest levels it makes sense for."""
        ...

    def of_family(self, family: int) -> Attack:
        """The same adversary after so many people who are there together or not at all."""
        ...

    def keys(self, counts: IntArray, siblings: IntArray, laws: Sequence[Noise]) -> IntArray:
        """What each situation's risk depends on (situations x 2)."""
        ...

    def risks(
        self, keys: IntArray, laws: Sequence[Noise], prior: float, decisions: bool
    ) -> tuple[FloatArray, FloatArray]:
        """Expected posterior and probability of a right decision (nan unless ``decisions``), by key."""
        ...

    def exceedance(self, key: Sequence[int], laws: Sequence[Noise], prior: float, threshold: float) -> float:
        """The probability, over the noise, that posterior / prior exceeds a threshold between 0 and 1 / prior."""
        ...

    def too_wide(self, laws: Sequence[Noise], decisions: bool, factor: float) -> bool:
        """Whether exact sums over this noise would take too long, or ``factor`` times too long."""
        ...

    def leans(self, prior: float) -> bool:
        """Whether decisions stay better than guessing however large the noise."""
        ...


def risk_of_same_people(laws: Sequence[Noise], prior: float, decisions: bool, family: int = 1) -> tuple[float, float]:
    """Expected posterior and right decisions where every level counts the same people."""
    risk = expected_combined(laws, prior, decisions=decisions, family=family)
    return risk.posterior, risk.correct_decision


def exceedance_of_same_people(laws: Sequence[Noise], prior: float, threshold: float, family: int = 1) -> float:
    """The probability that posterior / prior exceeds ``threshold`` where every level counts the same people."""
    if len(laws) == 1:
        return exceedance_single_level(threshold, prior=prior, noise=laws[0], family=family)
    listed = [evidence(law, family=family) for law in laws]
    tie = max(law.tie for law in listed)
    return exceedance(listed, log_odds(threshold * prior) - log_odds(prior) + tie)


def too_wide_for_same_people(laws: Sequence[Noise], decisions: bool, factor: float) -> bool:
    """:meth:`Attack.too_wide` for levels that count the same people."""
    reach = longest_reach(laws) / factor**2  # one sum and not two
    if decisions and len(laws) > 1:  # sums of evidence are enumerated for half of the levels and for the others
        return (2.0 * reach) ** math.ceil(len(laws) / 2) > MOST_DECISION_STATES
    return reach > LONGEST_REACH


def longest_reach(laws: Sequence[Noise]) -> int:
    """How far the widest of these noises reaches."""
    return max(law.reach(1e-13) for law in laws)
