"""Definitions 7 to 11 and section 3.3: risks over tables that could have been observed, and their averages."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from epsilens.arrays import as_floats
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.models import expected
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.cases import (
    MORE_ALPHAS,
    TWO_ALPHAS,
    Case,
    cells_with_noise,
    generic_cells,
    laws,
    listed,
    one_cell,
    one_size,
    sizes_with_shares,
)
from epsilens.reproduce.p0.enumeration import Cell, Law, over_draws, over_shares, risk
from epsilens.reproduce.p0.theorems import (
    FORMULAS,
    exact_expected,
    exact_generic,
    exact_marginal,
    exact_shrinkage,
    model_of,
    with_sizes,
)

P0 = partial(Place, "P0")
CELLS: tuple[Cell, ...] = ((3, 0), (1, 1), (4, 2), (1, 1, 1), (3, 0, 2), (2, 2, 1, 0))
DRAWS = [*cells_with_noise("laplace", CELLS), *cells_with_noise("gaussian", CELLS)]
SHARES = [
    *sizes_with_shares("laplace", (1, 4, 7), (*TWO_ALPHAS, *MORE_ALPHAS)),
    *sizes_with_shares("gaussian", (2, 5), (*TWO_ALPHAS, *MORE_ALPHAS)),
]
MARGINALS = [*with_sizes("laplace", ((2, 1), (0, 3))), *with_sizes("gaussian", ((1, 1),))]
GENERIC = [*generic_cells("laplace", TWO_ALPHAS), *generic_cells("gaussian", TWO_ALPHAS[:1])]
TABLE: tuple[Cell, ...] = ((3, 0), (1, 1), (0, 1), (6, 2))


def ours_expected(case: Case, match: str = "any") -> float:
    """Our expected risk of the cell of a case."""
    return one_cell(lambda cells: expected.expected_risks(cells, match), case)


def ours_shrinkage(case: Case, match: str = "any") -> float:
    """Our shrinkage risk."""
    return one_size(lambda cells, alpha: expected.shrinkage_risks(cells, alpha, match), case)


def ours_marginal(case: Case, match: str = "any") -> float:
    """Our marginal risk times P(n >= 1): print's f has mass at 0, where nobody is, and ours is given n >= 1."""
    assert case.sizes is not None
    law = model_of(case.sizes)
    return law.occupied * one_cell(lambda cells: expected.marginal_risks(cells, law, match), case)


def ours_generic(case: Case, match: str = "any") -> float:
    """Our marginal shrinkage risk, times P(n >= 1) likewise."""
    assert case.sizes is not None
    law, vector = model_of(case.sizes), np.zeros((1, case.labels), dtype=np.int64)
    vector[0, 0] = 1
    found = expected.generic_risk(vector, np.ones(1, dtype=np.int64), as_floats(case.alpha), law, match)
    return law.occupied * found(case.law.noise)


def by_quadrature(case: Case) -> float:
    """E over p ~ Beta(alpha) of the marginal risk with shares (p, 1 - p), by Gauss-Jacobi quadrature."""
    from scipy import special

    assert case.sizes is not None
    a, b = case.alpha
    nodes, weights = special.roots_jacobi(40, b - 1.0, a - 1.0)
    total = 0.0
    for node, weight in zip(nodes, weights / weights.sum(), strict=True):
        p = 0.5 * (float(node) + 1.0)
        total += float(weight) * case.sizes.expectation(partial(_expected_of, (p, 1.0 - p), case.law))
    return total


def _expected_of(shares: tuple[float, ...], law: Law, size: int) -> float:
    return over_draws(size, shares, lambda drawn: risk(drawn, law))


def ours_average(case: tuple[bool, Law]) -> float:
    """Our average of a small table's local risks, over people or over cells."""
    weighted, law = case
    weights = cell_weights(np.array(TABLE), np.ones(len(TABLE), dtype=np.int64), weighted)
    return float(weights @ [risk(cell, law) for cell in TABLE])


def plain_average(case: tuple[bool, Law]) -> float:
    """The same by going from cell to cell, or from person to person."""
    weighted, law = case
    risks = [risk(cell, law) for cell in TABLE for _ in range(sum(cell) if weighted else 1)]
    return math.fsum(risks) / len(risks)


def share(law: Law, cell: Cell) -> float:
    """Eq. (7) for a cell, by enumeration."""
    return risk(cell, law, "share")


def expected_share(case: Case, size: int) -> float:
    """Over multinomial counts of so many people."""
    return over_draws(size, case.shares, partial(share, case.law))


def shrinkage_share(case: Case, size: int) -> float:
    """Over Dirichlet-multinomial counts of so many people."""
    return over_shares(size, case.alpha, partial(share, case.law))


