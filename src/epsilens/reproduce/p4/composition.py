"""P4, section S5: several releases of the same count."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from epsilens.posterior.combined import expected_sequence, sequence
from epsilens.posterior.single import expected_single_level, single_level
from epsilens.reproduce.claims import Claim, Finding
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4.setting import RHO_BLOCK, discrete_gaussian, formula, probability_of, statement


class Case(NamedTuple):
    """A budget and a noisy count for each release, the people known of, and the first prior."""

    rhos: tuple[float, ...]
    noisy: tuple[int, ...]
    known: int
    prior: float


CASES = [
    Case(rhos, tuple(known + more for more in noisy[: len(rhos)]), known, prior)
    for rhos in ((0.099, 0.099), (0.5, 0.1), (0.05, 0.2, 1.0), (0.1, 0.1, 0.1, 0.1))
    for noisy in ((2, 1, -1, 0), (0, 3, 1, 5))
    for known in (0, 4)
    for prior in (1 / 2, 1 / 5, 1 / 864)
]
AVERAGED = [(rhos, prior) for rhos in ((0.099, 0.099), (0.5, 0.1), (1.0, 2.0)) for prior in (1 / 2, 1 / 5, 1 / 864)]


def told(case: Case) -> str:
    """A case in words."""
    return f"rho = {case.rhos}, noisy counts {case.noisy}, known = {case.known}, p = {case.prior:.4g}"


def counted(case: Case) -> float:
    """Of all that shows these noisy counts, the share in which the target is there."""
    absent, present = (
        chance * math.prod(probability_of(r, x - case.known - more) for r, x in zip(case.rhos, case.noisy, strict=True))
        for more, chance in ((0, 1.0 - case.prior), (1, case.prior))
    )
    return present / (absent + present)


def step_by_step(case: Case) -> tuple[float, float]:
    """(S5.4): each posterior is the next prior; and the product of the ratios that (S5.8) makes of it."""
    belief, ratio = case.prior, 1.0
    for rho, noisy in zip(case.rhos, case.noisy, strict=True):
        there = belief * probability_of(rho, noisy - case.known - 1)
        posterior = there / (there + (1.0 - belief) * probability_of(rho, noisy - case.known))
        ratio *= posterior / belief
        belief = posterior
    return belief, ratio


def averaged(case: tuple[tuple[float, ...], float]) -> float:
    """The posterior after two releases, averaged over both noises of a target who is there, pair by pair."""
    (first, second), prior = case
    (x, px), (y, py) = discrete_gaussian(first), discrete_gaussian(second)
    (x, px), (y, py) = (x[px > 1e-18], px[px > 1e-18]), (y[py > 1e-18], py[py > 1e-18])
    odds = math.log(prior / (1.0 - prior)) + first * (2.0 * x[:, None] + 1.0) + second * (2.0 * y + 1.0)
    return float(px @ (1.0 / (1.0 + np.exp(-odds))) @ py)


def _product(_: Data) -> Finding:
    """Of what is seen; on average it is not a product."""
    noisy, rhos = (2, 1, 3), (RHO_BLOCK,) * 3
    found = sequence(noisy, rho=rhos)
    total = math.prod(found.ratios)
    together = expected_sequence(rhos).risk_ratio
    each = expected_single_level(RHO_BLOCK).risk_ratio ** len(rhos)
    seen = (
        f"{total:.4f} at noisy counts 2, 1, 3 (averages do not multiply: R is {together:.4f}, the product {each:.4f})"
    )
    return Finding(math.isclose(total, found.risk_ratio, rel_tol=1e-12), seen)


CLAIMS: list[Claim] = [
    formula(
        "Eq. (S5.1), first release",
        "the ratio of posterior and prior",
        "Eq. (3.2)",
        printed=lambda case: single_level(case.noisy[0], case.known, case.rhos[0], case.prior).risk_ratio,
        true=lambda case: counted(case._replace(rhos=case.rhos[:1], noisy=case.noisy[:1])) / case.prior,
        cases=CASES,
        told=told,
    ),
    formula(
        "Eq. (S5.4), later releases",
        "the posterior after all releases",
        "the posterior of one release is the prior of the next",
        printed=lambda case: step_by_step(case)[0],
        true=counted,
        cases=CASES,
        told=told,
    ),
    formula(
        "Eq. (S5.4), ours",
        "the same by our own function",
        "sequence",
        in_print=False,
        printed=lambda case: sequence(case.noisy, case.known, case.rhos, case.prior).posterior,
        true=counted,
        cases=CASES,
        told=told,
    ),
    formula(
        "Eq. (S5.7), two releases",
        "the total risk",
        "the product of R' of the second, given the first, and R' of the first",
        printed=lambda case: step_by_step(case._replace(rhos=case.rhos[:2], noisy=case.noisy[:2]))[1],
        true=lambda case: counted(case._replace(rhos=case.rhos[:2], noisy=case.noisy[:2])) / case.prior,
        cases=CASES,
        told=told,
    ),
    formula(
        "Eq. (S5.8), any number of releases",
        "the total risk",
        "the product of R' of all releases, each given those before",
        printed=lambda case: step_by_step(case)[1],
        true=lambda case: counted(case) / case.prior,
        cases=CASES,
        told=told,
    ),
    formula(
        "section S5, marginal risk",
        "the posterior after two releases, averaged over both",
        "Eq. (3.3) with the posterior of both",
        printed=lambda case: expected_sequence(case[0], case[1], decisions=False).posterior,
        true=averaged,
        cases=AVERAGED,
        told=lambda case: f"rho = {case[0]}, p = {case[1]:.4g}",
    ),
    statement("section 5, several releases", "the total risk", "the product of the risks of each release", _product),
]
