"""The law of what an average of releases adds to a count."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity.repeated.pooling import pooled_noise
from epsilens.noise import GaussianNoise, LaplaceNoise
from epsilens.noise.law import Noise
from tests.unit.homogeneity.repeated.small_tables import NOISE, OTHER, outcomes


@pytest.mark.parametrize("laws", [(NOISE, NOISE), (NOISE, OTHER), (NOISE, OTHER, NOISE)], ids=str)
def test_pooled_noise_is_the_rounded_weighted_mean(laws: tuple[Noise, ...]) -> None:
    law = pooled_noise(laws)
    weight, draws = outcomes(laws)
    # the weights are whole: recover them from the definition by trying all small ones
    exact = {}
    for a in itertools.product(range(13), repeat=len(set(map(id, laws)))):
        by_law = dict(zip(dict.fromkeys(map(id, laws)), a, strict=True))
        weights = [by_law[id(noise)] for noise in laws]
        if sum(weights) == 0:
            continue
        mean = np.floor(sum(w * e for w, e in zip(weights, draws, strict=True)) / sum(weights) + 0.5)
        masses = np.array([float(weight @ (mean == k)) for k in (-2, 0, 1)])
        exact[tuple(weights)] = float(np.abs(masses - law.pmf([-2, 0, 1])).max())
    best = min(exact, key=lambda weights: (exact[weights] > 1e-10, sum(weights)))
    assert exact[best] < 1e-10
    precisions = np.array([1 / noise.variance for noise in laws])
    kept = sum(best) ** 2 / sum(w * w / p for w, p in zip(best, precisions, strict=True)) / precisions.sum()
    assert kept >= 0.999
    assert float(law.cdf(100)) == pytest.approx(1.0)
    assert law.sf(0.5) + law.cdf(0.5) == pytest.approx(1.0)
    assert np.exp(law.logsf(0.5)) == pytest.approx(law.sf(0.5))
    assert np.exp(law.logcdf(0.5)) == pytest.approx(law.cdf(0.5))
    assert law.logdensity(0.5) == -np.inf
    sample = law.sample(20_000, np.random.default_rng(1))
    assert sample.var() == pytest.approx(law.variance, rel=0.1)


def test_pooling_gaussians_is_one_gaussian_of_the_summed_precision() -> None:
    law = pooled_noise([GaussianNoise(30.0), GaussianNoise(40.0), GaussianNoise(60.0)])
    one = GaussianNoise((1 / 900 + 1 / 1600 + 1 / 3600) ** -0.5)
    assert law.variance == pytest.approx(one.variance, rel=2e-3)
    assert law.cdf(np.array([-20.5, -0.5, 10.5])) == pytest.approx(one.cdf(np.array([-20.5, -0.5, 10.5])), abs=2e-3)
    with pytest.raises(ParameterError, match="pool fewer releases"):
        pooled_noise([LaplaceNoise(1e6)] * 2)
    assert pooled_noise([LaplaceNoise(1e-3)] * 3).pmf(0) == pytest.approx(1.0)
    many_weak = pooled_noise([LaplaceNoise(1.0), *([LaplaceNoise(8.0)] * 60)])
    assert many_weak.variance < 1.5  # sixty weak releases are together as good as the strong one
