"""Gaussian noise against integrals of its density, and its exact delta digit by digit."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import integrate

from epsilens.errors import ParameterError
from epsilens.noise import GaussianNoise
from epsilens.noise.gaussian import gaussian_log_delta
from tests.support.noise import assert_moments

SIGMAS = [0.3, 1.0, 7.5]


def bell(x: float, sigma: float) -> float:
    return math.exp(-0.5 * (x / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


@pytest.mark.parametrize("sigma", SIGMAS)
def test_its_tail_is_the_integral_of_its_density(sigma: float) -> None:
    noise = GaussianNoise(sigma)
    for x in (0.0, 0.2 * sigma, sigma, 5 * sigma):
        area, _ = integrate.quad(bell, x, x + 40 * sigma, (sigma,), epsabs=0, points=[x + sigma, x + 5 * sigma])
        assert float(noise.sf(x)) == pytest.approx(area, rel=1e-9)
        assert float(noise.cdf(-x)) == pytest.approx(area, rel=1e-9)
        assert math.exp(float(noise.logsf(x))) == pytest.approx(area, rel=1e-9)
    for k in (0, 1, 4):
        area, _ = integrate.quad(bell, k - 0.5, k + 0.5, (sigma,), epsabs=0)
        assert float(noise.pmf(k)) == pytest.approx(area, rel=1e-9)


def test_draws_have_the_moments_of_the_law() -> None:
    assert_moments(GaussianNoise(2.3))


def test_losses_grow_for_ever() -> None:
    noise = GaussianNoise(2.0)
    assert noise.largest_loss() == math.inf
    assert noise.has_delta
    x = np.array([0.0, 10.0, 1e3, 1e6])
    losses = noise.logdensity(x) - noise.logdensity(x + 1)
    assert losses == pytest.approx((2 * x + 1) / (2 * 2.0**2), rel=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "ratio"),
    [
        (epsilon, ratio)
        for epsilon in (0.0, 1e-8, 1e-3, 0.4, 2.0, 40.0, 100.0)
        for ratio in (1e-6, 0.01, 0.3, 0.99, 1.01, 3.0, 12.0)
        if epsilon / ratio < 40  # further out delta is below 1e-347
    ],
)
def test_delta_digit_by_digit(epsilon: float, ratio: float) -> None:
    """Phi(r / 2 - epsilon / r) - e^epsilon Phi(-r / 2 - epsilon / r) with as many digits as it takes."""
    with mpmath.workdps(400):
        r, e = mpmath.mpf(ratio), mpmath.mpf(epsilon)
        exact = mpmath.log(mpmath.ncdf(r / 2 - e / r) - mpmath.exp(e) * mpmath.ncdf(-r / 2 - e / r))
        assert gaussian_log_delta(epsilon, ratio) == pytest.approx(float(exact), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("moved", [1, 2])
def test_known_delta_is_the_integral_of_what_one_table_has_more(moved: int) -> None:
    sigma, epsilon, shift = 1.4, 0.7, math.sqrt(moved)

    def more(x: float) -> float:
        return max(0.0, bell(x, sigma) - math.exp(epsilon) * bell(x - shift, sigma))

    crossing = 0.5 * shift - epsilon * sigma**2 / shift
    area, _ = integrate.quad(more, -30, crossing, epsabs=0, limit=200)
    assert GaussianNoise(sigma).known_delta(epsilon, moved) == pytest.approx(area, rel=1e-8)


def test_the_expected_sum_of_draws() -> None:
    for terms in (1, 4):
        spread = 1.7 * math.sqrt(terms)
        area, _ = integrate.quad(lambda x, spread=spread: 2 * x * bell(x, spread), 0, 40 * spread)
        assert GaussianNoise(1.7).known_absolute_sum(terms) == pytest.approx(area, rel=1e-7)


@pytest.mark.parametrize("sigma", [0, -1, float("nan"), float("inf"), "wide", None])
def test_bad_sizes(sigma: float) -> None:
    with pytest.raises(ParameterError, match="sigma must be"):
        GaussianNoise(sigma)
