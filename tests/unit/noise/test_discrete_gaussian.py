"""Discrete Gaussian noise against plain sums, digit by digit, in both series, in both ways of its tail."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise
from tests.support.noise import assert_moments

SIGMAS = [0.08, 0.5, 0.999, 1.0, 4.0, 60.0]


def weights(sigma: float) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers and their probabilities, by plain summation."""
    reach = int(40 * sigma) + 4
    k = np.arange(-reach, reach + 1)
    weight = np.exp(-0.5 * (k / sigma) ** 2)
    return k, weight / math.fsum(weight)


@pytest.mark.parametrize("sigma", SIGMAS)
def test_its_tail_is_the_sum_of_its_probabilities(sigma: float) -> None:
    noise, (k, law) = DiscreteGaussianNoise(sigma), weights(sigma)
    for m in (-3, 0, 1, 2, round(3 * sigma), round(9 * sigma)):
        above = math.fsum(law[k > m])
        assert float(noise.sf(m)) == float(noise.sf(m + 0.7)) == pytest.approx(above, rel=1e-11, abs=1e-300)
        assert float(noise.cdf(m)) == pytest.approx(math.fsum(law[k <= m]), rel=1e-12)
        assert float(noise.pmf(m)) == pytest.approx(law[k == m][0], rel=1e-12, abs=1e-300)
    assert float(noise.density(0.5)) == 0.0
    assert noise.variance == pytest.approx(law @ k**2.0, rel=1e-11)


@pytest.mark.parametrize("m", [1, 700, 3_000, 20_000])
def test_the_tail_of_wide_noise_digit_by_digit(m: int) -> None:
    """sigma = 3,000: 4096 terms do not do, so the midpoint formula takes their place near the middle."""
    sigma = 3_000.0
    with mpmath.workdps(40):
        s = mpmath.mpf(sigma)
        normaliser = s * mpmath.sqrt(2 * mpmath.pi)  # the next term is below e^-1e8
        first = mpmath.exp(-((m / s) ** 2) / 2)
        # Euler and Maclaurin from the end point, with derivatives, an order beyond what is tried
        x, f = mpmath.mpf(m), first
        d1 = -x / s**2 * f
        d3 = (3 * x / s**4 - x**3 / s**6) * f
        d5 = (-15 * x / s**6 + 10 * x**3 / s**8 - x**5 / s**10) * f
        area = s * mpmath.sqrt(mpmath.pi / 2) * mpmath.erfc(x / (s * mpmath.sqrt(2)))
        exact = (area + f / 2 - d1 / 12 + d3 / 720 - d5 / 30240) / normaliser
        found = float(DiscreteGaussianNoise(sigma).logsf(m - 1))
        assert found == pytest.approx(float(mpmath.log(exact)), rel=1e-13, abs=1e-13)


def test_losses_grow_for_ever() -> None:
    noise = DiscreteGaussianNoise(2.0)
    assert noise.largest_loss() == math.inf
    assert noise.has_delta
    k = np.array([0.0, 10.0, 1e3, 1e6])
    assert noise.logdensity(k) - noise.logdensity(k + 1) == pytest.approx((2 * k + 1) / (2 * 2.0**2), rel=1e-9)


@pytest.mark.parametrize("sigma", [0.5, 1.3, 20.0])
def test_draws_have_the_moments_of_the_law_and_are_whole(sigma: float) -> None:
    noise = DiscreteGaussianNoise(sigma)
    assert_moments(noise)
    draws = noise.sample((40, 3), np.random.default_rng(2))
    assert draws.shape == (40, 3)
    assert (draws == np.floor(draws)).all()
    assert noise.sample(0, np.random.default_rng(2)).shape == (0,)


def test_draws_have_the_frequencies_of_the_law() -> None:
    noise, draws = DiscreteGaussianNoise(0.9), 100_000
    sample = noise.sample(draws, np.random.default_rng(5))
    for k in range(-4, 5):
        p = float(noise.pmf(k))
        assert abs(np.mean(sample == k) - p) < 5 * math.sqrt(p / draws)


def test_the_sum_of_draws_is_nearly_one_wide_draw() -> None:
    noise = DiscreteGaussianNoise(1.5)
    k, law = weights(1.5)
    total = np.convolve(law, law)
    y = np.arange(2 * k[0], 2 * k[-1] + 1)
    near = np.abs(y) < 12
    assert noise.approximate_sum(2).pmf(y[near]) == pytest.approx(total[near], rel=1e-8)


def test_it_is_steepest_one_person_away() -> None:
    """The change of P(X >= 1) per unit of log sigma, by differences, over all sizes."""
    logs = np.linspace(-2, 3, 4_001)
    above = np.array([float(DiscreteGaussianNoise(math.exp(x)).sf(0)) for x in logs])
    steepest = np.abs(np.diff(above) / np.diff(logs)).max()
    assert steepest <= DiscreteGaussianNoise.steepest <= 1.02 * steepest


@pytest.mark.parametrize("sigma", [0, -1, float("nan"), float("inf"), "wide", None])
def test_bad_sizes(sigma: float) -> None:
    with pytest.raises(ParameterError, match="sigma must be"):
        DiscreteGaussianNoise(sigma)


@pytest.mark.parametrize("moved", [1, 2])
def test_known_delta_of_wide_noise_is_what_a_list_of_it_says(moved: int) -> None:
    noise = DiscreteGaussianNoise(1e4)
    k = np.arange(-150_000.0, 150_001.0)
    for epsilon in (0.0, 1e-5, 1e-4, 3e-4):
        total = DiscreteGaussianNoise(1e4 * math.sqrt(moved)).pmf(k)  # of the sum of the noises that move
        shifted = DiscreteGaussianNoise(1e4 * math.sqrt(moved)).pmf(k + moved)
        listed = math.fsum(np.maximum(total - math.exp(epsilon) * shifted, 0.0))
        assert noise.known_delta(epsilon, moved) == pytest.approx(listed, rel=1e-9)
    assert DiscreteGaussianNoise(5.0).known_delta(0.1, moved) is None
