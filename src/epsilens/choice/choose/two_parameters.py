"""Two parameters: at a given risk, epsilon and delta can be traded for one another.

The noise of a mechanism is one number, and it grows as epsilon or delta falls. So every pair with the same noise has
the same risk: the safe set is one of noise, found once, and read off in whichever parameter is wanted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import log_grid
from epsilens.checks import one_of, positive
from epsilens.choice.choose.asked import chosen_aggregate
from epsilens.choice.choose.budget_choice import BudgetChoice
from epsilens.choice.choose.choosing import choose_budget
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.choose.safe_set import Interval
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS
from epsilens.noise.mechanisms import refuse_needless_delta
from epsilens.notebook import brief, internal_facts_html
from epsilens.table.frequency import FrequencyTable
from epsilens.table.hierarchy import Situations

DELTA_RANGE = (1e-12, 0.5)
EPSILON_RANGE = (1e-6, 1e4)


@dataclass(frozen=True, eq=False)
class DeltaChoice:
    """The deltas at which the risk stays at or below the ceiling, epsilon being fixed; ``dial`` is at that epsilon."""

    epsilon: float
    max_risk: float
    safe_set: tuple[Interval, ...]
    dial: RiskDial

    __repr__ = brief
    _repr_html_ = internal_facts_html

    @property
    def delta(self) -> float | None:
        """The upper end of the lowest safe interval; None where no delta is safe."""
        return self.safe_set[0].high if self.safe_set else None


def choose_delta(
    data: FrequencyTable | Situations,
    epsilon: float,
    mechanism: str = "gaussian-analytic",
    max_risk: float = 0.3,
    **options: Any,
) -> DeltaChoice:
    """All deltas from 1e-12 to 1/2 at which the risk stays at or below ``max_risk``, epsilon being fixed.

    {delta : A(epsilon, delta) <= c}. Symbols: c is ``max_risk``; A is the aggregate of :func:`choose_budget`, whose
    ``options`` these are.

    Source: P1 section 4, which fixes one parameter and calculates the other.
    Assumes a mechanism with two parameters. Departs from print (P0-9): the risk need not be monotone.
    """
    value = positive("epsilon", epsilon)
    dial, choice = _two_dials(data, mechanism, max_risk, options)
    if value >= dial.highest_valid:
        raise ParameterError(
            f"must be < {dial.highest_valid:g} for mechanism {mechanism!r}", parameter="epsilon", got=value
        )

    def sigma(delta: float) -> float:
        return dial.at_delta(delta).noise(value).size

    widest, narrowest = (sigma(delta) for delta in DELTA_RANGE)
    found = []
    for interval in choice.safe_set:
        least = 0.0 if math.isinf(interval.high) else choice.dial.noise(interval.high).size
        most = math.inf if interval.low == 0 else choice.dial.noise(interval.low).size
        if least <= widest and most >= narrowest:  # the last digits are left out, on the safe side
            low = DELTA_RANGE[0] if most >= widest else _inverse(sigma, most, DELTA_RANGE) * (1.0 + 1e-10)
            high = DELTA_RANGE[1] if least <= narrowest else _inverse(sigma, least, DELTA_RANGE) * (1.0 - 1e-10)
            found.append(Interval(low, high))
    # larger rho is less noise is larger delta, so the order is kept
    return DeltaChoice(value, choice.max_risk, tuple(found), dial)


@dataclass(frozen=True, eq=False)
class IsoRisk:
    """Pairs (epsilon, delta) with the risk of the ceiling, one curve for each end of the safe set of noise."""

    max_risk: float
    dial: RiskDial
    deltas: FloatArray
    epsilons: FloatArray
    """Ends x deltas; NaN where no epsilon has that noise."""
    sides: tuple[str, ...]
    """``upper``: larger epsilons are unsafe; ``lower``: smaller ones are."""

    __repr__ = brief

    def to_rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per point."""
        return [
            {"curve": i, "side": self.sides[i], "epsilon": float(epsilon), "delta": float(delta)}
            for i, row in enumerate(self.epsilons)
            for epsilon, delta in zip(row, self.deltas, strict=True)
            if math.isfinite(epsilon)
        ]


