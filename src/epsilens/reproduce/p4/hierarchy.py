"""P4, sections 3.2 and S3: two levels, Equations (3.8), (3.9) and (S3.4) to (S3.14).

The truth is counted with the exact law of the siblings' noise, convolved draw by draw, and a prior on the parent's
count that is uniform up to far beyond all noisy counts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.noise.sums import sum_approximation_error
from epsilens.posterior.noises import one_noise
from epsilens.posterior.single import single_level
from epsilens.posterior.trees.leaf_priors import UniformLeaf
from epsilens.posterior.trees.posterior import tree
from epsilens.posterior.two_levels.expected import expected_two_level
from epsilens.posterior.two_levels.posterior import two_level
from epsilens.reproduce.claims import Claim, Finding
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4.setting import (
    RHO_BLOCK,
    RHO_GROUP,
    SIBLINGS,
    Check,
    discrete_gaussian,
    formula,
    percent,
    probability_of,
    statement,
)

KNOWN = 5
"""The example of section 3.2: five people are known of, and the question is whether there is a sixth."""
SMALL_CHANGE = 0.01


class Case(NamedTuple):
    """Budgets, how many siblings, the people known of, and three noisy counts."""

    rho: float
    rho_parent: float
    siblings: int
    known: int
    noisy: int
    noisy_parent: int
    noisy_siblings: int
    prior: float = 0.3


CASES = [
    Case(rho, rho_parent, siblings, known, known + more, known + above, beside)
    for rho, rho_parent in ((0.05, 0.3), (0.099, 0.246), (0.15, 0.05))
    for siblings in (2, 5, 27)
    for known in (0, 2)
    for more, above, beside in ((1, 1, 0), (2, 1, -1), (-1, 4, 3))
]
PARENTS = (0, 1, 2, 3, 5)
"""Counts of the parent beyond the people known of."""
PAIRS = [(case, parent) for case in CASES for parent in PARENTS[1:]]


def told(case: Case) -> str:
    """A case in words."""
    return (
        f"rho = {case.rho} and {case.rho_parent}, d = {case.siblings}, known = {case.known}, noisy counts "
        f"{case.noisy}, {case.noisy_parent} and {case.noisy_siblings}"
    )


def _told_pair(pair: tuple[Case, int]) -> str:
    return f"{told(pair[0])}, X2 = {pair[0].known + pair[1]}"


@lru_cache(maxsize=32)
def _sum_law(rho: float, terms: int) -> tuple[FloatArray, int]:
    """The exact law of a sum of so many noises, by convolution, and where its middle is."""
    values, probabilities = discrete_gaussian(rho)
    kept = np.abs(values) <= 40
    one, law = probabilities[kept], np.ones(1)
    for _ in range(terms):
        law = np.convolve(law, one)
    return law, terms * 40


def counted(case: Case, child: int, parent: int) -> float:
    """The joint probability of these counts and the noisy ones, up to what all pairs of counts share."""
    if parent < child:
        return 0.0
    law, middle = _sum_law(case.rho, case.siblings)
    return (
        math.exp(_log_prior(case, child))
        * probability_of(case.rho, case.noisy - child)
        * probability_of(case.rho_parent, case.noisy_parent - parent)
        * float(law[middle + case.noisy_siblings - (parent - child)])
    )


def _log_counted(case: Case, child: int, parent: int) -> float:
    return math.log(counted(case, child, parent))


def _log_prior(case: Case, child: int) -> float:
    return math.log(case.prior if child > case.known else 1.0 - case.prior)


def _joint(case: Case, child: int, parent: int) -> float:
    """(S3.4), the logarithm, where k2 >= k1."""
    beside = case.noisy_siblings - (parent - child)
    return (
        -case.rho * (case.noisy - child) ** 2
        - case.rho_parent * (case.noisy_parent - parent) ** 2
        - case.rho / case.siblings * beside**2
        + _log_prior(case, child)
    )


def _child_lines() -> dict[str, Callable[[Case, int, int], float]]:
    """The exponents of the full conditional of X1 at each line of its derivation, at a count k1 and a parent's k2."""

    def squares(case: Case, k1: int, k2: int) -> float:
        return -case.rho * (case.noisy - k1) ** 2 - case.rho / case.siblings * (case.noisy_siblings - k2 + k1) ** 2

    def opened(case: Case, k1: int, k2: int) -> float:
        beside = k1**2 - 2 * k1 * (k2 - case.noisy_siblings)
        return -case.rho * (k1**2 - 2 * k1 * case.noisy) - case.rho / case.siblings * beside

    def gathered(case: Case, k1: int, k2: int) -> float:
        d, both = case.siblings, case.noisy + (k2 - case.noisy_siblings) / case.siblings
        return -(d + 1) / d * case.rho * k1**2 + 2 * case.rho * both * k1

    def completed(case: Case, k1: int, k2: int) -> float:
        d = case.siblings
        centre = (d * case.noisy + (k2 - case.noisy_siblings)) / (d + 1)
        return -(d + 1) / d * case.rho * (k1 - centre) ** 2

    return {"(S3.6)": squares, "(S3.7)": opened, "(S3.8)": gathered, "(S3.9)": completed, "(3.8)": completed}


