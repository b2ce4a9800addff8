"""The whole set of budgets at which a risk stays at or below a ceiling, when the risk need not be monotone.

The scan knows how steep the risk can be and, of most risks, how sharply it can bend (``steepness``), per unit of the
place of a budget on an axis: the log of the noise's size, or of the budget itself. Between two budgets a and b, w
apart, the risk lies within L w / 2 of the middle of f(a) and f(b), and within M w^2 / 8 of the straight line between
them; it is monotone where f(a) and f(b) differ by more than M w^2 / 2. A gap in which the ceiling could be crossed
unseen is halved and looked at again; elsewhere nothing can hide, and where the risk is monotone there is one crossing
at most. So the scan is as fine as this table needs, where it needs it, and states what could still have escaped it.
All budgets of a round are looked at together: that is cheaper than one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

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
_GUESSED_STEEPNESS = 4.0  # without bounds, this many times the steepest slope and sharpest bend of the first grid

Between: TypeAlias = Callable[[float, float], tuple[float, float]]
"""The least and the largest that a risk can be between two budgets that were looked at."""


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
    *,
    bend: float | None = None,
    place: Callable[[float], float] = math.log,
    nearby: Callable[[float], tuple[float, float | None]] | None = None,
    many: Callable[[Sequence[float]], FloatArray] | None = None,
    between: Between | None = None,
    points_per_decade: int = POINTS_PER_DECADE,
) -> Scan:
    """All budgets from ``lowest`` to ``highest`` with risk(budget) <= ceiling, as intervals.

    ``slope`` bounds |d risk / d place| and ``bend`` the second derivative, ``place`` being where a budget lies on the
    axis of both, by default its log; ``nearby`` gives closer bounds that hold from a place upwards, and ``between``
    the least and the largest risk between two budgets. ``many`` gives the risks of several budgets at once. Ends are
    refined to the last digits and moved to the safe side, so that the risk at a stated end is at most the ceiling.
    ``beyond`` are the limits of the risk past either end, where known: a risk that goes on falling towards one of them
    has no minimum to be looked for there.
    """
    looked = _Looked(risk, many, place, progress)
    decades = math.log10(highest / lowest)
    grid = [math.log(b) for b in log_grid(lowest, highest, max(3, math.ceil(points_per_decade * decades) + 1))]
    looked.at_all(grid)
    first, second = (slope, bend) if slope is not None else _guessed(looked, grid)
    room = _Room(looked, nearby or (lambda _: (first, second)), between)
    limits = (FINEST, MOST_EVALUATIONS) if slope is not None else (FINEST_GUESSED, MOST_EVALUATIONS_GUESSED)
    undetected = _refine(looked, room, grid, ceiling, *limits)
    # the risk's own minimum belongs to the floor, and to the safe set if the ceiling is just above it
    known = looked.known
    best = min(known, key=lambda x: known[x])
    if not (best == grid[0] and beyond[0] <= known[best]) and not (best == grid[-1] and beyond[1] <= known[best]):
        # where risks have a slope bound they are quick to compute; a minimum is flat, so 1e-5 is close enough elsewhere
        _descend(looked.at, best, sorted(known), 1e-7 if slope is not None else 1e-5)
    _refine_ends(risk, known, ceiling)
    xs = sorted(known)
    intervals = _runs(xs, [known[x] <= ceiling for x in xs])
    return Scan(
        tuple(Interval(math.exp(a), math.exp(b)) for a, b in intervals),
        as_floats([math.exp(x) for x in xs]),
        as_floats([known[x] for x in xs]),
        undetected if slope is not None else None,
    )


class _Looked:
    """The risks that were looked at, by the log of their budget: each is computed once."""

    def __init__(
        self,
        risk: Callable[[float], float],
        many: Callable[[Sequence[float]], FloatArray] | None,
        place: Callable[[float], float],
        progress: Callable[[int], None] | None,
    ) -> None:
        self.known: dict[float, float] = {}
        self._risk, self._many, self._place, self._progress = risk, many, place, progress
        self._places: dict[float, float] = {}

    def at(self, x: float) -> float:
        if x not in self.known:
            self.at_all([x])
        return self.known[x]

    def at_all(self, xs: Iterable[float]) -> None:
        """Look at all of these, at once where risks can be computed together."""
        new = [x for x in dict.fromkeys(xs) if x not in self.known]
        budgets = [math.exp(x) for x in new]
        if len(new) > 1 and self._many is not None:
            self.known.update(zip(new, self._many(budgets).tolist(), strict=True))
            if self._progress is not None:
                self._progress(len(new))
            return
        for x, budget in zip(new, budgets, strict=True):
            self.known[x] = self._risk(budget)
            if self._progress is not None:
                self._progress(1)

    def apart(self, a: float, b: float) -> float:
        """How far two of them are from one another on the axis of the bounds."""
        return abs(self.place(b) - self.place(a))

    def place(self, x: float) -> float:
        """Where it lies on that axis."""
        if x not in self._places:
            self._places[x] = self._place(math.exp(x))
        return self._places[x]


@dataclass(frozen=True)
class _Room:
    """What the bounds leave open between two budgets that were looked at."""

    looked: _Looked
    bounds: Callable[[float], tuple[float, float | None]]
    """On slope and bend, from a place upwards."""
    between: Between | None

    def _bounds(self, a: float, b: float) -> tuple[float, float | None]:
        return self.bounds(min(self.looked.place(a), self.looked.place(b)))

    def crossings_are_seen(self, a: float, b: float) -> bool:
        """Whether the risk is monotone from a to b, for sure."""
        fall, (_, bend) = abs(self.looked.at(b) - self.looked.at(a)), self._bounds(a, b)
        return bend is not None and fall > 0.5 * bend * self.looked.apart(a, b) ** 2

    def most(self, a: float, b: float) -> float:
        """The largest that the risk can be from a to b."""
        return self._furthest(a, b, 1.0)

    def least(self, a: float, b: float) -> float:
        """The least that it can be."""
        return -self._furthest(a, b, -1.0)

    def _furthest(self, a: float, b: float, sign: float) -> float:
        """The line through both ends, and the parabola M / 2 (x - a) (b - x) above it; or the middle and L w / 2."""
        begin, end, width = sign * self.looked.at(a), sign * self.looked.at(b), self.looked.apart(a, b)
        slope, bend = self._bounds(a, b)
        top = 0.5 * (begin + end + slope * width)
        if bend is not None:
            curved = bend * width * width
            if abs(end - begin) >= 0.5 * curved:
                return max(begin, end)
            top = min(top, 0.5 * (begin + end) + 0.125 * curved + 0.5 * (end - begin) ** 2 / curved)
        if self.between is not None:
            least, most = self.between(math.exp(a), math.exp(b))
            top = min(top, most if sign > 0 else -least)
        return max(top, begin, end)


def _guessed(looked: _Looked, grid: list[float]) -> tuple[float, float]:
    """Where no bounds are known: several times the steepest slope and the sharpest bend that the first grid shows."""
    widths = np.array([looked.apart(a, b) for a, b in pairwise(grid)])
    slopes = np.diff([looked.at(x) for x in grid]) / widths
    bends = np.diff(slopes) / (0.5 * (widths[1:] + widths[:-1]))
    return _GUESSED_STEEPNESS * float(np.abs(slopes).max()), _GUESSED_STEEPNESS * float(np.abs(bends).max())


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


def _refine(looked: _Looked, room: _Room, grid: list[float], ceiling: float, finest: float, most: int) -> float:
    """Halve every gap in which the ceiling could be crossed unseen; how far above it the risk could still rise."""
    gaps, undetected, left = list(pairwise(grid)), 0.0, most
    while gaps:
        open_gaps = [gap for gap in gaps if _hides(looked, room, *gap, ceiling)]
        # those of a round are of one width but for the shape of the axis
        wide = [gap for gap in open_gaps if looked.apart(*gap) > finest][: max(left, 0)]
        for a, b in set(open_gaps).difference(wide):
            if looked.at(a) <= ceiling and looked.at(b) <= ceiling:
                undetected = max(undetected, room.most(a, b) - ceiling)
        centres = [0.5 * (a + b) for a, b in wide]
        looked.at_all(centres)
        left -= len(centres)
        gaps = [half for (a, b), centre in zip(wide, centres, strict=True) for half in ((a, centre), (centre, b))]
    return undetected


def _hides(looked: _Looked, room: _Room, a: float, b: float, ceiling: float) -> bool:
    """Whether the ceiling could be crossed from a to b without being seen."""
    low_a, low_b = looked.at(a) <= ceiling, looked.at(b) <= ceiling
    if low_a != low_b:
        return not room.crossings_are_seen(a, b)
    return room.most(a, b) > ceiling if low_a else room.least(a, b) <= ceiling


def _descend(at: Callable[[float], float], best: float, xs: list[float], closest: float) -> None:
    """Look closer around the least risk seen, between its neighbours, by parabolas where it is smooth."""
    from scipy import optimize  # lazy: most of this room needs no solver

    i = xs.index(best)
    bounds = xs[max(i - 1, 0)], xs[min(i + 1, len(xs) - 1)]
    if bounds[1] - bounds[0] > closest:
        optimize.minimize_scalar(lambda x: at(float(x)), bounds=bounds, method="bounded", options={"xatol": closest})


def _refine_ends(risk: Callable[[float], float], known: dict[float, float], ceiling: float) -> None:
    """Add, for every crossing, the last safe budget: the root, moved to the safe side.

    Only the end itself is kept: next to a root rounding decides on which side a risk falls, and must not make runs.
    """
    from scipy import optimize  # lazy: most of this room needs no solver

    values = dict(known)

    def excess(x: float) -> float:
        if x not in values:
            values[x] = risk(math.exp(x))
        return values[x] - ceiling

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
        excess(root)
        known[root] = values[root]


def _runs(xs: list[float], safe: list[bool]) -> list[tuple[float, float]]:
    """First and last member of every run of safe points."""
    flags = np.concatenate([[False], np.asarray(safe, dtype=bool), [False]])
    starts = np.flatnonzero(flags[1:] & ~flags[:-1])
    ends = np.flatnonzero(flags[:-1] & ~flags[1:]) - 1
    return [(xs[i], xs[j]) for i, j in zip(starts, ends, strict=True)]
