"""Log odds, in which the adversary's evidence adds up, and when two of them are equal."""

from __future__ import annotations

import math

TIE = 1e-9
"""Log odds this close to the bar are equal to it: rounding must not decide which way an adversary leans."""


def log_odds(probability: float) -> float:
    """log(p / (1 - p))."""
    return math.log(probability) - math.log1p(-probability)
