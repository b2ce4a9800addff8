"""Noise of published counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.published import CountNoise, overshoot_moments, rounded_variance

LAWS: list[Noise] = [
    DiscreteGaussianNoise(0.3),
    DiscreteGaussianNoise(2.24),
    DiscreteLaplaceNoise(1.5),
    GaussianNoise(0.2),
    GaussianNoise(3.0),
    LaplaceNoise(0.7),
]


@pytest.mark.parametrize("noise", LAWS, ids=repr)
def test_logpmf_is_the_pmf_and_goes_on_where_it_underflows(noise: Noise) -> None:
    law = CountNoise(noise)
    near = np.arange(-5, 6)
    usable = noise.pmf(near) > 1e-200
    assert np.exp(law.logpmf(near))[usable] == pytest.approx(noise.pmf(near)[usable], rel=1e-12)
    far = law.logpmf(np.arange(200, 3000, 50))
    assert np.all(np.isfinite(far))
    assert np.all(np.diff(far) < 0)


@pytest.mark.parametrize("noise", LAWS, ids=repr)
@pytest.mark.parametrize("tail", [0.3, 1e-6, 1e-14])
def test_reach_is_the_smallest_that_does(noise: Noise, tail: float) -> None:
    reach = CountNoise(noise).reach(tail)
    assert 2.0 * float(noise.sf(reach + 0.5)) <= tail
    if reach:
        assert 2.0 * float(noise.sf(reach - 0.5)) > tail


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


@pytest.mark.parametrize(
    "noise",
    [DiscreteGaussianNoise(3.0), DiscreteLaplaceNoise(3.0), GaussianNoise(3.0), LaplaceNoise(3.0), LaplaceNoise(0.2)],
    ids=repr,
)
def test_log_ratios_are_differences_of_logarithms_without_their_cancellation(noise: Noise) -> None:
    law, k = CountNoise(noise), np.arange(-12.0, 14.0)
    assert law.log_ratio(k) == pytest.approx(law.logpmf(k - 1.0) - law.logpmf(k), abs=1e-12)
    wide = CountNoise(noise.of_size(1e8))
    # (2 k - 1) / (2 sigma^2), or 1 / scale
    slope = 3e9 / 1e16 if "Gaussian" in repr(noise) else 1e-8
    assert float(wide.log_ratio(3e9)) == pytest.approx(slope, rel=1e-9)
    assert float(law.log_ratio(1e17)) == pytest.approx(1e17 / 9 if "Gaussian" in repr(noise) else 1 / noise.size)
