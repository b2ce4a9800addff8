"""Laplace transforms of published counts in closed form: against the sums they stand for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.homogeneity.geometric_transforms import geometric_transforms
from epsilens.homogeneity.guesses import TabledLaw, decay_nodes, transforms
from epsilens.noise import DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.whole_number_sums import width

COUNTS = np.array([0, 1, 2, 3, 5, 17, 100, 400])


@pytest.mark.parametrize("noise", [LaplaceNoise(0.3), LaplaceNoise(7.0), DiscreteLaplaceNoise(3.0), LaplaceNoise(1e-4)])
def test_closed_forms_are_the_sums_over_published_counts(noise: Noise) -> None:
    rate = noise.geometric_rate
    assert rate is not None
    # next to the rate of the noise both series have the same ratio, and nothing may cancel
    s = np.array([1e-4, 0.01, rate, rate * (1.0 + 1e-9), 0.999 * rate, 1.01 * rate, 0.3, 1.0, 5.0])
    found, slopes = geometric_transforms(COUNTS, s, noise, rate)
    published = np.arange(1.0, 1500.0)
    for i, count in enumerate(COUNTS.tolist()):
        mass, hidden = noise.pmf(published - count), float(noise.cdf(0.5 - count))
        for j, decay in enumerate(s.tolist()):
            terms = mass * np.exp(-decay * published)
            assert found[i, j] == pytest.approx(math.fsum([hidden, *terms]), rel=1e-12, abs=1e-280)
            assert slopes[i, j] == pytest.approx(math.fsum(terms * published), rel=1e-12, abs=1e-280)


def test_large_counts_under_wide_noise_agree_with_the_sums_of_any_law() -> None:
    class Unnamed(LaplaceNoise):
        geometric_rate = None  # type: ignore[assignment]

    counts = np.array([-1, 0, 3, 999, 5000])
    noise = LaplaceNoise(300.0)
    law = TabledLaw.of(noise)
    s, steps = decay_nodes(counts[:, None], np.zeros(len(counts), dtype=np.int64), law)
    closed = transforms(counts, s, law, width(noise))
    summed = transforms(counts, s, TabledLaw.of(Unnamed(300.0)), width(noise))
    assert np.abs(closed[0] - summed[0]).max() < 1e-13
    assert (np.abs(closed[1] - summed[1]) * steps).max() < 1e-13
    assert closed[0][0].tolist() == [1.0] * len(s)  # an impossible label shows nobody


def test_the_tails_of_gaussian_noise_are_not_geometric() -> None:
    assert GaussianNoise(1.0).geometric_rate is None
