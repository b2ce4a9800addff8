"""What print estimates of swapping, simulated, since cells come from each other and are not independent.

Of 200 releases only totals matter: how often each cell with everybody in it landed in each place is one multinomial
draw. So a whole experiment of print's is some 500 draws, and hundreds of experiments tell its expectation and its
standard error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance import published
from epsilens.reproduce.p2.extracts import Known, most_and_least_even
from epsilens.reproduce.p2.means import REPETITIONS, Expected

EXPERIMENTS = 300
_SEED = 2023


@dataclass(frozen=True)
class SwappedMeans:
    """The l1 norm and the spread of the mean errors of 200 releases of cells swapped by Eq. (4)."""

    l1: Expected
    alpha: Expected


def of_swapping(epsilon: float, table: Known, experiments: int = EXPERIMENTS) -> SwappedMeans:
    """Of print's experiment, for the two ways furthest apart in which people may be of the unknown races.

    The bias of a group is a convex function of its counts, so that its l1 norm is smallest where these are even and
    largest where all are alike. Standard errors include that of these simulations.
    """
    found = [simulated(groups, epsilon, experiments) for groups in most_and_least_even(table)]
    means = np.array([values.mean(axis=0) for values in found])
    errors = np.array([values.std(axis=0, ddof=1) for values in found]).max(axis=0) * np.sqrt(1.0 + 1.0 / experiments)
    if table.settled:
        means = means[:1]
    ends = list(zip(means.min(axis=0), means.max(axis=0), errors, strict=True))
    l1, alpha = (Expected(float(low), float(high), float(error)) for low, high, error in ends)
    return SwappedMeans(l1, alpha)


def simulated(groups: FloatArray, epsilon: float, experiments: int) -> FloatArray:
    """For each experiment the l1 norm and the spread of the mean errors; ``groups`` have the swapped column last."""
    levels = groups.shape[1]
    keep = published.keep_probability(epsilon, levels)
    away = (1.0 - keep) / (levels - 1)
    lands = np.where(np.eye(levels, dtype=bool), keep, away)
    rng = np.random.default_rng(_SEED)
    occupied = groups[groups.any(axis=1)]
    found = np.empty((experiments, 2))
    for experiment in range(experiments):
        landed = rng.multinomial(REPETITIONS, lands, size=(len(occupied), levels))
        mean = np.einsum("gj,gjk->gk", occupied, as_floats(landed)) / REPETITIONS
        errors = mean - occupied
        found[experiment] = np.abs(errors).sum(), errors.max() - errors.min()
    return found
