"""The privacy audit: what delta a system really has, and whether the published claim holds.

The exact output law of a system is written down for every small table, and the hockey-stick divergence is taken over
all pairs of neighbours among them. One pair above the claim refutes it; a closed form over all tables, where there is
one, tells how loose a valid claim is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import stats

from epsilens.arrays import FloatArray
from epsilens.avoidance.anonymity import DPKAnonymity, KAnonymity
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.avoidance.published import keep_probability
from epsilens.avoidance.suppression import DPSuppression, Suppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.avoidance.system import NEIGHBOURS, Neighbours, System
from epsilens.checks import one_of, positive
from epsilens.errors import ParameterError
from epsilens.noise.divergence import Distribution, hockey_stick, independent_delta
from epsilens.noise.published import tail_reach

Counts: TypeAlias = tuple[tuple[int, ...], ...]
"""A small table: rows are the values of the other attributes, columns those of the quasi-identifiers."""

_ROUNDING = 1e-9  # two computations of the same delta may differ by this much


@dataclass(frozen=True)
class Audit:
    """The verdict on one system at one epsilon.

    ``claimed`` is the printed delta, ``exact`` the least one that holds for all tables (with counts up to ``bound``,
    where that matters), ``enumerated`` the largest found among ``pairs`` of small neighbours, at the pair ``witness``.
    """

    system: str
    epsilon: float
    neighbours: Neighbours
    claimed: float | None
    exact: float | None
    enumerated: float
    witness: tuple[Counts, Counts]
    pairs: int
    bound: int | None = None

    @property
    def verdict(self) -> str:
        """``no claim``, ``false``, ``valid`` or, where no law over all tables is known, ``not refuted``."""
        if self.claimed is None:
            return "no claim"
        if max(self.enumerated, self.exact or 0.0) > self.claimed + _ROUNDING:
            return "false"
        return "valid" if self.exact is not None else "not refuted"

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        truth = self.exact if self.exact is not None else self.enumerated
        before, after = _pair_texts(*self.witness)
        if self.verdict == "no claim":
            return f"makes no claim; delta is {truth:.4g}, as between {before} and {after}"
        if self.verdict == "false":
            found = f"{before} against {after} has {self.enumerated:.4g}"
            return f"claims {self.claimed:.4g}, but delta is {truth:.4g}: {found}"
        if self.claimed is not None and self.claimed - truth <= 0.05 * truth + _ROUNDING:
            return f"claims {self.claimed:.4g}, true and nearly tight: delta is {truth:.4g}"
        return f"claims {self.claimed:.4g}, true but loose: delta is {truth:.4g}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            **{name: value for name, value in vars(self).items() if name != "witness"},
            "witness": [[list(row) for row in table] for table in self.witness],
            "verdict": self.verdict,
            "sentence": self.sentence,
        }


def audit(
    system: System, neighbours: Neighbours = "substitute", epsilon: float | None = None, bound: int | None = None
) -> Audit:
    """The exact delta of ``system`` at ``epsilon`` (its own, unless given) against what is claimed.

    ``bound`` is the largest possible count, for the systems whose claim depends on it; small tables go up to it.
    """
    one_of("neighbours", neighbours, NEIGHBOURS)
    level = epsilon if epsilon is not None else system.epsilon
    if level is None:
        raise ParameterError(f"{system.name} has no epsilon of its own", remedy="say at which `epsilon` to audit it")
    level = positive("epsilon", level)
    if level != system.epsilon and system.epsilon is not None and not isinstance(system, NoisyCounts):
        raise ParameterError(
            f"must be the {system.epsilon:g} that {system.name} was built for",
            parameter="epsilon",
            got=level,
            remedy="build it for that instead",
        )
    tables, bound = _small_tables(system, bound)
    law = _cached(lambda table: output_law(system, table))

    def delta_of(before: Counts, after: Counts) -> float:
        if isinstance(system, NoisyCounts):
            return _noisy_delta(system, before, after, level)
        return hockey_stick(law(before), law(after), level)

    worst, witness, pairs = -1.0, None, 0
    for before, after in neighbouring_pairs(tables, neighbours):
        pairs += 1
        delta = delta_of(before, after)
        if delta > worst + _ROUNDING:
            worst, witness = delta, (before, after)
    if witness is None:
        raise ParameterError(f"there are no {neighbours} neighbours among the small tables of {system.name}")
    exact = (
        system.delta(neighbours, bound, level) if isinstance(system, NoisyCounts) else system.delta(neighbours, bound)
    )
    claimed = system.published_delta(bound) if level == system.epsilon else None
    return Audit(system.name, level, neighbours, claimed, exact, worst, witness, pairs, bound)


def neighbouring_pairs(tables: list[Counts], neighbours: Neighbours) -> Iterator[tuple[Counts, Counts]]:
    """All ordered pairs of ``tables`` that are neighbours."""
    known = set(tables)
    for table in tables:
        cells = [(i, j) for i, row in enumerate(table) for j in range(len(row))]
        for i, j in cells:
            if neighbours == "add-remove":
                changes = [((i, j, 1),), ((i, j, -1),)] if table[i][j] else [((i, j, 1),)]
            elif table[i][j]:
                changes = [
                    ((i, j, -1), (a, b, 1))  # type: ignore[misc]
                    for a, b in cells
                    if (a, b) != (i, j) and (neighbours == "substitute" or a == i)
                ]
            else:
                continue
            for change in changes:
                after = _changed(table, change)
                if after in known:
                    yield table, after


def output_law(system: System, table: Counts) -> Distribution:
    """The exact law of what ``system`` publishes for a small table."""
    if isinstance(system, Suppression):
        return {tuple(float(v) for v in np.ravel(system.release(np.array(table)))): 1.0}
    if isinstance(system, DPSuppression):
        counts = [count for row in table for count in row]
        if system.reading == "algorithm-2":
            return _one_threshold_law(system, counts)
        return _product([_suppression_law(system, count) for count in counts])
    if isinstance(system, DPSwapping):
        return _product([_swapping_law(system, row) for row in table])
    if isinstance(system, KAnonymity | DPKAnonymity):
        return _anonymity_law(system, table)
    raise ParameterError(f"the output law of {system.name} is not enumerated; its delta is {system.delta()}")


def _noisy_delta(system: NoisyCounts, before: Counts, after: Counts, epsilon: float) -> float:
    """The hockey stick of a table of two noisy counts."""
    if not (system.rounded or system.noise.integer_valued):
        raise ParameterError("unrounded continuous noise has no list of outputs", remedy="audit it with `rounded=True`")
    reach = tail_reach(system.noise)
    outputs = np.arange(-reach, reach + 1.0 + max(before[0] + after[0]))

    def log_masses(count: int) -> FloatArray:
        mass = system.noise.pmf(outputs - count)
        if system.clipped:
            mass = np.append(float(system.noise.cdf(0.5 - count)), mass[outputs > 0])
        with np.errstate(divide="ignore"):
            return np.log(mass)

    first, second = ((log_masses(count), log_masses(other)) for count, other in zip(before[0], after[0], strict=True))
    return independent_delta(first, second, epsilon)


def _suppression_law(system: DPSuppression, count: int) -> Distribution:
    hidden = float(system.noise.cdf(system.k - count))
    half = 0.5 * system.k
    return {half: 1.0} if count == half else {half: hidden, float(count): 1.0 - hidden}


def _one_threshold_law(system: DPSuppression, counts: list[int]) -> Distribution:
    """Between two breakpoints (a count, an even number) the threshold decides the same."""
    reach = system.k + tail_reach(system.noise)
    breaks = sorted({*counts, *range(0, reach + 2, 2), -1})
    # thresholds of -1 and below, and those beyond the last breakpoint, all decide alike or are negligible
    edges = [-math.inf, *breaks, math.inf]
    law: dict[Hashable, float] = {}
    for low, high in itertools.pairwise(edges):
        mass = float(system.noise.sf(low - system.k) - system.noise.sf(high - system.k))
        inner = high if math.isinf(low) else low + 0.5 if math.isinf(high) else 0.5 * (low + high)
        output = tuple(float(math.floor(inner / 2)) if count < inner else float(count) for count in counts)
        law[output] = law.get(output, 0.0) + max(mass, 0.0)
    return law


def _swapping_law(system: DPSwapping, row: tuple[int, ...]) -> Distribution:
    """All the places where the units of a group (occupied cells, or people) can go."""
    levels = len(row)
    gamma = keep_probability(system.epsilon, levels)
    away = (1.0 - gamma) / (levels - 1)
    by_cell = system.reading == "equation-4"
    units = (
        [(j, c) for j, c in enumerate(row) if c] if by_cell else [(j, 1) for j, c in enumerate(row) for _ in range(c)]
    )
    law: dict[tuple[int, ...], float] = {(0,) * levels: 1.0}
    for home, people in units:
        step: dict[tuple[int, ...], float] = {}
        for output, mass in law.items():
            for place in range(levels):
                moved = (*output[:place], output[place] + people, *output[place + 1 :])
                step[moved] = step.get(moved, 0.0) + mass * (gamma if place == home else away)
        law = step
    return {output: mass for output, mass in law.items()}  # noqa: C416 - keys of a wider type


def _anonymity_law(system: KAnonymity | DPKAnonymity, table: Counts) -> Distribution:
    """The law of the published classes: certain, or over all samples. What is drawn from them reveals no more."""
    plain = system if isinstance(system, KAnonymity) else system.plain
    counts = np.array(table)

    def classes(sample: np.ndarray) -> Hashable:
        if int(sample.sum()) < plain.k:
            return ()
        levels = tuple(tuple(str(j) for j in range(size)) for size in sample.shape)
        anonymous = plain.anonymised(Histogram(sample, ("other", "qid"), levels, ("qid",)))
        return tuple(sorted(tuple(row.values()) for row in anonymous.rows()))

    if isinstance(system, KAnonymity):
        return {classes(counts): 1.0}
    law: dict[Hashable, float] = {}
    for sample in itertools.product(*(range(count + 1) for count in counts.ravel())):
        mass = float(np.prod(stats.binom.pmf(sample, counts.ravel(), system.beta)))
        output = classes(np.array(sample).reshape(counts.shape))
        law[output] = law.get(output, 0.0) + mass
    return law


def _small_tables(system: System, bound: int | None) -> tuple[list[Counts], int | None]:
    """Tables on which the worst case of the system shows, and the bound on their counts."""
    if isinstance(system, Suppression | DPSuppression):
        top = bound if bound is not None else system.k + 3
        return [((a, b),) for a in range(min(top, 40) + 1) for b in range(min(top, 40) + 1)], top
    if isinstance(system, NoisyCounts):
        return [((a, b),) for a in range(3) for b in range(3)], bound
    if isinstance(system, DPSwapping):
        levels = system.levels or 2
        rows = [(a, b, *[0] * (levels - 2)) for a in range(3) for b in range(3)]
        if levels == 3:
            rows = list(itertools.product(range(3), repeat=3))
        return [(row, other) for row in rows for other in [(0,) * levels, (1, *[0] * (levels - 1))]], bound
    top = bound if bound is not None else 2 * getattr(system, "k", 2)
    rows = [row for row in itertools.product(range(3), repeat=3) if sum(row) <= 4]
    return [(row, (0, 0, 0)) for row in rows] + [((0, 0, 0), row) for row in rows if sum(row)], top


def _product(laws: list[Distribution]) -> Distribution:
    """The law of independent outputs."""
    joint: dict[Hashable, float] = {(): 1.0}
    for law in laws:
        joint = {
            (*output, value): mass * share  # type: ignore[misc]
            for output, mass in joint.items()
            for value, share in law.items()
        }
    return joint


def _changed(table: Counts, change: tuple[tuple[int, int, int], ...]) -> Counts:
    rows = [list(row) for row in table]
    for i, j, by in change:
        rows[i][j] += by
    return tuple(tuple(row) for row in rows)


def _cached(law: Callable[[Counts], Distribution]) -> Callable[[Counts], Distribution]:
    known: dict[Counts, Distribution] = {}

    def lookup(table: Counts) -> Distribution:
        if table not in known:
            known[table] = law(table)
        return known[table]

    return lookup


def _pair_texts(before: Counts, after: Counts) -> tuple[str, str]:
    """Both tables without the rows that are empty in both, and without the tail of long rows."""
    rows = [pair for pair in zip(before, after, strict=True) if any(pair[0]) or any(pair[1])]
    texts = [
        "; ".join("(" + ", ".join(map(str, row[:4])) + (", ...)" if len(row) > 4 else ")") for row in side)
        for side in zip(*rows, strict=True)
    ]
    return texts[0], texts[1]
