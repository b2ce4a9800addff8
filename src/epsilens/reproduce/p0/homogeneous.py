"""Corollaries 2 and 4: what the theorems become where every cell is homogeneous.

Print drops the second term of each equation. That is right for the cells themselves; but shares that are drawn from a
Dirichlet law make heterogeneous cells, whatever was observed. So the equations with alpha are asked two things: whether
they are the part of the homogeneous draws, and whether they are the whole risk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from epsilens.arrays import as_floats
from epsilens.homogeneity import published
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.cases import (
    HOMOGENEOUS,
    MORE_ALPHAS,
    TWO_ALPHAS,
    Case,
    cells_with_noise,
    generic_cells,
    laws,
    one_size,
    sizes_with_shares,
)
from epsilens.reproduce.p0.enumeration import Family, homogeneous_risk, over_shares, risk, shown
from epsilens.reproduce.p0.theorems import (
    FORMULAS,
    MARGINAL,
    OVER_SIZES,
    exact_generic,
    exact_marginal,
    exact_shrinkage,
    model_of,
    printed_expected,
    printed_local,
    printed_marginal,
    with_sizes,
)

P0 = partial(Place, "P0")
DROPPED = "P0-15"
"""The entry on a second term that is dropped though it is not 0."""


def first_term_shrinkage(case: Case) -> float:
    """A_i times Scenario 1: Eqs. (15) and (24) without their second term."""
    return one_size(lambda cells, alpha: published.shrinkage_formula(cells, alpha, "P1"), case)


def first_term_generic(case: Case) -> float:
    """The sum over sizes of f(n) A_n times Scenario 1: Eqs. (17) and (26) without their second term."""
    assert case.sizes is not None
    alpha = as_floats(case.alpha)
    return published.generic_formula(case.labels, alpha, model_of(case.sizes), "P1")(case.law.noise)


def stray_shrinkage(case: Case) -> float:
    """Eq. (28): the first term over 4 B(alpha_1, alpha_2) in the place of 2^K."""
    from scipy import special

    return first_term_shrinkage(case) * 2.0**case.labels / (4.0 * float(special.beta(*case.alpha[:2])))


def stray_generic(case: Case) -> float:
    """Eq. (30): likewise, and 1 + erf = 2 P(a label nobody has is hidden) without its power K - 1."""
    from scipy import special

    lost = (2.0 - 2.0 * shown(0, case.law)) ** (case.labels - 2)
    return first_term_generic(case) * 2.0**case.labels / (4.0 * float(special.beta(*case.alpha[:2])) * lost)


def homogeneous_draw(case: Case) -> float:
    """P(the draw is homogeneous and stays so), by enumeration: what the first term stands for."""
    return over_shares(case.size, case.alpha, lambda drawn: homogeneous_risk(drawn, case.law))


def homogeneous_draw_of_any_size(case: Case) -> float:
    """The same over sizes."""
    assert case.sizes is not None
    return case.sizes.expectation(lambda n: over_shares(n, case.alpha, lambda drawn: homogeneous_risk(drawn, case.law)))


def over_sizes(case: Case) -> float:
    """The sum over all sizes n of f(n) times the risk of a homogeneous cell of n people."""
    assert case.sizes is not None
    rest = (0,) * (case.labels - 1)
    return case.sizes.expectation(lambda n: printed_local(Case(case.law, (n, *rest))))


def corollary(family: Family, equations: Sequence[str]) -> list[Formula]:
    """The four equations of Corollary 2 (Laplace) or 4 (Gaussian)."""
    local, shrinkage, marginal, generic = equations
    return [
        *(
            _homogeneous(family, local, measure, printed)
            for measure, printed in (("local", printed_local), ("expected", printed_expected))
        ),
        *_over_shares(family, shrinkage),
        Formula(
            P0(f"{marginal}, as Definition 9", "the marginal risk of homogeneous cells", MARGINAL),
            f"the marginal risk equals {marginal}",
            printed_marginal,
            exact_marginal,
            with_sizes(family, HOMOGENEOUS[:4]),
            mended=((OVER_SIZES, over_sizes),),
        ),
        *_over_shares_and_sizes(family, generic),
    ]


def _homogeneous(family: Family, equation: str, measure: str, printed: Callable[[Case], float]) -> Formula:
    return Formula(
        P0(f"{equation}, {measure}", f"the {measure} risk of homogeneous cells"),
        f"the {measure} risk equals {equation}",
        printed,
        lambda case: risk(case.cell, case.law),
        cells_with_noise(family, HOMOGENEOUS),
    )


def _over_shares(family: Family, equation: str) -> list[Formula]:
    stray = family == "gaussian"
    cases = [*sizes_with_shares(family, (1, 2, 5), TWO_ALPHAS), *sizes_with_shares(family, (1, 3), MORE_ALPHAS)]
    printed = stray_shrinkage if stray else first_term_shrinkage
    return [
        Formula(
            P0(
                f"{equation}, first term",
                "the part of homogeneous draws in the shrinkage risk",
                FORMULAS if stray else None,
            ),
            f"P(the draw is homogeneous and stays so) equals {equation}",
            printed,
            homogeneous_draw,
            cases,
            mended=(("2^K in the place of 4 B(alpha_1, alpha_2)", first_term_shrinkage),) if stray else (),
        ),
        Formula(
            P0(f"{equation}, as Definition 8", "the shrinkage risk of a table of homogeneous cells", DROPPED),
            f"the shrinkage risk equals {equation}, whatever alpha",
            printed,
            exact_shrinkage,
            cases,
        ),
    ]


def _over_shares_and_sizes(family: Family, equation: str) -> list[Formula]:
    stray = family == "gaussian"
    cases = [*generic_cells(family, TWO_ALPHAS), *generic_cells(family, MORE_ALPHAS[1:2])[:6]]
    mended = "2^K in the place of 4 B(alpha_1, alpha_2), and 1 + erf to the power K - 1"
    printed = stray_generic if stray else first_term_generic
    return [
        Formula(
            P0(
                f"{equation}, first term",
                "the part of homogeneous draws in the marginal shrinkage risk",
                FORMULAS if stray else None,
            ),
            f"P(the draw is homogeneous and stays so) equals {equation}",
            printed,
            homogeneous_draw_of_any_size,
            cases,
            mended=((mended, first_term_generic),) if stray else (),
        ),
        Formula(
            P0(f"{equation}, as Definition 10", "the marginal shrinkage risk of a table of homogeneous cells", DROPPED),
            f"the marginal shrinkage risk equals {equation}, whatever alpha",
            printed,
            exact_generic,
            cases[:24],
        ),
    ]


def ranges(family: Family) -> list[Statement]:
    """The measures of a corollary that are said to lie between 2^-K and 1, by print's formulas as they are meant."""
    corollary_name = "Corollary 2" if family == "laplace" else "Corollary 4"
    some = laws(family)[1:4]
    alphas = (*TWO_ALPHAS, *MORE_ALPHAS)
    measures: dict[str, tuple[Callable[[Case], float], Sequence[Case]]] = {
        "expected": (printed_expected, [Case(law, cell) for cell in HOMOGENEOUS for law in some]),
        "shrinkage": (
            first_term_shrinkage,
            [Case(law, size=n, alpha=alpha) for n in (1, 2, 6) for alpha in alphas for law in some],
        ),
        "marginal": (printed_marginal, with_sizes(family, HOMOGENEOUS)),
        "marginal shrinkage": (first_term_generic, generic_cells(family, alphas)),
    }
    return [
        Statement(
            P0(
                f"{corollary_name}, range of the {name} risk",
                f"the range of the printed {name} risk of homogeneous cells",
                None if name == "expected" else FORMULAS,
            ),
            "it lies between 2^-K and 1",
            partial(_in_range, value, cases),
        )
        for name, (value, cases) in measures.items()
    ]


def _in_range(value: Callable[[Case], float], cases: Sequence[Case], _: Data) -> Finding:
    """Whether the printed risk lies between 2^-K and 1 in all cases."""
    return everywhere(
        cases,
        lambda case: 2.0**-case.labels < value(case) < 1.0,
        lambda case: f"at {case} it is {value(case):.4g}, and 2^-K is {2.0**-case.labels:.4g}",
    )


CLAIMS: tuple[Claim, ...] = (
    *corollary("laplace", ("Eq. (18)", "Eq. (19)", "Eq. (20)", "Eq. (21)")),
    *ranges("laplace"),
)
