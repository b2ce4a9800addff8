from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.noise import Noise
from epsilens.noise.absolute_error import absolute_sum, expected_absolute_error, expected_distance
from tests.support.noise import LAWS, K


@pytest.mark.parametrize("noise", LAWS)
def test_errors_of_a_count_against_enumeration(noise: Noise) -> None:
    law = noise.pmf(K)
    assert expected_absolute_error(noise) == pytest.approx(law @ np.abs(K), rel=1e-12)
    for d in (0, 1, 5, 40):
        assert expected_distance(noise, [d, -d]) == pytest.approx([law @ np.abs(K - d)] * 2, rel=1e-12)


@pytest.mark.parametrize("noise", LAWS)
@pytest.mark.parametrize("terms", [2, 3, 17, 300])
def test_sums_of_noise(noise: Noise, terms: int) -> None:
    sample = noise.sample((10_000, terms), np.random.default_rng(terms))
    for rounded in (True, False):
        draws = np.abs((np.floor(sample + 0.5) if rounded else sample).sum(axis=1))
        assert absolute_sum(noise, terms, rounded) == pytest.approx(draws.mean(), abs=5 * draws.std() / 100)
    if terms <= 17:
        law = noise.pmf(np.arange(-60, 61))
        power = law
        for _ in range(terms - 1):
            power = np.convolve(power, law)
        reach = len(power) // 2
        assert absolute_sum(noise, terms) == pytest.approx(power @ np.abs(np.arange(-reach, reach + 1)), rel=1e-8)


def test_wide_noise_and_long_sums_are_nearly_normal() -> None:
    for noise in (el.LaplaceNoise(200.0), el.DiscreteLaplaceNoise(200.0), el.GaussianNoise(200.0)):
        spread = np.sqrt(noise.variance)
        assert absolute_sum(noise, 3000) == pytest.approx(spread * np.sqrt(2 * 3000 / np.pi), rel=1e-4)
    assert absolute_sum(el.LaplaceNoise(200.0), 7) == pytest.approx(
        absolute_sum(el.DiscreteLaplaceNoise(200.0), 7), rel=1e-4
    )
    far = absolute_sum(el.DiscreteLaplaceNoise(2.0), 5000)
    assert far == pytest.approx(absolute_sum(el.DiscreteLaplaceNoise(2.0), 4000) * np.sqrt(5 / 4), rel=1e-4)


def test_very_wide_noise_has_an_expected_error_like_any_other() -> None:
    for scale in (1e5, 1.16e8, 1e11):  # counts of 20 million people ask for the second
        wide = el.DiscreteLaplaceNoise(scale)
        assert expected_absolute_error(wide) == pytest.approx(1 / np.sinh(1 / scale), rel=1e-10)
        assert absolute_sum(wide, 2) == pytest.approx(absolute_sum(el.LaplaceNoise(scale), 2), rel=1e-5)
    gaussian = el.DiscreteGaussianNoise(1e7)
    assert expected_absolute_error(gaussian) == pytest.approx(1e7 * np.sqrt(2 / np.pi), rel=1e-10)
    assert absolute_sum(gaussian, 3) == pytest.approx(1e7 * np.sqrt(6 / np.pi), rel=1e-5)
