"""Log odds, in which the adversary's evidence adds up, and when two of them are equal."""

from __future__ import annotations

import math

import numpy.typing as npt

from epsilens.arrays import as_floats

TIE = 1e-9
"""Log odds this close to the bar are equal to it, next to log odds of 1: rounding must not decide which way an
adversary leans."""


def tie_among(log_ratios: npt.ArrayLike) -> float:
    """How close to the bar is equal to it where evidence is of this size: :data:`TIE`, or less where all is tiny.

    Noise with a standard deviation of a million has log likelihood ratios of a millionth. To call them all even because
    they are small would make the adversary say "not there" whatever is published. Neighbouring noisy counts differ by
    the square of that, so the bar shrinks faster than the evidence.
    """
    ratios = abs(as_floats(log_ratios))
    return TIE * float(min(1.0, float(ratios.max(initial=0.0))) ** 1.5)


def log_odds(probability: float) -> float:
    """log(p / (1 - p))."""
    return math.log(probability) - math.log1p(-probability)
