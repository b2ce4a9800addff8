"""Two columns with bounds, and their moments in the columns' own units."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from epsilens.table.moments import Moments, Variable

A, B = Variable("a", 0, 10), Variable("b", -2, 2)
SITES = ("north", "south")


def mean(moments: Moments, variable: Variable) -> float:
    return float(Fraction(variable.lower) + variable.width * moments.mean(variable))


def covariance(moments: Moments, first: Variable, second: Variable) -> float:
    return float(first.width * second.width * moments.covariance(first, second))


def people(size: int = 60, seed: int = 3) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(5, 4, size), rng.normal(0, 1.5, size)
    return {"a": a, "b": b, "site": [SITES[i % 2] for i in range(size)], "sex": ["f", "m", "m"] * (size // 3)}
