"""What one budget costs: how far a count is off, and twenty counts that might be published. Not computed from data."""

from __future__ import annotations

from dataclasses import dataclass

from epsilens.noise import Noise
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.notebook import brief

DOTS = 20
OUTSIDE = 0.05
"""How often a count may be outside of its noise interval."""


@dataclass(frozen=True)
class Cost:
    """What the noise of a published count does to it."""

    error: float
    """Expected absolute error."""
    half_width: int
    """The noise interval is the count, so much up or down."""
    coverage: float
    """How often a published count is inside, at least 95 %."""
    dots: tuple[int, ...]
    """Twenty deviations that stand for all: the middles of twenty equally likely parts, in ascending order."""

    __repr__ = brief


def cost(noise: Noise) -> Cost:
    """The cost of a noise, rounded to whole numbers.

    The interval reaches to the smallest T with P(|Z| > T) <= 5 %. The dots are the quantiles of (i + 1/2) / 20: the
    upper ones are the smallest T with P(Z > T) <= 1 - q, hence P(|Z| > T) <= 2 (1 - q), and the law is symmetric.
    """
    upper = [noise.reach(2.0 * (DOTS - 0.5 - i) / DOTS) for i in range(DOTS // 2, DOTS)]
    half_width = noise.reach(OUTSIDE)
    return Cost(
        error=expected_absolute_error(noise),
        half_width=half_width,
        coverage=1.0 - 2.0 * float(noise.sf(half_width + 0.5)),
        dots=(*(-value for value in reversed(upper)), *upper),
    )
