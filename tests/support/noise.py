"""Laws of noise to try things with, and what their published counts do, by enumeration."""

from __future__ import annotations

import numpy as np

import epsilens as el
from epsilens.arrays import FloatArray
from epsilens.noise import Noise

LAWS = [
    el.LaplaceNoise(0.7), el.DiscreteLaplaceNoise(2.1), el.GaussianNoise(1.9), el.DiscreteGaussianNoise(0.6),
    el.DiscreteGaussianNoise(3.0),
]  # fmt: skip
K = np.arange(-400, 401)
"""Whole numbers that hold all that these laws can do."""
LOSSY = [
    el.LaplaceNoise(1.3), el.DiscreteLaplaceNoise(1.3), el.GaussianNoise(1.7), el.DiscreteGaussianNoise(1.7)
]  # fmt: skip
_SPAN = np.arange(-60, 61)


def outputs(noise: Noise, moved: int) -> tuple[FloatArray, FloatArray]:
    """P and Q of every output of one or two published counts."""
    p, q = noise.pmf(_SPAN), noise.pmf(_SPAN + 1)
    if moved == 1:
        return p, q
    return np.outer(p, p).ravel(), np.outer(q, noise.pmf(_SPAN - 1)).ravel()


def assert_moments(noise: Noise, draws: int = 200_000) -> None:
    """Mean and variance of seeded draws are those of the law, within five standard errors."""
    sample = noise.sample(draws, np.random.default_rng(17))
    assert abs(sample.mean()) < 5 * np.sqrt(noise.variance / draws)
    fourth = float(np.mean(sample**4))
    assert abs(np.mean(sample**2) - noise.variance) < 5 * np.sqrt((fourth - noise.variance**2) / draws)


def densest_loss(noise: Noise) -> float:
    """The largest log f(x) / f(x + 1) of a dense scan, of continuous noise that is published as it is."""
    step = 1.0 if noise.integer_valued else 1 / 64
    x = np.arange(-40.0 * max(noise.size, 1.0), 40.0 * max(noise.size, 1.0), step)
    x = np.round(x) if noise.integer_valued else x
    return float(np.max(noise.logdensity(x) - noise.logdensity(x + 1.0)))
