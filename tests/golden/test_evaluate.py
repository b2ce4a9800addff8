"""The test of a claimed noise on Adult: 5,009 cells by two labels, as the papers' count table has them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import epsilens as el
from epsilens.noise.goodness_of_fit import PublishedLaw, Transformed, fit_test, uniforms


@pytest.fixture(scope="module")
def counts(adult: el.FrequencyTable) -> np.ndarray:
    return adult.counts.ravel()


def refuted(claimed: PublishedLaw, noise: el.noise.Noise, counts: np.ndarray, times: int) -> int:
    """How many releases with ``noise`` are told from the claim."""
    rng, found = np.random.default_rng(15), 0
    for _ in range(times):
        published = counts + noise.sample(counts.shape, rng)
        published = np.maximum(np.floor(published + 0.5), 0.0) if claimed.clipped else published
        transformed = Transformed.of(claimed, counts, published, uniforms(published))
        found += fit_test(transformed).p_value < 0.05
    return found


@pytest.mark.parametrize("clipped", [False, True])
def test_the_level_and_the_power_on_adult(counts: np.ndarray, clipped: bool) -> None:
    """Of 40 true releases about one in twenty is refuted; of those with half the noise all are."""
    assert counts.shape == (2 * 5009,)
    claimed = PublishedLaw(el.DiscreteLaplaceNoise(1.0), clipped=clipped)
    assert refuted(claimed, claimed.noise, counts, 40) <= 40 * 0.05 + 5.0 * math.sqrt(40 * 0.05 * 0.95)
    assert refuted(claimed, claimed.noise.of_size(0.5), counts, 5) == 5
    assert refuted(claimed, claimed.noise.of_size(0.9), counts, 5) == 5
    same_variance = el.DiscreteGaussianNoise(math.sqrt(claimed.noise.variance))
    assert refuted(claimed, same_variance, counts, 3) == 3
