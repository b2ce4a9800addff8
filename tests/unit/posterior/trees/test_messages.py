"""Laws on runs of whole numbers, summed and conditioned."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.noise import DiscreteGaussianNoise
from epsilens.noise.published import CountNoise
from epsilens.posterior.trees.messages import Message, certain, fixed, from_log_weights, impossible, observed, summed

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
