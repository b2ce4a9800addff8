"""Noise as callers name it."""

from __future__ import annotations

import pytest

from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, LaplaceNoise
from epsilens.posterior.noises import countable, one_noise, several_noises


def test_rho_means_discrete_gaussian() -> None:
    assert one_noise(0.5, None) == DiscreteGaussianNoise(1.0)
    for rho, noise in ((None, None), (1.0, LaplaceNoise(1.0))):
        with pytest.raises(ParameterError, match="either rho or noise"):
            one_noise(rho, noise)
    for bad in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ParameterError, match="rho must be"):
            one_noise(bad, None)


def test_several_noises() -> None:
    assert several_noises((0.5, 2.0), None, 2, "level") == (DiscreteGaussianNoise(1.0), DiscreteGaussianNoise(0.5))
    with pytest.raises(ParameterError, match="must be a sequence"):
        several_noises(0.5, None, 1, "level")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="2 entries"):
        several_noises((0.5,), None, 2, "level", most=2)
    with pytest.raises(ParameterError, match="not both"):
        several_noises(None, None, 1, "level")


def test_counts_and_noise_beyond_counting_are_refused_in_one_line() -> None:
    with pytest.raises(ParameterError, match=r"noise of a size between 1e-120 and 1e\+13, this has 7.07e\+99"):
        one_noise(1e-200, None)
    with pytest.raises(ParameterError, match="take a smaller budget"):
        one_noise(1e300, None)
    assert countable("noisy", 2.0**53) == 2**53
    with pytest.raises(ParameterError, match="noisy must lie within"):
        countable("noisy", 10**17)
