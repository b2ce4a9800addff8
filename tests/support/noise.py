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
