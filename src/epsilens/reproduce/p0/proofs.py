"""Sections S1 and S3: the steps of the proofs, for both laws of noise as print writes them out."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from epsilens.reproduce.claims import Claim, Formula, Place
from epsilens.reproduce.p0.cases import (
    HOMOGENEOUS,
    MORE_ALPHAS,
    MORE_LABELS,
    ONE_APART,
    SMALL,
    TWO_ALPHAS,
    TWO_LABELS,
    Case,
    cells_with_noise,
    sizes_with_shares,
)
from epsilens.reproduce.p0.enumeration import Family, Law, dirichlet_moment, risk, scenario_chance
from epsilens.reproduce.p0.theorems import BOUND, exact_expected, exact_local, exact_shrinkage

P0 = partial(Place, "P0")
SECTIONS: dict[Family, str] = {"laplace": "section S1", "gaussian": "section S3"}


def erf(x: float, law: Law) -> float:
    """The error function at x / (sqrt 2 sigma)."""
    return math.erf(x / (math.sqrt(2.0) * law.parameter))


def scenario_1(n: int, labels: int, law: Law) -> float:
    """Print's probability that a homogeneous cell of n people shows its label alone."""
    e = law.parameter
    if law.family == "laplace":
        return float((1 - 0.5 * math.exp(-0.5 * e)) ** (labels - 1) * (1 - 0.5 * math.exp((0.5 - n) * e)))
    return float((1 + erf(0.5, law)) ** (labels - 1) * (1 + erf(n - 0.5, law)) / 2**labels)


def scenario_8(n: int, labels: int, law: Law) -> float:
    """Print's probability that a cell of n - 1 and 1 people shows one of the two labels alone; 0 below n = 2."""
    if n < 2:
        return 0.0
    e = law.parameter
    if law.family == "laplace":
        factor = (1 - 0.5 * math.exp(-0.5 * e)) ** (labels - 2)
        return float(factor * 0.5 * (math.exp(-0.5 * e) + math.exp((1.5 - n) * e) - math.exp((1 - n) * e)))
    first = (1 - erf(1.5 - n, law)) * (1 + erf(-0.5, law))
    second = (1 + erf(1.5 - n, law)) * (1 + erf(0.5, law))
    return float((1 + erf(0.5, law)) ** (labels - 2) * (first + second) / 2**labels)


def scenario_8_with_slip(n: int, labels: int, law: Law) -> float:
    """S3's first line for K >= 2: P(e_2 >= -1/2) stands in both products, where the first needs P(e_2 < -1/2)."""
    shown, hidden = 0.5 * (1 - erf(1.5 - n, law)), 0.5 * (1 + erf(1.5 - n, law))
    second = 0.5 * (1 + erf(0.5, law))
    return float((shown + hidden) * second * (0.5 * (1 + erf(0.5, law))) ** (labels - 2))


def expected(case: Case) -> float:
    """Scenario 1 with the chance of a homogeneous draw, scenario 8 with the rest."""
    n, homogeneous = sum(case.cell), sum(p ** sum(case.cell) for p in case.shares)
    both = scenario_1(n, case.labels, case.law), scenario_8(n, case.labels, case.law)
    return float(homogeneous * both[0] + (1 - homogeneous) * both[1])


def gammas(n: int, alpha: tuple[float, ...]) -> float:
    """The sum over k of Gamma(A) Gamma(alpha_k + n) / (Gamma(A + n) Gamma(alpha_k))."""
    total = math.lgamma(sum(alpha)) - math.lgamma(sum(alpha) + n)
    return math.fsum(math.exp(total + math.lgamma(a + n) - math.lgamma(a)) for a in alpha)


def shrinkage(case: Case) -> float:
    """The same over Dirichlet shares."""
    homogeneous = gammas(case.size, case.alpha)
    both = scenario_1(case.size, case.labels, case.law), scenario_8(case.size, case.labels, case.law)
    return homogeneous * both[0] + (1 - homogeneous) * both[1]


