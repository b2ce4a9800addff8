"""Sums over noise of any width."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from epsilens.arrays import FloatArray
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.published import CountNoise
from epsilens.posterior import noise_sums
from epsilens.posterior.noise_sums import decided, is_listed, listed_noise, sum_over_noise

WIDE: list[Noise] = [
    DiscreteGaussianNoise(900.0),
    DiscreteLaplaceNoise(300.0),
    GaussianNoise(900.0),
    LaplaceNoise(300.0),
]


@pytest.mark.parametrize("noise", WIDE, ids=repr)
def test_few_whole_numbers_stand_for_all(noise: Noise) -> None:
    few, weights = sum_over_noise(noise, longest=10)
    every, mass = listed_noise(noise)
    assert len(few) < len(every) / 5
    assert weights @ special.expit(0.002 * few - 0.5) == pytest.approx(
        mass @ special.expit(0.002 * every - 0.5), abs=1e-12
    )
    assert weights @ (few / 1000.0) ** 2 == pytest.approx(mass @ (every / 1000.0) ** 2, abs=1e-12)


@pytest.mark.parametrize("noise", WIDE, ids=repr)
@pytest.mark.parametrize("start", [-1e-4, 0.0, 3e-4])
def test_decisions_of_wide_noise_turn_where_those_of_listed_noise_do(
    noise: Noise, start: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def odds_at(z: FloatArray) -> FloatArray:
        return start + CountNoise(noise).log_ratio(z + 1.0)

    every, mass = listed_noise(noise)
    odds = odds_at(every)
    tie = 1e-12
    truth = mass[odds > tie].sum(), mass[np.abs(odds) <= tie].sum()
    monkeypatch.setattr(noise_sums, "LONGEST_LIST", 10)
    assert not is_listed(noise)
    points, _ = sum_over_noise(noise, longest=10)
    assert decided(noise, points, odds_at(points), tie, odds_at) == pytest.approx(truth, abs=1e-12)
