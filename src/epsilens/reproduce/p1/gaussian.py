"""Section 3.3: the risk under Gaussian noise."""

from __future__ import annotations

import itertools
from functools import partial

from epsilens.budget import ApproxDP, ProbabilisticDP
from epsilens.noise.calibration import classic_gaussian_sigma, probabilistic_gaussian_sigma
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.cases import TWO_ALPHAS, Case
from epsilens.reproduce.p0.enumeration import Law
from epsilens.reproduce.p0.gaussian_theorem import DELTAS, EPSILONS, LARGE, sigma
from epsilens.reproduce.p0.mechanisms import BUDGETS, LARGE_BUDGETS, budget_told, least_sigma
from epsilens.reproduce.p0.takeaways import rises
from epsilens.reproduce.p1.laplace import SHAPE, in_range
from epsilens.reproduce.p1.set_risks import (
    over_sets,
    over_sizes,
    printed_negative_binomial,
    printed_poisson,
    two_labels,
    with_law,
)

P1 = partial(Place, "P1")


def _both_raise(_: Data) -> Finding:
    """Whether Eq. (3.7) never falls as epsilon or delta grows, for both mechanisms."""
    checked = 0
    for probabilistic, epsilons in ((False, EPSILONS), (True, LARGE)):
        paths = [[(e, d) for e in epsilons] for d in DELTAS] + [[(e, d) for d in DELTAS] for e in epsilons]
        for path, n, alpha in itertools.product(paths, (1, 4), TWO_ALPHAS[:2]):
            found = [two_labels(Case(Law("gaussian", sigma(probabilistic, *b)), size=n, alpha=alpha)) for b in path]
            checked += 1
            if not rises(found):
                return Finding(False, f"along {budget_told(path[0])} to {budget_told(path[-1])}")
    return Finding(True, f"along all of {checked} paths of growing epsilon or delta")


CLAIMS: tuple[Claim, ...] = (
    *over_sets("gaussian", "Eq. (3.7)", "Eq. (3.10)", {"Eq. (3.11)": False}),
    Formula(
        P1("Eq. (3.8), sigma", "the sigma of the Gaussian mechanism of (epsilon, delta)-DP"),
        "it is large enough",
        lambda b: classic_gaussian_sigma(ApproxDP(*b), 1.0),
        lambda b: least_sigma(b, probabilistic=False),
        BUDGETS,
        relation="is at least",
        told=budget_told,
    ),
    Formula(
        P1("Eq. (3.9), sigma", "the sigma of the Gaussian mechanism of (epsilon, delta)-pDP"),
        "it is large enough",
        lambda b: probabilistic_gaussian_sigma(ProbabilisticDP(*b), 1.0),
        lambda b: least_sigma(b, probabilistic=True),
        LARGE_BUDGETS,
        relation="is at least",
        told=budget_told,
    ),
    Statement(
        P1("Theorem 3.10, epsilon and delta", "the risk as epsilon or delta grows"), "it never falls", _both_raise
    ),
    Statement(
        P1("Eq. (3.11), its range", "the risk of homogeneous sets"),
        "it lies between 2^-K and 1",
        lambda _: in_range("gaussian"),
    ),
    over_sizes("gaussian", "Eq. (3.12)", two_only=False),
    with_law("gaussian", "Corollary 3.13", "Poisson", TWO_ALPHAS, printed_poisson, "lambda^n, and "),
    with_law("gaussian", "Corollary 3.13", "negative binomial", TWO_ALPHAS, printed_negative_binomial, SHAPE),
)
