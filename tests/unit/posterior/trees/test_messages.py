"""Laws on runs of whole numbers, summed and conditioned."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.noise import DiscreteGaussianNoise
from epsilens.noise.published import CountNoise
from epsilens.posterior.trees.messages import (
    Message,
    certain,
    convolved_logs,
    fixed,
    from_log_weights,
    impossible,
    observed,
    summed,
)

NO_CUT = -math.inf
DIE = from_log_weights(1, np.zeros(6), NO_CUT)


def law(message: Message) -> dict[int, float]:
    return {message.low + i: float(value) for i, value in enumerate(message.values)}


def test_a_message_is_normalised_and_remembers_its_mass() -> None:
    assert law(DIE) == pytest.approx(dict.fromkeys(range(1, 7), 1 / 6))
    assert DIE.log_mass == pytest.approx(math.log(6))
    assert (DIE.lost, DIE.impossible) == (0.0, False)


def test_sums_are_convolutions() -> None:
    two = summed([DIE, DIE, certain(3)], NO_CUT)
    assert law(two) == pytest.approx({k + 3: (6 - abs(k - 7)) / 36 for k in range(2, 13)})
    assert two.log_mass == pytest.approx(2 * math.log(6))
    assert law(summed([], NO_CUT)) == {0: 1.0}
    assert summed([DIE, impossible()], NO_CUT).impossible


def test_negligible_ends_are_cut_and_counted() -> None:
    message = from_log_weights(0, np.log([1e-9, 0.5, 0.5 - 2e-9, 1e-9]), math.log(1e-8))
    assert (message.low, len(message.values)) == (1, 2)
    assert message.lost == pytest.approx(2e-9)
    assert from_log_weights(0, np.full(3, -np.inf), NO_CUT).impossible


def test_evidence_is_bayes_theorem() -> None:
    noise = CountNoise(DiscreteGaussianNoise(1.0))
    seen = observed(DIE, noise, 2.0, NO_CUT)
    weights = np.exp(noise.logpmf(2.0 - np.arange(1.0, 7.0)))
    assert seen.values == pytest.approx(weights / weights.sum())
    assert seen.log_mass == pytest.approx(DIE.log_mass + math.log(weights.mean() / weights.max()))


def test_a_known_count_keeps_its_share_of_the_mass() -> None:
    known = fixed(DIE, 4)
    assert law(known) == {4: 1.0}
    assert known.log_mass == pytest.approx(0.0, abs=1e-12)
    # beyond what was possible at all it is a contradiction for good; beyond a cut end only as far as anybody knows
    assert fixed(certain(3), 4).lost == 0.0
    shortened = from_log_weights(0, np.log([1e-9, 0.5, 0.5]), math.log(1e-8))
    assert fixed(shortened, 0).impossible
    assert fixed(shortened, 0).lost == math.inf


def test_convolutions_keep_their_digits_however_small_they_are() -> None:
    k = np.arange(400.0)
    bell, spike = -((k - 200) ** 2) / 8, -20.0 * np.abs(k - 100)
    holes = np.full(900, -np.inf)
    holes[[0, 300, 899]] = [0.0, -1_500.0, -3.0]
    for left, right in ((bell, bell), (bell, spike), (spike, spike), (holes, bell), (holes, holes)):
        slowly = np.full(len(left) + len(right) - 1, -np.inf)
        for i, value in enumerate(left):
            slowly[i : i + len(right)] = np.logaddexp(slowly[i : i + len(right)], value + right)
        found = convolved_logs(left, right)
        assert (np.isfinite(found) == np.isfinite(slowly)).all()
        possible = np.isfinite(slowly)
        assert found[possible] == pytest.approx(slowly[possible], rel=1e-13, abs=1e-11)


def test_equal_messages_are_multiplied_and_not_added_one_by_one() -> None:
    many = summed([DIE] * 13, NO_CUT)
    one_by_one = DIE
    for _ in range(12):
        one_by_one = summed([one_by_one, from_log_weights(1, np.zeros(6), NO_CUT)], NO_CUT)
    assert many.low == one_by_one.low == 13
    assert many.logs == pytest.approx(one_by_one.logs, abs=1e-11)
    assert many.log_mass == pytest.approx(13 * math.log(6))


def test_what_is_dropped_far_below_a_double_is_still_counted() -> None:
    logs = -0.5 * (np.arange(-200.0, 201.0)) ** 2
    message = from_log_weights(0, logs, -3_000.0)
    assert -3_100.0 < message.log_lost < -2_900.0
    seen = observed(message, CountNoise(DiscreteGaussianNoise(1.0)), 260.0, -3_000.0)  # keeps e^-900 of the mass
    assert seen.log_lost == pytest.approx(message.log_lost + 900.0, abs=2.0)
