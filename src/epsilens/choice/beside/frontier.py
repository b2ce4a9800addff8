"""Risk against error: what each budget and mechanism buys, and at which price.

A point is dominated when another one has no more risk *and* no more error, and less of one. Noise alone decides both:
along one mechanism a larger budget always means a smaller error; where it also means less risk, the smaller budget is
dominated (more noise is not always safer).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.budget import log_grid
from epsilens.choice.aggregates import AnyAggregate, aggregate
from epsilens.choice.choose.asked import Asked, Parameter
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.dials import dial_of, risk_dial
from epsilens.choice.choose.of_table import table_dial
from epsilens.choice.choose.recoding import Lever, levers, spread_error
from epsilens.choice.choose.solving import solved
from epsilens.choice.publishing import published_tables
from epsilens.choice.whole_universe import listed_universe
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, Noise
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.table.declared_cells import declared_cells
from epsilens.table.frequency import FrequencyTable, checked_table
from epsilens.utility.absolute_error import mean_cell_error, share_off_by_more_than

FRONTIER_EPSILONS = (0.05, 8.0, 45)


@dataclass(frozen=True)
class FrontierPoint:
    """One mechanism at one budget."""

    mechanism: str
    epsilon: float
    risk: float
    error: float
    """Expected absolute error of a count, before clipping."""
    cell_error: float
    """The same once negative counts are raised to 0, averaged over the table's counts."""
    off_by_half: float
    """Expected share of counts above 0 that are off by more than 50 %."""
    dominated: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class MatchedRisk:
    """Two mechanisms at the same risk: ``better`` has the smaller error."""

    risk: float
    better: str
    worse: str
    better_epsilon: float
    worse_epsilon: float
    better_error: float
    worse_error: float

    @property
    def saving(self) -> float:
        """By which share the error is smaller."""
        return 1.0 - self.better_error / self.worse_error

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**vars(self), "saving": self.saving}


def frontier_points(
    table: FrequencyTable,
    mechanisms: Sequence[str] = ("laplace", "discrete-laplace"),
    epsilons: Sequence[float] | None = None,
    delta: float | None = None,
    measure: str = "local",
    aggregate_by: str | AnyAggregate = "mean",
    neighbours: str = "add-remove",
    **options: Any,
) -> list[FrontierPoint]:
    """Risk and error of every mechanism at every budget, dominated points marked.

    A point i is dominated if some j has risk_j <= risk_i and error_j <= error_i, one of them strictly.

    Source: P0 section 5.3, which weighs the two by eye.
    Assumes errors of counts as the utility; those of marginals are in ``utility``.
    """
    checked_table(table)
    by = aggregate(aggregate_by)
    dials = [
        risk_dial(table, name, by, measure, delta if MECHANISMS[name].has_delta else None, neighbours, **options)
        for name in mechanisms
    ]
    return points_of_dials(dials, epsilons)


def points_of_dials(dials: Sequence[RiskDial], epsilons: Sequence[float] | None = None) -> list[FrontierPoint]:
    """:func:`frontier_points` of dials of one table."""
    rows = []
    for dial in dials:
        for epsilon in log_grid(*FRONTIER_EPSILONS) if epsilons is None else epsilons:
            if epsilon >= dial.highest_valid:
                continue
            noise = dial.noise(float(epsilon))
            errors = (
                expected_absolute_error(noise),
                published_error(dial, noise),
                _off_by_half(dial, noise),
            )
            rows.append((dial.mechanism, float(epsilon), dial.of_noise(noise), *errors))
    if not rows:
        raise ParameterError("no mechanism holds at any of these `epsilons`", remedy="name others")
    beaten = dominated(np.array([row[2] for row in rows]), np.array([row[3] for row in rows]))
    return [FrontierPoint(*row, bool(flag)) for row, flag in zip(rows, beaten, strict=True)]


def published_error(dial: RiskDial, noise: Noise) -> float:
    """The expected absolute error of a published count, none below 0, averaged over all counts of all tables.

    The counts are those of the declared universe, where there is one: see :func:`mean_cell_error`.

    Source: P0 section 5.3, cell by cell.
    """
    tables = published_tables(dial.table, dial.asked.publish)
    return float(np.average([mean_cell_error(one, noise) for one in tables], weights=[_counts(one) for one in tables]))


def _off_by_half(dial: RiskDial, noise: Noise) -> float:
    """The expected share of the counts above 0, of all tables, that are off by more than 50 %."""
    tables = published_tables(dial.table, dial.asked.publish)
    above = [int(one.sparse_signatures()[0].positive @ one.sparse_signatures()[1]) for one in tables]
    return float(np.average([share_off_by_more_than(one, noise, 50.0) for one in tables], weights=above))


