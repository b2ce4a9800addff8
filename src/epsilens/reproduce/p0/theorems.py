"""Theorems 1 and 3 are one: the risks of the five definitions bounded by their first and last scenario.

Print prices a heterogeneous cell as (n - 1, 1, 0, ...). So each equation is asked three things: whether it is the exact
risk where every heterogeneous outcome is such a cell, whether it is a bound for two labels, and for more of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from epsilens.arrays import as_floats
from epsilens.homogeneity import published
from epsilens.homogeneity.models.sizes import FixedSize, NegativeBinomialSize, PoissonSize, SizeModel
from epsilens.reproduce.claims import Formula, Place
from epsilens.reproduce.p0.cases import (
    HOMOGENEOUS,
    MORE_ALPHAS,
    MORE_LABELS,
    ONE_APART,
    SIZES,
    SMALL,
    TWO_ALPHAS,
    TWO_LABELS,
    Case,
    cells_with_noise,
    generic_cells,
    laws,
    one_cell,
    one_size,
    sizes_with_shares,
)
from epsilens.reproduce.p0.enumeration import Family, Sizes, over_draws, over_shares, risk

BOUND = "P0-1"
FORMULAS = "P0-4"
MARGINAL = "P0-5"
OVER_SIZES = "with a sum over all sizes in the place of the observed one"
AS_PRICED = "where every heterogeneous outcome is (n - 1, 1, 0, ...)"
TWO, MORE = "as a bound, two labels", "as a bound, three labels or more"


def theorem(family: Family, equations: Sequence[str]) -> list[Formula]:
    """The claims of Theorem 1 (Laplace) or 3 (Gaussian), whose five equations have these numbers."""
    local, expected, shrinkage, marginal, generic = equations
    return [
        *local_risk(family, local),
        *expected_risk(family, expected),
        *shrinkage_risk(family, shrinkage),
        *marginal_risk(family, marginal),
        *generic_risk(family, generic),
    ]


def model_of(sizes: Sizes) -> SizeModel:
    """The law of sizes as the homogeneity room takes it."""
    return PoissonSize(sizes.rate) if sizes.shape is None else NegativeBinomialSize(sizes.shape, sizes.rate)


def exact_local(case: Case) -> float:
    """Definition 6 for the cell of a case."""
    return risk(case.cell, case.law)


def exact_expected(case: Case) -> float:
    """Definition 7: over multinomial counts with the cell's own proportions."""
    return over_draws(sum(case.cell), case.shares, lambda drawn: risk(drawn, case.law))


def exact_shrinkage(case: Case) -> float:
    """Definition 8: over Dirichlet-multinomial counts."""
    return over_shares(case.size, case.alpha, lambda drawn: risk(drawn, case.law))


def exact_marginal(case: Case) -> float:
    """Definition 9: over sizes as well; of an empty cell nobody learns anything."""
    assert case.sizes is not None
    return case.sizes.expectation(lambda n: over_draws(n, case.shares, lambda drawn: risk(drawn, case.law)))


def exact_generic(case: Case) -> float:
    """Definition 10."""
    assert case.sizes is not None
    return case.sizes.expectation(lambda n: over_shares(n, case.alpha, lambda drawn: risk(drawn, case.law)))


def printed_local(case: Case, as_printed: bool = False) -> float:
    """The published local risk of the cell of a case."""
    return one_cell(lambda cells: published.local_formula(cells, "P0", as_printed), case)


def printed_expected(case: Case) -> float:
    """The published expected risk."""
    return one_cell(published.expected_formula, case)


def printed_shrinkage(case: Case) -> float:
    """The published shrinkage risk."""
    return one_size(published.shrinkage_formula, case)


def printed_marginal(case: Case, as_printed: bool = False) -> float:
    """The published marginal risk: f(n_i) times the expected risk of the observed size."""
    assert case.sizes is not None
    law = model_of(case.sizes)
    return one_cell(lambda cells: published.marginal_formula(cells, law, as_printed), case)


def printed_generic(case: Case) -> float:
    """The published marginal shrinkage risk."""
    law: SizeModel = FixedSize(case.size) if case.sizes is None else model_of(case.sizes)
    return published.generic_formula(case.labels, as_floats(case.alpha), law)(case.law.noise)


def marginal_over_sizes(case: Case) -> float:
    """The published expected risk of cells of n people with the cell's proportions, averaged over n ~ f."""
    assert case.sizes is not None
    shares = as_floats(case.shares)

    def at(n: int) -> float:
        draws = float((shares**n).sum())
        own, mixed = _own_and_mixed(n, case)
        return draws * own + (1.0 - draws) * mixed

    return case.sizes.expectation(at)


def _own_and_mixed(n: int, case: Case) -> tuple[float, float]:
    rest = (0,) * (case.labels - 2)
    cells = [(n, 0, *rest), (n - 1, 1, *rest)]
    own = published.local_formula(np.array(cells[:1]), "P0")(case.law.noise)[0]
    mixed = published.local_formula(np.array(cells[1:]), "P0")(case.law.noise)[0] if n >= 2 else 0.0
    return float(own), float(mixed)


