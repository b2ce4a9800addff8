"""Section 2: differential privacy, sensitivity and the mechanisms, as in P0 but for the numbers of the equations."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Literal

from epsilens.budget import ApproxDP, Neighbours, ProbabilisticDP
from epsilens.noise import LaplaceNoise
from epsilens.noise.calibration import classic_gaussian_sigma, probabilistic_gaussian_sigma
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.mechanisms import (
    BUDGETS,
    LARGE_BUDGETS,
    Budget,
    budget_told,
    chance_of_loss,
    exact_delta,
    largest_laplace_loss,
    least_sigma,
    moves,
)
from epsilens.sensitivity.counts import histogram

P1 = partial(Place, "P1")
NORMS: tuple[Literal[1, 2], Literal[1, 2]] = (1, 2)
SMALL_DELTA = 1e-300


def _ours(norm: Literal[1, 2], neighbours: Neighbours) -> float:
    return histogram(neighbours, norm)


def _enumerated(norm: int, neighbours: Neighbours) -> float:
    return moves(norm, neighbours == "add-remove")


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


def _delta_of_zero(_: Data) -> Finding:
    """Whether Gaussian noise grows as delta tends to 0, under both promises, and Laplace noise needs no delta."""
    deltas = (1e-2, 1e-6, 1e-30, SMALL_DELTA)
    both = [
        [probabilistic_gaussian_sigma(ProbabilisticDP(0.5, delta), 1.0) for delta in deltas],
        [classic_gaussian_sigma(ApproxDP(0.5, delta), 1.0) for delta in deltas],
    ]
    growing = all(a < b for sigmas in both for a, b in itertools.pairwise(sigmas))
    pure = exact_delta(1.0, 1e3) >= 0.0 and math.isclose(LaplaceNoise(1.0).largest_loss(), 1.0)
    return Finding(
        growing and pure,
        f"sigma at epsilon = .5 grows to {both[0][-1]:.3g} at delta = {SMALL_DELTA:g}; Laplace noise needs no delta",
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
        "epsilon-DP, which no Gaussian noise has",
        _delta_of_zero,
    ),
    *(
        Formula(
            P1(f"Definition 2.4, p = {norm}", f"the l{norm} sensitivity of a table of counts"),
            f"1 when a record comes or goes, {'2' if norm == 1 else 'sqrt 2'} when one is exchanged",
            partial(_ours, norm),
            partial(_enumerated, norm),
            ("add-remove", "substitute"),
        )
        for norm in NORMS
    ),
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
