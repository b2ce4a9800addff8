"""Discrete Laplace noise against sums of p^|k|, a dense scan of its losses, and its draws."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.noise import DiscreteLaplaceNoise
from tests.support.noise import assert_moments, densest_loss

SCALES = [0.2, 1.0, 9.0]


def weights(scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers and their probabilities, by plain summation."""
    k = np.arange(-int(60 * scale) - 40, int(60 * scale) + 41)
    weight = np.exp(-np.abs(k) / scale)
    return k, weight / math.fsum(weight)


@pytest.mark.parametrize("scale", SCALES)
def test_its_tail_is_the_sum_of_its_probabilities(scale: float) -> None:
    noise, (k, law) = DiscreteLaplaceNoise(scale), weights(scale)
    for m in (-4, 0, 1, 2, 7):
        above = math.fsum(law[k > m])
        assert float(noise.sf(m)) == float(noise.sf(m + 0.7)) == pytest.approx(above, rel=1e-12)
        assert float(noise.cdf(m)) == pytest.approx(math.fsum(law[k <= m]), rel=1e-12)
        assert math.exp(float(noise.logsf(m))) == pytest.approx(above, rel=1e-12)
        assert float(noise.pmf(m)) == pytest.approx(law[k == m][0], rel=1e-12)
    assert float(noise.density(0.5)) == 0.0
    assert noise.variance == pytest.approx(law @ k**2.0, rel=1e-12)


def test_probabilities_in_fractions() -> None:
    """With p = 1/2 all is exact: P(k) = 1/3 / 2^|k|, P(X >= m) = 2/3 / 2^m, variance 4."""
    noise = DiscreteLaplaceNoise(1 / math.log(2))
    for m in range(1, 9):
        assert float(noise.pmf(m)) == pytest.approx(float(Fraction(1, 3) / 2**m), rel=1e-14)
        assert float(noise.sf(m - 1)) == pytest.approx(float(Fraction(2, 3) / 2**m), rel=1e-14)
    assert noise.variance == pytest.approx(4.0, rel=1e-14)


@pytest.mark.parametrize("scale", SCALES)
def test_no_loss_is_above_the_largest_and_one_is_as_large(scale: float) -> None:
    noise = DiscreteLaplaceNoise(scale)
    assert densest_loss(noise) == pytest.approx(noise.largest_loss(), rel=1e-9)
    assert noise.largest_loss(2) == 2 * noise.largest_loss() == 2 * noise.geometric_rate
    assert not noise.has_delta


def test_draws_have_the_moments_of_the_law_and_are_whole() -> None:
    assert_moments(DiscreteLaplaceNoise(0.6))
    assert_moments(DiscreteLaplaceNoise(40.0))
    draws = DiscreteLaplaceNoise(0.9).sample((50, 3), np.random.default_rng(2))
    assert draws.shape == (50, 3)
    assert (draws == np.floor(draws)).all()


def test_it_is_steepest_one_person_away() -> None:
    """The change of P(X >= 1) per unit of log scale, by differences, over all scales."""
    logs = np.linspace(-4, 6, 20_001)
    above = np.array([float(DiscreteLaplaceNoise(math.exp(x)).sf(0)) for x in logs])
    steepest = np.abs(np.diff(above) / np.diff(logs)).max()
    assert steepest <= DiscreteLaplaceNoise.steepest <= 1.01 * steepest


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), "wide", None])
def test_bad_sizes(scale: float) -> None:
    with pytest.raises(ParameterError, match="scale must be"):
        DiscreteLaplaceNoise(scale)
