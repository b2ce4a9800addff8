"""Randomised swapping: quasi-identifiers are kept with probability gamma, else drawn anew from their universe.

Eq. (4) moves a whole cell at once, with everybody in it; Algorithm 4 moves single rows. Their expected releases are the
same; their variances and their privacy are not.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance import published
from epsilens.avoidance.answers import UsualAnswers, refuse_other_epsilon
from epsilens.avoidance.enumeration import AUDIT_NEIGHBOURS, AuditNeighbours, Counts, Enumeration, independent_law
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.records import Records
from epsilens.avoidance.swapped_errors import moved_cells_errors, moved_rows_errors
from epsilens.avoidance.system import CellMoments, Confidential, as_histogram, counts_of
from epsilens.checks import one_of, positive
from epsilens.errors import ParameterError
from epsilens.noise.divergence import Distribution
from epsilens.table.frequency import FrequencyTable


@dataclass(frozen=True)
class DPSwapping(UsualAnswers):
    """Randomised swapping of the quasi-identifiers ``columns`` (all of the source's, unless named).

    ``levels`` is n_Q, the size of their universe; it may be left out where the source tells. A bare array of counts has
    the n_Q quasi-identifiers on its last axis.

    Source: P2 Eq. (4) and Algorithm 4.
    Departs from print (P2-5): ``reading="equation-4"`` moves cells, ``"algorithm-4"`` rows; the tables used Eq. (4).
    """

    epsilon: float
    levels: int | None = None
    columns: tuple[str, ...] | None = None
    reading: Literal["equation-4", "algorithm-4"] = "equation-4"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        one_of("reading", self.reading, ("equation-4", "algorithm-4"))
        if self.levels is not None and self.levels < 2:
            raise ParameterError(
                "must be >= 2", parameter="levels", got=self.levels, remedy="with one combination nothing is swapped"
            )
        if self.columns is not None:
            if not self.columns:
                raise ParameterError("must name at least one column to swap", parameter="columns")
            object.__setattr__(self, "columns", tuple(self.columns))

    @property
    def name(self) -> str:
        """The system and its reading."""
        return f"DP swapping ({self.reading.replace('-', ' ')})"

    def release(self, source: Confidential, rng: np.random.Generator) -> Any:
        """The swapped histogram, array or, for Algorithm 4, records."""
        if isinstance(source, Records) and self.reading == "algorithm-4":
            return self._released_rows(source, rng)
        groups, back = self._groups(source)
        moved = self._moved_cells(groups, rng) if self.reading == "equation-4" else self._moved_rows(groups, rng)
        return back(moved)

    def _moved_cells(self, groups: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Each cell of a group goes, with all its people, to one place."""
        n_groups, levels = groups.shape
        target = np.broadcast_to(np.arange(levels), groups.shape)
        leaves = rng.random(groups.shape) >= published.keep_probability(self.epsilon, levels)
        # a uniform choice among the other places: those after one's own are shifted by one
        other = rng.integers(0, levels - 1, groups.shape)
        target = np.where(leaves, other + (other >= target), target)
        flat = (np.arange(n_groups)[:, None] * levels + target).ravel()
        return as_floats(np.bincount(flat, weights=groups.ravel(), minlength=groups.size)).reshape(groups.shape)

    def _moved_rows(self, groups: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Each row of a group goes to a place of its own.

        To stay with probability gamma and else go to one of the *other* places is to stay with probability 1 - c and
        else go to *any* place, c = (1 - gamma) n_Q / (n_Q - 1); so all movers of a group are one multinomial draw.
        """
        levels = groups.shape[1]
        drawn = (1.0 - published.keep_probability(self.epsilon, levels)) * levels / (levels - 1)
        movers = rng.binomial(groups.astype(np.int64), min(1.0, drawn))
        landed = rng.multinomial(movers.sum(axis=1), np.full(levels, 1.0 / levels))
        return as_floats(groups - movers + landed)

    def _released_rows(self, records: Records, rng: np.random.Generator) -> Records:
        names = self._columns(records.quasi_identifiers, tuple(records.columns))
        domain = records.domain.project(names)
        levels = self._levels(domain.size)
        own = domain.keys(np.column_stack([records.columns[name].codes for name in names]))
        other = rng.integers(0, levels - 1, len(records))
        leaves = rng.random(len(records)) >= published.keep_probability(self.epsilon, levels)
        target = np.where(leaves, other + (other >= own), own)
        return records.with_codes(dict(zip(names, np.unravel_index(target, domain.shape), strict=True)))

    def moments(self, source: Confidential) -> CellMoments:
        """Exact bias and variance per cell.

        B_i = (sum_{j in I_i} x_j - n_Q x_i) / (e^epsilon + n_Q - 1), where I_i are the n_Q cells with the same other
        attributes. With u = (1 - gamma) / (n_Q - 1), moving cells: Var_i = x_i^2 gamma (1 - gamma) + sum_{j != i}
        x_j^2 u (1 - u); moving rows: the same with x instead of x^2.

        Source: P2 Proposition 1.
        """
        groups, back = self._groups(source)
        levels = groups.shape[1]
        gamma = published.keep_probability(self.epsilon, levels)
        away = math.exp(-self.epsilon) * gamma  # (1 - gamma) / (n_Q - 1), without cancelling
        bias = (groups.sum(axis=1, keepdims=True) - levels * groups) * away
        weight = groups**2 if self.reading == "equation-4" else groups
        come = (weight.sum(axis=1, keepdims=True) - weight) * away * (1.0 - away)
        variance = weight * gamma * (levels - 1) * away + come
        return CellMoments(_cell_values(back(bias)), _cell_values(back(variance)))

    def absolute_errors(self, source: Confidential, moments: CellMoments | None = None) -> FloatArray | None:
        """The exact expected |release - truth| per cell; None where listing it would take long.

        Source: P2 Figure 2, whose errors are averages over releases.
        """
        groups, back = self._groups(source)
        errors = (moved_cells_errors if self.reading == "equation-4" else moved_rows_errors)(
            groups, published.keep_probability(self.epsilon, groups.shape[1])
        )
        return None if errors is None else _cell_values(back(errors))

    def shown_probabilities(self, source: Confidential) -> FloatArray | None:
        """P(somebody is in the cell after swapping); None where a label itself is swapped.

        Cells of a group come independently: P(empty) = prod_j (1 - P(j lands here)) over the occupied cells, or over
        rows.
        """
        histogram = as_histogram(source) if isinstance(source, Histogram | FrequencyTable | Records) else None
        if histogram is not None and set(self._columns(histogram.quasi_identifiers, histogram.attributes)) & set(
            histogram.others
        ):
            return None
        groups, back = self._groups(source)
        levels = groups.shape[1]
        log_away = math.log(published.keep_probability(self.epsilon, levels)) - self.epsilon  # may be far below 1e-308
        units = (groups > 0).astype(np.float64) if self.reading == "equation-4" else groups
        elsewhere = units.sum(axis=1, keepdims=True) - units
        log_empty = elsewhere * math.log1p(-math.exp(log_away)) + units * (math.log(levels - 1) + log_away)
        return _cell_values(back(-np.expm1(log_empty)))

    def published_delta(self, bound: int | None = None) -> float | None:
        """The printed delta; see ``published.swapping_delta``."""
        return published.swapping_delta(self.epsilon, self._known_levels())

    def delta(
        self, neighbours: AuditNeighbours = "substitute", bound: int | None = None, epsilon: float | None = None
    ) -> float | None:
        """The exact delta over all tables.

        The counts of the other attributes are published as they are, so for neighbours that may differ in them delta =
        1. For neighbours that differ in quasi-identifiers only: moving cells, delta = P(the two changed cells land
        apart) = 1 - (1 - gamma^2) / (n_Q - 1) + ((1 - gamma) / (n_Q - 1))^2; moving rows is randomised response, delta
        = 0.

        Source: P2 Theorem 3.
        Departs from print (P2-3): print has - before the last term and claims it for any-record neighbours.
        """
        one_of("neighbours", neighbours, AUDIT_NEIGHBOURS)
        refuse_other_epsilon(self, epsilon)
        if neighbours != "qid":
            return 1.0
        if self.reading == "algorithm-4":
            return 0.0
        levels = self._known_levels()
        gamma, rest = published.keep_probability(self.epsilon, levels), levels - 1
        return 1.0 - (1.0 - gamma**2) / rest + ((1.0 - gamma) / rest) ** 2

    def enumeration(self, bound: int | None = None) -> Enumeration:
        """One group with people in two cells (all, of three), next to one that is empty or has one person."""
        levels = self.levels or 2
        rows = [(a, b, *[0] * (levels - 2)) for a in range(3) for b in range(3)]
        if levels == 3:
            rows = list(itertools.product(range(3), repeat=3))
        others = [(0,) * levels, (1, *[0] * (levels - 1))]
        tables: list[Counts] = [(row, other) for row in rows for other in others]
        apart = min(levels, 3 if levels == 3 else 2)

        def law(table: Counts) -> Distribution:
            return independent_law([self._group_law(row, apart) for row in table])

        return Enumeration.of_laws(tables, law, bound, ("substitute", "qid"))

    def output_law(self, table: Counts) -> Distribution:
        """The exact law of what is published for a small table; its rows are the groups."""
        return independent_law([self._group_law(row, len(row)) for row in table])

    def _group_law(self, row: tuple[int, ...], apart: int) -> Distribution:
        """All the places where the units of a group (occupied cells, or people) can go.

        Places from ``apart`` on must be empty in every table that is looked at. They are then interchangeable, so that
        an output tells no more than its counts in the first places and those of the rest, whichever they are: no delta
        changes, and 270 places need no more room than three.
        """
        levels = len(row)
        gamma = published.keep_probability(self.epsilon, levels)
        away = (1.0 - gamma) / (levels - 1)
        if self.reading == "equation-4":
            units = [(j, count) for j, count in enumerate(row) if count]
        else:
            units = [(j, 1) for j, count in enumerate(row) for _ in range(count)]
        law: dict[tuple[int, ...], float] = {(0,) * apart: 1.0}
        for home, people in units:
            step: dict[tuple[int, ...], float] = {}
            for output, mass in law.items():
                for place, count in enumerate(output):
                    moved = (*output[:place], count + people, *output[place + 1 :])
                    moved = (*moved[:apart], *sorted(moved[apart:]))
                    step[moved] = step.get(moved, 0.0) + mass * (gamma if place == home else away)
                if len(output) < levels:
                    moved = (*output[:apart], *sorted((*output[apart:], people)))
                    step[moved] = step.get(moved, 0.0) + mass * away * (levels - len(output))
            law = step
        return {output: mass for output, mass in law.items()}  # noqa: C416 - keys of a wider type

    # -- the groups of cells that share everything but the swapped columns --------------------------------------------

    def _groups(self, source: Confidential) -> tuple[FloatArray, Any]:
        """Counts as (groups, n_Q), and the way back to the source's own shape."""
        if not isinstance(source, Histogram | FrequencyTable | Records):
            counts, _ = counts_of(source)
            self._levels(counts.shape[-1])
            return counts.reshape(-1, counts.shape[-1]), lambda values: values.reshape(counts.shape)
        histogram = as_histogram(source)
        axes = histogram.axes(self._columns(histogram.quasi_identifiers, histogram.attributes))
        last = tuple(range(-len(axes), 0))
        moved = np.moveaxis(as_floats(histogram.counts), axes, last)
        levels = self._levels(math.prod(moved.shape[len(moved.shape) - len(axes) :]))
        return moved.reshape(-1, levels), lambda values: histogram.released(
            np.moveaxis(values.reshape(moved.shape), last, axes)
        )

    def _columns(self, quasi_identifiers: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
        names = self.columns if self.columns is not None else quasi_identifiers
        for name in names:
            one_of("a swapped column", name, known)
        return names

    def _levels(self, found: int) -> int:
        if self.levels is not None and self.levels != found:
            raise ParameterError(
                f"says {self.levels}, but the swapped columns have {found} combinations", parameter="levels"
            )
        if found < 2:
            raise ParameterError("the swapped columns have a single combination: nothing can be swapped")
        return found

    def _known_levels(self) -> int:
        if self.levels is None:
            raise ParameterError("delta needs `levels`, the number of combinations of the swapped columns")
        return self.levels


def _cell_values(values: Any) -> FloatArray:
    """The numbers of a histogram or an array."""
    return as_floats(values.counts) if isinstance(values, Histogram) else as_floats(values)
