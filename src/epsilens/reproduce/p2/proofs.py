"""Steps of the proofs of Theorems 3, 5 and 9 and of the error analysis of section 5.3, each as it stands."""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from epsilens.avoidance import published
from epsilens.avoidance.anonymity import KAnonymity
from epsilens.avoidance.histogram import Histogram
from epsilens.lazy import LaterModule
from epsilens.noise.laplace import LaplaceNoise
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement, everywhere
from epsilens.reproduce.p2.fairness import clipping_bias
from epsilens.reproduce.p2.privacy import SAMPLES, Sampled, as_printed_5
from epsilens.reproduce.p2.section_3 import EPSILONS

integrate = LaterModule("scipy.integrate")
stats = LaterModule("scipy.stats")

_ROUNDING = 1e-9


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


def _place(where: str, what: str, departs: str) -> Place:
    return Place("P2", where, what, departs)


CLAIMS: list[Claim] = [
    Statement(
        _place("Theorem 3, proof", "outputs where both cells land in one place (S)", "P2-3"),
        "their probabilities under D and D' are within a factor of e^epsilon",
        lambda _: _near_in_s(together=False),
        (("if it is shown too that both landed there", lambda _: _near_in_s(together=True)),),
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
    Statement(
        _place("Theorem 9, proof", "bias of the Laplace mechanism, which is x + Lap(2 / epsilon)", "P2-14"),
        "exp(-epsilon x / 2) / epsilon",
        lambda _: _bias_of_laplace(clipped=False),
        (("once negative counts have become 0", lambda _: _bias_of_laplace(clipped=True)),),
    ),
]
