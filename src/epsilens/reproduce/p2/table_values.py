"""What the numbers of Tables 1 to 3 are: on average over print's 200 releases, and exactly."""

from __future__ import annotations

from decimal import ROUND_DOWN, Context, Decimal
from typing import Literal, TypeAlias

import numpy as np

from epsilens.avoidance import published
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.avoidance.suppression import DPSuppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.noise.laplace import LaplaceNoise
from epsilens.reproduce.claims import Value
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2 import means, sampled_anonymity, swapped_means
from epsilens.reproduce.p2.extracts import Age, Extract, histogram, known, most_and_least_even
from epsilens.reproduce.p2.fairness import LEVELS
from epsilens.reproduce.p2.recodings import spread, sums
from epsilens.reproduce.p2.section_3 import K

Column: TypeAlias = Literal["l1", "alpha"]
Way: TypeAlias = Literal[
    "laplace", "laplace, not rounded", "gaussian", "gaussian of the text", "suppression", "swapping"
]
"""To protect counts, where the law of what comes of it is known."""

ANONYMOUS_REPETITIONS = 20
_CUT_OFF = Context(prec=9, rounding=ROUND_DOWN)


def system_of(way: Way, epsilon: float) -> NoisyCounts | DPSuppression | DPSwapping:
    """The system."""
    match way:
        case "laplace":
            return NoisyCounts.as_published("laplace", epsilon)
        case "laplace, not rounded":
            return NoisyCounts(LaplaceNoise(2.0 / epsilon), rounded=False)
        case "gaussian":
            return NoisyCounts.as_published("discrete-gaussian", epsilon)
        case "gaussian of the text":
            return NoisyCounts(DiscreteGaussianNoise(2.0 / epsilon))
        case "suppression":
            return DPSuppression(K, epsilon)
        case _:
            return DPSwapping(epsilon, LEVELS)


def estimated(data: Data, extract: Extract, way: Way, epsilon: float) -> dict[Column, means.Expected]:
    """What print's estimates from 200 releases are on average."""

    def find() -> dict[Column, means.Expected]:
        table, system = known(data, extract), system_of(way, epsilon)
        if isinstance(system, DPSwapping):
            swapped = swapped_means.of_swapping(epsilon, table)
            return {"l1": swapped.l1, "alpha": swapped.alpha}
        if isinstance(system, DPSuppression):
            law = means.of_suppression(epsilon, K, table.largest)
        else:
            law = means.of_noise(system.noise, system.rounded)
        return {"l1": law.l1(table), "alpha": law.alpha(table)}

    return data.once(("P2", extract.name, "estimated", way, epsilon), find)


def on_average(data: Data, extract: Extract, way: Way, epsilon: float, column: Column) -> Value:
    """The expectation of print's estimate, as far as races are known."""
    found = estimated(data, extract, way, epsilon)[column]
    return known(data, extract).value(found.low, found.high)


def exactly(data: Data, extract: Extract, way: Way, epsilon: float, column: Column) -> Value:
    """The l1 norm of the bias, and its spread over cells, as far as races are known."""
    table, system = known(data, extract), system_of(way, epsilon)
    if isinstance(system, DPSwapping):
        biases = [np.asarray(system.bias(groups)) for groups in most_and_least_even(table)]
        found = [float(np.abs(b).sum() if column == "l1" else np.ptp(b)) for b in biases]
        return table.value(min(found), max(found))
    by_count = system.bias(np.arange(table.largest + 1.0))
    if column == "alpha":
        return table.value(*spread(by_count, table))
    low, high = sums(np.abs(by_count), table)
    return table.value(float(low), float(high))


def of_samples(
    data: Data, extract: Extract, epsilon: float, column: Column, against: Literal["table", "sample"], age: Age = ""
) -> Value:
    """The same of DP k-anonymity, simulated, against the table or against who was sampled of it."""

    def find() -> sampled_anonymity.Deviation:
        measure = {"table": sampled_anonymity.against_the_table, "sample": sampled_anonymity.against_the_sample}[
            against
        ]
        return measure(histogram(data, extract, age), K, epsilon, ANONYMOUS_REPETITIONS)

    both = data.once(("P2", extract.name, "sampled", epsilon, against, age), find)
    return both.l1 if column == "l1" else both.alpha


def least_bound(table: str) -> int:
    """What the largest count must be at least: Theorem 8 turned round, from the alphas that are printed of swapping.

    So that deltas which depend on the largest count need no data. (Up to the chance in these alphas.)
    """
    alphas = {epsilon: alpha for epsilon, (_, _, alpha) in published.PUBLISHED_TABLES[table][1]["dp-swapping"].items()}
    return min(int(a / published.swapping_fairness_bound([0, 1], e, LEVELS)) for e, a in alphas.items())


def suppression_delta(table: str, epsilon: float) -> float:
    """Theorem 1 at the least largest count; where a float cannot tell it from 1, nine digits of it, cut off."""
    bound = least_bound(table)
    left = Decimal(-epsilon * (bound - K)).exp() / 4
    return min(published.suppression_delta(epsilon, K, bound), float(_CUT_OFF.subtract(Decimal(1), left)))
