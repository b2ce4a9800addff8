"""Eqs. (1) to (4), Proposition 1 and Theorems 2, 4 and 6: bias as it is printed, and by listing what may happen."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance import published
from epsilens.avoidance.suppression import DPSuppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.avoidance.system import bias_l1
from epsilens.lazy import LaterModule
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2.extracts import MASSACHUSETTS, histogram
from epsilens.reproduce.p2.section_3 import EPSILONS, K

integrate = LaterModule("scipy.integrate")

TABLE_EPSILON = 0.5
_SEED = 5


class Counts(NamedTuple):
    """Counts that are suppressed."""

    epsilon: float
    k: int
    counts: tuple[int, ...]

    def __str__(self) -> str:
        return f"epsilon = {self.epsilon:g}, k = {self.k}, x = {list(self.counts)}"


class Group(NamedTuple):
    """Groups of counts that are swapped within their rows."""

    epsilon: float
    rows: tuple[tuple[int, ...], ...]

    def __str__(self) -> str:
        rows = " | ".join(" ".join(str(count) for count in row) for row in self.rows)
        return f"epsilon = {self.epsilon:g}, x = {rows}"


def some_counts(number: int, lowest: int = 0) -> list[Counts]:
    """Small and large counts at small and large epsilon."""
    rng, found = np.random.default_rng(_SEED), []
    for case in range(number):
        counts = sorted(lowest + int(x) for x in rng.negative_binomial(0.8, 0.08, 2 + case % 5))
        found.append(Counts((0.1, *EPSILONS)[case % 5], (6, 2, 5, 11)[case % 4], tuple(counts)))
    return found


def some_groups(number: int) -> list[Group]:
    """Two groups of two to four counts each."""
    rng = np.random.default_rng(_SEED)
    return [
        Group(
            EPSILONS[case % 4],
            tuple(tuple(int(x) for x in rng.poisson(1.5, 2 + case % 3)) for _ in range(1 + case % 2)),
        )
        for case in range(number)
    ]


@cache
def hidden_probability(epsilon: float, k: int, count: int) -> float:
    """P(count + eta < k) by integrating the density of Laplace noise of scale 2 / epsilon."""
    rate, end = 0.5 * epsilon, float(k - count)

    def density(x: float) -> float:
        return 0.5 * rate * math.exp(-rate * abs(x))

    below = integrate.quad(density, -np.inf, min(end, 0.0), epsabs=1e-13)[0]
    return float(below + (integrate.quad(density, 0.0, end, epsabs=1e-13)[0] if end > 0 else 0.0))


def suppression_bias(case: Counts) -> FloatArray:
    """E of the released count less the count, over the two things that may be released."""
    hidden = np.array([hidden_probability(case.epsilon, case.k, count) for count in case.counts])
    return as_floats(0.5 * case.k * hidden + np.array(case.counts) * (1.0 - hidden) - np.array(case.counts))


@cache
def swapping_bias(case: Group) -> tuple[float, ...]:
    """E of the released counts less the counts, over all that may be released."""
    law = DPSwapping(case.epsilon, len(case.rows[0])).output_law(case.rows)
    mean = sum((mass * np.array(output, dtype=np.float64) for output, mass in law.items()), np.zeros(1))
    return tuple(float(b) for b in (mean - np.array(case.rows)).ravel())


def proposition_1(case: Group) -> FloatArray:
    """The biases of all cells by its equation."""
    return as_floats(DPSwapping(case.epsilon, len(case.rows[0])).bias(np.array(case.rows))).ravel()


def merging_truth(case: tuple[int, int, float]) -> float:
    """P(fewer than k of x people are sampled) - 1[x < k], sampling one person after another."""
    count, k, beta = case
    law = np.array([1.0])
    for _ in range(count):
        law = np.append(law * (1.0 - beta), 0.0) + np.append(0.0, law * beta)
    return float(law[:k].sum() - (count < k))


def _bound_beats_trivial(data: Data) -> Finding:
    x = as_floats(histogram(data, MASSACHUSETTS).counts)
    printed = published.suppression_bias_bound(x, TABLE_EPSILON, K)
    trivial = float(np.abs(0.5 * K - x).sum())
    exact = bias_l1(DPSuppression(K, TABLE_EPSILON).bias(x))
    return Finding(
        printed < trivial,
        f"on the Massachusetts table, with epsilon = {TABLE_EPSILON:g} and k = {K}, it bounds {exact:,.2f} by "
        f"{printed:,.2f}, and the sum of |k/2 - x| by {trivial:,.0f}",
    )


def _place(where: str, what: str, departs: str | None = None, in_print: bool = True) -> Place:
    return Place("P2", where, what, departs, in_print)


CLAIMS: list[Claim] = [
    Formula(
        _place("Eq. (3)", "how likely a count is hidden"),
        "p = Pr(x + eta < k), eta being Laplace noise of scale 2 / epsilon",
        lambda case: float(published.suppression_probabilities(case.counts, case.epsilon, case.k)[0]),
        lambda case: hidden_probability(case.epsilon, case.k, case.counts[0]),
        some_counts(30),
    ),
    Formula(
        _place("section 5.1, error analysis", "bias of DP suppression"),
        "(k/2 - x) Pr(x + eta < k)",
        lambda case: float(DPSuppression(case.k, case.epsilon).bias(case.counts)[-1]),
        lambda case: float(suppression_bias(case)[-1]),
        some_counts(30),
        tolerance=1e-8,
    ),
    Formula(
        _place("Theorem 2", "l1 norm of the bias of DP suppression"),
        "||k/2 - x||_2 ||p||_2 bounds it",
        lambda case: published.suppression_bias_bound(case.counts, case.epsilon, case.k),
        lambda case: bias_l1(suppression_bias(case)),
        some_counts(40),
        relation="is at least",
    ),
    Statement(
        _place("Theorem 2, its worth", "what it says beyond that a probability is at most 1", "P2-13", in_print=False),
        "it bounds the bias better than the sum of |k/2 - x|",
        _bound_beats_trivial,
    ),
    Formula(
        _place("Eq. (4)", "how much likelier a cell stays than it goes to another place"),
        "gamma = exp(epsilon) / (exp(epsilon) + n_Q - 1) is e^epsilon times the probability of each other place",
        lambda case: published.keep_probability(*case) * (case[1] - 1) / (1.0 - published.keep_probability(*case)),
        lambda case: math.exp(case[0]),
        [(epsilon, levels) for epsilon in (0.1, *EPSILONS) for levels in (2, 3, 9, 270)],
        told=lambda case: f"epsilon = {case[0]:g}, n_Q = {case[1]}",
    ),
    Formula(
        _place("Proposition 1", "bias of a cell under DP swapping"),
        "(sum_j x_j - n_Q x_i) / (e^epsilon + n_Q - 1)",
        lambda case: float(proposition_1(case)[0]),
        lambda case: swapping_bias(case)[0],
        some_groups(24),
    ),
    Formula(
        _place("Theorem 4", "l1 norm of the bias of DP swapping"),
        "n_Q / (e^epsilon + n_Q - 1) times the sum over cells of the mean absolute deviation of their group",
        lambda case: published.swapping_bias_l1(np.array(case.rows), case.epsilon),
        lambda case: bias_l1(swapping_bias(case)),
        some_groups(24),
    ),
    Formula(
        _place("Theorem 6", "how much likelier sampling makes it that a cell is merged"),
        "sum over j = x - k + 1 .. x of binom(x, j) beta^(x - j) (1 - beta)^j for x >= k, else 0",
        lambda case: float(published.merge_bias([case[0]], case[1], case[2])[0]),
        merging_truth,
        [(count, k, beta) for count in (0, 1, 5, 6, 7, 30) for k in (1, 2, 6) for beta in (0.1, 0.5, 0.98)],
        told=lambda case: f"x = {case[0]}, k = {case[1]}, beta = {case[2]:g}",
    ),
]
