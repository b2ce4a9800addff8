"""Which values carry a risk that no budget makes small enough, and what it would change if one of them harmed nobody.

"No budget keeps the risk below 20 %" may be due to people who are shown to be healthy. Whoever asked should know that
before they coarsen the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.dials import dial_of
from epsilens.choice.choose.solving import solved
from epsilens.errors import ParameterError
from epsilens.homogeneity.by_value import local_by_label
from epsilens.noise import Noise
from epsilens.notebook import brief

MOST_VALUES = 20
"""With more values than this none of them is looked at by itself."""


@dataclass(frozen=True)
class CarriedRisk:
    """The part of the average risk over people that comes from showing one value."""

    value: str
    risk: float

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"value": self.value, "risk": self.risk}


@dataclass(frozen=True)
class IfHarmless:
    """What would hold if being shown with ``value`` harmed nobody."""

    value: str
    floor: float
    """The least risk over all budgets."""
    budget: float | None
    """The budget that would keep the ceiling: infinity where no noise would be needed, None where none keeps it."""

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, as those of a remedy."""
        endless = self.budget is not None and math.isinf(self.budget)
        return {
            "value": self.value,
            "floor": self.floor,
            "reaches_the_ceiling": self.budget is not None,
            "without_noise": endless,
            "budget": None if endless else self.budget,
        }


def carried_risks(dial: RiskDial, budget: float) -> tuple[CarriedRisk, ...]:
    """The average risk over people at ``budget``, value by value, the largest part first.

    A = sum over labels k of A_k, where A_k is the risk if label k alone harmed: risks count each label with its weight,
    so they add up. Empty where there is nothing to tell apart: one harmful value, many of them, several attributes, or
    an attack that is not about values.
    """
    weights = _harmful(dial)
    if not weights:
        return ()
    turned = replace(dial, asked=replace(dial.asked, aggregate=MeanRisk()))
    noises = dial.noises(budget)
    whole = turned.of_noise(*noises)
    try:
        parts = [CarriedRisk(value, risk) for value, risk in _by_value(turned, weights, noises)]
    except ParameterError:  # an option of the measure, or the measure itself, that does not go with declared harm
        return ()
    if not math.isclose(math.fsum(part.risk for part in parts), whole, rel_tol=1e-6, abs_tol=1e-12):
        return ()  # a printed formula that does not tell values apart
    return tuple(sorted(parts, key=lambda part: (-part.risk, part.value)))


def _by_value(dial: RiskDial, weights: dict[str, float], noises: tuple[Noise, ...]) -> Iterable[tuple[str, float]]:
    """The risk if each value alone harmed: of ``local`` all at once, of other measures one after the other."""
    if dial.measure != "local" or dial.asked.publish == "separate":
        return ((value, _with_harm(dial, {value: w}).of_noise(*noises)) for value, w in weights.items())
    table = dial.table
    risks = dict(zip(table.labels, local_by_label(table, noises[0], **dial.asked.of_measure).tolist(), strict=True))
    return ((value, risks[value]) for value in weights)


def if_harmless(dial: RiskDial, value: str, ceiling: float) -> IfHarmless:
    """What would hold if ``value`` harmed nobody and all other values harmed as they do."""
    others = {name: weight for name, weight in _harmful(dial).items() if name != value}
    found = solved(_with_harm(dial, others), ceiling)
    return IfHarmless(value, found.floor, found.budget)


def _harmful(dial: RiskDial) -> dict[str, float]:
    """Weights of harmful values, where there are several and they can be told apart."""
    if dial.attack is not None or dial.asked.posterior or len(dial.table.sensitive) > 1:
        return {}
    table = dial.table
    found = {value: float(w) for value, w in zip(table.labels, table.label_weights, strict=True) if w > 0}
    return found if 1 < len(found) <= MOST_VALUES else {}


def _with_harm(dial: RiskDial, weights: dict[str, float]) -> RiskDial:
    table = dial.table
    return dial_of(table.with_harm({table.sensitive[0]: weights}), dial.asked)
