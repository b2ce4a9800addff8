"""Noise for statistics: discrete Laplace noise on a fine public grid, from start to end in whole numbers.

A statistic is an exact fraction t, in units of its bounds, that moves by at most D between neighbours (l1 over all its
numbers). With the public grid g = D / 2^k it is rounded to m = floor(t / g + 1/2).

*Price.* For one number |m - m'| <= 2^k, exactly: m - m' is a whole number, less than |t - t'| / g + 1, and
|t - t'| / g <= 2^k; so rounding costs a single number nothing. Of J numbers each may gain up to one step by rounding,
so their l1 sensitivity is at most 2^k + J steps. Discrete Laplace noise of scale (steps / epsilon) on m is epsilon-DP
with no floating-point number in sight, which is why it is used instead of continuous noise: there are no low-order
bits to leak (Mironov 2012).

*Cost of the grid.* Rounding moves a value by at most g / 2. k is 24, and more for epsilon above 1, so that g is at most
2^-24 of the noise's scale, and J steps at most 2^-24 J of it: nobody can see either.

D itself is a double from ``epsilens.sensitivity``; it is raised by 2^-48 of itself, more than its rounding errors.

**Bounding.** *clamped* (post-processing, free) is the default; *none* leaves values as they fall; *truncated* draws
again until the value lies in its range, which costs more, so that the scale is raised until it does not
(:func:`truncated_steps_scale`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from epsilens.accounting.amounts import decimal
from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import Neighbours, PureDP, budget_words
from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteLaplaceNoise, Noise, calibrate
from epsilens.noise.bounded_laplace import truncated_scale
from epsilens.release.samplers import SecureNoise, secure
from epsilens.release.shares import budget_part, budget_shares
from epsilens.release.statistics.kinds import ADDING_UP, Range, Statistic

BOUNDING = ("clamped", "none", "truncated")
GRID_BITS = 24
LARGEST_POINT = 2**61
"""Grid points are 64-bit numbers; this leaves room for the noise."""
SMALLEST_EPSILON = 2.0**-30
RAISED = 1 + Fraction(1, 2**48)
SAFE_SIDE = 1.0 - 1e-12
SURE = 50.0
"""A batch of truncated draws has none inside with probability at most e^-50."""
LARGEST_BATCH = 200_000


@dataclass(frozen=True, eq=False)
class NoisePlan:
    """One statistic of a release: its part of the budget, its grid and its noise. All of it is public."""

    statistic: Statistic
    share: Decimal
    budget: PureDP
    sensitivity: Fraction
    """In units of the bounds, l1 over all numbers of the statistic."""
    grid: Fraction
    steps: int
    """The sensitivity of the rounded statistic, in steps of the grid."""
    noise: SecureNoise
    ranges: tuple[Range, ...]
    bounding: str

    @property
    def law(self) -> Noise:
        """The law of the noise, in steps of the grid."""
        return self.noise.law

    @property
    def step_sizes(self) -> FloatArray:
        """One step of the grid in the units of the data, for each number of the statistic."""
        return as_floats([float(self.grid * width) for _, width in self.statistic.units()])

    def drawn(self, exact: Sequence[Fraction]) -> list[Fraction]:
        """The numbers with fresh noise, in units of the bounds."""
        points = [math.floor(value / self.grid + Fraction(1, 2)) for value in exact]
        if self.bounding == "truncated":
            return [self._drawn_inside(points[0]) * self.grid]
        noisy = self.noise.added(np.asarray(points, dtype=np.int64))
        return [int(value) * self.grid for value in noisy]

    def _drawn_inside(self, point: int) -> int:
        """A draw that lies inside, the first of a batch whose size is public, so that time tells next to nothing."""
        low, high = _interval(self.ranges[0], self.grid)
        centre = min(max(point, low), high)  # rounding may have moved the point a step beyond its range
        size = _batch(self.law.size, high - low)
        while True:
            noisy = self.noise.added(np.full(size, centre, dtype=np.int64))
            inside = noisy[(noisy >= low) & (noisy <= high)]
            if len(inside):
                return int(inside[0])


def split(budget: object, statistics: int, weights: Sequence[float] | None) -> list[tuple[Decimal, PureDP]]:
    """The share of each statistic and its part of the budget: equal ones, or in proportion to the weights.

    Shares are of epsilon, which adds up over the statistics (basic composition); they are rounded down.
    """
    if not isinstance(budget, PureDP):
        raise ParameterError(
            f"statistics are released with Laplace noise, whose budget is `epsilon` alone; got {budget_words(budget)}"
        )
    shares = budget_shares(statistics, weights, "statistics")
    if statistics == 1:
        return [(shares[0], budget)]
    return [(share, budget_part(budget, share)) for share in shares]


def refuse_plan(
    statistic: Statistic, budget: PureDP, neighbours: Neighbours, max_rows_per_unit: int, bounding: str
) -> None:
    """Refuse what cannot be planned whatever n is, so that nobody's data need be read to find out."""
    one_of("bounding", bounding, BOUNDING)
    if bounding == "truncated" and len(statistic.entries) > 1:
        raise ParameterError(
            f"{statistic.name} has several numbers, whose normalisers would all depend on the data; truncation is for "
            "single numbers",
            remedy="use `bounding=clamped`, which is free",
        )
    if bounding == "none" and getattr(statistic, "adding_up", ADDING_UP[0]) != ADDING_UP[0]:
        raise ParameterError(
            f"{statistic.name} are left as they fall, and do not add up",
            remedy="use `bounding=clamped` to rescale them",
        )
    if budget.epsilon < SMALLEST_EPSILON:
        raise ParameterError(
            f"{statistic.name} would get `epsilon` {budget.epsilon:g}; at least {SMALLEST_EPSILON:.3g} is needed"
        )
    if max_rows_per_unit > 1 and neighbours == "substitute":
        raise ParameterError(
            "with several rows per person a substituted person may bring another number of rows, so the number of "
            "records is not public",
            remedy="use `neighbours=add-remove`, or one row per person",
        )
    if max_rows_per_unit > 1 and not statistic.several_rows:
        raise ParameterError(
            f"{statistic.name} is released for one row per person only",
            remedy="keep one row of each (`max_rows_per_unit`)",
        )


