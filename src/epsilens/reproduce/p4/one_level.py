"""P4, section 3.1: one noisy count, Equations (3.1) to (3.6).

The truth is counted: every pair of a true count and a noise, with its probability, gathered by the noisy count.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.posterior.single import expected_single_level, single_level
from epsilens.reproduce.claims import Claim, everywhere
from epsilens.reproduce.p4.setting import discrete_gaussian, formula, probability_of, statement


class Case(NamedTuple):
    """One adversary and one budget; ``beyond`` is the noisy count less the people known of."""

    rho: float
    prior: float
    known: int = 0
    beyond: int = 0


GRID = [Case(rho, prior) for rho in (0.02, 0.099, 0.5, 0.6, 2.0, 5.0) for prior in (0.9, 1 / 2, 1 / 5, 1 / 50, 1 / 864)]
COUNTS = [
    Case(case.rho, case.prior, known, beyond) for case in GRID for known in (0, 3) for beyond in (-4, -1, 0, 1, 2, 6)
]


def told(case: Case) -> str:
    """A case in words."""
    count = "" if case[2:] == (0, 0) else f", known = {case.known}, x* = {case.known + case.beyond}"
    return f"rho = {case.rho}, p = {case.prior:.4g}{count}"


@lru_cache(maxsize=256)
def joint(rho: float, prior: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Every noisy count beyond those known, and the probabilities that it comes of the smaller and the larger count."""
    values, probabilities = discrete_gaussian(rho)
    noisy = np.append(values, values[-1] + 1.0)
    absent = (1.0 - prior) * np.append(probabilities, 0.0)
    present = prior * np.append(0.0, probabilities)
    return noisy, absent, present


def _seen(case: Case) -> tuple[float, float]:
    """Both probabilities of the noisy count of a case."""
    noisy, absent, present = joint(case.rho, case.prior)
    here = int(case.beyond - noisy[0])
    return float(absent[here]), float(present[here])


def counted_posterior(case: Case) -> float:
    """Of the cases that show this noisy count, the share in which the target is there."""
    absent, present = _seen(case)
    return present / (absent + present)


def printed_posterior(case: Case) -> float:
    """Eq. (3.1) as it stands."""
    there = case.prior * math.exp(-case.rho * (case.beyond - 1) ** 2)
    return there / (there + (1.0 - case.prior) * math.exp(-case.rho * case.beyond**2))


def counted_average(case: Case) -> float:
    """The posterior averaged over what is seen of a target who is there."""
    _, absent, present = joint(case.rho, case.prior)
    absent, present = absent[present > 0.0], present[present > 0.0]
    return math.fsum(present / case.prior * (present / (absent + present)))


def counted_decision(case: Case) -> float:
    """How often the posterior of a target who is there is above one half."""
    _, absent, present = joint(case.rho, case.prior)
    return math.fsum((present / case.prior)[present > absent * (1.0 + 1e-9)])


def printed_decision(case: Case) -> float:
    """Eq. (3.6), second line: the tail from the smallest noisy count at which the posterior is above one half."""
    first = next(x for x in range(-200, 10_000) if single_level(x, 0, case.rho, case.prior).decides_present)
    values, probabilities = discrete_gaussian(case.rho)
    return math.fsum(probabilities[values >= first - 1])


def _least_loss(case: Case) -> bool:
    """Whether the likelier of the two counts has the smaller expected 0-1 loss."""
    absent, present = _seen(case)
    loss = {0: present, 1: absent}  # of saying so, up to one factor
    best = {answer for answer, value in loss.items() if math.isclose(value, min(loss.values()), rel_tol=1e-9)}
    return int(single_level(case.known + case.beyond, case.known, case.rho, case.prior).decides_present) in best


CLAIMS: list[Claim] = [
    formula(
        "Eq. (3.1), posterior",
        "P(X1 = x1 | x1*)",
        "p e^(-rho (x* - x)^2) over itself and (1 - p) e^(-rho (x* - x + 1)^2)",
        printed=printed_posterior,
        true=counted_posterior,
        cases=COUNTS,
        told=told,
    ),
    formula(
        "Eq. (3.1), ours",
        "the same by our own function",
        "single_level",
        in_print=False,
        printed=lambda case: float(single_level(case.known + case.beyond, case.known, case.rho, case.prior)),
        true=counted_posterior,
        cases=COUNTS,
        told=told,
    ),
    formula(
        "Eq. (3.2), R'",
        "the posterior over the prior",
        "R' = P(x* | x) / P(x*), which is what Bayes' theorem makes of it",
        printed=lambda case: single_level(case.known + case.beyond, case.known, case.rho, case.prior).risk_ratio,
        true=lambda case: probability_of(case.rho, case.beyond - 1) / sum(_seen(case)),
        cases=COUNTS,
        told=told,
    ),
    formula(
        "Eq. (3.3), marginal posterior",
        "the posterior averaged over the noise, the target being there",
        "sum over x* of the posterior times P(x* | x)",
        printed=lambda case: expected_single_level(case.rho, case.prior).posterior,
        true=counted_average,
        cases=GRID,
        told=told,
    ),
    formula(
        "Eq. (3.4), R",
        "the marginal risk",
        "sum over x* of R' P(x* | x), which is Eq. (3.3) over p",
        printed=lambda case: expected_single_level(case.rho, case.prior).risk_ratio,
        true=lambda case: counted_average(case) / case.prior,
        cases=GRID,
        told=told,
    ),
    statement(
        "Eq. (3.5), decision",
        "the best guess under 0-1 loss",
        "it is the count with the larger posterior probability",
        lambda _: everywhere(COUNTS, _least_loss, told),
    ),
    formula(
        "Eq. (3.6), tail",
        "the probability of a right decision about a target who is there",
        "P(X* >= the smallest noisy count with a posterior above 1/2)",
        printed=printed_decision,
        true=counted_decision,
        cases=GRID,
        told=told,
    ),
    formula(
        "Eq. (3.6), ours",
        "the same by our own function",
        "expected_single_level",
        in_print=False,
        printed=lambda case: expected_single_level(case.rho, case.prior).correct_decision,
        true=counted_decision,
        cases=GRID,
        told=told,
    ),
]
