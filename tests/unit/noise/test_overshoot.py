"""What clipping at zero does to a noisy count: the moments of the overshoot."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.published import overshoot_moments, rounded_variance


@pytest.mark.parametrize("noise", [LaplaceNoise(3.0), GaussianNoise(2.0), DiscreteGaussianNoise(2.0)])
def test_overshoot_moments_by_brute_force(noise: Noise) -> None:
    k = np.arange(-200.0, 201.0)
    mass = noise.pmf(k)
    for x in (0, 1, 5):
        below = np.maximum(-x - k, 0.0)
        first, second = overshoot_moments(noise, np.array([float(x)]), rounded=True)
        assert first[0] == pytest.approx(mass @ below, rel=1e-10)
        assert second[0] == pytest.approx(mass @ below**2, rel=1e-10)
    assert rounded_variance(noise) == pytest.approx(mass @ k**2, rel=1e-10)


def test_wide_noise_is_summed_by_euler_maclaurin() -> None:
    wide = LaplaceNoise(500.0)  # standard deviation above the limit for plain sums
    x = np.array([0.0, 100.0, 2000.0])
    b = wide.scale
    np.testing.assert_allclose(
        overshoot_moments(wide, x, rounded=True)[0], np.exp(-(x + 0.5) / b) / (2 * (1 - math.exp(-1 / b))), rtol=1e-10
    )
    s, p = 1e7, math.exp(-1e-7)
    first, second = overshoot_moments(DiscreteLaplaceNoise(s), x, rounded=True)
    np.testing.assert_allclose(first, p ** (x + 1) / ((1 + p) * -math.expm1(-1 / s)), rtol=1e-10)
    np.testing.assert_allclose(second, p ** (x + 1) / math.expm1(-1 / s) ** 2, rtol=1e-10)
