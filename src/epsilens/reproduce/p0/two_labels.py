"""Section S4: Theorems 1 and 3 for two labels, Eqs. (S1) to (S10), averaged over the cells of a small table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from epsilens.reproduce.claims import Claim, Formula, Place
from epsilens.reproduce.p0.cases import (
    HOMOGENEOUS,
    SIZES,
    SMALL,
    TWO_ALPHAS,
    TWO_LABELS,
    Case,
    cells_with_noise,
    generic_cells,
    laws,
    sizes_with_shares,
)
from epsilens.reproduce.p0.enumeration import Family
from epsilens.reproduce.p0.proofs import scenario_1, scenario_8
from epsilens.reproduce.p0.theorems import (
    FORMULAS,
    MARGINAL,
    OVER_SIZES,
    exact_expected,
    exact_generic,
    exact_local,
    exact_marginal,
    exact_shrinkage,
    marginal_over_sizes,
    observed_size,
    printed_local,
)

P0 = partial(Place, "P0")
TWO = "is attained by draws of n - 1 and 1"
BOUND = "as a bound"
"""Eq. (S1) is larger than it need be, which a bound may."""


def both(case: Case, n: int) -> tuple[float, float]:
    """Scenario 1 and scenario 8 for two labels."""
    return scenario_1(n, 2, case.law), scenario_8(n, 2, case.law)


def homogeneous_share(case: Case) -> float:
    """p^n + (1 - p)^n."""
    n = sum(case.cell)
    return float(sum(p**n for p in case.shares))


def s1(case: Case) -> float:
    """Eq. (S1) for one cell: both terms have the factor of the first, and the second lacks 1/2."""
    n = sum(case.cell)
    own, mixed = both(case, n)
    return own if min(case.cell) == 0 else 2.0 * mixed * hidden(case)


def hidden(case: Case) -> float:
    """1 - e^(-epsilon/2) / 2."""
    return 1.0 - 0.5 * math.exp(-0.5 * case.law.parameter)


def s6(case: Case) -> float:
    """Eq. (S6) for one cell."""
    own, mixed = both(case, sum(case.cell))
    return own if min(case.cell) == 0 else mixed


def expected(case: Case) -> float:
    """Eqs. (S2) and (S7) for one cell."""
    share, (own, mixed) = homogeneous_share(case), both(case, sum(case.cell))
    return share * own + (1.0 - share) * mixed


def beta_share(n: int, alpha: Sequence[float]) -> float:
    """B_1i / B(alpha_1, alpha_2) with B_1i = B(n + alpha_1, alpha_2) + B(alpha_1, n + alpha_2)."""
    from scipy import special

    a, b = alpha
    return float((special.beta(n + a, b) + special.beta(a, n + b)) / special.beta(a, b))


def shrinkage(case: Case) -> float:
    """Eqs. (S3) and (S8) for one cell."""
    share, (own, mixed) = beta_share(case.size, case.alpha), both(case, case.size)
    return share * own + (1.0 - share) * mixed


def marginal(case: Case) -> float:
    """Eq. (S4) for one cell: f(n_i) times (S2)."""
    assert case.sizes is not None
    return case.sizes.chance(sum(case.cell)) * expected(case)


def marginal_as_printed(case: Case) -> float:
    """Eq. (S9) for one cell: f(n_i) is in the first term only."""
    assert case.sizes is not None
    share, (own, mixed) = homogeneous_share(case), both(case, sum(case.cell))
    return case.sizes.chance(sum(case.cell)) * share * own + (1.0 - share) * mixed


def generic(case: Case) -> float:
    """Eqs. (S5) and (S10)."""
    assert case.sizes is not None

    def at(n: int) -> float:
        share, (own, mixed) = beta_share(n, case.alpha), both(case, n)
        return share * own + (1.0 - share) * mixed

    return case.sizes.expectation(at)


def equations(family: Family, numbers: Sequence[str]) -> list[Formula]:
    """The five equations of one law of noise."""
    local, of_expected, of_shrinkage, of_marginal, of_generic = numbers
    slip, lost = family == "laplace", family == "gaussian"
    small = [case for case in cells_with_noise(family, SMALL) if case.labels == 2]
    two = [case for case in cells_with_noise(family, HOMOGENEOUS, TWO_LABELS) if case.labels == 2]
    one_apart = [case for case in two if min(case.cell) <= 1]
    sizes = [Case(law, cell, sizes=each) for cell in SMALL[:5] for each in SIZES for law in laws(family)[::2]]
    some = "half of the second term, without the factor in front of it"
    both_terms = "with f(n_i) in the second term"
    return [
        _equal(
            local,
            "local risk",
            s1 if slip else s6,
            exact_local,
            one_apart,
            FORMULAS if slip else None,
            ((some, printed_local),) if slip else (),
        ),
        _bound(local, "local risk", s1 if slip else s6, exact_local, two),
        _equal(of_expected, "expected risk", expected, exact_expected, small),
        _bound(of_expected, "expected risk", expected, exact_expected, two),
        _equal(
            of_shrinkage, "shrinkage risk", shrinkage, exact_shrinkage, sizes_with_shares(family, (1, 2, 3), TWO_ALPHAS)
        ),
        _bound(
            of_shrinkage,
            "shrinkage risk",
            shrinkage,
            exact_shrinkage,
            sizes_with_shares(family, (1, 5, 12), TWO_ALPHAS),
        ),
        _equal(
            of_marginal,
            "part of the observed size in the marginal risk",
            marginal_as_printed if lost else marginal,
            observed_size,
            sizes,
            FORMULAS if lost else None,
            ((both_terms, marginal),) if lost else (),
        ),
        _bound(
            of_marginal,
            "marginal risk of Definition 9",
            marginal_as_printed if lost else marginal,
            exact_marginal,
            sizes,
            MARGINAL,
            ((OVER_SIZES, marginal_over_sizes),),
        ),
        _bound(of_generic, "marginal shrinkage risk", generic, exact_generic, generic_cells(family, TWO_ALPHAS)),
    ]


def _equal(
    number: str,
    what: str,
    printed: Callable[[Any], float],
    true: Callable[[Any], float],
    cases: Sequence[Any],
    departs: str | None = None,
    mended: tuple[tuple[str, Callable[[Any], float]], ...] = (),
) -> Formula:
    place = P0(f"{number}, {TWO}", f"the {what} where every heterogeneous draw is (n - 1, 1)", departs)
    return Formula(place, f"the {what} equals {number}", printed, true, cases, mended=mended)


def _bound(
    number: str,
    what: str,
    printed: Callable[[Any], float],
    true: Callable[[Any], float],
    cases: Sequence[Any],
    departs: str | None = None,
    mended: tuple[tuple[str, Callable[[Any], float]], ...] = (),
) -> Formula:
    place = P0(f"{number}, {BOUND}", f"the {what}", departs)
    text = f"the {what} is at most {number}"
    return Formula(place, text, printed, true, cases, relation="is at least", mended=mended)


CLAIMS: tuple[Claim, ...] = (
    *equations("laplace", [f"Eq. (S{number})" for number in range(1, 6)]),
    *equations("gaussian", [f"Eq. (S{number})" for number in range(6, 11)]),
)
