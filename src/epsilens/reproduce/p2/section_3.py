"""Section 3 and appendix B: the definitions, the two noises, and whether text and algorithms describe one system."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.avoidance import published
from epsilens.avoidance.anonymity import KAnonymity
from epsilens.avoidance.audit import witness
from epsilens.avoidance.discrepancy import DiscrepancySwapping
from epsilens.avoidance.enumeration import neighbouring_pairs
from epsilens.avoidance.full_domain import FullDomainKAnonymity
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.nearest import Swapping
from epsilens.avoidance.suppression import DPSuppression, Suppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.avoidance.system import System
from epsilens.lazy import LaterModule
from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.noise.divergence import Distribution, hockey_stick, noise_delta
from epsilens.noise.laplace import LaplaceNoise
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2.extracts import MASSACHUSETTS, histogram, race_column

optimize = LaterModule("scipy.optimize")

EPSILONS = (0.5, 1.0, 2.0, 4.0)
DELTAS = (0.3, 0.01, 1e-6)
K = 6
_SEED = 3
_ROUNDING = 1e-9


def random_laws(number: int, outputs: int) -> list[tuple[FloatArray, FloatArray, float]]:
    """Pairs of laws on a few outputs, some impossible under one of them, each with an epsilon."""
    rng = np.random.default_rng(_SEED)
    found = []
    for case in range(number):
        p, q = rng.dirichlet(np.full(outputs, 0.5), 2)
        if case % 3 == 0:
            q[0] = 0.0
        found.append((p, q / q.sum(), (0.1, 0.7, 2.0)[case % 3]))
    return found


def as_law(masses: FloatArray) -> Distribution:
    """Masses as a law on 0, 1, ..."""
    return {output: float(mass) for output, mass in enumerate(masses)}


def over_all_events(case: tuple[FloatArray, FloatArray, float]) -> float:
    """The largest P(R) - e^epsilon Q(R) over all sets R of outputs, one after another."""
    p, q, epsilon = case
    events = itertools.product((False, True), repeat=len(p))
    return max(float(p[list(event)].sum() - math.exp(epsilon) * q[list(event)].sum()) for event in events)


def largest_log_ratio(epsilon: float) -> float:
    """The largest log ratio of densities of two Laplace counts of scale 2 / epsilon, one going up and one down by 1."""
    noise, places = LaplaceNoise(2.0 / epsilon), np.linspace(-5.0, 5.0, 41)
    up, down = (noise.logdensity(places) - noise.logdensity(places + moved) for moved in (1.0, -1.0))
    return float((up[:, None] + down[None, :]).max())


def gaussian_epsilon_needed(sigma: float, delta: float) -> float:
    """The least epsilon that the discrete Gaussian of this standard deviation has at ``delta``, by substitution."""
    noise = DiscreteGaussianNoise(sigma)
    low, high = 0.0, 1.0
    while noise_delta(noise, high, 2) > delta:
        low, high = high, 2.0 * high
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if noise_delta(noise, middle, 2) > delta else (low, middle)
    return high


def least_over_orders(case: tuple[float, float]) -> float:
    """The least epsilon at ``delta`` over all Renyi orders a, whose divergence is rho a, rho being epsilon^2 / 2."""
    epsilon, delta = case
    rho = 0.5 * epsilon**2

    def at(log_above: float) -> float:
        above = math.exp(log_above)
        return rho * (1.0 + above) + math.log(1.0 / delta) / above

    return float(optimize.minimize_scalar(at, bounds=(-10.0, 10.0), method="bounded", options={"xatol": 1e-9}).fun)


def delta_of_pairs(scale: float, epsilon: float) -> float:
    """The divergence of two noisy counts when one goes up and one goes down by 1, added up over all pairs."""
    values = np.arange(-math.ceil(12.0 * scale) - 5.0, math.ceil(12.0 * scale) + 6.0)
    weights = np.exp(-0.5 * (values / scale) ** 2)
    here = weights / math.fsum(weights)
    up, down = np.concatenate([[0.0], here[:-1]]), np.concatenate([here[1:], [0.0]])
    return float(np.maximum(np.outer(here, here) - math.exp(epsilon) * np.outer(up, down), 0.0).sum())


def _gaussian_claim(sigma: Callable[[float], float]) -> Finding:
    seen = []
    for epsilon, delta in itertools.product(EPSILONS, DELTAS):
        claimed = published.discrete_gaussian_text_epsilon(epsilon, delta)
        needed = gaussian_epsilon_needed(sigma(epsilon), delta)
        if needed > claimed + _ROUNDING:
            return Finding(
                False,
                f"at epsilon = {epsilon:g} and delta = {delta:g} it is {claimed:.4g} by the formula and {needed:.4g} "
                "in truth",
            )
        seen.append(claimed / needed)
    return Finding(True, f"the formula is at least {min(seen):.2f} times the truth in all of {len(seen)} cases")


def same_release(one: Callable[[FloatArray], FloatArray], other: Callable[[FloatArray], FloatArray]) -> Finding:
    """Whether two systems without chance publish the same of every count."""
    counts = np.arange(0.0, 13.0)
    apart = np.flatnonzero(one(counts) != other(counts))
    if not len(apart):
        return Finding(True, f"for all counts up to {counts[-1]:g}")
    count = counts[apart[0]]
    return Finding(
        False, f"of the count {count:g} they publish {one(counts)[apart[0]]:g} and {other(counts)[apart[0]]:g}"
    )


def same_law(one: System, other: System, tables: Sequence[tuple[tuple[int, ...], ...]]) -> Finding:
    """Whether two systems publish by the same law of each small table."""
    for table in tables:
        laws = [system.output_law(table) for system in (one, other)]  # type: ignore[attr-defined]
        for output in sorted({*laws[0], *laws[1]}, key=str):
            masses = [law.get(output, 0.0) for law in laws]
            if abs(masses[0] - masses[1]) > _ROUNDING:
                return Finding(
                    False,
                    f"of the counts {_told(table)} one publishes {_told_output(output)} with probability "
                    f"{masses[0]:.4g}, the other with {masses[1]:.4g}",
                )
    return Finding(True, f"on all of {len(tables)} small tables")


def _told(table: tuple[tuple[int, ...], ...]) -> str:
    return " | ".join(" ".join(str(count) for count in row) for row in table)


def _told_output(output: object) -> str:
    if isinstance(output, tuple) and output and all(isinstance(row, tuple) for row in output):
        return _told(output)
    return " ".join(f"{value:g}" for value in output) if isinstance(output, tuple) else str(output)


def shares_its_threshold(reading: str) -> Finding:
    """Whether the threshold itself is noisy: then two counts are hidden together more often than apart."""
    system = DPSuppression(K, 1.0, reading)  # type: ignore[arg-type]
    law = system.output_law(((5, 5),))
    outputs = [(np.asarray(output) != 5.0, p) for output, p in law.items()]
    hidden = [sum(p for are_hidden, p in outputs if are_hidden[i]) for i in (0, 1)]
    both = sum(p for are_hidden, p in outputs if are_hidden.all())
    return Finding(
        abs(both - hidden[0] * hidden[1]) < _ROUNDING,
        f"two counts of 5 are both hidden with probability {both:.4g}, and {hidden[0] * hidden[1]:.4g} if each "
        "were compared with the threshold by itself",
    )


def no_guarantee(systems: Sequence[System], neighbours: str = "substitute") -> Finding:
    """Whether each has two neighbours that nothing which is published has in common."""
    for system in systems:
        found = witness(system, neighbours)  # type: ignore[arg-type]
        if found is None or found.probability < 1.0 - _ROUNDING:
            return Finding(False, f"{system.name} has an output in common for any two small neighbours")
    return Finding(True, "; ".join(found.sentence for s in systems if (found := witness(s, neighbours))))  # type: ignore[arg-type]


def hides_small_counts_only() -> Finding:
    """Whether suppression hides counts below its threshold and not one from there on."""
    system = Suppression(K)
    counts = np.arange(0.0, 20.0)
    hidden = np.asarray(system.release(counts)) != counts
    kept = [int(count) for count in counts[(counts < K) & ~hidden]]
    holds = not hidden[counts >= K].any() and system.delta(bound=K) == 1.0
    return Finding(
        bool(holds),
        f"with k = {K} counts from {K} on are published as they are (delta = {system.delta(bound=K):g}), and of the "
        f"smaller ones {kept} happen to be what replaces them",
    )


def never_new_values(share: float = 1.0) -> Finding:
    """Whether no output of swapping is common to tables whose people have other values of the swapped column."""
    system = Swapping(share)
    tables = [((a, b, 0), (c, 0, 0)) for a in (1, 2) for b in (0, 1) for c in (0, 1)]
    tables += [((a, 0, b), (c, 0, 0)) for a in (1, 2) for b in (1,) for c in (0, 1)]
    pairs = 0
    for before, after in neighbouring_pairs(tables, "qid"):
        present = [{j for row in t for j, count in enumerate(row) if count} for t in (before, after)]
        if present[0] == present[1]:
            continue
        pairs += 1
        common = set(system.output_law(before)) & set(system.output_law(after))
        if common:
            return Finding(False, f"{_told(before)} and {_told(after)} can both be published as {next(iter(common))}")
    return Finding(pairs > 0, f"in all of {pairs} pairs of small neighbours")


def classes_are_large(systems: Sequence[System]) -> Finding:
    """Whether every class has at least k people, on random tables."""
    rng, smallest = np.random.default_rng(_SEED), math.inf
    for _ in range(20):
        counts = rng.poisson(1.5, (3, 2, 4))
        levels = tuple(tuple(str(level) for level in range(size)) for size in counts.shape)
        table = Histogram(counts, ("a", "b", "c"), levels, ("a", "b"))
        for system in systems:
            sizes = [int(np.min(system.anonymised(table).sizes))]  # type: ignore[attr-defined]
            smallest = min(smallest, *sizes)
    return Finding(smallest >= K, f"the smallest class of 20 random tables has {smallest:g} people, k being {K}")


def outline_is_mondrian(data: Data) -> Finding:
    """Whether generalising by hierarchies and suppressing the rest publishes what Mondrian does."""
    table = histogram(data, MASSACHUSETTS)
    mondrian, outline = KAnonymity(K).anonymised(table), FullDomainKAnonymity(K).anonymised(table)
    same = mondrian.n_classes == outline.n_classes and outline.suppressed == 0
    return Finding(
        same,
        f"of {table.n_records:,} people the outline leaves out {outline.suppressed} and has {outline.n_classes} "
        f"classes; Mondrian leaves out nobody and has {mondrian.n_classes}",
    )


def swapping_moves_something(system: Callable[[str], System]) -> Callable[[Data], Finding]:
    """Whether a tenth of the rows swapped changes the table."""

    def check(data: Data) -> Finding:
        table = histogram(data, MASSACHUSETTS)
        swapped = system(race_column(data, MASSACHUSETTS)).release(table, np.random.default_rng(_SEED))
        moved = float(np.abs(np.asarray(swapped.counts) - table.counts).sum())
        return Finding(moved > 0, f"with a tenth of {table.n_records:,} people swapped the l1 error is {moved:g}")

    return check


SMALL = tuple(((a, b), (c, d)) for a, b, c, d in itertools.product(range(3), repeat=4) if a + b + c + d in (2, 4))
ONE_ROW = tuple(((a, b),) for a in range(9) for b in range(9))

CLAIMS: list[Claim] = [
    Formula(
        Place("P2", "Definition 2", "the least delta of two laws"),
        "sum over outputs of max(0, P - e^epsilon Q) is the largest P(R) - e^epsilon Q(R)",
        lambda case: hockey_stick(as_law(case[0]), as_law(case[1]), case[2]),
        over_all_events,
        random_laws(30, 6),
        told=lambda case: f"epsilon = {case[2]:g}",
    ),
    Formula(
        Place("P2", "section 3, Laplace noise", "the epsilon of the scale 2 / epsilon"),
        "Laplace noise of scale 2 / epsilon is (epsilon, 0)-DP",
        lambda epsilon: epsilon,
        largest_log_ratio,
        EPSILONS,
        told=lambda epsilon: f"epsilon = {epsilon:g}",
    ),
    Statement(
        Place("P2", "section 3, discrete Gaussian noise", "its guarantee", "P2-14"),
        "N_Z(0, 4 / epsilon^2), the second number being the standard deviation, is "
        "(epsilon^2 / 2 + epsilon sqrt(2 log(1 / delta)), delta)-DP",
        lambda _: _gaussian_claim(lambda epsilon: 4.0 / epsilon**2),
        (("where 4 / epsilon^2 is the variance", lambda _: _gaussian_claim(lambda epsilon: 2.0 / epsilon)),),
    ),
    Formula(
        Place("P2", "section 3, epsilon of discrete Gaussian noise", "what follows from rho = epsilon^2 / 2"),
        "epsilon^2 / 2 + epsilon sqrt(2 log(1 / delta))",
        lambda case: published.discrete_gaussian_text_epsilon(*case),
        least_over_orders,
        list(itertools.product(EPSILONS, DELTAS)),
        tolerance=1e-8,
        told=lambda case: f"epsilon = {case[0]:g}, delta = {case[1]:g}",
    ),
    Formula(
        Place(
            "P2",
            "section 3, delta of discrete Gaussian noise, ours",
            "what its printed deltas bound",
            in_print=False,
        ),
        "log of the least delta where two counts change by one (noise_delta)",
        lambda case: math.log(noise_delta(DiscreteGaussianNoise(case[0]), case[1], 2)),
        lambda case: math.log(delta_of_pairs(*case)),
        list(itertools.product((0.8, 3.0, math.sqrt(20.0)), (0.5, 1.0, 2.0))),
        tolerance=1e-6,
        told=lambda case: f"standard deviation {case[0]:.3g}, epsilon = {case[1]:g}",
    ),
    Statement(
        Place("P2", "section 3, suppression", "what it does not protect"),
        "only small counts are protected, all others are published as they are",
        lambda _: hides_small_counts_only(),
    ),
    Statement(
        Place("P2", "section 3, traditional systems", "that they have no formal guarantee"),
        "suppression, swapping and k-anonymity are not differentially private",
        lambda _: no_guarantee((Suppression(K), Swapping(0.5), KAnonymity(3))),
    ),
    Statement(
        Place("P2", "section 3, swapping", "the steps and Algorithm 3", "P2-10"),
        "Algorithm 3 draws pairs with a probability proportional to their discrepancy",
        lambda _: same_law(Swapping(1.0), DiscrepancySwapping(1.0), SMALL),
    ),
    Statement(
        Place("P2", "Algorithm 3", "what it changes", "P2-10"),
        "exchanging the quasi-identifiers of a tenth of the rows, each with its nearest, changes the table",
        swapping_moves_something(lambda race: Swapping(0.1, (race,))),
        (
            (
                "where pairs are drawn by their discrepancy, as in section 3",
                swapping_moves_something(lambda race: DiscrepancySwapping(0.1, (race,))),
            ),
        ),
    ),
    Statement(
        Place("P2", "Definition 4", "k-anonymity"),
        "every class that Algorithm 5 or the outline of section 3 makes has at least k people",
        lambda _: classes_are_large((KAnonymity(K), FullDomainKAnonymity(K))),
    ),
    Statement(
        Place("P2", "section 3, k-anonymity", "the outline and Algorithm 5", "P2-11"),
        "what the outline makes (hierarchies, rare combinations suppressed) is what Algorithm 5 makes (Mondrian)",
        outline_is_mondrian,
    ),
    Statement(
        Place("P2", "Algorithm 1", "that it is Definition 3", "P2-5"),
        "Algorithm 1 publishes what Eq. (1) says, the larger of x and k / 2",
        lambda _: same_release(
            lambda counts: np.asarray(Suppression(K).release(counts)),
            lambda counts: np.asarray(Suppression(K, "equation-1").release(counts)),
        ),
    ),
    Statement(
        Place("P2", "Algorithm 2", "that it is Eq. (2)", "P2-5"),
        "Algorithm 2 publishes by the law of Eq. (2)",
        lambda _: same_law(DPSuppression(K, 1.0, "algorithm-2"), DPSuppression(K, 1.0), ONE_ROW),
    ),
    Statement(
        Place("P2", "section 5.1", "how it differs from the sparse vector technique", "P2-5"),
        "DP suppression does not perturb the threshold",
        lambda _: shares_its_threshold("algorithm-2"),
        (("by Eq. (2), and not by Algorithm 2", lambda _: shares_its_threshold("equation-2")),),
    ),
    Statement(
        Place("P2", "Algorithm 4", "that it is Eq. (4)", "P2-5"),
        "Algorithm 4 publishes by the law of Eq. (4)",
        lambda _: same_law(DPSwapping(1.0, 2, reading="algorithm-4"), DPSwapping(1.0, 2), SMALL),
    ),
    Statement(
        Place("P2", "section B.1", "why suppression is not differentially private"),
        "two neighbours whose large counts differ have no output in common",
        lambda _: no_guarantee((Suppression(K),)),
    ),
    Statement(
        Place("P2", "section 5.2, traditional swapping", "why it is not differentially private"),
        "swapping cannot make values of quasi-identifiers that nobody has, so that neighbours that differ in which "
        "there are have no output in common",
        lambda _: never_new_values(),
    ),
    Statement(
        Place("P2", "section 5.3, traditional k-anonymity", "why it is not differentially private"),
        "k-anonymity without chance publishes other things of some neighbours",
        lambda _: no_guarantee((KAnonymity(3),)),
    ),
]
