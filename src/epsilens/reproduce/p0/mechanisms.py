"""Section 2: differential privacy, the Laplace and Gaussian mechanisms, sensitivity."""

from __future__ import annotations

import itertools
import math
from functools import cache, partial
from typing import Literal

from epsilens.budget import ApproxDP, ProbabilisticDP
from epsilens.noise import LaplaceNoise
from epsilens.noise.calibration import analytic_gaussian_sigma, classic_gaussian_sigma, probabilistic_gaussian_sigma
from epsilens.reproduce.claims import Claim, Finding, Formula, Number, Place, Reading, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.printed import Printed
from epsilens.sensitivity.counts import histogram

P0 = partial(Place, "P0")
BUDGETS = tuple(itertools.product((0.01, 0.2, 0.5, 0.9, 0.999), (1e-6, 1e-3, 0.01, 0.1)))
LARGE_BUDGETS = tuple(itertools.product((0.01, 0.5, 1.0, 3.0, 10.0, 60.0), (1e-6, 1e-3, 0.01, 0.1)))
Budget = tuple[float, float]
NEIGHBOURS = "P0-24"
"""The entry on which neighbours print has in mind."""


def budget_told(budget: Budget) -> str:
    """``epsilon = 1, delta = 0.01``."""
    return f"epsilon = {budget[0]:g}, delta = {budget[1]:g}"


def chance_of_loss(epsilon: float, sigma: float, either_side: bool = True) -> float:
    """P(|loss| > epsilon) of a count with Gaussian noise: the loss has mean r^2 / 2 and deviation r = 1 / sigma."""
    from scipy import stats

    r = 1.0 / sigma
    above = float(stats.norm.sf(epsilon, r * r / 2.0, r))
    return above + float(stats.norm.cdf(-epsilon, r * r / 2.0, r)) if either_side else above


def exact_delta(epsilon: float, sigma: float) -> float:
    """Sup over sets S of P(S) - e^epsilon Q(S) for one count with Gaussian noise, from scipy's normal tails."""
    from scipy import stats

    r = 1.0 / sigma
    return float(
        stats.norm.cdf(r / 2.0 - epsilon / r)
        - math.exp(epsilon + stats.norm.logcdf(-r / 2.0 - epsilon / r))  # the product may overflow, its log does not
    )


@cache
def least_sigma(budget: Budget, probabilistic: bool) -> float:
    """The smallest sigma that keeps the promise: of Definition 2, or of Definition 1."""
    from scipy import optimize

    epsilon, delta = budget
    broken = chance_of_loss if probabilistic else exact_delta
    return math.exp(
        optimize.brentq(lambda x: math.log(max(broken(epsilon, math.exp(x)), 1e-300) / delta), -6.0, 12.0, xtol=1e-13)
    )


def largest_laplace_loss(epsilon: float) -> float:
    """Sup over outputs of the log-likelihood ratio of neighbouring counts, on a grid that holds both counts."""
    import numpy as np
    from scipy import stats

    x = np.linspace(-40.0, 41.0, 8101)
    laws = [stats.laplace.logpdf(x, loc, 1.0 / epsilon) for loc in (0.0, 1.0)]
    return float(np.abs(laws[0] - laws[1]).max())


def moves(norm: int, added: bool = True) -> float:
    """The largest change of a table of three counts when a record comes or goes, over all tables of up to 4 people."""
    largest = 0.0
    for table in itertools.product(range(5), repeat=3):
        for change in _changes(table, added):
            largest = max(largest, sum(abs(a - b) ** norm for a, b in zip(table, change, strict=True)) ** (1 / norm))
    return largest


def _changes(table: tuple[int, ...], added: bool) -> list[tuple[int, ...]]:
    more = [tuple(n + (j == k) for j, n in enumerate(table)) for k in range(len(table))]
    if added:
        return more
    return [tuple(n - (j == k) for j, n in enumerate(t)) for t in more for k in range(len(table)) if t[k] > 0]


def _violation(_: Data) -> Finding:
    """Whether delta bounds how often the loss exceeds epsilon, for Gaussian noise that is just (epsilon, delta)-DP."""
    worst = max(BUDGETS, key=lambda b: chance_of_loss(b[0], analytic_gaussian_sigma(ApproxDP(*b), 1.0)) / b[1])
    chance = chance_of_loss(worst[0], analytic_gaussian_sigma(ApproxDP(*worst), 1.0))
    return Finding(
        chance <= worst[1] * (1 + 1e-9),
        f"with just the Gaussian noise that is needed for {budget_told(worst)} the loss exceeds epsilon with "
        f"probability {chance:.4g}",
    )


