"""Noise of published counts."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.published import CountNoise

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
