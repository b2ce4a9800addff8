"""Definition 1 and Theorems 7 to 10: how far biases of cells are apart, as it is bounded and as it is."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance import published
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.avoidance.suppression import DPSuppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.avoidance.system import fairness
from epsilens.lazy import LaterModule
from epsilens.noise.laplace import LaplaceNoise
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2.bias import (
    TABLE_EPSILON,
    Counts,
    Group,
    some_counts,
    some_groups,
    suppression_bias,
    swapping_bias,
)
from epsilens.reproduce.p2.extracts import MASSACHUSETTS, histogram, race_column
from epsilens.reproduce.p2.section_3 import EPSILONS, K

integrate = LaterModule("scipy.integrate")

LEVELS = 9
_ROUNDING = 1e-9
_SEED = 9


class Trio(NamedTuple):
    """The three alphas of Theorem 10: of suppression, of swapping, of Laplace noise."""

    suppression: float
    swapping: float
    laplace: float


def apart(bias: FloatArray) -> float:
    """The largest difference of two biases, pair by pair."""
    return max((abs(float(a - b)) for a, b in combinations(bias, 2)), default=0.0)


def clipping_bias(epsilon: float, count: int) -> float:
    """E max(0, x + eta) - x by integrating the tail of Laplace noise of scale 2 / epsilon."""
    rate = 0.5 * epsilon
    return float(integrate.quad(lambda t: 0.5 * math.exp(-rate * (count + t)), 0.0, np.inf, epsabs=1e-13)[0])


def laplace_alpha(case: Counts) -> float:
    """The spread of the biases of clipped Laplace counts."""
    return apart(np.array([clipping_bias(case.epsilon, count) for count in case.counts]))


def half_at_the_top(number: int) -> list[Counts]:
    """Counts whose largest is exactly k/2, not all of them equal."""
    return [
        Counts(epsilon, 2 * top, tuple(sorted({lowest, (lowest + top) // 2, top})))
        for epsilon in (0.1, *EPSILONS)
        for top in range(2, 2 + number)
        for lowest in (0, 1)
    ]


def between_2_and_k(number: int) -> list[Counts]:
    """Tables of Theorem 10, whose smallest count is between 2 and k."""
    rng, found = np.random.default_rng(_SEED), []
    for case in range(number):
        k = (6, 11, 3, 20)[case % 4]
        smallest = int(rng.integers(2, k + 1))
        counts = sorted((smallest, *(smallest + int(x) for x in rng.negative_binomial(0.5, 0.02, 1 + case % 4))))
        found.append(Counts((0.1, *EPSILONS)[case % 5], k, tuple(counts)))
    found.append(Counts(0.5, 6, (3, 10_000)))
    return found


def bounds_of(case: Counts, levels: int) -> Trio:
    """Theorems 7 to 9."""
    return Trio(
        published.suppression_fairness_bound(case.counts, case.epsilon, case.k),
        published.swapping_fairness_bound(case.counts, case.epsilon, levels),
        published.laplace_fairness_bound(case.counts, case.epsilon),
    )


def exact_of(case: Counts) -> Trio:
    """What these bound, the counts being one group that is swapped."""
    x = as_floats(case.counts)
    return Trio(
        fairness(DPSuppression(case.k, case.epsilon).bias(x)),
        fairness(DPSwapping(case.epsilon, len(x)).bias(x[None, :])),
        fairness(NoisyCounts(LaplaceNoise(2.0 / case.epsilon), rounded=False).bias(x)),
    )


def _ordered(trios: list[tuple[Counts, Trio]]) -> Finding:
    """Whether Laplace noise has the least alpha in every case; else the case in which it is furthest from it."""
    worst, found = max(trios, key=lambda pair: pair[1].laplace - min(pair[1][:2]))
    if found.laplace <= min(found[:2]) + _ROUNDING:
        return Finding(True, f"in all of {len(trios):,} cases")
    return Finding(
        False,
        f"at {worst} alpha is {found.laplace:.4g} with Laplace noise, {found.suppression:.4g} with suppression and "
        f"{found.swapping:.4g} with swapping",
    )


def _fairness_is_ordered() -> Finding:
    return _ordered([(case, exact_of(case)) for case in between_2_and_k(200)])


def _bounds_are_ordered() -> Finding:
    return _ordered([(case, bounds_of(case, levels)) for case in between_2_and_k(200) for levels in (1, 2, 9, 540)])


def _worth(data: Data, theorem: int) -> Finding:
    """A bound on the Massachusetts table beside what it bounds and what bounds it without a theorem."""
    table = histogram(data, MASSACHUSETTS)
    x, race = as_floats(table.counts), race_column(data, MASSACHUSETTS)
    lowest, highest = float(x.min()), float(x.max())
    printed, exact, trivial, what = {
        7: (
            published.suppression_fairness_bound(x, TABLE_EPSILON, K),
            fairness(DPSuppression(K, TABLE_EPSILON).bias(table)),
            max(0.0, 0.5 * K - lowest) + max(0.0, highest - 0.5 * K),
            "the distances of the extreme counts from k/2",
        ),
        8: (
            published.swapping_fairness_bound(x, TABLE_EPSILON, LEVELS),
            fairness(DPSwapping(TABLE_EPSILON, LEVELS, (race,)).bias(table)),
            2.0 * (LEVELS - 1) / LEVELS * (highest - lowest),
            "twice the largest distance from a group's mean",
        ),
        9: (
            published.laplace_fairness_bound(x, TABLE_EPSILON),
            fairness(NoisyCounts(LaplaceNoise(2.0 / TABLE_EPSILON), rounded=False).bias(table)),
            1.0 / TABLE_EPSILON,
            "the bias of an empty cell, 1 / epsilon",
        ),
    }[theorem]
    return Finding(
        printed < trivial,
        f"on the Massachusetts table at epsilon = {TABLE_EPSILON:g} it bounds {exact:,.2f} by {printed:,.2f}, and "
        f"{what}, by {trivial:,.2f}",
    )


def _place(where: str, what: str, departs: str | None = None, in_print: bool = True) -> Place:
    return Place("P2", where, what, departs, in_print)


def _worth_of(theorem: int) -> Claim:
    return Statement(
        _place(f"Theorem {theorem}, its worth", "what it says beyond what holds without it", "P2-13", in_print=False),
        "it bounds alpha better than what needs no theorem",
        lambda data: _worth(data, theorem),
    )


CLAIMS: list[Claim] = [
    Formula(
        _place("Definition 1", "alpha of given biases"),
        "max B - min B is the largest difference of two biases",
        lambda case: fairness(suppression_bias(case)),
        lambda case: apart(suppression_bias(case)),
        some_counts(30),
    ),
    Formula(
        _place("Theorem 7", "alpha of DP suppression"),
        "(x_n - x_1) p_1 + max(|k/2 - x_1|, |k/2 - x_n|) (p_1 - p_n) bounds it",
        lambda case: bounds_of(case, 2).suppression,
        lambda case: apart(suppression_bias(case)),
        some_counts(60),
        relation="is at least",
    ),
    Formula(
        _place("Theorem 7, proof", "that it is tight where the largest count is k/2", "P2-14"),
        "alpha is (x_n - x_1) p_1 + max(|k/2 - x_1|, |k/2 - x_n|) (p_1 - p_n) if x_n = k/2",
        lambda case: bounds_of(case, 2).suppression,
        lambda case: apart(suppression_bias(case)),
        half_at_the_top(4),
    ),
    _worth_of(7),
    Formula(
        _place("Theorem 8", "alpha of DP swapping"),
        "2 n_Q (x_n - x_1) / (e^epsilon + n_Q - 1) bounds it",
        lambda case: published.swapping_fairness_bound(np.array(case.rows), case.epsilon, len(case.rows[0])),
        lambda case: apart(np.array(swapping_bias(case))),
        some_groups(40),
        relation="is at least",
    ),
    Formula(
        _place("Theorem 8, proof", "that the biases of a group add up to nothing"),
        "sum over a group of its biases = 0",
        lambda case: sum(swapping_bias(Group(case.epsilon, case.rows[:1]))),
        lambda _: 0.0,
        some_groups(24),
    ),
    _worth_of(8),
    Formula(
        _place("Theorem 9", "alpha of Laplace counts"),
        "exp(-epsilon x_1 / 2) (x_n - x_1) / 2 bounds it",
        lambda case: bounds_of(case, 2).laplace,
        laplace_alpha,
        some_counts(40),
        relation="is at least",
        tolerance=1e-8,
    ),
    Formula(
        _place("Theorem 9, proof", "bias of a clipped Laplace count"),
        "exp(-epsilon x / 2) / epsilon",
        lambda case: float(NoisyCounts(LaplaceNoise(2.0 / case[0]), rounded=False).bias([case[1]])[0]),
        lambda case: clipping_bias(*case),
        list(product((0.1, *EPSILONS), (0, 1, 3, 20))),
        told=lambda case: f"epsilon = {case[0]:g}, x = {case[1]}",
    ),
    _worth_of(9),
    Statement(
        _place("Theorem 10", "that its bounds are in the order it says"),
        "the bounds of Theorems 7 and 8 are at least that of Theorem 9 where the smallest count is between 2 and k",
        lambda _: _bounds_are_ordered(),
    ),
    Statement(
        _place("Theorem 10", "that fairness is in the order it says", "P2-6"),
        "Laplace noise is at least as fair as DP suppression and DP swapping where the smallest count is between 2 "
        "and k",
        lambda _: _fairness_is_ordered(),
        (("of the bounds of Theorems 7 to 9", lambda _: _bounds_are_ordered()),),
    ),
    Formula(
        _place("Theorem 10, proof", "a bound of the factor of swapping"),
        "2 n_Q / (e^epsilon + n_Q - 1) >= 2 exp(-epsilon)",
        lambda case: published.swapping_fairness_bound([0, 1], *case),
        lambda case: 2.0 * math.exp(-case[0]),
        list(product((0.1, *EPSILONS), (1, 2, 9, 540))),
        relation="is at least",
        told=lambda case: f"epsilon = {case[0]:g}, n_Q = {case[1]}",
    ),
    Formula(
        _place("Theorem 10, proof", "how likely the smallest count is hidden"),
        "p_1 >= 1/2 where x_1 <= k",
        lambda case: float(published.suppression_probabilities(case.counts, case.epsilon, case.k)[0]),
        lambda _: 0.5,
        between_2_and_k(60),
        relation="is at least",
    ),
]
