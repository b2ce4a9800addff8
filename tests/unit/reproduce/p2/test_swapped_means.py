from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.reproduce.p2.extracts import TEXAS, Known
from epsilens.reproduce.p2.means import REPETITIONS
from epsilens.reproduce.p2.swapped_means import of_swapping, simulated

GROUPS = np.array([[50.0, 4.0, 0.0], [3.0, 3.0, 20.0], [0.0, 0.0, 0.0]])


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_experiments_are_those_of_releases(epsilon: float) -> None:
    system, rng, own = av.DPSwapping(epsilon, 3), np.random.default_rng(1), []
    for _ in range(80):
        errors = np.mean([system.release(GROUPS, rng) - GROUPS for _ in range(REPETITIONS)], axis=0)
        own.append((np.abs(errors).sum(), np.ptp(errors)))
    found = simulated(GROUPS, epsilon, 200)
    for ours, theirs in zip(found.T, np.array(own).T, strict=True):
        error = np.hypot(ours.std() / np.sqrt(len(ours)), theirs.std() / np.sqrt(len(theirs)))
        assert abs(ours.mean() - theirs.mean()) < 4 * error
        assert ours.std() == pytest.approx(theirs.std(), rel=0.4)


def test_the_bias_is_what_is_left_of_large_errors() -> None:
    exact = av.bias_l1(av.DPSwapping(0.5, 3).bias(GROUPS))
    assert simulated(GROUPS, 0.5, 200)[:, 0].mean() == pytest.approx(exact, rel=0.02)


def test_what_is_known_in_full_has_one_expectation() -> None:
    whole = GROUPS.astype(np.int64)
    settled = of_swapping(0.5, Known(whole, np.zeros(3, dtype=np.int64), 0, TEXAS), 20)
    assert settled.l1.low == settled.l1.high
    open_ = of_swapping(0.5, Known(whole[:, :1], np.array([4, 23, 0]), 2, TEXAS), 20)
    assert open_.l1.low < open_.l1.high
    assert open_.l1.standard_error > 0
