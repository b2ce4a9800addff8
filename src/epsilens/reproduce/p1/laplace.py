"""Definition 3.3 and section 3.2: the risk under Laplace noise."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from epsilens.homogeneity import published
from epsilens.reproduce.claims import Claim, Finding, Formula, Number, Place, Statement, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.cases import HOMOGENEOUS, MORE_ALPHAS, TWO_ALPHAS, Case, laws, listed, sizes_with_shares
from epsilens.reproduce.p0.enumeration import Family, Law, Sizes
from epsilens.reproduce.p0.homogeneous import first_term_shrinkage
from epsilens.reproduce.p0.takeaways import EPSILONS, TINY, own, rises
from epsilens.reproduce.p1.set_risks import (
    FROM_ZERO,
    over_sets,
    over_sizes,
    printed_negative_binomial,
    right_chance,
    share_of,
    summed,
    two_labels,
    with_law,
)
from epsilens.reproduce.printed import Printed

P1 = partial(Place, "P1")
SHAPE = "binom(n + lambda - 1, n), and "


def of_set(cell: tuple[int, ...], law: Law) -> float:
    """P1's risk of one set."""
    return float(published.local_formula(np.array([cell]), "P1")(law.noise)[0])


def _homogeneous_only(_: Data) -> Finding:
    """Whether the risk of heterogeneous sets is 0, and that of homogeneous ones 1 without noise."""
    still = Law("laplace", 500.0)
    mixed = max(of_set(cell, law) for cell in ((1, 1), (3, 1, 1)) for law in laws("laplace"))
    certain = min(of_set(cell, still) for cell in HOMOGENEOUS)
    return Finding(mixed == 0.0 and certain > 1.0 - 1e-12, f"{mixed:g} and {certain:g}")


def _increases(_: Data) -> Finding:
    """Whether Eq. (3.1) never falls as epsilon grows."""
    curves = [
        [two_labels(Case(Law("laplace", float(e)), size=n, alpha=alpha)) for e in EPSILONS]
        for n in (1, 2, 9)
        for alpha in TWO_ALPHAS
    ]
    return Finding(all(map(rises, curves)), f"in all of {len(curves)} pairs of a size and alpha")


def _unstable(_: Data) -> Finding:
    """Whether a fit of alpha to homogeneous sets ends on the boundary."""
    from epsilens.homogeneity.models.dirichlet_fits import fit_dirichlet
    from epsilens.table.frequency import FrequencyTable

    found = fit_dirichlet(FrequencyTable.from_counts([[3, 0], [0, 2], [1, 0], [5, 0]]))
    return Finding(found.on_boundary, f"alpha tends to 0, and is given as {listed(found.model.alpha)}")


def _first_term(_: Data) -> Finding:
    """Whether the term of Eq. (3.3) at n = 0, of a set without anybody, could be a part of a risk."""
    from epsilens.reproduce.p0.proofs import scenario_1

    def term(epsilon: float) -> float:
        return share_of(0, (1.0, 1.0)) * scenario_1(0, 2, Law("laplace", epsilon))

    return everywhere(
        (0.5, 1.0, 1.3, 1.5, 3.0),
        lambda epsilon: term(epsilon) >= 0.0,
        lambda epsilon: (
            f"at epsilon = {epsilon:g} it is {term(epsilon):.3f} times f(0); 2 log 2 is {2 * math.log(2):.3f}"
        ),
    )


def _large_sizes(_: Data) -> Finding:
    """Which share of Eq. (3.3) the sizes beyond 20 have, for the Poisson means of the papers' tables."""
    shares = []
    for rate in (2.43, 3.21, 4.6):
        case = Case(Law("laplace", 1.0), alpha=(1.0, 1.0), sizes=Sizes(rate))
        shares.append(summed(case, right_chance, 21) / summed(case, right_chance, 1))
    return Finding(max(shares) < 1e-6, f"sizes beyond 20 add {max(shares):.1g} of the sum at most")


