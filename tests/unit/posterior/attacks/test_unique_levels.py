from __future__ import annotations

import numpy as np
import pytest

from epsilens.noise import DiscreteGaussianNoise
from epsilens.posterior.attacks.unique_levels import UniqueLevels
from epsilens.posterior.combined import expected_unique_at_levels

LAWS = (DiscreteGaussianNoise(1.5), DiscreteGaussianNoise(0.8), DiscreteGaussianNoise(2.0))


def test_the_key_is_the_number_of_levels_with_the_same_count() -> None:
    counts = np.array([[1, 1, 1], [1, 1, 4], [1, 3, 3], [2, 5, 2]])
    keys = UniqueLevels().keys(counts, np.zeros(4, dtype=np.int64), LAWS)
    assert keys.tolist() == [[3, 0], [2, 0], [1, 0], [1, 0]]


def test_the_risk_is_that_of_these_levels() -> None:
    posterior, correct = UniqueLevels().risks(np.array([[1, 0], [2, 0], [3, 0]]), LAWS, 0.3, True)
    for levels in (1, 2, 3):
        expected = expected_unique_at_levels(noise=LAWS[:levels], prior=0.3)
        assert posterior[levels - 1] == pytest.approx(expected.posterior)
        assert correct[levels - 1] == pytest.approx(expected.correct_decision)
    chances = [UniqueLevels().exceedance((levels, 0), LAWS, 0.3, 3.0) for levels in (1, 2, 3)]
    assert chances == sorted(chances)
