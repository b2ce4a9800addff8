"""At which budgets does a dial keep its risk at or below a ceiling?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from epsilens.checks import positive
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.safe_set import Interval, Scan, scan_safe_set
from epsilens.errors import ParameterError


@dataclass(frozen=True, eq=False)
class Solution:
    """The scan of a dial, its safe set with open ends, and the least risk with its place."""

    scan: Scan
    safe_set: tuple[Interval, ...]
    floor: float
    floor_at: float
    """0 is the limit of no budget at all, inf the data without noise."""

    @property
    def budget(self) -> float | None:
        """The upper end of the lowest safe interval; inf where no noise is needed, None where no budget is safe."""
        return self.safe_set[0].high if self.safe_set else None


def solved(
    dial: RiskDial,
    ceiling: float,
    search: tuple[float, float] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Solution:
    """All budgets at which the dial's risk is at most ``ceiling``; ``search`` is the range of the scan."""
    lowest, highest = search if search is not None else dial.default_range()
    if not positive("the lower end of the search", lowest) < positive("the upper end of the search", highest):
        raise ParameterError(f"the search must ascend, got {lowest:g} to {highest:g}")
    if highest >= dial.highest_valid:
        raise ParameterError(f"mechanism {dial.mechanism!r} holds for epsilon < {dial.highest_valid:g}")
    if search is None:
        lowest = _low_enough(dial, ceiling, lowest)
    at_zero, unprotected = dial.limits
    beyond = (at_zero, unprotected if math.isinf(dial.highest_valid) else math.inf)
    scan = scan_safe_set(
        dial.risk,
        ceiling,
        lowest,
        highest,
        progress=progress,
        beyond=beyond,
        many=dial.risks,
        **_bounds(dial, ceiling),
    )
    safe = list(scan.intervals)
    if safe and scan.risks[0] <= ceiling and at_zero <= ceiling:
        safe[0] = Interval(0.0, safe[0].high)
    if safe and scan.risks[-1] <= ceiling and unprotected <= ceiling and math.isinf(dial.highest_valid):
        safe[-1] = Interval(safe[-1].low, math.inf)
    ends = [(0.0, at_zero), (math.inf, unprotected)] if math.isinf(dial.highest_valid) else [(0.0, at_zero)]
    place, floor = min([scan.lowest_point, *ends], key=lambda pair: pair[1])
    return Solution(scan, tuple(safe), floor, place)


def _bounds(dial: RiskDial, ceiling: float) -> dict[str, Any]:
    """What is known of the risk between two budgets."""
    if ceiling >= dial.greatest:  # nothing rises above what is certain
        return {"slope": 0.0, "bend": 0.0}
    if dial.steepness is None:
        return {"slope": dial.slope}
    smooth = isinstance(dial.aggregate, MeanRisk)  # order statistics have kinks
    bounds = dial.steepness if smooth else replace(dial.steepness, bends=None)
    return {"slope": bounds.slope, "place": dial.place, "nearby": bounds.beyond}


def _low_enough(dial: RiskDial, ceiling: float, lowest: float) -> float:
    """``lowest``, or less where a ceiling just above the risk without any release is met further down."""
    possible = dial.lowest_possible(lowest)
    while dial.limits[0] < ceiling < dial.risk(lowest):
        if lowest <= possible:
            raise ParameterError(
                f"= {ceiling:.15g} is so close to {dial.limits[0]:.15g}, the risk without any release, that it takes "
                f"less than {dial.parameter} = {lowest:.2g}, more noise than can be summed; raise `max_risk`",
                parameter="max_risk",
            )
        lowest = max(possible, 0.1 * lowest)
    return lowest
