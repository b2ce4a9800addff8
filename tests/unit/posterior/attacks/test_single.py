from __future__ import annotations

import numpy as np
import pytest

from epsilens.noise import DiscreteGaussianNoise
from epsilens.posterior.attacks.single import SingleCount
from epsilens.posterior.single import expected_single_level

LAWS = (DiscreteGaussianNoise(1.5), DiscreteGaussianNoise(0.2))


def test_everybody_is_at_the_risk_of_the_lowest_count() -> None:
    attack = SingleCount()
    keys = attack.keys(np.array([[1, 1], [2, 9]]), np.array([0, 4]), LAWS)
    assert keys.tolist() == [[0, 0], [0, 0]]
    posterior, correct = attack.risks(keys, LAWS, 0.3, True)
    alone = expected_single_level(noise=LAWS[0], prior=0.3)
    assert posterior == pytest.approx([alone.posterior] * 2)
    assert correct == pytest.approx([alone.correct_decision] * 2)


def test_levels_above_are_not_looked_at() -> None:
    wide = (LAWS[0], DiscreteGaussianNoise(1e5))
    attack = SingleCount()
    assert not attack.too_wide(wide, True, 1.0)
    assert attack.exceedance((0, 0), wide, 0.5, 1.2) == attack.exceedance((0, 0), LAWS, 0.5, 1.2)
