"""What attacks have in common: levels that count the same people."""

from __future__ import annotations

import pytest

from epsilens.noise import DiscreteGaussianNoise
from epsilens.posterior.attacks.attack import (
    LONGEST_REACH,
    exceedance_of_same_people,
    longest_reach,
    risk_of_same_people,
    too_wide_for_same_people,
)
from epsilens.posterior.combined import expected_combined
from epsilens.posterior.single import exceedance_single_level

LAWS = (DiscreteGaussianNoise(1.5), DiscreteGaussianNoise(0.8))


def test_counts_of_the_same_people_speak_together() -> None:
    posterior, correct = risk_of_same_people(LAWS, 0.3, True)
    together = expected_combined(LAWS, 0.3, decisions=True)
    assert (posterior, correct) == (together.posterior, together.correct_decision)
    assert posterior > risk_of_same_people(LAWS[:1], 0.3, False)[0]


def test_exceedance_of_one_count_is_that_of_a_single_level() -> None:
    for bar in (0.5, 1.0, 1.5):
        expected = exceedance_single_level(bar, noise=LAWS[0], prior=0.4)
        assert exceedance_of_same_people(LAWS[:1], 0.4, bar) == pytest.approx(expected, abs=1e-12)


def test_the_widest_noise_decides_what_is_too_wide() -> None:
    assert longest_reach(LAWS) == LAWS[0].reach(1e-13) > LAWS[1].reach(1e-13)
    wide = next(
        law for sigma in range(50, 90) if (law := DiscreteGaussianNoise(float(sigma))).reach(1e-13) > LONGEST_REACH
    )
    assert too_wide_for_same_people([LAWS[1], wide], False, 1.0)
    assert not too_wide_for_same_people([LAWS[1], wide], False, 1.1)
    # decisions enumerate sums of evidence: half of the levels against the other half
    narrower = [DiscreteGaussianNoise(40.0)] * 3
    assert not too_wide_for_same_people(narrower, False, 1.0)
    assert too_wide_for_same_people(narrower, True, 1.0)