def _counts(table: FrequencyTable) -> int:
    declared = declared_cells(table)
    return table.n_cells * table.n_labels if declared is None else declared.counts


def dominated(risks: FloatArray, errors: FloatArray) -> Any:
    """Which points some other point beats: sorted by risk, those whose error is not a new low."""
    order = np.lexsort((errors, risks))
    flags = np.zeros(len(risks), dtype=bool)
    least, least_risk = math.inf, -math.inf
    for i in order:
        beaten = errors[i] > least or (errors[i] == least and risks[i] > least_risk)
        flags[i] = beaten
        if errors[i] < least:
            least, least_risk = float(errors[i]), float(risks[i])
    return flags


def at_matched_risk(first: RiskDial, second: RiskDial, ceiling: float) -> MatchedRisk | None:
    """Both mechanisms at the largest budget of their lowest safe interval; None where one of them has none.

    The error is E|Z| of the rounded noise at that budget.

    Source: P0 section 5.3, at equal risk instead of equal epsilon.
    """
    found = []
    for dial in (first, second):
        epsilon = solved(dial, ceiling).budget
        if epsilon is None or math.isinf(epsilon):
            return None
        found.append((expected_absolute_error(dial.noise(epsilon)), dial.mechanism, epsilon))
    (low, better, better_at), (high, worse, worse_at) = sorted(found)
    return MatchedRisk(ceiling, better, worse, better_at, worse_at, low, high)


@dataclass(frozen=True)
class LeverEffect:
    """What a lever does to risk and error at a fixed budget, beside the budget itself as a lever."""

    name: str
    kind: str
    cells: int
    epsilon: float
    risk: float
    error: float | None
    """Expected absolute error of an original count, merged counts spread evenly; None where labels were merged."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return dict(vars(self))


def lever_effects(
    table: FrequencyTable,
    epsilon: float,
    mechanism: str = "laplace",
    delta: float | None = None,
    measure: str = "local",
    aggregate_by: str | AnyAggregate = "mean",
    neighbours: str = "add-remove",
    parameter: Parameter = "epsilon",
    recodings: Any = None,
    **options: Any,
) -> list[LeverEffect]:
    """Every lever at ``epsilon``, no lever, and half of epsilon instead, ranked by risk.

    For each: the aggregate risk and the expected absolute error of an original count, :func:`spread_error`.

    Source: P0 section 5.3; re-coding as the other way to lower the risk.
    """
    checked_table(table)
    asked = Asked(
        mechanism=mechanism,
        measure=measure,
        aggregate=aggregate(aggregate_by),
        delta=delta,
        neighbours=neighbours,
        parameter=parameter,
        options=options,
    )
    return effects_of_levers(table_dial(table, asked), epsilon, recodings)


def effects_of_levers(dial: RiskDial, budget: float, recodings: Any = None) -> list[LeverEffect]:
    """:func:`lever_effects` of the table of a dial."""
    table = listed_universe(dial.table)

    def effect(name: str, kind: str, lever: Lever | None, value: float) -> LeverEffect:
        turned = dial if lever is None else dial_of(lever.table, dial.asked)
        noise = turned.noise(value)
        error = None if lever is not None and lever.group_of is None else _spread(table, lever, noise, dial)
        return LeverEffect(name, kind, turned.n_cells, value, turned.of_noise(noise), error)

    effects = [
        effect("change nothing", "none", None, budget),
        effect(f"halve {dial.parameter}", "budget", None, 0.5 * budget),
    ]
    for lever in levers(table, recodings):
        # an option, such as one Dirichlet parameter per label, may not fit fewer labels
        with contextlib.suppress(ParameterError):
            effects.append(effect(lever.name, lever.kind, lever, budget))
    return sorted(effects, key=lambda found: (found.risk, found.name))


def _spread(table: FrequencyTable, lever: Lever | None, noise: Noise, dial: RiskDial) -> float:
    """:func:`spread_error` of the tables that are published, averaged over their counts."""
    if lever is None or dial.asked.publish != "separate":
        return spread_error(table, lever, noise)
    errors = [
        spread_error(table.attribute(name), replace(lever, table=lever.table.attribute(name)), noise)
        for name in table.sensitive
    ]
    return float(np.average(errors, weights=[table.attribute(name).n_labels for name in table.sensitive]))