def _parent_lines() -> dict[str, Callable[[Case, int, int], float]]:
    """The same of X2."""

    def squares(case: Case, k1: int, k2: int) -> float:
        beside = case.noisy_siblings + k1 - k2
        return -case.rho_parent * (case.noisy_parent - k2) ** 2 - case.rho / case.siblings * beside**2

    def opened(case: Case, k1: int, k2: int) -> float:
        beside = k2**2 - 2 * k2 * (case.noisy_siblings + k1)
        return -case.rho_parent * (k2**2 - 2 * k2 * case.noisy_parent) - case.rho / case.siblings * beside

    def gathered(case: Case, k1: int, k2: int) -> float:
        share = case.rho / case.siblings
        both = case.rho_parent * case.noisy_parent + share * (case.noisy_siblings + k1)
        return -(case.rho_parent + share) * k2**2 + 2 * both * k2

    def completed(case: Case, k1: int, k2: int) -> float:
        share = case.rho / case.siblings
        both = case.rho_parent + share
        centre = (case.rho_parent * case.noisy_parent + share * (case.noisy_siblings + k1)) / both
        return -both * (k2 - centre) ** 2

    return {"(S3.11)": squares, "(S3.12)": opened, "(S3.13)": gathered, "(S3.14)": completed, "(3.9)": completed}


def _odds_of_child(line: Callable[[Case, int, int], float]) -> Callable[[tuple[Case, int]], float]:
    """Log odds of one more in the group, at a count of the parent that admits it."""

    def odds(pair: tuple[Case, int]) -> float:
        case, k2 = pair[0], pair[0].known + pair[1]
        k1 = case.known
        return line(case, k1 + 1, k2) - line(case, k1, k2) + _log_prior(case, k1 + 1) - _log_prior(case, k1)

    return odds


def _true_odds_of_child(pair: tuple[Case, int]) -> float:
    case, k2 = pair[0], pair[0].known + pair[1]
    return _log_counted(case, case.known + 1, k2) - _log_counted(case, case.known, k2)


def _odds_of_parent(line: Callable[[Case, int, int], float]) -> Callable[[tuple[Case, int]], float]:
    """Log odds of a parent's count against the next one."""

    def odds(pair: tuple[Case, int]) -> float:
        case, k2 = pair[0], pair[0].known + pair[1]
        return line(case, case.known + 1, k2 + 1) - line(case, case.known + 1, k2)

    return odds


def _true_odds_of_parent(pair: tuple[Case, int]) -> float:
    case, k2 = pair[0], pair[0].known + pair[1]
    return _log_counted(case, case.known + 1, k2 + 1) - _log_counted(case, case.known + 1, k2)


def _odds_of_joint(joint: Callable[[Case, int, int], float]) -> Callable[[tuple[Case, int]], float]:
    """Of a pair of counts against nobody more in the group and one more above."""
    return lambda pair: (
        joint(pair[0], pair[0].known + 1, pair[0].known + pair[1]) - joint(pair[0], pair[0].known, pair[0].known + 1)
    )


def counted_posterior(case: Case) -> float:
    """P(one more in the group), the parent's count summed over all that may be."""
    highest = max(case.noisy_parent, case.noisy_siblings + case.known) + 50
    absent, present = (
        math.fsum(counted(case, child, parent) for parent in range(child, highest))
        for child in (case.known, case.known + 1)
    )
    return present / (absent + present)


def our_posterior(case: Case) -> float:
    """The same by our own function."""
    noisy = (case.noisy, case.noisy_parent, case.noisy_siblings)
    rho = (case.rho, case.rho_parent)
    return two_level(*noisy, case.siblings, rho, case.prior, case.known).posterior


def _five_above(_: Data) -> Finding:
    """One level up shows five, the five that are known of, and the group itself six."""
    rho = (RHO_BLOCK, RHO_GROUP)
    both = two_level(KNOWN + 1, KNOWN, 0, SIBLINGS, rho, known=KNOWN).posterior
    one = float(single_level(KNOWN + 1, KNOWN, RHO_BLOCK))
    seen = f"the posterior of a sixth is {percent(both)}, and {percent(one)} from the group's noisy count of 6 alone"
    return Finding(both < 0.5 < one, seen)


