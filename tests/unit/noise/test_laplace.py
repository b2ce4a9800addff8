"""Laplace noise against integrals of its density, a dense scan of its losses, and its draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate

from epsilens.errors import ParameterError
from epsilens.noise import LaplaceNoise
from tests.support.noise import assert_moments, densest_loss

SCALES = [0.3, 1.0, 7.5]


@pytest.mark.parametrize("scale", SCALES)
def test_its_tail_is_the_integral_of_its_density(scale: float) -> None:
    noise = LaplaceNoise(scale)
    for x in (0.0, 0.2, 1.0, 6.0):
        area, _ = integrate.quad(lambda t: math.exp(-t / scale) / (2 * scale), x, np.inf, epsabs=0)
        assert float(noise.sf(x)) == pytest.approx(area, rel=1e-9)
        assert float(noise.cdf(-x)) == pytest.approx(area, rel=1e-9)
        assert math.exp(float(noise.logsf(x))) == pytest.approx(area, rel=1e-9)
    second, _ = integrate.quad(lambda t: t * t * math.exp(-t / scale) / scale, 0, np.inf)
    assert noise.variance == pytest.approx(second, rel=1e-7)


@pytest.mark.parametrize("scale", SCALES)
def test_rounded_draws_are_those_that_round_to_a_whole_number(scale: float) -> None:
    noise = LaplaceNoise(scale)
    for k in (-3, 0, 1, 5):
        pieces = ((max(k - 0.5, low), min(k + 0.5, high)) for low, high in ((-np.inf, 0.0), (0.0, np.inf)))
        area = sum(
            integrate.quad(lambda t: math.exp(-abs(t) / scale) / (2 * scale), *ends)[0]
            for ends in pieces
            if ends[0] < ends[1]
        )
        assert float(noise.pmf(k)) == pytest.approx(area, rel=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_no_loss_is_above_the_largest_and_one_is_as_large(scale: float) -> None:
    noise = LaplaceNoise(scale)
    assert densest_loss(noise) == pytest.approx(noise.largest_loss(), rel=1e-9)
    assert noise.largest_loss(2) == 2 / scale
    assert not noise.has_delta
    far = noise.pmf(np.arange(30, 34))
    assert np.diff(np.log(far)) == pytest.approx(-noise.geometric_rate)


def test_draws_have_the_moments_of_the_law() -> None:
    assert_moments(LaplaceNoise(2.3))


def test_the_expected_sum_of_draws_against_the_difference_of_two_gamma_laws() -> None:
    """A sum of m draws is the difference of two Gamma(m) variables: E|G - H| = 2 integral of F (1 - F)."""
    from scipy import stats

    for terms in (1, 2, 9):
        law = stats.gamma(terms, scale=1.7)
        area, _ = integrate.quad(lambda t, law=law: law.cdf(t) * law.sf(t), 0, 200, limit=200)
        assert LaplaceNoise(1.7).known_absolute_sum(terms) == pytest.approx(2 * area, rel=1e-6)


@pytest.mark.parametrize("scale", [0.05, 0.3, 1.0, 7.0])
def test_the_delta_of_one_count_is_the_integral_of_what_one_table_has_more(scale: float) -> None:
    noise = LaplaceNoise(scale)
    for epsilon in (0.0, 0.01, 0.4 / scale, 0.995 / scale):

        def more(x: float, epsilon: float = epsilon) -> float:
            return max(0.0, float(noise.density(x)) - math.exp(epsilon) * float(noise.density(x - 1.0)))

        turn = 0.5 * (1.0 - scale * epsilon)  # where the loss equals epsilon
        area, _ = integrate.quad(more, 0.0, turn, epsabs=1e-13, limit=400)
        left = 0.5 * -math.expm1(epsilon - 1.0 / scale)
        assert noise.known_delta(epsilon, 1) == pytest.approx(left + area, rel=1e-9, abs=1e-15)
    assert noise.known_delta(1.0 / scale, 1) == 0.0


@pytest.mark.parametrize("scale", [0.05, 0.3, 1.0, 7.0])
def test_the_delta_of_two_counts_averages_that_of_one(scale: float) -> None:
    """delta_2(epsilon) = E delta_1(epsilon - L), over the loss L of the other count."""
    noise, r = LaplaceNoise(scale), 1.0 / scale

    def one(epsilon: float) -> float:
        return -math.expm1(epsilon) if epsilon < -r else max(0.0, -math.expm1(0.5 * (epsilon - r)))

    for epsilon in (0.0, 0.01, 0.5 * r, 1.3 * r, 1.995 * r):
        inside, _ = integrate.quad(
            lambda loss, epsilon=epsilon: 0.25 * math.exp(0.5 * (loss - r)) * one(epsilon - loss),
            max(-r, epsilon - r), r, epsabs=1e-14, limit=400,
        )  # fmt: skip
        exact = 0.5 * one(epsilon - r) + 0.5 * math.exp(-r) * one(epsilon + r) + inside
        assert noise.known_delta(epsilon, 2) == pytest.approx(exact, rel=1e-9)
    assert noise.known_delta(2.0 * r, 2) == 0.0
    assert noise.known_delta(0.5, 3) is None


def test_it_is_steepest_one_size_away() -> None:
    u = np.linspace(0, 10, 100_001)
    steepest = float((u * np.exp(-u) / 2).max())
    assert steepest <= LaplaceNoise.steepest <= 1.01 * steepest


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), "wide", None])
def test_bad_sizes(scale: float) -> None:
    with pytest.raises(ParameterError, match="scale must be"):
        LaplaceNoise(scale)
