"""The equations of section 3, for both laws of noise: the risk of sets that are homogeneous before and after noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from epsilens.homogeneity import published
from epsilens.reproduce.claims import Formula, Place
from epsilens.reproduce.p0.cases import (
    HOMOGENEOUS,
    MORE_ALPHAS,
    TWO_ALPHAS,
    Case,
    cells_with_noise,
    generic_cells,
    one_cell,
    sizes_with_shares,
)
from epsilens.reproduce.p0.enumeration import Family, Sizes, scenario_chance
from epsilens.reproduce.p0.homogeneous import (
    first_term_generic,
    first_term_shrinkage,
    homogeneous_draw,
    homogeneous_draw_of_any_size,
)
from epsilens.reproduce.p0.proofs import scenario_1
from epsilens.reproduce.p0.two_labels import beta_share

P1 = partial(Place, "P1")
FROM_ZERO = "P0-7"
"""The entry on sums over sizes: where they begin, and two laws of sizes that are misprinted."""
Chance: TypeAlias = Callable[[Sizes, int], float]
LAST = 90
"""Sums over the sizes of these cases have no more to add from here on."""
FROM_ONE = "the sum from n = 1"


def two_labels(case: Case) -> float:
    """Eqs. (3.1) and (3.7) for one set: with beta functions."""
    return beta_share(case.size, case.alpha) * scenario_1(case.size, 2, case.law)


def share_of(n: int, alpha: Sequence[float]) -> float:
    """The sum over k of Gamma(A) Gamma(alpha_k + n) / (Gamma(A + n) Gamma(alpha_k)): K at n = 0."""
    total = math.lgamma(sum(alpha)) - math.lgamma(sum(alpha) + n)
    return math.fsum(math.exp(total + math.lgamma(a + n) - math.lgamma(a)) for a in alpha)


def right_chance(sizes: Sizes, n: int) -> float:
    """P(n) of the law of sizes."""
    return sizes.chance(n)


def printed_negative_binomial(sizes: Sizes, n: int) -> float:
    """binom(n + lambda + 1, n) (1 - r)^n r^lambda; of a Poisson law there is nothing to misprint here."""
    if sizes.shape is None:
        return sizes.chance(n)
    shape, hit = sizes.shape, sizes.shape / (sizes.shape + sizes.rate)
    logs = math.lgamma(n + shape + 2.0) - math.lgamma(n + 1.0) - math.lgamma(shape + 2.0)
    return math.exp(logs + n * math.log1p(-hit) + shape * math.log(hit))


def printed_poisson(sizes: Sizes, n: int) -> float:
    """e^-lambda lambda^-n / n!."""
    return math.exp(-sizes.rate - n * math.log(sizes.rate) - math.lgamma(n + 1.0))


def summed(case: Case, chance: Chance, first: int) -> float:
    """The sum over sizes from ``first`` on of chance(n) A_n times the risk of a homogeneous set of n people."""
    assert case.sizes is not None
    sizes = case.sizes
    return math.fsum(
        chance(sizes, n) * share_of(n, case.alpha) * scenario_1(n, case.labels, case.law) for n in range(first, LAST)
    )


def from_zero(chance: Chance) -> Callable[[Case], float]:
    """Print's sum."""
    return lambda case: summed(case, chance, 0)


def over_sets(family: Family, two: str, more: str, homogeneous: Mapping[str, bool]) -> list[Formula]:
    """The equations for given sets: with two labels, with any number of them, and of homogeneous sets.

    ``homogeneous`` says of each of the latter whether it is for two labels only.
    """
    return [
        Formula(
            P1(f"{two}, sets with two labels", "the risk of sets with beta distributed shares"),
            f"it equals {two}",
            two_labels,
            homogeneous_draw,
            sizes_with_shares(family, (1, 2, 5, 12), TWO_ALPHAS),
        ),
        Formula(
            P1(f"{more}, any number of labels", "the risk of sets with Dirichlet distributed shares"),
            f"it equals {more}",
            first_term_shrinkage,
            homogeneous_draw,
            sizes_with_shares(family, (1, 2, 5), (*TWO_ALPHAS, *MORE_ALPHAS)),
        ),
        *(
            Formula(
                P1(f"{equation}, homogeneous sets", "the risk of homogeneous sets"),
                f"it equals {equation}",
                lambda case: one_cell(lambda cells: published.local_formula(cells, "P1"), case),
                lambda case: scenario_chance(case.cell, case.law, 1),
                [case for case in cells_with_noise(family, HOMOGENEOUS) if case.labels == 2 or not two_only],
            )
            for equation, two_only in homogeneous.items()
        ),
    ]


def over_sizes(family: Family, equation: str, two_only: bool) -> Formula:
    """An equation that sums over the sizes, from 0 on."""
    alphas = TWO_ALPHAS if two_only else (*TWO_ALPHAS[:1], *MORE_ALPHAS[:2])
    return Formula(
        P1(f"{equation}, sum over sizes", "the risk over sizes", FROM_ZERO),
        f"it equals {equation}",
        from_zero(right_chance),
        homogeneous_draw_of_any_size,
        generic_cells(family, alphas)[:: 1 if two_only else 2],
        mended=((FROM_ONE, first_term_generic),),
    )


def with_law(
    family: Family, equation: str, law: str, alphas: Sequence[tuple[float, ...]], chance: Chance, slip: str
) -> Formula:
    """An equation with a law of sizes written out; ``slip`` says how its chances may have been meant."""
    poisson = law == "Poisson"
    cases = [case for case in generic_cells(family, alphas) if case.sizes and (case.sizes.shape is None) == poisson]
    return Formula(
        P1(f"{equation}, {law} sizes", f"the risk over {law} sizes", FROM_ZERO),
        f"it equals {equation} with the law written out",
        from_zero(chance),
        homogeneous_draw_of_any_size,
        cases,
        mended=((f"{slip}{FROM_ONE}", first_term_generic),),
    )
