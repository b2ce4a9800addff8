"""Section 2: differential privacy, sensitivity and the mechanisms, as in P0 but for the numbers of the equations."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import TypeAlias

from epsilens.budget import ApproxDP, ProbabilisticDP
from epsilens.noise import LaplaceNoise
from epsilens.noise.calibration import classic_gaussian_sigma, probabilistic_gaussian_sigma
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.cases import listed
from epsilens.reproduce.p0.mechanisms import (
    BUDGETS,
    LARGE_BUDGETS,
    Budget,
    budget_told,
    chance_of_loss,
    largest_laplace_loss,
    least_sigma,
    sensitivities,
)

P1 = partial(Place, "P1")
Chances: TypeAlias = tuple[float, ...]
PROMISES: tuple[tuple[Chances, Chances], ...] = (
    ((0.75, 0.25), (0.25, 0.75)),
    ((0.5, 0.3, 0.2), (0.4, 0.4, 0.2)),
    ((0.05, 0.15, 0.3, 0.5), (0.1, 0.2, 0.4, 0.3)),
    ((0.01, 0.04, 0.25, 0.3, 0.4), (0.02, 0.03, 0.35, 0.35, 0.25)),
)
"""What two neighbouring data sets make of each outcome, under mechanisms with a few outcomes."""


def _ratio_bounded(_: Data) -> Finding:
    """Whether the log ratio of the densities of Laplace noise stays between -epsilon and epsilon."""
    return everywhere(
        (0.01, 0.3, 1.0, 4.0, 10.0),
        lambda epsilon: largest_laplace_loss(epsilon) <= epsilon * (1.0 + 1e-9),
        lambda epsilon: f"at epsilon = {epsilon:g} it reaches {largest_laplace_loss(epsilon):.4g}",
    )


def _violated_at_most_delta(_: Data) -> Finding:
    """Whether noise of Eq. (2.3) lets the loss exceed epsilon with probability delta at most."""

    def chance(budget: Budget) -> float:
        return chance_of_loss(budget[0], probabilistic_gaussian_sigma(ProbabilisticDP(*budget), 1.0))

    return everywhere(
        LARGE_BUDGETS,
        lambda budget: chance(budget) <= budget[1] * (1.0 + 1e-9),
        lambda budget: f"at {budget_told(budget)} it does with probability {chance(budget):.4g}",
    )


def largest_ratio(first: Chances, second: Chances) -> float:
    """Definition 2.1: the largest |log(P(S) / Q(S))| of any set S of outcomes."""
    sets = [chosen for size in range(1, len(first) + 1) for chosen in itertools.combinations(range(len(first)), size)]
    return max(abs(math.log(sum(first[k] for k in each) / sum(second[k] for k in each))) for each in sets)


def spared(first: Chances, second: Chances, epsilon: float) -> float:
    """Definition 2.2: the least delta, the sum of what P exceeds e^epsilon Q by, in either direction."""
    return max(
        math.fsum(max(p - math.exp(epsilon) * q, 0.0) for p, q in pairs)
        for pairs in (list(zip(first, second, strict=True)), list(zip(second, first, strict=True)))
    )


def beyond(first: Chances, second: Chances, epsilon: float) -> float:
    """Definition 2.3: the least delta, P(|log(p / q)| > epsilon) under either law."""
    return max(
        math.fsum(law[k] for k in range(len(law)) if abs(math.log(first[k] / second[k])) > epsilon)
        for law in (first, second)
    )


def _delta_of_zero(_: Data) -> Finding:
    """Whether both relaxed promises with delta = 0 hold from the epsilon of the pure one on, and from none below it."""
    for first, second in PROMISES:
        epsilon = largest_ratio(first, second)
        above, below = epsilon * (1.0 + 1e-9), epsilon * (1.0 - 1e-6)
        kept = [each(first, second, above) for each in (spared, beyond)]
        broken = [each(first, second, below) for each in (spared, beyond)]
        if max(kept) > 0.0 or min(broken) <= 0.0:
            return Finding(False, f"of {listed(first)} and {listed(second)}, at epsilon = {epsilon:.4g}")
    return Finding(
        True, f"of {len(PROMISES)} pairs of laws both have delta = 0 from the epsilon of epsilon-DP on, and not below"
    )


CLAIMS: tuple[Claim, ...] = (
    Statement(
        P1("Definition 2.1, Laplace noise", "the ratio of the densities of neighbouring counts, scale 1 / epsilon"),
        "it lies between e^-epsilon and e^epsilon",
        _ratio_bounded,
    ),
    Statement(
        P1(
            "Definition 2.3, delta", "delta as the probability that epsilon-DP is violated, Gaussian noise of Eq. (2.3)"
        ),
        "the loss exceeds epsilon with probability delta at most",
        _violated_at_most_delta,
    ),
    Statement(
        P1("Definitions 2.2 and 2.3, delta = 0", "what both become at delta = 0"),
        "epsilon-DP",
        _delta_of_zero,
    ),
    *sensitivities("P1", "Theorems 3.4 and 3.7, l1 sensitivity", 1),
    *sensitivities("P1", "Theorem 3.10, l2 sensitivity", 2),
    Formula(
        P1("Eq. (2.1), Laplace noise", "the largest privacy loss of a count with Laplace noise of scale 1 / epsilon"),
        "it is epsilon",
        lambda epsilon: LaplaceNoise(1.0 / epsilon).largest_loss(),
        largest_laplace_loss,
        (0.01, 0.3, 1.0, 4.0, 10.0),
        told=lambda epsilon: f"epsilon = {epsilon:g}",
    ),
    Formula(
        P1("Eq. (2.2), classic Gaussian", "the sigma of the Gaussian mechanism of (epsilon, delta)-DP, epsilon < 1"),
        "sqrt(2 log(1.25 / delta)) / epsilon is large enough",
        lambda b: classic_gaussian_sigma(ApproxDP(*b), 1.0),
        lambda b: least_sigma(b, probabilistic=False),
        BUDGETS,
        relation="is at least",
        told=budget_told,
    ),
    Formula(
        P1("Eq. (2.3), probabilistic Gaussian", "the sigma of the Gaussian mechanism of (epsilon, delta)-pDP"),
        "(sqrt(z^2 + 2 epsilon) - z) / (2 epsilon), z = Phi^-1(delta / 2), is large enough",
        lambda b: probabilistic_gaussian_sigma(ProbabilisticDP(*b), 1.0),
        lambda b: least_sigma(b, probabilistic=True),
        LARGE_BUDGETS,
        relation="is at least",
        told=budget_told,
    ),
)
