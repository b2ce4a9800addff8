"""From a tolerable risk to a budget: the whole safe set, what it costs, and what to do when there is none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from epsilens.budget import Budget
from epsilens.choice.aggregates import AnyAggregate, PeopleAbove, aggregate
from epsilens.choice.recoding import Lever, levers
from epsilens.choice.risk_dial import PARAMETERS, POSTERIOR_MEASURES, UNPROTECTED, Parameter, RiskDial, risk_dial
from epsilens.choice.safe_set import Interval, Scan, scan_safe_set
from epsilens.errors import ParameterError, finite, one_of, positive
from epsilens.noise import Noise
from epsilens.noise.law import FloatArray
from epsilens.table.frequency import FrequencyTable
from epsilens.utility.absolute_error import expected_absolute_error

PUBLIC_GRID = tuple(digit * 10.0**power for power in range(-4, 3) for digit in (1.0, 2.0, 5.0))
"""Budgets to round down to, fixed beforehand: one of these says less about the data than the digits of an optimum."""


@dataclass(frozen=True)
class Remedy:
    """What a lever would do for a ceiling that this table cannot meet."""

    lever: Lever
    floor: float
    """The least risk over all budgets once the lever is pulled."""
    budget: float | None
    """The budget it would then allow; None where the ceiling stays out of reach."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        endless = self.budget is not None and math.isinf(self.budget)
        return {
            **self.lever.to_dict(),
            "floor": self.floor,
            "reaches_the_ceiling": self.budget is not None,
            "without_noise": endless,
            "budget": None if endless else self.budget,
        }