def noise_plan(
    statistic: Statistic,
    share: Decimal,
    budget: PureDP,
    n: int,
    neighbours: Neighbours,
    max_rows_per_unit: int = 1,
    bounding: str = "clamped",
) -> NoisePlan:
    """The noise of one statistic; ``n`` is public, under add-remove a lower bound of the number of records.

    With up to m rows per person (add-remove only) neighbours are up to m records apart, each step of which moves the
    statistic by at most its sensitivity at n - m + 1 records or more.
    """
    refuse_plan(statistic, budget, neighbours, max_rows_per_unit, bounding)
    per_row = _sensitivity(statistic, n, neighbours, max_rows_per_unit)
    moved = Fraction(per_row) * max_rows_per_unit * RAISED
    ranges = tuple(statistic.ranges(n))
    extent = max(abs(bound) for found in ranges for bound in found)
    bits = GRID_BITS + max(0, math.frexp(budget.epsilon)[1])
    while bits and Fraction(extent) * 2**bits / moved > LARGEST_POINT:
        bits -= 1
    grid = moved / 2**bits
    count = len(statistic.entries)
    steps = 2**bits + (count if count > 1 else 0)
    law = calibrate("discrete-laplace", budget, neighbours, float(steps))
    if bounding == "truncated":
        law = DiscreteLaplaceNoise(truncated_steps_scale(budget, steps, ranges[0], grid))
    noise = secure(law, float(steps), decimal(budget.epsilon))
    return NoisePlan(
        statistic=statistic,
        share=share,
        budget=budget,
        sensitivity=moved,
        grid=grid,
        steps=steps,
        noise=noise,
        ranges=ranges,
        bounding=bounding,
    )