def by_moments(case: Case) -> float:
    """The chance of a homogeneous Dirichlet-multinomial draw, as a sum of moments."""
    powers = [tuple(case.size if j == k else 0 for j in range(case.labels)) for k in range(case.labels)]
    return math.fsum(dirichlet_moment(power, case.alpha) for power in powers)


def _cell_wise(formula: Callable[[int, int, Law], float]) -> Callable[[Case], float]:
    return lambda case: formula(sum(case.cell), case.labels, case.law)


def steps(family: Family) -> list[Formula]:
    """The proof of one theorem."""
    here = SECTIONS[family]
    two = [case for case in cells_with_noise(family, ONE_APART) if case.labels == 2]
    found = [
        Formula(
            P0(f"{here}, scenario 1", "P(a homogeneous cell shows its label alone)"),
            "the product over labels",
            _cell_wise(scenario_1),
            lambda case: scenario_chance(case.cell, case.law, 1),
            cells_with_noise(family, HOMOGENEOUS),
        ),
        Formula(
            P0(f"{here}, scenario 8 for K = 2", "P(a cell of n - 1 and 1 people shows one label alone)"),
            "two products, one for each label",
            _cell_wise(scenario_8),
            exact_local,
            two,
        ),
        Formula(
            P0(f"{here}, without loss of generality for two labels", "P(a cell shows one of two labels alone)"),
            "it is largest for counts of n - 1 and 1",
            _cell_wise(scenario_8),
            lambda case: risk(case.cell, case.law),
            cells_with_noise(family, TWO_LABELS),
            relation="is at least",
        ),
        Formula(
            P0(f"{here}, without loss of generality for more labels", "P(a cell shows one of its labels alone)", BOUND),
            "it is largest for counts of (n - 1, 1, 0, ...)",
            _cell_wise(scenario_8),
            lambda case: risk(case.cell, case.law),
            cells_with_noise(family, MORE_LABELS),
            relation="is at least",
        ),
        Formula(
            P0(
                f"{here}, expected risk",
                "the expected risk of a cell whose draws are homogeneous or (n - 1, 1, 0, ...)",
            ),
            "scenario 1 and scenario 8, weighted by the chance of a homogeneous draw",
            expected,
            exact_expected,
            cells_with_noise(family, SMALL),
        ),
        Formula(
            P0(f"{here}, Dirichlet shares", "the chance of a homogeneous draw"),
            "the sum of ratios of gamma functions",
            lambda case: gammas(case.size, case.alpha),
            by_moments,
            sizes_with_shares(family, (1, 2, 5, 20), (*TWO_ALPHAS, *MORE_ALPHAS))[::5],
        ),
        Formula(
            P0(f"{here}, shrinkage risk", "the shrinkage risk where every heterogeneous draw is (n - 1, 1, 0, ...)"),
            "scenario 1 and scenario 8, weighted by the chance of a homogeneous draw",
            shrinkage,
            exact_shrinkage,
            [*sizes_with_shares(family, (1, 2, 3), TWO_ALPHAS), *sizes_with_shares(family, (1, 2), MORE_ALPHAS)],
        ),
    ]
    more = [case for case in cells_with_noise(family, ONE_APART) if case.labels > 2]
    slip = family == "gaussian"
    found.insert(
        2,
        Formula(
            P0(
                f"{here}, scenario 8 for K >= 2",
                "P(a cell of counts (n - 1, 1, 0, ...) shows one label alone)",
                "P0-21" if slip else None,
            ),
            "two products, one for each label that is there",
            _cell_wise(scenario_8_with_slip if slip else scenario_8),
            exact_local,
            [*two, *more],
            mended=(("P(e_2 < -1/2) in the first product", _cell_wise(scenario_8)),) if slip else (),
        ),
    )
    return found


CLAIMS: tuple[Claim, ...] = (*steps("laplace"), *steps("gaussian"))
