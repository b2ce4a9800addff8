"""The gap that the children of a count share."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.homogeneity.repeated.deviations import sum_reach
from epsilens.homogeneity.repeated.shared_gap import SharedGap
from epsilens.noise import GaussianNoise, LaplaceNoise
from epsilens.noise.law import AnyNoise
from tests.unit.homogeneity.publishing import FewValues

FOUR = FewValues(((-2, 0.1), (-1, 0.3), (0, 0.35), (1, 0.25)))


@pytest.mark.parametrize("noise", [LaplaceNoise(2.0), GaussianNoise(3.0), FOUR], ids=str)
@pytest.mark.parametrize("kappa", [1, 2, 3, 10])
def test_the_gap_law_without_weights_is_certain(noise: AnyNoise, kappa: int) -> None:
    gap = SharedGap(noise, kappa, 40)
    weights = np.stack([np.ones(101), np.full(101, 0.5)])
    questions = np.array([[0] * kappa, [7] * kappa, [8] * kappa])
    nothing, everything, half = gap.expected(questions, weights, first_weight=7)
    assert nothing == pytest.approx(np.ones(81), abs=1e-12)
    assert everything == pytest.approx(np.ones(81), abs=1e-12)
    assert half == pytest.approx(np.full(81, 0.5**kappa), abs=1e-12)
    tail = sum_reach(noise, kappa)
    draws = np.floor(noise.sample((2000, kappa), np.random.default_rng(1)) + 0.5).sum(axis=1)
    assert np.abs(draws).max() <= tail
    assert sum_reach(noise, 400) < 400 * sum_reach(noise, 1) or noise is FOUR