def _with_shares_of_people(_: Data) -> Finding:
    """Whether Definitions 7 to 10 with Eq. (7) are out of reach: ours against enumerations."""
    gaps = [ours_expected(case, "share") - expected_share(case, sum(case.cell)) for case in DRAWS]
    gaps += [ours_shrinkage(case, "share") - shrinkage_share(case, case.size) for case in SHARES]
    for case in MARGINALS[:6]:
        assert case.sizes is not None
        gaps.append(ours_marginal(case, "share") - case.sizes.expectation(partial(expected_share, case)))
    for case in GENERIC[:6]:
        assert case.sizes is not None
        gaps.append(ours_generic(case, "share") - case.sizes.expectation(partial(shrinkage_share, case)))
    worst = max(map(abs, gaps))
    return Finding(
        worst > 1e-9,
        f"each is a coefficient of a product of power series, one convolution: within {worst:.1g} of an enumeration in "
        f"all of {len(gaps)} cases",
    )


def _no_shrinkage(_: Data) -> Finding:
    """Whether one alpha for all cells gives every cell its expected risk."""
    first, second, law = (2, 2), (3, 1), Law("laplace", 1.0)
    wanted = [exact_expected(Case(law, cell)) for cell in (first, second)]
    alphas = [(a, b) for a in np.geomspace(1e-3, 1e4, 15) for b in np.geomspace(1e-3, 1e4, 15)]
    gaps = []
    for a, b in alphas:
        found = ours_shrinkage(Case(law, size=4, alpha=(float(a), float(b))))
        gaps.append(max(abs(found - each) for each in wanted))
    nearest = alphas[int(np.argmin(gaps))]
    return Finding(
        min(gaps) < 1e-6,
        f"cells {first} and {second} have expected risks of {wanted[0]:.4f} and {wanted[1]:.4f} at {law}, and every "
        f"alpha gives both, being of one size, the same shrinkage risk; none of {len(alphas)} is within "
        f"{min(gaps):.4f} of both (alpha = {listed(map(float, nearest))} is nearest)",
    )


def _own_alpha(_: Data) -> Finding:
    """The same where every cell has an alpha of its own, in proportion to its counts and large."""
    gaps = []
    for cell in ((2, 2), (3, 1), (1, 1, 2)):
        for law in laws("laplace"):
            alpha = tuple(1e9 * n / sum(cell) for n in cell)
            gaps.append(abs(ours_shrinkage(Case(law, size=sum(cell), alpha=alpha)) - exact_expected(Case(law, cell))))
    return Finding(max(gaps) < 1e-6, f"alpha = 1e9 times the proportions comes within {max(gaps):.1g} of it")


CLAIMS: tuple[Claim, ...] = (
    Formula(
        P0("Eq. (8), expected risk", "the local risk expected over multinomial counts"),
        "E over n_i ~ multinomial(n_i, p_i) of the local risk",
        ours_expected,
        exact_expected,
        DRAWS,
    ),
    Formula(
        P0("Eq. (9), shrinkage risk", "the expected risk over Dirichlet shares, alpha = 1 among them"),
        "E over p_i ~ Dirichlet(alpha) of the expected risk",
        ours_shrinkage,
        exact_shrinkage,
        SHARES,
    ),
    Formula(
        P0("Eq. (10), marginal risk", "the expected risk over sizes"),
        "E over n_i ~ f of the expected risk",
        ours_marginal,
        exact_marginal,
        MARGINALS,
    ),
    Formula(
        P0("Eq. (11), marginal shrinkage risk", "the shrinkage risk over sizes"),
        "E over n_i ~ f of the shrinkage risk",
        ours_generic,
        exact_generic,
        GENERIC,
    ),
    Formula(
        P0("Eq. (11), in the other order", "the marginal risk averaged over shares"),
        "E over p_i of the marginal risk is the marginal shrinkage risk",
        ours_generic,
        by_quadrature,
        [case for case in GENERIC if min(case.alpha) >= 1.0][:6],
    ),
    Formula(
        P0("Theorem 1, marginal shrinkage risk", "which risk it is that Eq. (17) bounds", FORMULAS),
        "that of Eq. (10)",
        exact_marginal,
        exact_generic,
        [replace(case, cell=(1, 1)) for case in GENERIC if case.alpha == (1.0, 1.0)],
        mended=(("that of Eq. (11)", ours_generic),),
    ),
    Formula(
        P0("Eq. (12), averages", "averages over cells and over people"),
        "w_i = 1 / N, or w_i = n_i / n",
        ours_average,
        plain_average,
        [(weighted, law) for weighted in (False, True) for law in laws("laplace")],
        told=lambda case: f"{'people' if case[0] else 'cells'}, {case[1]}",
    ),
    Statement(
        P0("Definition 6, difficulty of Eq. (7)", "what Eq. (7) would mean for Definitions 7 to 10", "P0-3"),
        "it stands in the way of deriving them",
        _with_shares_of_people,
    ),
    Statement(
        P0("section 3.3, shrinkage and expected risk", "the expected risk as a case of the shrinkage risk", "P0-14"),
        "there is an alpha, common to all cells, without shrinkage",
        _no_shrinkage,
        (("if every cell has an alpha of its own", _own_alpha),),
    ),
)
