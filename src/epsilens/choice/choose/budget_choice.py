"""What a choice of budget found: the whole safe set, what it costs, and what to do when there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from epsilens.arrays import FloatArray
from epsilens.budget import Budget
from epsilens.choice.choose.asked import Parameter
from epsilens.choice.choose.at_budget import People
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.public_grid import PUBLIC_GRID as PUBLIC_GRID
from epsilens.choice.choose.public_grid import rounded_down as rounded_down
from epsilens.choice.choose.public_grid import roundest
from epsilens.choice.choose.recoding import Lever
from epsilens.choice.choose.safe_set import Interval, Scan
from epsilens.choice.choose.solving import Solution
from epsilens.choice.choose.wrong_labels import both, wrong_dial
from epsilens.choice.falling import largest_fall
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.notebook import one_line, table_html


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


@dataclass(frozen=True, eq=False, kw_only=True)
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
    max_wrong: float | None = None
    """A ceiling on the share of people who are wrongly shown with a harmful value."""
    wrong: Solution | None = None
    """The budgets that keep it."""

    def __repr__(self) -> str:
        return one_line(
            self,
            f"{self.parameter} {'none' if self.budget is None else format(self.budget, '.4g')}",
            f"max_risk {self.max_risk:g}",
            f"{self.dial.measure} risk",
            self.dial.mechanism,
            f"{len(self.safe_set)} safe interval{'' if len(self.safe_set) == 1 else 's'}",
        )

    def _repr_html_(self) -> str:
        facts = {
            "mechanism": self.dial.mechanism,
            "measure": f"{self.dial.measure}, {self.dial.aggregate.name}",
            "highest risk allowed": self.max_risk,
            self.parameter: self.budget,
            "risk there": self.risk,
            **self._beside(),
            "safe set": ", ".join(f"{safe.low:.4g} to {safe.high:.4g}" for safe in self.safe_set) or "empty",
            "least risk possible": self.floor,
            "risk without noise": self.unprotected,
            "people": self.dial.n_people,
            "cells": self.dial.n_cells,
        }
        return table_html("Choice of a budget", facts, internal=True)

    def _beside(self) -> dict[str, float | int | None]:
        """What never is left out beside an average: the worst-off person, and how many are above 50 %."""
        there = None if self.budget is None else People(self.dial, self.max_risk).at(self.budget)
        if there is None or there.spread is None or there.of_ratios:
            return {}
        return {
            "risk of the worst-off person there": there.spread.worst,
            "people above 50 % there": there.spread.above_half,
        }

    @property
    def parameter(self) -> Parameter:
        """What the safe set is stated in: epsilon or rho."""
        return self.dial.parameter

    @property
    def budget(self) -> float | None:
        """The upper end of the lowest safe interval; inf where no noise is needed, None where no budget is safe."""
        return self.safe_set[0].high if self.safe_set else None

    @property
    def finite_budget(self) -> float:
        """The chosen budget; where none is needed, or safe, the one with the least risk."""
        for value in (self.budget, self.floor_at):
            if value is not None and 0 < value < math.inf:
                return value
        return float(self.scan.budgets[len(self.scan.budgets) // 2])

    @property
    def risk(self) -> float | None:
        """The aggregate risk at :attr:`budget`, at most the ceiling."""
        return None if self.budget is None else self._risk_at(self.budget)

    @property
    def smaller_is_unsafe(self) -> bool:
        """Whether budgets below the lowest interval exceed the ceiling: more noise is not always safer."""
        return bool(self.safe_set) and self.safe_set[0].low > 0

    @property
    def fall(self) -> dict[str, float] | None:
        """Where the risk falls most as the budget grows, and from which risk to which; None where it never does."""
        risks = [self.limit_at_zero, *map(float, self.scan.risks)]
        budgets = [0.0, *map(float, self.scan.budgets)]
        # budgets next to one another have risks that differ by rounding error only
        if (found := largest_fall([round(risk, 9) for risk in risks])) is None:
            return None
        begin, end = found
        to, least = budgets[end], risks[end]
        if round(least, 9) == round(self.floor, 9) and 0 < self.floor_at < math.inf:
            to, least = self.floor_at, self.floor
        return {"from": budgets[begin], "to": to, "risk_from": risks[begin], "risk_to": least}

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

    @cached_property
    def public_budget(self) -> float | None:
        """The largest round budget of the lowest range that keeps every ceiling that was asked for.

        None where there is none, and where no noise is needed: there is nothing to round.
        """
        return self.public_budget_within(math.inf)

    def public_budget_within(self, cap: float, keeps: Callable[[float], bool] | None = None) -> float | None:
        """:attr:`public_budget`, where another rule allows no more than ``cap``; what is offered ``keeps`` it too."""
        allowed = self.admissible(cap)
        if not allowed:
            return None
        return roundest(allowed[0], lambda value: self.keeps(value) and (keeps is None or keeps(value)))

    def admissible(self, cap: float = math.inf) -> tuple[Interval, ...]:
        """The budgets up to ``cap`` that keep the ceiling of the risk and, where there are any, the other ones."""
        safe = self.safe_set if self.wrong is None else both(self.safe_set, self.wrong.safe_set)
        allowed = both(safe, [Interval(self.error_floor or 0.0, cap)])
        return tuple(interval for interval in allowed if interval.low < math.inf)

    def keeps(self, budget: float) -> bool:
        """Whether this very budget keeps all ceilings, from its own risk, its own error and its own wrong labels."""
        if self._risk_at(budget) > self.max_risk:
            return False
        if self.max_wrong is not None and wrong_dial(self.dial).risk(budget) > self.max_wrong:
            return False
        return self.max_error is None or expected_absolute_error(self.dial.noise(budget)) <= self.max_error

    @property
    def people_above(self) -> int | None:
        """How many people exceed ``max_risk`` at :attr:`budget`, where a number of people was asked for."""
        if self.max_people is None or self.budget is None:
            return None
        return self.dial.people_above(self.budget, self.max_risk)

    @property
    def noise(self) -> Noise | None:
        """The noise of a count (of the lowest level) at :attr:`budget`; None without a budget or a need for noise."""
        return self.noises[0] if self.noises else None

    @property
    def noises(self) -> tuple[Noise, ...]:
        """The noise of a count at every level, lowest first; none without a budget or a need for noise."""
        return () if self.budget is None or math.isinf(self.budget) else self.dial.noises(self.budget)

    @property
    def error(self) -> float | None:
        """The expected absolute error of a published count (of the lowest level) at :attr:`budget`, before clipping."""
        return None if self.errors is None else self.errors[0]

    @property
    def errors(self) -> tuple[float, ...] | None:
        """The same at every level, lowest first; a table has one."""
        if self.budget is None:
            return None
        if math.isinf(self.budget):
            return (0.0,) * len(self.dial.shares)
        return tuple(expected_absolute_error(noise) for noise in self.dial.noises(self.budget))

    @property
    def meets_both(self) -> bool | None:
        """Whether some safe budget meets the other ceilings as well; None where the one of the risk is the only one."""
        if self.error_floor is None and self.wrong is None:
            return None
        return bool(self.admissible())

    @property
    def nearest_pair(self) -> tuple[float, float, float] | None:
        """Where the two ceilings contradict each other: the (budget, risk, error) that exceeds the worse of them least.

        The excess is max(risk / max_risk, error / max_error).
        """
        if self.meets_both is not False or self.max_error is None or self._error_alone_is_met:
            return None
        return _nearest_pair(self.dial, self.max_risk, self.max_error, self.scan)

    @property
    def _error_alone_is_met(self) -> bool:
        """Whether some safe budget meets the error ceiling, wrong labels aside."""
        return any(safe.high >= (self.error_floor or 0.0) < math.inf for safe in self.safe_set)

    def capped(self, cap: float) -> float | None:
        """The largest budget up to ``cap`` in the lowest range that keeps every ceiling; None where there is none."""
        allowed = self.admissible(cap)
        return allowed[0].high if allowed else None

    def to_budget(self) -> Budget:
        """The chosen budget as an object that ``calibrate`` and ``release_table`` take."""
        if self.budget is None:
            raise ParameterError(
                f"no {self.parameter} keeps the risk at or below {self.max_risk:g}: the least possible is "
                f"{self.floor:.4g}",
                remedy="see .remedies",
            )
        if math.isinf(self.budget):
            raise ParameterError(
                "the table without noise meets the ceiling of this attack, so no budget follows from it; without noise "
                "there is no guarantee against others"
            )
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
            "people": self.dial.n_people,
            "cells": self.dial.n_cells,
            "mechanism": self.dial.mechanism,
            "measure": self.dial.measure,
            "aggregate": self.dial.aggregate.name,
            "neighbours": self.dial.neighbours,
            "parameter": self.parameter,
            "delta": self.dial.delta,
            "max_risk": self.max_risk,
            "max_people": self.max_people,
            "max_error": self.max_error,
            "safe_set": _plain(self.safe_set),
            "budget": None if self.budget is None or math.isinf(self.budget) else self.budget,
            "public_budget": self.public_budget,
            **self._combined(),
            "risk": self.risk,
            "people_above": self.people_above,
            "error": self.error,
            **self._levels(),
            "floor": self.floor,
            "floor_at": None if math.isinf(self.floor_at) else self.floor_at,
            "limit_at_zero": self.limit_at_zero,
            "unprotected": self.unprotected,
            "smaller_is_unsafe": self.smaller_is_unsafe,
            "unprotected_is_safe": self.unprotected_is_safe,
            "fall": self.fall,
            "undetected_excess": self.scan.undetected,
            "budgets_scanned": len(self.scan.budgets),
            "scanned_from": float(self.scan.budgets[0]),
            "scanned_to": float(self.scan.budgets[-1]),
            "error_floor": self.error_floor if self.error_floor != math.inf else None,
            **self._wrong(),
            "meets_both": self.meets_both,
            "nearest_pair": None
            if nearest is None
            else dict(zip((self.parameter, "risk", "error"), nearest, strict=True)),
            "remedies": [remedy.to_dict() for remedy in self.remedies],
        }

    def _combined(self) -> dict[str, Any]:
        """The largest budget that keeps all of several ceilings; null where there is none, or no largest."""
        if self.max_error is None and self.max_wrong is None:
            return {}
        largest = self.capped(math.inf)
        return {"combined_budget": None if largest is None or math.isinf(largest) else largest}

    def _wrong(self) -> dict[str, Any]:
        """The ceiling on wrong labels with all budgets that keep it, where there is one."""
        if self.wrong is None:
            return {}
        return {"max_wrong": self.max_wrong, "wrong_set": _plain(self.wrong.safe_set), "wrong_floor": self.wrong.floor}

    def _levels(self) -> dict[str, Any]:
        """What is known of a hierarchy, or of several sensitive attributes, only."""
        if self.dial.attack is None and self.dial.publish is None:
            return {"attributes": self.dial.attributes}
        if self.dial.attack is None:
            asked = self.dial.asked
            return {
                "attributes": asked.attributes,
                "publish": asked.publish,
                "budget_of": asked.budget_of if asked.publish == "separate" else None,
                "sensitive": list(self.dial.table.sensitive),
            }
        return {"attack": self.dial.attack, "shares": list(self.dial.shares), "errors": self.errors and [*self.errors]}


def _plain(intervals: tuple[Interval, ...]) -> list[dict[str, float | None]]:
    return [{"low": i.low, "high": None if math.isinf(i.high) else i.high} for i in intervals]


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
