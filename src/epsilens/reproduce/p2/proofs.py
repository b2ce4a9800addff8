"""Steps of the proofs of Theorems 1, 3, 5, 7 and 9 and of the error analysis of section 5.3, each as it stands."""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from epsilens.avoidance import published
from epsilens.avoidance.anonymity import KAnonymity
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.suppression import DPSuppression
from epsilens.lazy import LaterModule
from epsilens.noise.laplace import LaplaceNoise
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement, everywhere
from epsilens.reproduce.p2.fairness import clipping_bias
from epsilens.reproduce.p2.privacy import SAMPLES, Sampled, as_printed_5
from epsilens.reproduce.p2.section_3 import EPSILONS

integrate = LaterModule("scipy.integrate")
stats = LaterModule("scipy.stats")

_ROUNDING = 1e-9


# -- Theorem 1 ---------------------------------------------------------------------------------------------------------


def hidden(epsilon: float, k: int, count: int) -> float:
    """P(count + noise < k)."""
    return float(LaplaceNoise(2.0 / epsilon).cdf(k - count))


def most_by_hiding(case: tuple[float, int]) -> float:
    """How much likelier it is at most that two counts are hidden, before somebody moves from one to the other."""
    epsilon, k = case
    at = [hidden(epsilon, k, count) for count in range(3 * k + 1)]
    return max(at[a] * at[b] / (at[a + 1] * at[b - 1]) for a in range(3 * k) for b in range(1, 3 * k + 1))


# -- Theorem 3 ---------------------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    """Two tables of one group; the last person of the first one moves to the cell before."""

    epsilon: float
    before: tuple[int, ...]
    after: tuple[int, ...]


def landings(epsilon: float, counts: tuple[int, ...], together: bool) -> dict[tuple[int, ...], float]:
    """The law of Eq. (4), place by place: of all outputs, or of those where the last two cells land in one place."""
    levels = len(counts)
    gamma = published.keep_probability(epsilon, levels)
    found: dict[tuple[int, ...], float] = {}
    for places in product(range(levels), repeat=levels):
        if together and places[-1] != places[-2]:
            continue
        chance = math.prod(
            gamma if place == home else (1.0 - gamma) / (levels - 1) for home, place in enumerate(places)
        )
        output = tuple(sum(x for x, at in zip(counts, places, strict=True) if at == place) for place in range(levels))
        found[output] = found.get(output, 0.0) + chance
    return found


PAIRS = [
    Pair(epsilon, (*rest, a, b), (*rest, a + 1, b - 1))
    for epsilon in EPSILONS
    for rest in ((), (2,))
    for a, b in ((1, 1), (0, 2), (3, 1))
]


def ratios_in_s(pair: Pair, together: bool) -> dict[tuple[int, ...], float]:
    """How much likelier the outputs of S are under the one table; in S are those that two cells in one place give."""
    in_s = landings(pair.epsilon, pair.before, True).keys() | landings(pair.epsilon, pair.after, True).keys()
    one, two = (landings(pair.epsilon, counts, together) for counts in (pair.before, pair.after))
    return {
        output: one.get(output, 0.0) / two[output] if output in two else math.inf
        for output in sorted(in_s, reverse=True)
        if output in one or output in two
    }


def _furthest(pair: Pair, together: bool) -> tuple[float, tuple[int, ...], float]:
    """How many times e^epsilon the furthest ratio is from 1, its output, and the ratio."""
    found = ratios_in_s(pair, together)
    apart = {output: abs(math.log(ratio)) if ratio > 0.0 else math.inf for output, ratio in found.items()}
    finite = [output for output in apart if apart[output] < math.inf]
    worst = max(finite or apart, key=lambda output: apart[output])
    return max(apart.values()) - pair.epsilon, worst, found[worst]


def _near_in_s(together: bool) -> Finding:
    def told(pair: Pair) -> str:
        _, output, ratio = _furthest(pair, together)
        return (
            f"at epsilon = {pair.epsilon:g} and D = {pair.before}, D' = {pair.after} the output {output} has a ratio "
            f"of {ratio:.4f}, and e^-epsilon is {math.exp(-pair.epsilon):.4f}"
        )

    return everywhere(PAIRS, lambda pair: _furthest(pair, together)[0] <= _ROUNDING, told)


# -- Theorem 5 ---------------------------------------------------------------------------------------------------------


@cache
def outside_of_s(case: Sampled) -> float:
    """The largest P(S^c) by the definition of S, over all counts of the two cells that the person may be in."""

    def few(people: int, of: int) -> float:
        """P(at most (1 - e^-epsilon) ``of`` of so many people are sampled)."""
        return float(stats.binom.cdf(math.floor(-math.expm1(-case.epsilon) * of), people, case.beta))

    pairs = product(range(1, case.bound + 1), range(case.bound))
    return max(1.0 - few(last, last) * few(other, other + 1) for last, other in pairs)


class Samples(NamedTuple):
    """Two cells, the second of which somebody is in and may move from, and how many of each are sampled."""

    beta: float
    counts: tuple[int, int]
    sampled: tuple[int, int]