def truncated_steps_epsilon(scale: float, steps: int, room: int) -> float:
    """The exact epsilon of discrete Laplace noise drawn again until the value is one of ``room`` + 1 grid points.

    With a = e^(-1 / b) and N(t) the sum of a^|x - t| over the points x, the loss is at most |t - t'| / b +
    log(N(t') / N(t)). N is concave, hence log-concave, and log N changes by at most 1 / b a step: so the loss is
    largest with t at an end and t' D = ``steps`` away from it, and there, with R = ``room``,
    epsilon = D / b + log((1 - a^(D + 1) + a (1 - a^(R - D))) / (1 - a^(R + 1))).
    It is the whole-number counterpart of :func:`epsilens.noise.bounded_laplace.truncated_epsilon`.
    """
    moved = min(steps, room)
    top = -math.expm1(-(moved + 1) / scale) - math.exp(-1.0 / scale) * math.expm1(-(room - moved) / scale)
    return moved / scale + math.log(top / -math.expm1(-(room + 1) / scale))


def truncated_steps_scale(budget: PureDP, steps: int, bounds: Range, grid: Fraction) -> float:
    """A scale, in steps of the grid, at which truncated noise honours ``budget``; the smallest up to 1e-6 of itself.

    It starts from the continuous law's (:func:`epsilens.noise.bounded_laplace.truncated_scale`) and is raised until
    the whole-number law honours the budget too.
    """
    low, high = _interval(bounds, grid)
    room = high - low
    aim = PureDP(budget.epsilon * SAFE_SIDE)
    scale = truncated_scale(aim, float(min(steps, room)), 0.0, float(room))
    scale = max(scale, steps / budget.epsilon)
    while (excess := truncated_steps_epsilon(scale, steps, room) / aim.epsilon - 1.0) > 0.0:
        scale *= 1.0 + max(1.1 * excess, 1e-15)
    if _batch(scale, room) > LARGEST_BATCH:
        raise ParameterError(
            f"truncation at `epsilon` {budget.epsilon:g} would throw away nearly every draw",
            remedy="use `bounding=clamped`",
        )
    return scale


def truncated_interval_epsilon(plan: NoisePlan) -> float | None:
    """What a truncated release costs by :func:`truncated_steps_epsilon`; nothing where nothing is truncated."""
    if plan.bounding != "truncated":
        return None
    low, high = _interval(plan.ranges[0], plan.grid)
    return truncated_steps_epsilon(plan.law.size, plan.steps, high - low)


def _sensitivity(statistic: Statistic, n: int, neighbours: Neighbours, max_rows_per_unit: int) -> float:
    """How far one row can move the statistic, at the smallest number of records on the way."""
    try:
        return statistic.sensitivity(n - max_rows_per_unit + 1, neighbours)
    except ParameterError as problem:
        if max_rows_per_unit == 1:
            raise
        raise ParameterError(
            problem.rule,
            parameter=problem.parameter,
            got=problem.got,
            remedy=f"so many of {n} records are left without all but one of a person's {max_rows_per_unit}",
        ) from None


def _interval(bounds: Range, grid: Fraction) -> tuple[int, int]:
    """The outermost grid points within the bounds."""
    return math.ceil(Fraction(bounds[0]) / grid), math.floor(Fraction(bounds[1]) / grid)


def _batch(scale: float, room: int) -> int:
    """How many draws make it all but sure that one lies inside, wherever the centre is: at an end it is least likely.

    There P(inside) = (1 - a^(R + 1)) / (1 + a) with a = e^(-1 / b).
    """
    inside = -math.expm1(-(room + 1) / scale) / (1.0 + math.exp(-1.0 / scale))
    return math.ceil(SURE / inside)
