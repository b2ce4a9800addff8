"""Appendices A to D: the steps of the proofs."""

from __future__ import annotations

import math
from functools import partial

from epsilens.homogeneity import published
from epsilens.reproduce.claims import Claim, Formula, Place
from epsilens.reproduce.p0.cases import (
    MORE_ALPHAS,
    ONE_APART,
    SMALL,
    TWO_ALPHAS,
    TWO_LABELS,
    Case,
    cells_with_noise,
    one_cell,
    sizes_with_shares,
)
from epsilens.reproduce.p0.enumeration import Family, dirichlet_moment, homogeneous_risk, over_draws
from epsilens.reproduce.p0.homogeneous import homogeneous_draw
from epsilens.reproduce.p0.proofs import scenario_1
from epsilens.reproduce.p1.set_risks import FROM_ZERO, share_of

P1 = partial(Place, "P1")
APPENDICES: dict[Family, tuple[str, str]] = {
    "laplace": ("Appendix A", "Appendix B"),
    "gaussian": ("Appendix C", "Appendix D"),
}


IN_WORDS = "(the sum of p_k^n) times P(the label is shown) times P(the others are not)"


def falling(top: float, factors: int) -> float:
    """[top]_factors = top (top - 1) ... with so many factors."""
    return math.prod(top - i for i in range(factors))


def by_factorials(case: Case) -> float:
    """([n + a - 1]_n + [n + b - 1]_n) / [n + a + b - 1]_n."""
    n, (a, b) = case.size, case.alpha
    return (falling(n + a - 1, n) + falling(n + b - 1, n)) / falling(n + a + b - 1, n)


def by_moments(case: Case) -> float:
    """E(p^n) + E((1 - p)^n), from moments of the shares."""
    powers = [tuple(case.size if j == k else 0 for j in range(case.labels)) for k in range(case.labels)]
    return math.fsum(dirichlet_moment(power, case.alpha) for power in powers)


def one_set(case: Case) -> float:
    """(The sum of p_k^n) times P(the label is shown) times P(the others are not)."""
    return one_cell(lambda cells: published.expected_formula(cells, "P1"), case)


def exact_set(case: Case) -> float:
    """The risk of a set whose counts are drawn with its own proportions."""
    return over_draws(sum(case.cell), case.shares, lambda drawn: homogeneous_risk(drawn, case.law))


def brackets_as_printed(case: Case) -> float:
    """Eq. (A.1) with its brackets where they stand: the last factor is inside the one before."""
    n, epsilon = sum(case.cell), case.law.parameter
    shown = 1.0 - 0.5 * math.exp(-(n - 0.5) * epsilon)
    return sum(p**n for p in case.shares) * (1.0 - 0.5 * math.exp(-0.5 * epsilon) * shown)


def event_as_printed(case: Case) -> float:
    """The line before Eq. (A.1): P(n_1 = n_1), which is 1, in the place of P(n_1 = n)."""
    n = sum(case.cell)
    return (1.0 + case.shares[-1] ** n) * scenario_1(n, 2, case.law)


def of_counts(family: Family) -> list[Formula]:
    """The risk of a set whose counts are drawn with given shares, and over these shares."""
    two, more = APPENDICES[family]
    cells = [*cells_with_noise(family, SMALL, ONE_APART, TWO_LABELS)]
    slip = family == "laplace"
    equation = "Eq. (A.1)" if slip else two
    first = P1(
        f"{equation}, one set", "the risk of a set over counts with its own proportions", FROM_ZERO if slip else None
    )
    return [
        Formula(
            first,
            "(p^n + (1 - p)^n) (1 - e^(-epsilon/2) / 2 (1 - e^((1/2 - n) epsilon) / 2))" if slip else IN_WORDS,
            brackets_as_printed if slip else one_set,
            exact_set,
            [case for case in cells if case.labels == 2],
            mended=(("with the first bracket closed before the second is opened", one_set),) if slip else (),
        ),
        Formula(
            P1(f"{more}, one set", "the risk of a set over counts with its own proportions"),
            IN_WORDS,
            one_set,
            exact_set,
            [case for case in cells if case.labels != 2],
        ),
        Formula(
            P1(f"{more}, over the shares", "the risk of a set over Dirichlet shares"),
            "ratios of gamma functions in the place of p_k^n",
            lambda case: share_of(case.size, case.alpha) * scenario_1(case.size, case.labels, case.law),
            homogeneous_draw,
            sizes_with_shares(family, (1, 2, 6), MORE_ALPHAS),
        ),
    ]


CLAIMS: tuple[Claim, ...] = (
    *of_counts("laplace"),
    Formula(
        P1("Appendix A, before Eq. (A.1)", "the risk of a set over counts with its own proportions", FROM_ZERO),
        "(P(n_1 = n_1) + P(n_1 = 0)) times two probabilities of noise",
        event_as_printed,
        exact_set,
        [case for case in cells_with_noise("laplace", SMALL, TWO_LABELS) if case.labels == 2],
        mended=(("P(n_1 = n) in the place of P(n_1 = n_1)", one_set),),
    ),
    Formula(
        P1("Appendix A, falling factorials", "the share of homogeneous draws with beta distributed shares"),
        "([n + alpha - 1]_n + [n + beta - 1]_n) / [n + alpha + beta - 1]_n",
        by_factorials,
        by_moments,
        sizes_with_shares("laplace", (1, 2, 5, 20), TWO_ALPHAS)[::5],
    ),
    *of_counts("gaussian"),
)
