"""The round budgets of a dial, fixed beforehand, so that they say nothing about the data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from epsilens.checks import positive

STEPS = ("1", "1.2", "1.4", "1.6", "1.8", "2", "2.5", "3", "3.5", "4", "4.5", "5", "6", "7", "8", "9")
"""Sixteen numbers of two digits in every decade: 1, 2 and 5 with finer steps between."""
EPSILONS = (0.01, 20.0)
RHOS = (0.001, 5.0)


def public_budgets(rho: bool = False, below: float = math.inf) -> tuple[float, ...]:
    """The budgets that every dial has, ascending; those of a mechanism that holds ``below`` a limit end before it."""
    low, high = RHOS if rho else EPSILONS
    every = (float(f"{step}e{power}") for power in range(-3, 2) for step in STEPS)
    return tuple(value for value in every if low <= value <= high and value < below)


def with_others(budgets: Iterable[float], others: Iterable[float]) -> tuple[float, ...]:
    """All of them in ascending order, none twice; ``others`` are declared budgets, or one that was chosen."""
    return tuple(sorted({*budgets, *(positive("budgets", value) for value in others if math.isfinite(value))}))


def nearest(budgets: tuple[float, ...], wanted: float) -> int:
    """The place of the budget that is nearest to ``wanted`` on the log axis; of two, the smaller one."""
    middles = [math.sqrt(a) * math.sqrt(b) for a, b in pairwise(budgets)]
    return sum(middle < wanted for middle in middles)
