"""Hockey sticks: two coins, sums over all outputs, closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.noise import DiscreteGaussianNoise, GaussianNoise, LaplaceNoise
from epsilens.noise.divergence import independent_delta
from epsilens.noise.gaussian import gaussian_log_delta


def test_hockey_stick_of_two_coins() -> None:
    assert av.hockey_stick({"a": 0.7, "b": 0.3}, {"a": 0.5, "b": 0.5}, 0.0) == pytest.approx(0.2)
    assert av.hockey_stick({"a": 1.0}, {"b": 1.0}, 5.0) == 1.0
    assert av.hockey_stick({"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.5}, 0.1) == 0.0


def test_delta_of_noise_against_a_two_dimensional_sum() -> None:
    noise, epsilon = DiscreteGaussianNoise(1.7), 0.6
    k = np.arange(-40.0, 41.0)
    here, up, down = noise.pmf(k), noise.pmf(k - 1), noise.pmf(k + 1)
    two = np.maximum(np.outer(here, here) - math.exp(epsilon) * np.outer(up, down), 0).sum()
    assert av.noise_delta(noise, epsilon, 2) == pytest.approx(two, rel=1e-10)
    one = np.maximum(here - math.exp(epsilon) * up, 0).sum()
    assert av.noise_delta(noise, epsilon, 1) == pytest.approx(one, rel=1e-10)


def test_delta_of_unrounded_noise() -> None:
    noise = GaussianNoise(1.3)
    exact = math.exp(gaussian_log_delta(0.8, math.sqrt(2) / 1.3))
    assert av.noise_delta(noise, 0.8, 2, rounded=False) == pytest.approx(exact)
    # one Laplace count: 1 - e^((epsilon - 1/b) / 2)
    laplace = av.noise_delta(LaplaceNoise(1.0), 0.5, 1, rounded=False)
    assert laplace == pytest.approx(1 - math.exp((0.5 - 1.0) / 2), abs=1e-4)
    assert av.NoisyCounts(LaplaceNoise(2.0), epsilon=1.0).delta() == 0.0
    assert av.NoisyCounts(LaplaceNoise(2.0)).delta() is None
    assert av.NoisyCounts(LaplaceNoise(2.0)).published_delta() is None
    assert av.NoisyCounts(LaplaceNoise(2.0)).delta("add-remove", epsilon=0.5) == 0.0


def test_outputs_that_only_one_table_can_give() -> None:
    certain = (np.log([1.0]), np.array([-np.inf]))
    even = (np.log([0.5, 0.5]), np.log([0.5, 0.5]))
    assert independent_delta(certain, even, 1.0) == 1.0
    assert independent_delta(even, certain, 1.0) == 1.0