def in_range(family: Family) -> Finding:
    """Whether the risk of homogeneous sets lies between 2^-K and 1."""
    cases = [(cell, law) for cell in HOMOGENEOUS for law in laws(family)[1:4]]
    return everywhere(
        cases,
        lambda case: 2.0 ** -len(case[0]) < of_set(*case) < 1.0,
        lambda case: f"at counts {listed(case[0])}, {case[1]}: {of_set(*case):.4g}",
    )


def floor_falls(_: Data) -> Finding:
    """Whether the floor tends to 0 as K grows."""
    floors = [own(3, TINY, labels) for labels in range(2, 21)]
    return Finding(
        floors == sorted(floors)[::-1] and floors[-1] < 1e-5, f"from {floors[0]:.4g} to {floors[-1]:.2g} at K = 20"
    )


def sizes_decide(_: Data) -> Finding:
    """Whether the risk of homogeneous sets differs between tables of other sizes, and only then."""
    law, tables = Law("laplace", 1.0), ([1, 1, 4], [4, 1, 1], [2, 2, 2])
    risks = [float(np.mean([of_set((n, 0), law) for n in sizes])) for sizes in tables]
    return Finding(
        abs(risks[0] - risks[1]) < 1e-15 and abs(risks[0] - risks[2]) > 1e-3,
        f"sizes 1, 1, 4 give {risks[0]:.4f} in any order, sizes 2, 2, 2 give {risks[2]:.4f}, both of mean 2",
    )


CLAIMS: tuple[Claim, ...] = (
    Statement(
        P1("Definition 3.3, its range", "the risk of heterogeneous sets, and of homogeneous ones without noise"),
        "0 and 1",
        _homogeneous_only,
    ),
    *over_sets("laplace", "Eq. (3.1)", "Eq. (3.4)", {"Eq. (3.2)": True, "Eq. (3.5)": False}),
    Statement(P1("Eq. (3.1), epsilon", "the risk as epsilon grows"), "it never falls", _increases),
    Statement(
        P1("Theorem 3.4, homogeneous sets", "a fit of alpha and beta where all sets are homogeneous"),
        "it is unstable",
        _unstable,
    ),
    over_sizes("laplace", "Eq. (3.3)", two_only=True),
    Statement(
        P1("Eq. (3.3), its first term", "the term of sets without anybody, n = 0", FROM_ZERO),
        "it is a part of a risk, 0 or more",
        _first_term,
    ),
    Statement(
        P1("Corollary 3.6, large sizes", "the terms of large sizes in the sum, Poisson sizes of the papers' means"),
        "they contribute next to nothing",
        _large_sizes,
    ),
    with_law("laplace", "Corollary 3.6", "Poisson", TWO_ALPHAS, right_chance, ""),
    with_law("laplace", "Corollary 3.6", "negative binomial", TWO_ALPHAS, printed_negative_binomial, SHAPE),
    Formula(
        P1("Theorem 3.7, K = 2", "the risk for any number of labels where there are two"),
        "Eq. (3.4) becomes Eq. (3.1)",
        first_term_shrinkage,
        two_labels,
        sizes_with_shares("laplace", (1, 2, 9), TWO_ALPHAS),
    ),
    Statement(
        P1("Eq. (3.5), its range", "the risk of homogeneous sets"),
        "it lies between 2^-K and 1",
        lambda _: in_range("laplace"),
    ),
    Number(
        P1("Eq. (3.5), smallest risk", "the smallest risk of homogeneous sets with two labels (printed as 1/4)"),
        Printed(".25"),
        lambda _: own(3, TINY),
    ),
    Statement(P1("Eq. (3.5), floor and K", "the lower bound as K grows"), "it tends to 0", floor_falls),
    Statement(
        P1("Eq. (3.5), sizes", "what the risk depends on, given epsilon and K"),
        "on the sizes of the sets",
        sizes_decide,
    ),
    over_sizes("laplace", "Eq. (3.6)", two_only=False),
    with_law("laplace", "Corollary 3.9", "Poisson", MORE_ALPHAS[:2], right_chance, ""),
    with_law("laplace", "Corollary 3.9", "negative binomial", MORE_ALPHAS[:2], printed_negative_binomial, SHAPE),
)
