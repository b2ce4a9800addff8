"""Round budgets: what may be published of an optimum that was found on true data.

The digits of an optimum say a little about the data, so a budget is rounded to a grid that was fixed beforehand: first
1, 2, 5, 10, ...; where none of these is allowed, numbers of one digit, of two, and so on. So the number of digits says
how narrow the allowed range is, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_FLOOR, Decimal

from epsilens.choice.choose.safe_set import Interval

PUBLIC_GRID = tuple(digit * 10.0**power for power in range(-4, 3) for digit in (1.0, 2.0, 5.0))
"""Budgets to round down to, fixed beforehand: one of these says less about the data than the digits of an optimum."""
MOST_DIGITS = 6
_MOST_TRIED = 20


def roundest(interval: Interval, keeps: Callable[[float], bool]) -> float | None:
    """The largest of the roundest numbers in an interval that ``keeps`` every requirement when it is looked at itself.

    Numbers of more digits are taken only where no rounder one will do; None where none of :data:`MOST_DIGITS` will, and
    where the interval has no upper end: there is nothing to round.
    """
    if math.isinf(interval.high):
        return None
    round_ones = iter([value for value in sorted(PUBLIC_GRID, reverse=True) if value in interval])
    grids = [round_ones, *(_of_digits(interval, digits) for digits in range(1, MOST_DIGITS + 1))]
    for grid in grids:
        for _, value in zip(range(_MOST_TRIED), grid, strict=False):
            if keeps(value):
                return value
    return None


def rounded_down(interval: Interval, grid: Sequence[float]) -> float | None:
    """The largest member of ``grid`` in the interval, or None."""
    inside = [value for value in grid if value in interval]
    return max(inside) if inside else None


def _of_digits(interval: Interval, digits: int) -> Iterator[float]:
    """The numbers of so many digits in the interval, the largest first."""
    exact = Decimal(repr(interval.high))
    while exact > 0:
        step = Decimal(1).scaleb(exact.adjusted() - digits + 1)
        exact = exact.quantize(step, ROUND_FLOOR)
        if float(exact) not in interval:
            return
        yield float(exact)
        same_length = exact > step and (exact - step).adjusted() == exact.adjusted()
        exact -= step if same_length else step.scaleb(-1)  # 99 comes before 100, and 9.9 before 10
