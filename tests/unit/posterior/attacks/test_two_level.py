from __future__ import annotations

import numpy as np
import pytest

from epsilens.noise import DiscreteGaussianNoise
from epsilens.posterior.attacks.two_level import LONGEST_REACH, TwoLevels
from epsilens.posterior.combined import expected_combined
from epsilens.posterior.two_levels.expected import exceedance_two_level, expected_two_level

LAWS = (DiscreteGaussianNoise(1.5), DiscreteGaussianNoise(0.8))
PAIR = (LAWS[0], LAWS[1])


def test_the_risk_is_that_of_the_persons_own_parent_and_siblings() -> None:
    attack = TwoLevels()
    keys = attack.keys(np.array([[1, 1], [1, 3]]), np.array([2, 5]), LAWS)
    assert keys.tolist() == [[0, 2], [2, 5]]
    posterior, correct = attack.risks(keys, LAWS, 0.3, True)
    for i, (others, siblings) in enumerate(keys.tolist()):
        expected = expected_two_level(others + 1, siblings, noise=PAIR, prior=0.3)
        assert posterior[i] == pytest.approx(expected.posterior, rel=1e-9)
        assert correct[i] == pytest.approx(expected.correct_decision, rel=1e-9)
        chance = exceedance_two_level(1.2, others + 1, siblings, noise=PAIR, prior=0.3)
        assert attack.exceedance((others, siblings), LAWS, 0.3, 1.2) == chance


def test_an_only_child_is_counted_twice() -> None:
    posterior, _ = TwoLevels().risks(np.array([[0, 0]]), LAWS, 0.3, False)
    assert posterior == pytest.approx([expected_combined(LAWS, 0.3).posterior])


def test_people_far_above_make_no_difference() -> None:
    attack = TwoLevels()
    keys = attack.keys(np.array([[1, 10**6], [1, 10**9]]), np.array([2, 2]), LAWS)
    assert keys[0].tolist() == keys[1].tolist()


def test_a_plane_is_too_wide_earlier_than_a_line() -> None:
    wide = [DiscreteGaussianNoise(float(sigma)) for sigma in (11, 12)]
    assert wide[1].reach(1e-13) > LONGEST_REACH
    assert TwoLevels().too_wide(wide, False, 1.0)
    assert not TwoLevels().too_wide(wide, False, 1.3)
    assert not TwoLevels().too_wide([*LAWS, wide[1]], False, 1.0)
