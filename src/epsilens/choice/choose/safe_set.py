"""The whole set of budgets at which a risk stays at or below a ceiling, when the risk need not be monotone.

The scan knows how steep the risk can be (its slope bound, per unit of the logarithm of the budget). Between two budgets
a and b, w apart on the log axis, the risk lies between (f(a) + f(b) - L w) / 2 and (f(a) + f(b) + L w) / 2. Where that
leaves room for the ceiling to be crossed, the gap is halved and looked at again; elsewhere nothing can hide. So the
scan is as fine as this table needs, where it needs it, and states what could still have escaped it.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import log_grid
from epsilens.notebook import brief

POINTS_PER_DECADE = 20
FINEST = 2e-5
"""Gaps on the log axis are not halved below this; a risk of slope 0.5 moves by 5e-6 in half of one."""
FINEST_GUESSED = 1e-3
"""The same where the slope is guessed: what no bound certifies is not worth as much time."""
MOST_EVALUATIONS = 6000
MOST_EVALUATIONS_GUESSED = 300
_GUESSED_STEEPNESS = 4.0  # without a slope bound, this many times the steepest slope that the first grid shows


@dataclass(frozen=True)
class Interval:
    """Budgets from ``low`` to ``high``, both included; ``low = 0`` and ``high = inf`` mean without end."""

    low: float
    high: float

    def __contains__(self, budget: float) -> bool:
        return self.low <= budget <= self.high


@dataclass(frozen=True, eq=False)
class Scan:
    """What a scan found: the safe intervals within its range, the risks it looked at, and what could have escaped it.

    ``undetected`` bounds how far the risk can rise above the ceiling inside the intervals, between the budgets looked
    at; it is None where the slope of the risk has no known bound.
    """

    intervals: tuple[Interval, ...]
    budgets: FloatArray
    risks: FloatArray
    undetected: float | None

    __repr__ = brief

    @property
    def lowest_point(self) -> tuple[float, float]:
        """(budget, risk) at the least risk that was looked at."""
        i = int(np.argmin(self.risks))
        return float(self.budgets[i]), float(self.risks[i])


def scan_safe_set(
    risk: Callable[[float], float],
    ceiling: float,
    lowest: float,
    highest: float,
    slope: float | None,
    progress: Callable[[int], None] | None = None,
    beyond: tuple[float, float] = (math.inf, math.inf),
) -> Scan:
    """All budgets from ``lowest`` to ``highest`` with risk(budget) <= ceiling, as intervals.

    ``slope`` bounds |d risk / d log budget|. Ends are refined to the last digits and moved to the safe side, so that
    the risk at a stated end is at most the ceiling. ``beyond`` are the limits of the risk past either end, where
    known: a risk that goes on falling towards one of them has no minimum to be looked for at that end.
    """
    known: dict[float, float] = {}

    def at(x: float) -> float:
        if x not in known:
            known[x] = risk(math.exp(x))
            if progress is not None:
                progress(1)
        return known[x]

    decades = math.log10(highest / lowest)
    grid = [math.log(b) for b in log_grid(lowest, highest, max(3, math.ceil(POINTS_PER_DECADE * decades) + 1))]
    for x in grid:
        at(x)
    steep = slope
    if steep is None:
        steps = [abs(at(b) - at(a)) / (b - a) for a, b in pairwise(grid)]
        steep = _GUESSED_STEEPNESS * max(steps)
    limits = (FINEST, MOST_EVALUATIONS) if slope is not None else (FINEST_GUESSED, MOST_EVALUATIONS_GUESSED)
    undetected = _refine(at, grid, ceiling, steep, *limits)
    # the risk's own minimum belongs to the floor, and to the safe set if the ceiling is just above it
    best = min(known, key=lambda x: known[x])
    if not (best == grid[0] and beyond[0] <= at(best)) and not (best == grid[-1] and beyond[1] <= at(best)):
        # where risks have a slope bound they are quick to compute; a minimum is flat, so 1e-5 is close enough elsewhere
        _descend(at, best, sorted(known), 1e-9 if slope is not None else 1e-5)
    _refine_ends(risk, known, ceiling)
    xs = sorted(known)
    intervals = _runs(xs, [known[x] <= ceiling for x in xs])
    return Scan(
        tuple(Interval(math.exp(a), math.exp(b)) for a, b in intervals),
        as_floats([math.exp(x) for x in xs]),
        as_floats([known[x] for x in xs]),
        undetected if slope is not None else None,
    )


def end_of_lowest_stretch(
    risk: Callable[[float], float], ceiling: float, budgets: Sequence[float], exact: bool = True
) -> float | None:
    """The last safe budget of the lowest stretch of safe ones among ascending ``budgets``; None where none is safe.

    For risks that are dear to compute: looked at no further than the end of that stretch, and no finer than the
    budgets given. Where the risk is ``exact`` the end is refined as those of :func:`scan_safe_set` are.
    """
    safe = unsafe = None
    for budget in budgets:
        value = risk(budget)
        if value <= ceiling:
            safe = budget, value
        elif safe is not None:
            unsafe = budget, value
            break
    if safe is None or unsafe is None or not exact:
        return None if safe is None else safe[0]
    ends = {math.log(budget): value for budget, value in (safe, unsafe)}
    _refine_ends(risk, ends, ceiling)
    return math.exp(max(x for x, value in ends.items() if value <= ceiling))


def _refine(
    at: Callable[[float], float], grid: list[float], ceiling: float, steep: float, finest: float, most: int
) -> float:
    """Halve every gap in which the ceiling could be crossed; how far above it the risk could still rise unseen."""
    gaps = [(a - b, a, b) for a, b in pairwise(grid)]  # widest first
    heapq.heapify(gaps)
    undetected, looked = 0.0, 0
    while gaps:
        width, a, b = heapq.heappop(gaps)
        width = -width
        low_a, low_b = at(a) <= ceiling, at(b) <= ceiling
        middle, room = 0.5 * (at(a) + at(b)), 0.5 * steep * width
        hides = low_a != low_b or (middle + room > ceiling if low_a else middle - room <= ceiling)
        if not hides:
            continue
        if width <= finest or looked >= most:
            if low_a and low_b:
                undetected = max(undetected, middle + room - ceiling)
            continue
        centre = 0.5 * (a + b)
        at(centre)
        looked += 1
        heapq.heappush(gaps, (a - centre, a, centre))
        heapq.heappush(gaps, (centre - b, centre, b))
    return undetected


def _descend(at: Callable[[float], float], best: float, xs: list[float], closest: float) -> None:
    """Look closer around the least risk seen, by golden sections between its neighbours."""
    i = xs.index(best)
    low, high = xs[max(i - 1, 0)], xs[min(i + 1, len(xs) - 1)]
    ratio = 0.5 * (math.sqrt(5.0) - 1.0)
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    for _ in range(60):
        if high - low < closest:
            break
        if at(left) <= at(right):
            high, right = right, left
            left = high - ratio * (high - low)
        else:
            low, left = left, right
            right = low + ratio * (high - low)


def _refine_ends(risk: Callable[[float], float], known: dict[float, float], ceiling: float) -> None:
    """Add, for every crossing, the last safe budget: the root, moved to the safe side.

    Only the end itself is kept: next to a root rounding decides on which side a risk falls, and must not make runs.
    """
    from scipy import optimize  # lazy: most of this room needs no solver

    def excess(x: float) -> float:
        return risk(math.exp(x)) - ceiling

    xs = sorted(known)
    for a, b in pairwise(xs):
        safe, unsafe = (a, b) if known[a] <= ceiling else (b, a)
        if (known[a] <= ceiling) == (known[b] <= ceiling) or known[safe] == ceiling:
            continue
        root = float(optimize.brentq(excess, a, b, xtol=1e-15, rtol=8.9e-16))
        step = 4e-16
        while excess(root) > 0 and abs(root - safe) > step:
            root += math.copysign(step, safe - unsafe)
            step *= 2.0
        known[root] = risk(math.exp(root))


def _runs(xs: list[float], safe: list[bool]) -> list[tuple[float, float]]:
    """First and last member of every run of safe points."""
    flags = np.concatenate([[False], np.asarray(safe, dtype=bool), [False]])
    starts = np.flatnonzero(flags[1:] & ~flags[:-1])
    ends = np.flatnonzero(flags[:-1] & ~flags[1:]) - 1
    return [(xs[i], xs[j]) for i, j in zip(starts, ends, strict=True)]
