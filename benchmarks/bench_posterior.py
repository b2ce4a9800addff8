"""One exact `expected_two_level` against the paper's recipe: 10,000 draws of the noise, 1,000 Gibbs steps for each."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy import special

from epsilens import posterior
from epsilens.noise import DiscreteGaussianNoise

RHO = (0.099226, 0.246485)
PARENT, SIBLINGS = 1, 27
DRAWS, STEPS, BURN_IN = 10_000, 1_000, 100


def gibbs(rng: np.random.Generator, honour_the_parent: bool) -> tuple[float, float]:
    """The mean posterior over the draws and its standard error; all draws advance together, one step at a time.

    X2 given X1 has one of two laws per draw, tabulated once; a step is a table look-up and a logistic function.
    ``honour_the_parent`` keeps X1 = 1 impossible while X2 = 0, as the model demands and the printed step does not.
    """
    child, parent = (DiscreteGaussianNoise(1.0 / np.sqrt(2.0 * rho)) for rho in RHO)
    x1 = 1.0 + child.sample(DRAWS, rng)
    x2 = PARENT + parent.sample(DRAWS, rng)
    y = PARENT - 1.0 + child.sample((DRAWS, SIBLINGS), rng).sum(axis=1)
    spread = RHO[0] / SIBLINGS
    grid = np.arange(0, 26)
    tables = np.empty((2, DRAWS, len(grid)), dtype=np.float32)
    for k1 in (0, 1):
        log_weight = -RHO[1] * (x2[:, None] - grid) ** 2 - spread * (y[:, None] - grid + k1) ** 2
        weight = np.where(grid >= k1, np.exp(log_weight - log_weight.max(axis=1, keepdims=True)), 0.0)
        tables[k1] = np.cumsum(weight, axis=1) / weight.sum(axis=1, keepdims=True)
    table = tables.reshape(2 * DRAWS, len(grid))
    intercept = RHO[0] * (2.0 * x1 - 1.0) - spread * (2.0 * y + 1.0)
    rows = np.arange(DRAWS)
    state = np.ones(DRAWS, dtype=np.int64)
    visits = np.zeros(DRAWS)
    for step in range(STEPS):
        u = rng.random(DRAWS, dtype=np.float32)
        k2 = (table[rows + DRAWS * state] < u[:, None]).sum(axis=1)
        chance = special.expit(intercept + 2.0 * spread * k2)
        if honour_the_parent:
            chance[k2 == 0] = 0.0
        state = (rng.random(DRAWS) < chance).astype(np.int64)
        if step >= BURN_IN:
            visits += state
    means = visits / (STEPS - BURN_IN)
    return float(means.mean()), float(means.std(ddof=1) / np.sqrt(DRAWS))


def best_of(function: Any, times: int) -> tuple[float, Any]:
    """The shortest of several timings, and the result."""
    shortest, result = np.inf, None
    for _ in range(times):
        start = time.perf_counter()
        result = function()
        shortest = min(shortest, time.perf_counter() - start)
    return float(shortest), result


def run() -> list[dict[str, Any]]:
    rows = []
    for published, target in ((False, 100), (True, 5)):
        ours_seconds, ours = best_of(
            lambda published=published: posterior.expected_two_level(PARENT, SIBLINGS, RHO, published=published), 5
        )
        rng = np.random.default_rng(20_200_401)
        peer_seconds, (mean, error) = best_of(lambda rng=rng, published=published: gibbs(rng, not published), 1)
        rows.append(
            {
                "name": "expected two-level posterior" + (", as published" if published else ""),
                "ours_seconds": ours_seconds,
                "peer": "10,000 draws x 1,000 Gibbs steps" + ("" if published else " with the missing constraint"),
                "peer_seconds": peer_seconds,
                "ratio": peer_seconds / ours_seconds,
                "target_ratio": target,
                "agreement": abs(ours.posterior - mean),
                "tolerance": 5.0 * error,  # the recipe's own Monte-Carlo error; ours has none
            }
        )
    return rows
