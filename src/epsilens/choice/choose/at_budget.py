"""What a budget means for people: beside the risk, who is worst off, who is shown as what, and what it costs.

One number at one budget is easily misread: an average hides the worst-off, and a risk may fall as the budget grows. So
a choice is shown as a short table of budgets, the one to take among them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.public_grid import PUBLIC_GRID
from epsilens.choice.choose.safe_set import Scan
from epsilens.choice.spread import Spread, spread
from epsilens.homogeneity.by_value import HarmShown, PreparedValues, ShownValue, harm_shown
from epsilens.homogeneity.measures import MEASURES
from epsilens.noise import Noise
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.notebook import brief

_SAME = 0.03  # budgets closer than this share of each other make one row


@dataclass(frozen=True)
class AtBudget:
    """One budget of a dial. Computed from true data: internal."""

    budget: float
    """Without noise: infinity."""
    risk: float
    """The aggregate that the ceiling is about."""
    error: float
    """Expected absolute error of a published count (of the lowest level)."""
    spread: Spread | None = None
    """The risks of all people; None where there is one risk for all by nature."""
    of_ratios: bool = False
    """Whether these are ratios: then one half means nothing."""
    by_value: tuple[ShownValue, ...] = ()
    """Who is shown as what; empty where the attack is not about values."""
    of_several: bool = False
    """Whether the values are those of several attributes: then a person may be shown with one of each."""

    __repr__ = brief

    @property
    def harmful_right(self) -> float | None:
        """Share of people whose cell shows one harmful value only, and it is theirs."""
        return None if self._harm is None else self._harm.right

    @property
    def harmful_wrong(self) -> float | None:
        """Share of people whose cell shows one harmful value only, and it is not theirs."""
        return None if self._harm is None else self._harm.wrong

    @property
    def _harm(self) -> HarmShown | None:
        return None if self.of_several or not self.by_value else harm_shown(self.by_value)

    def to_dict(self, parameter: str) -> dict[str, Any]:
        """Plain values for JSON; without noise the parameter is null."""
        return {
            parameter: None if math.isinf(self.budget) else self.budget,
            "risk": self.risk,
            "worst": None if self.spread is None else self.spread.worst,
            "above_half": None if self.spread is None or self.of_ratios else self.spread.above_half,
            "above_ceiling": None if self.spread is None else self.spread.above_ceiling,
            "harmful_right": self.harmful_right,
            "harmful_wrong": self.harmful_wrong,
            "error": self.error,
        }


@dataclass(frozen=True, eq=False)
class People:
    """Everybody behind a dial, ready for any budget."""

    dial: RiskDial
    ceiling: float | None = None
    values: tuple[PreparedValues, ...] = ()
    """Who is shown as what: of the labels, or of every attribute; none where the attack is not about values."""

    __repr__ = brief

    @property
    def has_spread(self) -> bool:
        """Whether the risks are those of people; some measures have one risk for the whole table by nature."""
        measure = self.dial.measure
        return measure not in MEASURES or not MEASURES[measure].one_risk

    @property
    def of_ratios(self) -> bool:
        """Whether the risks are ratios."""
        return self.dial.measure == "posterior-ratio"

    def at(self, budget: float) -> AtBudget:
        """What ``budget`` means; infinity is the table without noise."""
        if math.isinf(budget) and self.dial.prepared is None:  # certainty, to whoever knows everybody but the target
            people = self.dial.people
            certain = spread(np.full(len(people), self.dial.limits[1]), people, self.ceiling)
            return AtBudget(budget, self.dial.limits[1], 0.0, certain, self.of_ratios)
        return self.under(budget, self.dial.noises(budget))

    def under(self, budget: float, noises: tuple[Noise, ...]) -> AtBudget:
        """What this noise means, one law per level or table."""
        dial = self.dial
        risks = dial.kind_risks(noises)
        return AtBudget(
            budget,
            dial.aggregate.value(risks, dial.people, dial.cells),
            0.0 if math.isinf(budget) else expected_absolute_error(noises[0]),
            spread(risks, dial.people, self.ceiling) if self.has_spread else None,
            self.of_ratios,
            self._by_value(noises),
            len(self.values) > 1,
        )

    def _by_value(self, noises: tuple[Noise, ...]) -> tuple[ShownValue, ...]:
        if len(self.values) < 2:
            return self.values[0].shares(noises[0]) if self.values else ()
        each = noises if len(noises) == len(self.values) else noises * len(self.values)  # all in one joint table
        return tuple(
            ShownValue(f"{name}={shown.value}", shown.weight, shown.shown_right, shown.shown_wrong)
            for name, ready, noise in zip(self.dial.table.sensitive, self.values, each, strict=True)
            for shown in ready.shares(noise)
        )


def budgets_around(
    scan: Scan, chosen: float | None, others: Iterable[float | None] = (), highest: float = math.inf
) -> tuple[float, ...]:
    """Ascending budgets to look at: the least that was scanned, those around the chosen one, ``others``, no noise.

    Where nothing was chosen, or no noise is needed, round ones stand for those around it.
    """
    low, high = float(scan.budgets[0]), float(scan.budgets[-1])
    kept = [low] if chosen is None or math.isinf(chosen) else [chosen, low]
    wanted = [value for value in others if value is not None]
    wanted += [value for value in PUBLIC_GRID if value in (0.1, 1.0, 10.0)] if kept == [low] else []
    wanted += [0.5 * chosen, 2.0 * chosen] if chosen is not None and math.isfinite(chosen) else []
    for value in wanted:
        if low < value < min(high, highest) and all(abs(math.log(value / near)) > _SAME for near in kept):
            kept.append(value)
    return (*sorted(kept), math.inf)