def likelihood_ratio(case: Samples) -> float:
    """P(so many are sampled) under D, over the same under D'."""
    (y, x), (b, a) = case.counts, case.sampled
    before, after = ((y, x), (y + 1, x - 1))
    one, two = (math.prod(stats.binom.pmf((b, a), people, case.beta)) for people in (before, after))
    return float(one / two)


def printed_ratio(case: Samples) -> float:
    """x_n / (x_n - sampled) times (x_(n-1) + 1 - sampled) / (x_(n-1) + 1)."""
    (y, x), (b, a) = case.counts, case.sampled
    return x / (x - a) * (y + 1 - b) / (y + 1)


def _samples(epsilon: float | None) -> list[Samples]:
    """Some samples of small tables; of an ``epsilon`` those in its S."""
    share = 1.0 if epsilon is None else -math.expm1(-epsilon)
    return [
        Samples(beta, (y, x), (b, a))
        for beta in (0.1, 0.6)
        for y, x in ((0, 1), (3, 2), (4, 7))
        for b in range(min(y, math.floor(share * (y + 1))) + 1)
        for a in range(min(x - 1, math.floor(share * x)) + 1)
    ]


def _ratios_in_s() -> Finding:
    """Whether the samples of S are about as likely under D as under D'."""
    return everywhere(
        [(epsilon, case) for epsilon in EPSILONS for case in _samples(epsilon)],
        lambda pair: abs(math.log(likelihood_ratio(pair[1]))) <= pair[0] + _ROUNDING,
        lambda pair: f"at epsilon = {pair[0]:g} and {pair[1]} the ratio is {likelihood_ratio(pair[1]):.4f}",
    )


def equation_6(arguments: tuple[int, float, float], bound: int) -> float:
    """The right side of Eq. (6) at (k, beta, epsilon), or (B, beta, epsilon), for counts up to ``bound``."""
    _, beta, epsilon = arguments
    return published.k_anonymity_delta(epsilon, bound, beta)


def _moves_with(first: str) -> Finding:
    values = [
        {equation_6((value, beta, epsilon), value if first == "B" else 9) for value in (1, 2, 3, 20)}
        for beta in (0.1, 0.5)
        for epsilon in EPSILONS
    ]
    moving = sum(len(each) > 1 for each in values)
    return Finding(moving > 0, f"it moves with {first} in {moving} of {len(values)} cases")


# -- section 5.3 -------------------------------------------------------------------------------------------------------

TABLES = ((7, 1), (6, 6), (2, 9, 6), (1, 8, 7, 3), (12, 6, 6, 9), (5, 1, 20, 6))
K = 6


def merged(counts: tuple[int, ...], k: int) -> list[bool]:
    """Of each count whether Algorithm 5 shows it together with others."""
    names = tuple(f"v{i}" for i in range(len(counts)))
    histogram = Histogram(np.array(counts, dtype=np.int64), ("q",), (names,), ("q",))
    labels = [str(row["q"]) for row in KAnonymity(k).anonymised(histogram).rows()]
    return [name not in labels for name in names]


def _merges(only_if: bool) -> Finding:
    """Whether just the counts below k are merged, or at least these."""

    def holds(counts: tuple[int, ...]) -> bool:
        wanted = [count < K for count in counts]
        found = merged(counts, K)
        return found == wanted if only_if else all(f for f, w in zip(found, wanted, strict=True) if w)

    def told(counts: tuple[int, ...]) -> str:
        shown = [count for count, is_merged in zip(counts, merged(counts, K), strict=True) if is_merged]
        return f"of the counts {counts} it merges {', '.join(map(str, shown)) or 'none'}, with k = {K}"

    return everywhere(TABLES, holds, told)


# -- Theorem 7 ---------------------------------------------------------------------------------------------------------


class TwoCounts(NamedTuple):
    """Two counts of a table, the smaller one first."""

    epsilon: float
    low: int
    high: int


TWO_COUNTS = [TwoCounts(epsilon, *pair) for epsilon in EPSILONS for pair in ((0, 1), (0, 9), (2, 6), (5, 40))]


def _told_counts(case: TwoCounts) -> str:
    return f"epsilon = {case.epsilon:g}, counts {case.low} and {case.high}"


def equation_14(case: TwoCounts) -> float:
    """(x_j - x_i) p_i + (k / 2 - x_j) (p_i - p_j)."""
    first, last = (hidden(case.epsilon, K, count) for count in (case.low, case.high))
    return (case.high - case.low) * first + (0.5 * K - case.high) * (first - last)


def biases_apart(case: TwoCounts) -> float:
    """The difference of the biases of DP suppression."""
    low, high = DPSuppression(K, case.epsilon).bias(np.array([case.low, case.high]))
    return float(low - high)


# -- Theorem 9 ---------------------------------------------------------------------------------------------------------

BIASES = list(product((0.1, *EPSILONS), (0, 1, 3, 20)))