def local_risk(family: Family, equation: str) -> list[Formula]:
    """The average local risk, whose second term carries a factor too much in print: below 1 in (13), above it in (22).

    So (22) is larger than it need be, which a bound for two labels may.
    """
    printed = partial(printed_local, as_printed=True)
    mended = (("without the factor before the second term", printed_local),)
    return [
        _formula(
            equation,
            AS_PRICED,
            "the local risk",
            FORMULAS,
            printed,
            exact_local,
            cells_with_noise(family, HOMOGENEOUS, ONE_APART),
            mended=mended,
        ),
        _bound(
            equation,
            TWO,
            "the local risk",
            FORMULAS if family == "laplace" else None,
            printed,
            exact_local,
            cells_with_noise(family, TWO_LABELS),
            mended=mended,
        ),
        _bound(
            equation,
            MORE,
            "the local risk",
            BOUND,
            printed,
            exact_local,
            cells_with_noise(family, MORE_LABELS),
            mended=mended,
        ),
    ]


def expected_risk(family: Family, equation: str) -> list[Formula]:
    """The average expected risk."""
    what = "the expected risk with the sample proportions"
    return [
        _formula(equation, AS_PRICED, what, None, printed_expected, exact_expected, cells_with_noise(family, SMALL)),
        _bound(
            equation,
            TWO,
            what,
            None,
            printed_expected,
            exact_expected,
            cells_with_noise(family, HOMOGENEOUS, TWO_LABELS),
        ),
        _bound(equation, MORE, what, BOUND, printed_expected, exact_expected, cells_with_noise(family, MORE_LABELS)),
    ]


def shrinkage_risk(family: Family, equation: str) -> list[Formula]:
    """The average shrinkage risk."""
    what = "the shrinkage risk"
    small = [
        *sizes_with_shares(family, (1, 2, 3), TWO_ALPHAS),
        *sizes_with_shares(family, (1, 2), MORE_ALPHAS),
    ]
    return [
        _formula(equation, AS_PRICED, what, None, printed_shrinkage, exact_shrinkage, small),
        _bound(
            equation,
            TWO,
            what,
            None,
            printed_shrinkage,
            exact_shrinkage,
            sizes_with_shares(family, (1, 2, 5, 12), TWO_ALPHAS),
        ),
        _bound(
            equation,
            MORE,
            what,
            BOUND,
            printed_shrinkage,
            exact_shrinkage,
            sizes_with_shares(family, (3, 4, 6), MORE_ALPHAS),
        ),
    ]


def marginal_risk(family: Family, equation: str) -> list[Formula]:
    """The average marginal risk, which weights the observed size."""
    term = "the part that the observed size has in the marginal risk"
    what = "the marginal risk of Definition 9"
    mended = ((OVER_SIZES, marginal_over_sizes),)
    return [
        _formula(equation, AS_PRICED, term, None, printed_marginal, observed_size, with_sizes(family, SMALL)),
        _bound(
            equation,
            TWO,
            what,
            MARGINAL,
            printed_marginal,
            exact_marginal,
            with_sizes(family, ((1, 0), (0, 3), (1, 1), (2, 1), (5, 2))),
            mended=mended,
        ),
        _bound(
            equation,
            MORE,
            what,
            MARGINAL,
            printed_marginal,
            exact_marginal,
            with_sizes(family, ((1, 1, 1),))[:6],
            mended=mended,
        ),
    ]


def generic_risk(family: Family, equation: str) -> list[Formula]:
    """The marginal shrinkage risk."""
    what = "the marginal shrinkage risk"
    return [
        _formula(
            equation,
            AS_PRICED,
            what,
            None,
            printed_generic,
            exact_shrinkage,
            sizes_with_shares(family, (1, 2, 3), TWO_ALPHAS),
        ),
        _bound(equation, TWO, what, None, printed_generic, exact_generic, generic_cells(family, TWO_ALPHAS)),
        _bound(equation, MORE, what, BOUND, printed_generic, exact_generic, generic_cells(family, MORE_ALPHAS[:1])[:6]),
    ]


def observed_size(case: Case) -> float:
    """P(size = n_i) times the expected risk of the cell: what the observed size adds to Definition 9."""
    assert case.sizes is not None
    return case.sizes.chance(sum(case.cell)) * exact_expected(case)


def with_sizes(family: Family, cells: Sequence[tuple[int, ...]]) -> list[Case]:
    """Cells with laws of sizes."""
    return [Case(law, cell, sizes=sizes) for cell in cells for sizes in SIZES for law in laws(family)[::2]]


def _formula(
    equation: str,
    about: str,
    what: str,
    departs: str | None,
    printed: Callable[[Any], float],
    true: Callable[[Any], float],
    cases: Sequence[Any],
    **more: Any,
) -> Formula:
    place = Place("P0", f"{equation}, {about}", what, departs)
    return Formula(place, f"{what} equals {equation}", printed, true, cases, **more)


def _bound(
    equation: str,
    about: str,
    what: str,
    departs: str | None,
    printed: Callable[[Any], float],
    true: Callable[[Any], float],
    cases: Sequence[Any],
    **more: Any,
) -> Formula:
    place = Place("P0", f"{equation}, {about}", what, departs)
    return Formula(place, f"{what} is at most {equation}", printed, true, cases, relation="is at least", **more)
