"""Lemma 1 and Theorems 1, 3 and 5: the printed deltas against enumerated ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.avoidance import published
from epsilens.avoidance.anonymity import DPKAnonymity
from epsilens.avoidance.enumeration import Counts, neighbouring_pairs
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.avoidance.suppression import DPSuppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.lazy import LaterModule
from epsilens.noise.divergence import hockey_stick
from epsilens.noise.laplace import LaplaceNoise
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2.extracts import MASSACHUSETTS, known
from epsilens.reproduce.p2.section_3 import EPSILONS, K, over_all_events, random_laws

stats = LaterModule("scipy.stats")
integrate = LaterModule("scipy.integrate")

Reading: TypeAlias = Literal["equation-4", "algorithm-4"]
NO_BETTER = 1e-3
"""A delta this close to the trivial one is no better."""
LOOSE = 10.0
"""A bound that many times what it bounds is loose."""


# -- Lemma 1 -----------------------------------------------------------------------------------------------------------


def outside(case: tuple[FloatArray, FloatArray, float]) -> float:
    """P(S^c): how likely the outputs are whose ratio is above e^epsilon."""
    p, q, epsilon = case
    return float(p[p > math.exp(epsilon) * q].sum())


def _end_of_proof(case: tuple[FloatArray, FloatArray, float], factor: float) -> float:
    """The last line of the proof at the outputs for which it is least: factor Q(O) + delta - P(O)."""
    p, q, _ = case
    delta = outside(case)
    events = product((False, True), repeat=len(p))
    return min(float(factor * q[list(event)].sum() + delta - p[list(event)].sum()) for event in events)


# -- Theorem 1 ---------------------------------------------------------------------------------------------------------


class Suppressed(NamedTuple):
    """A case of Theorem 1."""

    epsilon: float
    k: int
    bound: int

    def __str__(self) -> str:
        return f"epsilon = {self.epsilon:g}, k = {self.k}, B = {self.bound}"


def suppressed_law(epsilon: float, k: int, table: tuple[int, int]) -> dict[tuple[float, float], float]:
    """What Eq. (2) may show of two counts, and how likely."""
    noise = LaplaceNoise(2.0 / epsilon)
    shown = [{0.5 * k: 0.0, float(x): 0.0} for x in table]
    for outputs, x in zip(shown, table, strict=True):
        hidden = float(noise.cdf(k - x))
        outputs[0.5 * k] += hidden
        outputs[float(x)] += 1.0 - hidden
    return {(a, b): p * q for a, p in shown[0].items() for b, q in shown[1].items()}


class Proof1(NamedTuple):
    """A case of the proof of Theorem 1, with a noisy threshold T as Algorithm 2 draws it."""

    epsilon: float
    k: int
    threshold: float
    table: tuple[int, int]

    def __str__(self) -> str:
        return f"epsilon = {self.epsilon:g}, k = {self.k}, T = {self.threshold:g}, counts {self.table}"

    def shows(self, replacement: float) -> float:
        """How likely both counts are published as ``replacement``."""
        return suppressed_law(self.epsilon, self.k, self.table).get((replacement, replacement), 0.0)

    def equation_8(self) -> float:
        """The probability that the proof gives to such outputs, of a density between -infinity and k."""
        rate = 0.5 * self.epsilon

        def hidden(x: int) -> float:
            left, _ = integrate.quad(lambda v: 0.5 * rate * math.exp(rate * (v - x)), -math.inf, min(self.k, x))
            right, _ = integrate.quad(lambda v: 0.5 * rate * math.exp(-rate * v), 0.0, max(self.k - x, 0))
            return float(left + right)

        return hidden(self.table[0]) * hidden(self.table[1])


@cache
def suppression_truth(case: Suppressed) -> float:
    """The least delta of Eq. (2) over all neighbours with counts up to B, by listing what two counts may show.

    A replacement that equals the count itself does not occur for the counts that matter, which are above k.
    """
    epsilon, k, bound = case

    def law(table: tuple[int, int]) -> dict[tuple[float, float], float]:
        return suppressed_law(epsilon, k, table)

    pairs = [((a, b), (a + 1, b - 1)) for a in range(bound) for b in range(1, bound + 1)]
    one_way = max(hockey_stick(law(x), law(y), epsilon) for x, y in pairs)  # type: ignore[arg-type]
    return max(one_way, max(hockey_stick(law(y), law(x), epsilon) for x, y in pairs))  # type: ignore[arg-type]


@cache
def shared_threshold_truth(case: Suppressed) -> float:
    """The same of Algorithm 2, whose counts are compared with one noisy threshold."""
    system = DPSuppression(case.k, case.epsilon, "algorithm-2")
    tables: list[Counts] = [((a, b),) for a in range(case.bound + 1) for b in range(case.bound + 1)]
    laws = {table: system.output_law(table) for table in tables}
    pairs = neighbouring_pairs(tables, "substitute")
    return max(hockey_stick(laws[before], laws[after], case.epsilon) for before, after in pairs)


def _suppression_says_something(data: Data) -> Finding:
    bound = known(data, MASSACHUSETTS).largest
    below = max(0.25 * math.exp(-epsilon * (bound - K)) for epsilon in EPSILONS)
    claimed = min(published.suppression_delta(epsilon, K, bound) for epsilon in EPSILONS)
    return Finding(
        claimed < 1.0 - NO_BETTER,
        f"with the largest count of the table, B = {bound}, delta is at least 1 - {below:.0e}, and 1 needs no theorem",
    )


# -- Theorem 3 ---------------------------------------------------------------------------------------------------------


class Swapped(NamedTuple):
    """A case of Theorem 3: ``other`` is how many values the attributes have that are not swapped."""

    epsilon: float
    levels: int
    other: int = 2

    def __str__(self) -> str:
        return f"epsilon = {self.epsilon:g}, n_Q = {self.levels}"


@cache
def swapping_truth(case: Swapped, neighbours: str, reading: Reading = "equation-4") -> float:
    """The largest delta between small neighbours, listing where every cell (every person, by Algorithm 4) may go."""
    epsilon, levels, _ = case
    system = DPSwapping(epsilon, levels, reading=reading)
    empty = (0,) * (levels - 2)
    tables: list[Counts] = [((a, b, *empty), (c, 0, *empty)) for a in range(3) for b in range(3) for c in range(2)]
    laws = {table: system.output_law(table) for table in tables}
    pairs = neighbouring_pairs(tables, neighbours)  # type: ignore[arg-type]
    return max(hockey_stick(laws[before], laws[after], epsilon) for before, after in pairs)


def lands_apart(case: Swapped, last_sign: float) -> float:
    """1 - (1 - gamma^2) / (n_Q - 1) -+ ((1 - gamma) / (n_Q - 1))^2."""
    gamma, rest = published.keep_probability(case.epsilon, case.levels), case.levels - 1
    return 1.0 - (1.0 - gamma**2) / rest + last_sign * ((1.0 - gamma) / rest) ** 2


def _middle_of_proof(case: Swapped, values: int) -> float:
    """1 - 2 gamma (1 - gamma) / (n_Q - 1) - (n - 2) ((1 - gamma) / (n_Q - 1))^2, n being ``values``."""
    gamma, rest = published.keep_probability(case.epsilon, case.levels), case.levels - 1
    return 1.0 - 2.0 * gamma * (1.0 - gamma) / rest - (values - 2) * ((1.0 - gamma) / rest) ** 2


def _apart_by_listing(case: Swapped) -> float:
    """P(two cells land apart), place by place."""
    gamma, rest = published.keep_probability(case.epsilon, case.levels), case.levels - 1
    lands = [[gamma if place == home else (1.0 - gamma) / rest for place in range(case.levels)] for home in (0, 1)]
    return 1.0 - math.fsum(a * b for a, b in zip(*lands, strict=True))


def apart_and_together(case: Swapped) -> float:
    """The delta of Eq. (4) where one of two people goes to the other: counts of 1 and 1, then of 2 and 0."""
    system, empty = DPSwapping(case.epsilon, case.levels), (0,) * (case.levels - 2)
    apart, together = (system.output_law(((*counts, *empty),)) for counts in ((1, 1), (2, 0)))
    return max(hockey_stick(apart, together, case.epsilon), hockey_stick(together, apart, case.epsilon))


def _bounds_of_tables(bound: Callable[[float], float]) -> Callable[[Data], Finding]:
    """Whether the deltas of the tables, by ``bound``, bound that of people who differ in quasi-identifiers alone."""

    def check(_: Data) -> Finding:
        found = [(bound(epsilon), apart_and_together(Swapped(epsilon, OF_TABLES)), epsilon) for epsilon in EPSILONS]
        seen = ", ".join(f"{claimed:.4f} for {true:.4f} at epsilon = {epsilon:g}" for claimed, true, epsilon in found)
        return Finding(all(claimed >= true - _ROUNDING for claimed, true, _ in found), seen)

    return check


OF_TABLES = 9
"""n_Q in Tables 1 to 3, where races are swapped."""
_ROUNDING = 1e-9
SWAPS = tuple(Swapped(epsilon, levels) for epsilon, levels in product((0.5, 1.0, 2.0), (2, 3, 4)))
PROOFS = tuple(Swapped(epsilon, levels, other) for epsilon in EPSILONS for levels in (2, 3, 9) for other in (2, 12))


# -- Theorem 5 ---------------------------------------------------------------------------------------------------------


class Sampled(NamedTuple):
    """A case of Theorem 5."""

    epsilon: float
    beta: float
    bound: int

    def __str__(self) -> str:
        return f"epsilon = {self.epsilon:g}, beta = {self.beta:g}, B = {self.bound}"


@cache
def sampling_truth(case: Sampled) -> float:
    """The largest delta between the samples of two tables of two counts up to B, one person being in the other cell."""
    epsilon, beta, bound = case
    laws = [stats.binom.pmf(np.arange(bound + 1), people, beta) for people in range(bound + 1)]
    pairs = [(w, v) for w in range(1, bound + 1) for v in range(bound)]
    deltas: list[float] = [_of_two(laws[w], laws[w - 1], laws[v], laws[v + 1], epsilon) for w, v in pairs]
    return max(deltas)


def _of_two(p: FloatArray, p_other: FloatArray, q: FloatArray, q_other: FloatArray, epsilon: float) -> float:
    return float(np.maximum(np.outer(p, q) - math.exp(epsilon) * np.outer(p_other, q_other), 0.0).sum())


def as_printed_5(case: Sampled) -> float:
    """d(k, beta, epsilon) of Eq. (6)."""
    return published.k_anonymity_delta(case.epsilon, case.bound, case.beta)


SAMPLES = tuple(
    Sampled(epsilon, beta, bound)
    for epsilon in (0.5, 1.0, 2.0)
    for beta in (0.1, -math.expm1(-epsilon), 0.9)
    for bound in (1, 4, 9)
)


def _sampling_says_something() -> Finding:
    seen = []
    for epsilon in EPSILONS:
        claimed, bound = min((published.k_anonymity_delta(epsilon, bound), bound) for bound in (3, 10, 100, 1000))
        of_tables = published.k_anonymity_delta(epsilon, 1000)
        trivial = DPKAnonymity(K, epsilon).delta() or 0.0
        seen.append(
            f"{claimed:.4g} (at B = {bound}, {of_tables:.4g} in the tables) against {trivial:.4g} at epsilon = "
            f"{epsilon:g}"
        )
        if claimed < trivial - NO_BETTER:
            return Finding(True, seen[-1])
    return Finding(False, f"who is not sampled leaves no trace, so that beta itself will do: {', '.join(seen)}")


def _gaussian_is_near() -> Finding:
    seen, near = [], True
    for epsilon in EPSILONS:
        claimed = published.discrete_gaussian_delta(epsilon)
        exact = NoisyCounts.as_published("discrete-gaussian", epsilon).delta() or 0.0
        near = near and claimed <= LOOSE * exact
        seen.append(f"{claimed:.3g} for {exact:.3g} at epsilon = {epsilon:g}")
    return Finding(near, ", ".join(seen))


def _place(where: str, what: str, departs: str | None = None, in_print: bool = True) -> Place:
    return Place("P2", where, what, departs, in_print)


CLAIMS: list[Claim] = [
    Formula(
        _place("Lemma 1", "that delta is at most the probability outside of S"),
        "P(S^c) bounds the delta of two neighbours, S being the outputs with a ratio of at most e^epsilon",
        outside,
        over_all_events,
        random_laws(40, 6),
        relation="is at least",
        told=lambda case: f"epsilon = {case[2]:g}",
    ),
    Formula(
        _place("Lemma 1, proof", "its last line", "P2-14"),
        "Pr(M(D) in O) <= Pr(M(D') in O) + delta",
        lambda case: _end_of_proof(case, 1.0),
        lambda _: 0.0,
        random_laws(40, 6),
        relation="is at least",
        mended=(("e^epsilon before Pr(M(D') in O)", lambda case: _end_of_proof(case, math.exp(case[2]))),),
        told=lambda case: f"epsilon = {case[2]:g} (right side less left side)",
    ),
    Formula(
        _place("Theorem 1", "delta of DP suppression"),
        "1 - exp(-epsilon (B - k)) / 4 bounds the delta of Eq. (2)",
        lambda case: published.suppression_delta(*case),
        suppression_truth,
        [Suppressed(epsilon, k, k + above) for epsilon in (0.5, 1.0, 2.0) for k in (6, 2, 3) for above in (3, 1)],
        relation="is at least",
    ),
    Formula(
        _place("Theorem 1, proof", "how likely the outputs are that it looks at", "P2-14"),
        "outputs with T / 2 for two counts have the probability of Eq. (8), that both noisy counts are below k",
        lambda case: case.shows(0.5 * case.threshold),
        Proof1.equation_8,
        [
            Proof1(epsilon, k, k + noise, table)
            for epsilon in (0.5, 2.0)
            for k, noise in ((6, 0.7), (3, -1.3))
            for table in ((7, 8), (1, 9), (4, 2))
        ],
        mended=(("k / 2 in the place of T / 2", lambda case: case.shows(0.5 * case.k)),),
    ),
    Formula(
        _place("Theorem 1, proof", "its end, for two counts of B"),
        "1 - exp(-epsilon (B - k)) / 4 is 1 less the probability of Eq. (8)",
        lambda case: published.suppression_delta(*case),
        lambda case: 1.0 - Proof1(case.epsilon, case.k, case.k, (case.bound, case.bound)).equation_8(),
        [Suppressed(epsilon, k, k + above) for epsilon in (0.5, 2.0) for k in (6, 3) for above in (3, 1)],
    ),
    Formula(
        _place("Theorem 1", "delta of Algorithm 2", "P2-9"),
        "1 - exp(-epsilon (B - k)) / 4 bounds it",
        lambda case: published.suppression_delta(*case),
        shared_threshold_truth,
        [Suppressed(0.5, 6, 9), Suppressed(1.0, 6, 9), Suppressed(2.0, 3, 5)],
        relation="is at least",
    ),
    Statement(
        _place("Theorem 1, its worth", "what it says beyond that a probability is at most 1", "P2-4", in_print=False),
        "for the tables of the paper its delta is below 1",
        _suppression_says_something,
    ),
    Formula(
        _place("Theorem 3", "delta of DP swapping for any-record neighbours", "P2-3"),
        "1 - (1 - gamma^2) / (n_Q - 1) - ((1 - gamma) / (n_Q - 1))^2 bounds the delta of Eq. (4)",
        lambda case: published.swapping_delta(case.epsilon, case.levels),
        lambda case: swapping_truth(case, "substitute"),
        SWAPS,
        relation="is at least",
        mended=(("+ before the last term", lambda case: lands_apart(case, 1.0)),),
    ),
    Formula(
        _place("Theorem 3", "delta of DP swapping for neighbours that differ in quasi-identifiers", "P2-3"),
        "1 - (1 - gamma^2) / (n_Q - 1) - ((1 - gamma) / (n_Q - 1))^2 bounds the delta of Eq. (4)",
        lambda case: published.swapping_delta(case.epsilon, case.levels),
        lambda case: swapping_truth(case, "qid"),
        SWAPS,
        relation="is at least",
        mended=(("+ before the last term", lambda case: lands_apart(case, 1.0)),),
    ),
    Statement(
        _place("Theorem 3, Tables 1 to 3", "the deltas of DP swapping for neighbours that differ in race", "P2-3"),
        f"{', '.join(str(published.PUBLISHED_TABLE['dp-swapping'][epsilon][0]) for epsilon in EPSILONS)} bound them",
        _bounds_of_tables(lambda epsilon: published.PUBLISHED_TABLE["dp-swapping"][epsilon][0]),
        slips=(
            (
                "with + before the last term of the theorem",
                _bounds_of_tables(lambda epsilon: lands_apart(Swapped(epsilon, OF_TABLES), 1.0)),
            ),
        ),
    ),
    Formula(
        _place("Theorem 3", "delta of Algorithm 4 for any-record neighbours", "P2-9"),
        "1 - (1 - gamma^2) / (n_Q - 1) - ((1 - gamma) / (n_Q - 1))^2 bounds it",
        lambda case: published.swapping_delta(case.epsilon, case.levels),
        lambda case: swapping_truth(case, "substitute", "algorithm-4"),
        SWAPS[:6],
        relation="is at least",
    ),
    Formula(
        _place("Theorem 3", "delta of Algorithm 4 for neighbours that differ in quasi-identifiers", "P2-9"),
        "1 - (1 - gamma^2) / (n_Q - 1) - ((1 - gamma) / (n_Q - 1))^2 bounds it",
        lambda case: published.swapping_delta(case.epsilon, case.levels),
        lambda case: swapping_truth(case, "qid", "algorithm-4"),
        SWAPS[:6],
        relation="is at least",
    ),
    Formula(
        _place("Theorem 3, proof", "the probability that two cells land apart", "P2-3"),
        "1 - 2 gamma (1 - gamma) / (n_Q - 1) - (n_N - 2) ((1 - gamma) / (n_Q - 1))^2",
        lambda case: _middle_of_proof(case, case.other),
        _apart_by_listing,
        PROOFS,
        mended=(("n_Q in the place of n_N", lambda case: _middle_of_proof(case, case.levels)),),
        told=lambda case: f"{case}, n_N = {case.other}",
    ),
    Formula(
        _place("Theorem 3, proof", "its last line", "P2-3"),
        "... = 1 - (1 - gamma^2) / (n_Q - 1) - ((1 - gamma) / (n_Q - 1))^2",
        lambda case: lands_apart(case, -1.0),
        _apart_by_listing,
        PROOFS,
        mended=(("+ before the last term", lambda case: lands_apart(case, 1.0)),),
    ),
    Formula(
        _place("Theorem 5", "delta of DP k-anonymity"),
        "1 - min over w = 1..B of F(floor((1 - e^-epsilon) w); w, beta)^2 bounds the delta of a sample",
        as_printed_5,
        sampling_truth,
        SAMPLES,
        relation="is at least",
    ),
    Statement(
        _place("Theorem 5, its worth", "what it says beyond that a sample has at most beta", "P2-4", in_print=False),
        "its delta is below the trivial one",
        lambda _: _sampling_says_something(),
    ),
    Statement(
        _place(
            "section 7, worth of the Gaussian deltas", "how near they are to what they bound", "P2-4", in_print=False
        ),
        "the deltas of the tables are at most ten times what they bound",
        lambda _: _gaussian_is_near(),
    ),
]