def released_bias(epsilon: float, count: int, clipped: bool) -> float:
    """Of x + Lap(2 / epsilon) as section 3 has it, and of the same where negative counts become 0."""
    noise = LaplaceNoise(2.0 / epsilon)
    if clipped:
        return clipping_bias(epsilon, count)
    return float(integrate.quad(lambda t: float(noise.sf(t) - noise.cdf(-t)), 0.0, np.inf)[0])


def _bias_of_laplace(clipped: bool) -> Finding:
    def holds(case: tuple[float, int]) -> bool:
        return abs(math.exp(-0.5 * case[0] * case[1]) / case[0] - released_bias(*case, clipped)) < 1e-8

    def told(case: tuple[float, int]) -> str:
        return f"at epsilon = {case[0]:g} and x = {case[1]} it is {released_bias(*case, clipped):.4g}"

    return everywhere(BIASES, holds, told)


def equation_22(case: TwoCounts) -> float:
    """(exp(-epsilon x_1 / 2) - exp(-epsilon x_n / 2)) / epsilon."""
    return (math.exp(-0.5 * case.epsilon * case.low) - math.exp(-0.5 * case.epsilon * case.high)) / case.epsilon


def alpha_of_all_between(case: TwoCounts) -> float:
    """The spread of the biases of all clipped counts from the one to the other."""
    biases = [clipping_bias(case.epsilon, count) for count in range(case.low, case.high + 1)]
    return max(biases) - min(biases)


def _place(where: str, what: str, departs: str | None = None) -> Place:
    return Place("P2", where, what, departs)


CLAIMS: list[Claim] = [
    Formula(
        _place("Theorem 1, proof", "Eq. (9), how much likelier two counts are hidden under D than under D'"),
        "exp(epsilon) bounds Eq. (8)",
        lambda case: math.exp(case[0]),
        most_by_hiding,
        list(product((0.1, *EPSILONS), (2, 6))),
        relation="is at least",
        told=lambda case: f"epsilon = {case[0]:g}, k = {case[1]}",
    ),
    Statement(
        _place("Theorem 3, proof", "outputs where both cells land in one place (S)", "P2-3"),
        "their probabilities under D and D' are within a factor of e^epsilon",
        lambda _: _near_in_s(together=False),
        (("if it is shown too that both landed there", lambda _: _near_in_s(together=True)),),
    ),
    Formula(
        _place("Theorem 5, proof", "how much likelier a sample is under D than under D'"),
        "x_n / (x_n - x(D_beta)_n) times (x_(n-1) + 1 - x(D_beta)_(n-1)) / (x_(n-1) + 1)",
        printed_ratio,
        likelihood_ratio,
        _samples(None),
        told=lambda case: f"counts {case.counts}, sampled {case.sampled}",
    ),
    Statement(
        _place("Theorem 5, proof", "Eqs. (12) and (13), the samples of S"),
        "their probabilities under D and D' are within a factor of e^epsilon",
        lambda _: _ratios_in_s(),
    ),
    Formula(
        _place("Theorem 5, proof", "its last line", "P2-4"),
        "max of P(S^c) = 1 - min over w = 1..B of F(floor((1 - e^-epsilon) w); w, beta)^2",
        as_printed_5,
        outside_of_s,
        SAMPLES,
    ),
    Formula(
        _place("Theorem 5, proof", "its last line as a bound", "P2-4"),
        "max of P(S^c) <= 1 - min over w = 1..B of F(floor((1 - e^-epsilon) w); w, beta)^2",
        as_printed_5,
        outside_of_s,
        SAMPLES,
        relation="is at least",
    ),
    Statement(
        _place("Theorem 5", "what its delta is a function of", "P2-14"),
        "of k, beta and epsilon",
        lambda _: _moves_with("k"),
        slips=(("of B in the place of k", lambda _: _moves_with("B")),),
    ),
    Statement(
        _place("section 5.3, error analysis", "which counts k-anonymity merges", "P2-13"),
        "those below k, and no others",
        lambda _: _merges(only_if=True),
        (("of those below k, beside which others are merged", lambda _: _merges(only_if=False)),),
    ),
    Formula(
        _place("Theorem 7, proof", "Eq. (14), the difference of two biases of DP suppression"),
        "(x_j - x_i) p_i + (k / 2 - x_j) (p_i - p_j)",
        equation_14,
        biases_apart,
        TWO_COUNTS,
        told=_told_counts,
    ),
    Formula(
        _place("Theorem 9, proof", "Eq. (22), alpha of clipped Laplace counts"),
        "(exp(-epsilon x_1 / 2) - exp(-epsilon x_n / 2)) / epsilon",
        equation_22,
        alpha_of_all_between,
        TWO_COUNTS,
        tolerance=1e-8,
        told=_told_counts,
    ),
    Statement(
        _place("Theorem 9, proof", "bias of the Laplace mechanism, which is x + Lap(2 / epsilon)", "P2-14"),
        "exp(-epsilon x / 2) / epsilon",
        lambda _: _bias_of_laplace(clipped=False),
        (("once negative counts have become 0", lambda _: _bias_of_laplace(clipped=True)),),
    ),
]