@dataclass(frozen=True, eq=False)
class BudgetChoice:
    """The answer. It is computed from true data: internal, not for publication."""

    dial: RiskDial
    max_risk: float
    max_people: int | None
    max_error: float | None
    safe_set: tuple[Interval, ...]
    """All budgets whose risk is at or below the ceiling, as intervals of the parameter (epsilon or rho)."""
    scan: Scan
    floor: float
    """The least risk over all budgets."""
    floor_at: float
    """Where: 0 is the limit of no budget at all, inf the table without noise."""
    error_floor: float | None
    """The least budget that meets the error ceiling."""
    remedies: tuple[Remedy, ...]

    @property
    def parameter(self) -> Parameter:
        """What the safe set is stated in: epsilon or rho."""
        return self.dial.parameter

    @property
    def budget(self) -> float | None:
        """The upper end of the lowest safe interval; inf where no noise is needed, None where no budget is safe."""
        return self.safe_set[0].high if self.safe_set else None

    @property
    def risk(self) -> float | None:
        """The aggregate risk at :attr:`budget`, at most the ceiling."""
        return None if self.budget is None else self._risk_at(self.budget)

    @property
    def smaller_is_unsafe(self) -> bool:
        """Whether budgets below the lowest interval exceed the ceiling: more noise is not always safer."""
        return bool(self.safe_set) and self.safe_set[0].low > 0

    @property
    def unprotected_is_safe(self) -> bool:
        """Whether the table without any noise meets the ceiling already."""
        return self.unprotected <= self.max_risk

    @property
    def limit_at_zero(self) -> float:
        """The risk as the budget tends to 0; not the floor where more noise is not always safer."""
        return self.dial.limits[0]

    @property
    def unprotected(self) -> float:
        """The risk of the table without noise."""
        return self.dial.limits[1]

    @property
    def public_budget(self) -> float | None:
        """The largest budget of :data:`PUBLIC_GRID` in the lowest safe interval; None where it holds none."""
        return None if not self.safe_set else rounded_down(self.safe_set[0], PUBLIC_GRID)

    def public_budget_within(self, cap: float) -> float | None:
        """:attr:`public_budget`, where another rule allows no more than ``cap``."""
        highest = self.capped(cap)
        return None if highest is None else rounded_down(Interval(self.safe_set[0].low, highest), PUBLIC_GRID)

    @property
    def people_above(self) -> int | None:
        """How many people exceed ``max_risk`` at :attr:`budget`, where a number of people was asked for."""
        if self.max_people is None or self.budget is None:
            return None
        noise = UNPROTECTED if math.isinf(self.budget) else self.dial.noise(self.budget)
        return self.dial.people_above(noise, self.max_risk)

    @property
    def noise(self) -> Noise | None:
        """The noise at :attr:`budget`; None where there is no budget, or no need for noise."""
        return None if self.budget is None or math.isinf(self.budget) else self.dial.noise(self.budget)

    @property
    def error(self) -> float | None:
        """The expected absolute error of a published count at :attr:`budget`, before clipping at 0."""
        if self.budget is None:
            return None
        return 0.0 if self.noise is None else expected_absolute_error(self.noise)

    @property
    def meets_both(self) -> bool | None:
        """Whether some safe budget meets the error ceiling as well; None without an error ceiling."""
        if self.error_floor is None:
            return None
        return any(interval.high >= self.error_floor for interval in self.safe_set)

    @property
    def nearest_pair(self) -> tuple[float, float, float] | None:
        """Where the two ceilings contradict each other: the (budget, risk, error) that exceeds the worse of them least.

        The excess is max(risk / max_risk, error / max_error).
        """
        if self.meets_both is not False or self.max_error is None:
            return None
        return _nearest_pair(self.dial, self.max_risk, self.max_error, self.scan)

    def capped(self, cap: float) -> float | None:
        """The largest budget up to ``cap`` in the lowest safe interval; None where the interval starts above it."""
        if not self.safe_set or self.safe_set[0].low > cap:
            return None
        return min(cap, self.safe_set[0].high)

    def to_budget(self) -> Budget:
        """The chosen budget as an object that ``calibrate`` and ``release_table`` take."""
        if self.budget is None:
            raise ParameterError(
                f"no {self.parameter} keeps the risk at or below {self.max_risk:g}: the least possible is "
                f"{self.floor:.4g}; see .remedies"
            )
        if math.isinf(self.budget):
            raise ParameterError("the table without noise meets the ceiling already, so no budget follows from it")
        return self.dial.budget(self.budget)

    @property
    def curve(self) -> tuple[FloatArray, FloatArray]:
        """The budgets that were scanned and their risks."""
        return self.scan.budgets, self.scan.risks

    def _risk_at(self, budget: float) -> float:
        return self.unprotected if math.isinf(budget) else self.dial.risk(budget)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; an end of an interval that is without end is null."""
        nearest = self.nearest_pair
        return {
            "label": "internal",
            "people": self.dial.table.n_records,
            "cells": self.dial.table.n_cells,
            "mechanism": self.dial.mechanism,
            "measure": self.dial.measure,
            "aggregate": self.dial.aggregate.name,
            "neighbours": self.dial.neighbours,
            "parameter": self.parameter,
            "delta": self.dial.delta,
            "max_risk": self.max_risk,
            "max_people": self.max_people,
            "max_error": self.max_error,
            "safe_set": [{"low": i.low, "high": None if math.isinf(i.high) else i.high} for i in self.safe_set],
            "budget": None if self.budget is None or math.isinf(self.budget) else self.budget,
            "public_budget": self.public_budget,
            "risk": self.risk,
            "people_above": self.people_above,
            "error": self.error,
            "floor": self.floor,
            "floor_at": None if math.isinf(self.floor_at) else self.floor_at,
            "limit_at_zero": self.limit_at_zero,
            "unprotected": self.unprotected,
            "smaller_is_unsafe": self.smaller_is_unsafe,
            "unprotected_is_safe": self.unprotected_is_safe,
            "undetected_excess": self.scan.undetected,
            "budgets_scanned": len(self.scan.budgets),
            "error_floor": self.error_floor if self.error_floor != math.inf else None,
            "meets_both": self.meets_both,
            "nearest_pair": None
            if nearest is None
            else dict(zip((self.parameter, "risk", "error"), nearest, strict=True)),
            "remedies": [remedy.to_dict() for remedy in self.remedies],
        }


def choose_budget(
    table: FrequencyTable,
    mechanism: str = "laplace",
    max_risk: float = 0.3,
    measure: str = "local",
    aggregate_by: str | AnyAggregate = "mean",
    max_people: int | None = None,
    max_error: float | None = None,
    delta: float | None = None,
    neighbours: str = "add-remove",
    parameter: Parameter = "epsilon",
    search: tuple[float, float] | None = None,
    remedies: bool | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> BudgetChoice:
    """All budgets at which the risk stays at or below ``max_risk``, and the one to take.

    The safe set is {epsilon > 0 : A(epsilon) <= c}. Symbols: c is ``max_risk``; A is the aggregate (``aggregate_by``:
    "mean" over people, "cell-mean", "max", "q95", or an object of ``choice.aggregates``) of the ``measure``'s risks
    under the noise that ``mechanism`` needs at epsilon. With ``max_people`` = m the condition is instead that at most
    m people are at a risk above c. ``parameter="rho"`` states everything in rho. ``max_error`` adds a ceiling on the
    expected absolute error of a count; ``remedies`` evaluates coarser tables, by default where no budget is safe.
    ``search`` is the range of the scan. ``options`` go to the measure (``match``, ``alpha``, ``prior``, ...).

    Source: P0 section 5.3.
    Assumes that the risk does not turn again outside of ``search``, whose default ends are where noise drowns the
    largest cell and where rounding removes the noise.
    Departs from print (P0-9): the risk may fall and rise again, so nothing is inverted by bisection; the whole axis is
    scanned as finely as its slope demands, and ends are stated on the safe side.
    """
    ceiling = _ceiling(max_risk, measure, options.get("prior", 0.5))
    by: AnyAggregate = aggregate(aggregate_by) if max_people is None else PeopleAbove(max_people)
    one_of("parameter", parameter, PARAMETERS)
    if max_error is not None:
        positive("max_error", max_error)
    dial = risk_dial(table, mechanism, by, measure, delta, neighbours, parameter, **options)
    scan, safe, floor, floor_at = solved(dial, ceiling, search, progress)
    # saying less does not help against somebody who knows everybody but the target
    wanted = measure not in POSTERIOR_MEASURES and (not safe if remedies is None else remedies)
    return BudgetChoice(
        dial,
        ceiling,
        max_people,
        max_error,
        safe,
        scan,
        floor,
        floor_at,
        None if max_error is None else _least_budget_for(dial, max_error, scan),
        tuple(_remedies(dial, ceiling, search, options)) if wanted else (),
    )


def solved(
    dial: RiskDial,
    ceiling: float,
    search: tuple[float, float] | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Scan, tuple[Interval, ...], float, float]:
    """The scan of a dial, its safe set with open ends, and the floor with its place."""
    lowest, highest = search if search is not None else dial.default_range()
    if not positive("the lower end of the search", lowest) < positive("the upper end of the search", highest):
        raise ParameterError(f"the search must ascend, got {lowest:g} to {highest:g}")
    if highest >= dial.highest_valid:
        raise ParameterError(f"mechanism {dial.mechanism!r} holds for epsilon < {dial.highest_valid:g}")
    scan = scan_safe_set(dial.risk, ceiling, lowest, highest, dial.slope, progress)
    at_zero, unprotected = dial.limits
    safe = list(scan.intervals)
    if safe and scan.risks[0] <= ceiling and at_zero <= ceiling:
        safe[0] = Interval(0.0, safe[0].high)
    if safe and scan.risks[-1] <= ceiling and unprotected <= ceiling and math.isinf(dial.highest_valid):
        safe[-1] = Interval(safe[-1].low, math.inf)
    ends = [(0.0, at_zero), (math.inf, unprotected)] if math.isinf(dial.highest_valid) else [(0.0, at_zero)]
    place, floor = min([scan.lowest_point, *ends], key=lambda pair: pair[1])
    return scan, tuple(safe), floor, place


def rounded_down(interval: Interval, grid: Sequence[float]) -> float | None:
    """The largest member of ``grid`` in the interval, or None."""
    inside = [value for value in grid if value in interval]
    return max(inside) if inside else None


def _ceiling(max_risk: float, measure: str, prior: float) -> float:
    """The ceiling, refused where the measure cannot have such a value."""
    value = finite("max_risk", max_risk)
    if measure == "posterior-ratio":
        if not 1 < value <= 1.0 / prior:
            raise ParameterError(
                f"max_risk of 'posterior-ratio' must lie in (1, {1.0 / prior:g}], from nothing learnt to certainty at "
                f"prior {prior:g}; got {value:g}"
            )
    elif not 0 < value <= 1:
        raise ParameterError(f"max_risk must lie in (0, 1], got {value:g}; it is a probability, 0.3 for 30 %")
    return value


def _least_budget_for(dial: RiskDial, max_error: float, scan: Scan) -> float:
    """The least budget whose expected absolute error is at most ``max_error``; the error falls as the budget grows."""
    from scipy import optimize  # lazy: most choices need no error ceiling

    def excess(x: float) -> float:
        return math.log(max(expected_absolute_error(dial.noise(math.exp(x))), 1e-300) / max_error)

    low, high = math.log(scan.budgets[0]), math.log(scan.budgets[-1])
    if excess(low) <= 0:
        return float(scan.budgets[0])
    if excess(high) > 0:
        return math.inf
    return math.exp(float(optimize.brentq(excess, low, high, xtol=1e-13)))


def _nearest_pair(dial: RiskDial, max_risk: float, max_error: float, scan: Scan) -> tuple[float, float, float]:
    """The (budget, risk, error) with the least max(risk / max_risk, error / max_error): the scan's best, refined."""
    from scipy import optimize

    def pair(x: float) -> tuple[float, float, float]:
        value = math.exp(x)
        return value, dial.risk(value), expected_absolute_error(dial.noise(value))

    def excess(x: float) -> float:
        _, risk, error = pair(x)
        return max(risk / max_risk, error / max_error)

    xs = [math.log(budget) for budget in scan.budgets[:: max(1, len(scan.budgets) // 200)]]
    i = min(range(len(xs)), key=lambda j: excess(xs[j]))
    around = (xs[max(i - 1, 0)], xs[min(i + 1, len(xs) - 1)])
    best = optimize.minimize_scalar(excess, bounds=around, method="bounded", options={"xatol": 1e-9}).x
    return pair(min([float(best), xs[i]], key=excess))


def _remedies(
    dial: RiskDial, ceiling: float, search: tuple[float, float] | None, options: dict[str, Any]
) -> list[Remedy]:
    """Every lever, evaluated: those that reach the ceiling first, then by their floor."""
    found = []
    for lever in levers(dial.table):
        try:
            coarser = risk_dial(
                lever.table, dial.mechanism, dial.aggregate, dial.measure, dial.delta, dial.neighbours, dial.parameter,
                **options,
            )  # fmt: skip
        except ParameterError:  # an option, such as one Dirichlet parameter per label, that does not fit fewer labels
            continue
        _, safe, floor, _ = solved(coarser, ceiling, search)
        found.append(Remedy(lever, floor, safe[0].high if safe else None))
    return sorted(found, key=lambda remedy: (remedy.budget is None, round(remedy.floor, 9), remedy.lever.name))
