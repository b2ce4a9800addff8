"""A curator who looks before spending again, and does it in the worst way there is: exactly, by dynamic programming.

The curator has a few mechanisms to choose from. What was published so far counts only by its loss L = log P / Q, in
whole units, and by what was spent. The value of a state is the largest P(S) - e^epsilon Q(S) that is still to be had,
as a mean under P of max(0, 1 - e^(epsilon - L)) where the curator stops:

    value(spent, L) = max(max(0, 1 - e^(epsilon - L)), max over mechanisms of E value(spent + price, L + loss)).

From no loss and nothing spent it is the delta that the account really keeps at epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from epsilens.accounting.cost import Cost, cost_of, cost_of_noise
from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import ApproxDP, PureDP
from epsilens.noise import DiscreteGaussianNoise

FURTHEST = 9.0
"""Losses above this count as infinite: the value is never too small for it."""


@dataclass(frozen=True)
class Mechanism:
    """What one release costs, and how likely each of its losses is, in units; the rest is an infinite loss."""

    cost: Cost
    losses: tuple[int, ...]
    chances: tuple[float, ...]


def response(epsilon: float, unit: float, delta: float = 0.0) -> Mechanism:
    """Randomised response, which is the worst mechanism with its budget; it fails with probability delta."""
    steps = round(epsilon / unit)
    assert math.isclose(steps * unit, epsilon)
    likely = 1.0 / (1.0 + math.exp(-epsilon))
    budget = ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
    return Mechanism(cost_of(budget), (steps, -steps), ((1.0 - delta) * likely, (1.0 - delta) * (1.0 - likely)))


def gaussian(rho: float, unit: float) -> Mechanism:
    """A count with discrete Gaussian noise: the loss of x is (1 - 2 x) rho."""
    steps = round(rho / unit)
    assert math.isclose(steps * unit, rho)
    law = DiscreteGaussianNoise(math.sqrt(0.5 / rho))
    x = np.arange(-math.ceil(11.0 * law.sigma), math.ceil(11.0 * law.sigma) + 1)
    return Mechanism(
        cost_of_noise(law, "add-remove"),
        tuple(int(step) for step in steps * (1 - 2 * x)),
        tuple(float(mass) for mass in np.exp(law.logdensity(x))),
    )


def largest_delta(
    admitted: Callable[[Sequence[Cost]], bool], mechanisms: Sequence[Mechanism], epsilon: float, unit: float
) -> float:
    """The delta at ``epsilon`` of the worst curator whom ``admitted`` lets spend."""
    places = math.ceil(FURTHEST / unit)
    losses = unit * np.arange(-places, places + 1)
    stopping = as_floats(np.maximum(0.0, -np.expm1(np.minimum(0.0, epsilon - losses))))

    @cache
    def may(state: tuple[int, ...]) -> bool:
        return admitted([m.cost for m, times in zip(mechanisms, state, strict=True) for _ in range(times)])

    @cache
    def value(state: tuple[int, ...]) -> FloatArray:
        best = stopping
        for place, mechanism in enumerate(mechanisms):
            after = (*state[:place], state[place] + 1, *state[place + 1 :])
            if may(after):
                best = as_floats(np.maximum(best, expected(mechanism, value(after))))
        return best

    def expected(mechanism: Mechanism, after: FloatArray) -> FloatArray:
        found = np.full(len(after), max(0.0, 1.0 - math.fsum(mechanism.chances)))
        for loss, chance in zip(mechanism.losses, mechanism.chances, strict=True):
            moved = np.ones_like(after) if loss > 0 else np.zeros_like(after)
            kept = len(after) - abs(loss)
            if kept > 0:
                moved[max(0, -loss) : max(0, -loss) + kept] = after[max(0, loss) : max(0, loss) + kept]
            found += chance * moved
        return found

    return float(value((0,) * len(mechanisms))[places])
