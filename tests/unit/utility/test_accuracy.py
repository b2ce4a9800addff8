"""Standard errors, intervals and biases against simulation, enumeration and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.utility import expected_absolute_error
from epsilens.utility.accuracy import clipping_bias, half_width, shown_interval, standard_error


@pytest.mark.parametrize(
    "noise", [DiscreteLaplaceNoise(2.0), DiscreteGaussianNoise(1.3), LaplaceNoise(2.0), GaussianNoise(1.5)]
)
def test_accuracy_against_simulation_and_enumeration(noise: Noise) -> None:
    draws = noise.sample(400_000, np.random.default_rng(3))
    assert draws.std() == pytest.approx(standard_error(noise), rel=0.02)
    assert np.abs(draws).mean() == pytest.approx(expected_absolute_error(noise, rounded=False), rel=0.02)
    for x in (0, 1, 3):
        simulated = np.maximum(0, x + draws).mean() - x
        assert float(clipping_bias(noise, [x])[0]) == pytest.approx(simulated, abs=0.02)
    width = half_width(noise, 0.95)
    assert (np.abs(draws) <= width).mean() > 0.949
    if noise.integer_valued:
        assert 2 * float(noise.sf(width)) <= 0.05 < 2 * float(noise.sf(width - 1))


def test_the_bias_of_clipping_in_closed_form_and_under_wide_noise() -> None:
    for scale in (0.5, 3.0, 1e6):
        p = np.exp(-1 / scale)
        exact = p ** (np.array([0.0, 5.0]) + 1) / ((1 + p) * -np.expm1(-1 / scale))
        assert clipping_bias(DiscreteLaplaceNoise(scale), [0, 5]) == pytest.approx(exact, rel=1e-8)
    assert half_width(DiscreteLaplaceNoise(1e7), 0.95) == pytest.approx(1e7 * np.log(20), rel=1e-6)


@pytest.mark.parametrize("noise", [LaplaceNoise(0.3), LaplaceNoise(1.0), GaussianNoise(0.4), GaussianNoise(3.0)])
def test_the_accuracy_of_rounded_counts_is_that_of_the_rounded_noise(noise: Noise) -> None:
    draws = np.floor(noise.sample(400_000, np.random.default_rng(4)) + 0.5)
    assert draws.std() == pytest.approx(standard_error(noise, rounded=True), rel=0.02)
    assert np.abs(draws).mean() == pytest.approx(expected_absolute_error(noise), rel=0.03)
    for x in (0, 1, 3):
        simulated = np.maximum(0, x + draws).mean() - x
        assert float(clipping_bias(noise, [x], rounded=True)[0]) == pytest.approx(simulated, abs=0.01)
    for confidence in (0.5, 0.95, 0.99):
        width = half_width(noise, confidence, rounded=True)
        assert (np.abs(draws) <= width).mean() > confidence - 0.003
        assert width == 0 or (np.abs(draws) <= width - 1).mean() < confidence + 0.003  # and no wider than it must be


@pytest.mark.parametrize("noise", [DiscreteLaplaceNoise(0.3), DiscreteLaplaceNoise(2.0), DiscreteGaussianNoise(1.5)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_interval_of_a_shown_count_covers_every_true_count_given_that_it_is_shown(
    noise: Noise, confidence: float
) -> None:
    """By enumeration: exact coverage for each true count, from one person to far above the threshold."""
    threshold, far = 6, noise.reach(1e-15)
    for truth in range(1, 4 * threshold):
        shown = np.arange(threshold, truth + max(far, threshold) + 40)
        law = np.exp(noise.logdensity(shown - truth) - noise.logsf(threshold - 1.0 - truth))
        lower, upper = shown_interval(noise, shown, threshold, confidence)
        assert law.sum() == pytest.approx(1.0, abs=1e-9)
        assert law[(lower <= truth) & (truth <= upper)].sum() >= confidence - 1e-9
        assert ((lower >= 1) & (lower <= shown) & (shown <= upper)).all()


def test_far_above_the_threshold_a_shown_count_has_the_interval_of_any_count() -> None:
    noise = DiscreteLaplaceNoise(2.0)
    width = int(half_width(noise, 0.95))
    lower, upper = shown_interval(noise, [12, 500, 12], 12, 0.95)
    assert (lower[1], upper[1]) == (500 - width, 500 + width)
    assert (lower[0], upper[0]) == (lower[2], upper[2])
    assert lower[0] == 1  # a cell with one person, shown by chance, looks like this
    wide = DiscreteLaplaceNoise(1e9)
    lower, upper = shown_interval(wide, [10**11], 10, 0.95)
    assert upper[0] - 10**11 == pytest.approx(half_width(wide, 0.95), rel=1e-6)