def _violation_of_probabilistic(_: Data) -> Finding:
    worst = max(
        BUDGETS, key=lambda b: chance_of_loss(b[0], probabilistic_gaussian_sigma(ProbabilisticDP(*b), 1.0)) / b[1]
    )
    chance = chance_of_loss(worst[0], probabilistic_gaussian_sigma(ProbabilisticDP(*worst), 1.0))
    return Finding(chance <= worst[1], f"at most {chance / worst[1]:.4g} of delta in {len(BUDGETS)} cases")


def _classic_beyond_one(_: Data) -> Finding:
    """Whether Eq. (3) fails somewhere from epsilon = 1 on."""
    for epsilon, delta in itertools.product((1.0, 3.0, 10.0, 30.0), (1e-6, 1e-3, 0.01, 0.1)):
        sigma = math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon
        found = exact_delta(epsilon, sigma)
        if found > delta:
            return Finding(True, f"at {budget_told((epsilon, delta))} the same sigma has an exact delta of {found:.4g}")
    return Finding(False, "it holds at every epsilon up to 30 that was tried")


def sensitivities(paper: str, where: str, norm: Literal[1, 2]) -> tuple[Number, Number]:
    """The sensitivity that print gives a table of counts, where a record comes or goes and where one is exchanged.

    Print's neighbours differ by one record, which may be either.
    """
    name = f"the l{norm} sensitivity of a table of counts"
    return (
        Number(
            Place(paper, where, f"{name} where a record comes or goes"),
            Printed("1"),
            lambda _: histogram("add-remove", norm),
            exact=lambda _: moves(norm),
        ),
        Number(
            Place(paper, f"{where}, exchanged records", f"{name} where a record is exchanged", NEIGHBOURS),
            Printed("1"),
            lambda _: histogram("substitute", norm),
            exact=lambda _: moves(norm, added=False),
            readings=(Reading("where a record comes or goes", lambda _: histogram("add-remove", norm)),),
        ),
    )


CLAIMS: tuple[Claim, ...] = (
    Formula(
        P0("Eq. (1), Laplace noise", "the largest privacy loss of a count with Laplace noise of scale 1 / epsilon"),
        "noise of scale Delta_1 / epsilon keeps the loss at or below epsilon",
        lambda epsilon: LaplaceNoise(1.0 / epsilon).largest_loss(),
        largest_laplace_loss,
        (0.01, 0.3, 1.0, 4.0, 10.0),
        told=lambda epsilon: f"epsilon = {epsilon:g}",
    ),
    Statement(
        P0("Eq. (1), meaning of delta", "delta as the probability that pure epsilon-DP is violated", "P0-13"),
        "the loss exceeds epsilon with probability delta at most",
        _violation,
        (("of the probabilistic DP of Definition 2", _violation_of_probabilistic),),
    ),
    *sensitivities("P0", "Theorem 1, sensitivity in Lap(0; 1 / epsilon)", 1),
    *sensitivities("P0", "Theorem 3, sensitivity in sigma", 2),
    Formula(
        P0("Eq. (3), classic Gaussian", "the sigma of the Gaussian mechanism of (epsilon, delta)-DP, epsilon < 1"),
        "sqrt(2 log(1.25 / delta)) / epsilon is large enough",
        lambda b: classic_gaussian_sigma(ApproxDP(*b), 1.0),
        lambda b: least_sigma(b, probabilistic=False),
        BUDGETS,
        relation="is at least",
        told=budget_told,
    ),
    Statement(
        P0("Eq. (3), the condition", "why the classic Gaussian mechanism asks for epsilon < 1"),
        "beyond epsilon = 1 the same sigma may be too small",
        _classic_beyond_one,
    ),
    Formula(
        P0(
            "Eq. (4), probabilistic Gaussian",
            "the sigma of the Gaussian mechanism of (epsilon, delta)-probabilistic DP",
        ),
        "(sqrt(z^2 + 2 epsilon) - z) / (2 epsilon), z = Phi^-1(delta / 2), is large enough",
        lambda b: probabilistic_gaussian_sigma(ProbabilisticDP(*b), 1.0),
        lambda b: least_sigma(b, probabilistic=True),
        LARGE_BUDGETS,
        relation="is at least",
        told=budget_told,
    ),
)