def iso_risk(
    data: FrequencyTable | Situations,
    mechanism: str = "gaussian-analytic",
    max_risk: float = 0.3,
    deltas: Sequence[float] | None = None,
    **options: Any,
) -> IsoRisk:
    """The pairs (epsilon, delta) at which the risk equals the ceiling.

    {(epsilon, delta) : sigma(epsilon, delta) = s} for every end s of the safe set of noise. Symbols: c is ``max_risk``;
    sigma is the calibration of ``mechanism``, which falls in epsilon and in delta.

    Source: P1 Figure 5 and section 4.
    Assumes that the risk depends on the budget through the noise alone, as every measure of ours does.
    """
    dial, choice = _two_dials(data, mechanism, max_risk, options)
    grid = as_floats(log_grid(1e-10, 1e-1, 37) if deltas is None else deltas)
    targets, sides = [], []
    for interval in choice.safe_set:
        for end, side in ((interval.low, "lower"), (interval.high, "upper")):
            if choice.scan.budgets[0] < end < choice.scan.budgets[-1]:
                targets.append(choice.dial.noise(end).size)
                sides.append(side)
    epsilons = [[_epsilon_of(dial.at_delta(float(delta)), target) for delta in grid] for target in targets]
    return IsoRisk(choice.max_risk, dial, grid, as_floats(epsilons).reshape(len(targets), len(grid)), tuple(sides))


def risk_surface(dial: RiskDial, epsilons: Sequence[float], deltas: Sequence[float]) -> FloatArray:
    """The risk at every pair, deltas x epsilons; NaN where the mechanism does not hold.

    A(epsilon, delta), the aggregate of the dial.

    Source: P1 Figure 5.
    """
    rows = []
    for delta in deltas:
        at_delta = dial.at_delta(float(delta))
        rows.append([at_delta.risk(e) if e < at_delta.highest_valid else math.nan for e in map(float, epsilons)])
    return as_floats(rows)


def _two_dials(
    data: FrequencyTable | Situations, mechanism: str, max_risk: float, options: dict[str, Any]
) -> tuple[RiskDial, BudgetChoice]:
    """The dial in (epsilon, delta), and the choice in rho, which names every noise of the same law once."""
    one_of("mechanism", mechanism, MECHANISMS)
    refuse_needless_delta([mechanism])
    choice = choose_budget(data, MECHANISMS[mechanism].law.name, max_risk, parameter="rho", remedies=False, **options)
    rest = {name: value for name, value in options.items() if name not in {"aggregate_by", "max_people"}}
    by = chosen_aggregate(options.get("aggregate_by"), options.get("max_people"))
    return risk_dial(data, mechanism, by, delta=1e-6, **rest), choice


def _inverse(sigma: Callable[[float], float], target: float, limits: tuple[float, float]) -> float:
    """The parameter within ``limits`` whose noise is ``target``; the noise falls in it."""
    from scipy import optimize  # lazy: most choices have one parameter

    low, high = (math.log(end) for end in limits)
    return math.exp(
        float(optimize.brentq(lambda x: math.log(sigma(math.exp(x)) / target), low, high, xtol=1e-13, rtol=1e-14))
    )


def _epsilon_of(dial: RiskDial, target: float) -> float:
    """The epsilon whose noise is ``target``; NaN where none has."""
    limits = (EPSILON_RANGE[0], min(EPSILON_RANGE[1], dial.highest_valid * (1.0 - 1e-9)))

    def sigma(epsilon: float) -> float:
        return dial.noise(epsilon).size

    return _inverse(sigma, target, limits) if sigma(limits[1]) <= target <= sigma(limits[0]) else math.nan