def _hundred_above(_: Data) -> Finding:
    found = expected_two_level(100, SIBLINGS, (RHO_BLOCK, RHO_GROUP), known=KNOWN)
    change = abs(found.correct_decision - found.correct_decision_alone)
    return Finding(change < SMALL_CHANGE, f"decisions are right {100.0 * change:.2f} points more often")


def _siblings(others: Sequence[int]) -> Check:
    """Siblings with a uniform prior on each, from their own noisy counts and from their total alone."""

    def check(_: Data) -> Finding:
        rho = (RHO_BLOCK, RHO_GROUP)
        own = tree([[2, *others], [2]], [[0] * (len(others) + 1)], rho=rho, leaf_prior=UniformLeaf()).posterior
        total = two_level(2, 2, sum(others), len(others), rho).posterior
        seen = f"{own:.4f} from noisy counts {', '.join(map(str, others))}, {total:.4f} from their total"
        return Finding(abs(own - total) < 1e-6, seen)

    return check


def _sum_distances(rho: float, terms: Sequence[int]) -> list[float]:
    return [sum_approximation_error(one_noise(rho, None), number) for number in terms]


def _better_with_small_rho(_: Data) -> Finding:
    rhos = (1.0, 0.7, 0.5, 0.3)
    distances = [[_sum_distances(rho, (terms,))[0] for rho in rhos] for terms in (5, SIBLINGS)]
    falls = all(later < earlier for row in distances for earlier, later in itertools.pairwise(row))
    return Finding(falls, f"from {distances[1][0]:.1e} at rho = 1 to {distances[1][-1]:.1e} at .3, d = {SIBLINGS}")


def _better_with_more(_: Data) -> Finding:
    terms = (2, 5, 10, 27, 100, 1000)
    distances = [_sum_distances(rho, terms) for rho in (1.0, 0.5)]
    falls = all(later < earlier for row in distances for earlier, later in itertools.pairwise(row))
    seen = (
        f"at rho = 1 from {distances[0][0]:.1e} for 2 to {distances[0][-1]:.1e} for 1,000, below which it does not come"
    )
    return Finding(falls, seen)


def _accurate(_: Data) -> Finding:
    distance = sum_approximation_error(one_noise(RHO_BLOCK, None), SIBLINGS)
    return Finding(distance < 1e-6, f"the distance is {distance:.1e}")


CLAIMS: list[Claim] = [
    statement(
        "section 3.2, five above",
        "evidence from one level up",
        "a count of 5 above speaks against a sixth in the group",
        _five_above,
    ),
    statement(
        "section 3.2, a hundred above",
        "evidence from one level up",
        "of little use in this decision (less than a point)",
        _hundred_above,
    ),
    statement(
        "section 3.2, siblings",
        "what their own noisy counts add",
        "nothing: they enter by their noisy total alone",
        _siblings((3, 1, -1)),
        "P4-6",
        readings=(("of a single other block", _siblings((3,))),),
    ),
    statement(
        "Eq. (3.7), small rho",
        "a sum of noises beside one discrete Gaussian",
        "nearer to it for smaller rho",
        _better_with_small_rho,
        "P4-3",
    ),
    statement(
        "Eq. (3.7), many terms",
        "a sum of noises beside one discrete Gaussian",
        "nearer to it for more terms",
        _better_with_more,
        "P4-3",
    ),
    statement(
        "Eq. (3.7), of section 4",
        "a sum of noises beside one discrete Gaussian",
        "very near for its rho and 27 terms",
        _accurate,
        "P4-3",
    ),
    formula(
        "Eq. (S3.4), joint posterior",
        "log odds of two pairs of counts",
        "the product of three Gaussian factors, of k2 >= k1 and of the prior of k1",
        printed=_odds_of_joint(_joint),
        true=_odds_of_joint(_log_counted),
        cases=PAIRS,
        told=_told_pair,
    ),
    formula(
        "Eq. (S3.4), ours",
        "the posterior of the group's count",
        "two_level",
        in_print=False,
        printed=our_posterior,
        true=counted_posterior,
        cases=CASES,
        told=told,
    ),
    *(
        formula(
            f"Eq. {name}, full conditional of X1",
            "log odds of one more in the group, where k1 <= k2",
            "its right side",
            printed=_odds_of_child(line),
            true=_true_odds_of_child,
            cases=PAIRS,
            told=_told_pair,
        )
        for name, line in _child_lines().items()
    ),
    *(
        formula(
            f"Eq. {name}, full conditional of X2",
            "log odds of one more above",
            "its right side",
            printed=_odds_of_parent(line),
            true=_true_odds_of_parent,
            cases=PAIRS,
            told=_told_pair,
        )
        for name, line in _parent_lines().items()
    ),
]
