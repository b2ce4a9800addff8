"""A bound over a range of sizes, against the chance at every size between."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.noise import Noise
from epsilens.noise.composed_loss import loss_of
from epsilens.noise.loss import PrivacyLoss
from epsilens.noise.loss_range import greatest_exceedance
from epsilens.noise.mechanisms import laws


@pytest.mark.parametrize("law", laws().values(), ids=laws())
@pytest.mark.parametrize("moved", [1, 2])
def test_no_size_between_exceeds_the_bound(law: Noise, moved: int) -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        low, bar = float(np.exp(rng.uniform(-1.5, 2.5))), float(rng.uniform(0.0, 3.0))
        high = low * float(np.exp(rng.uniform(0.0, 0.2)))
        bound = greatest_exceedance([law.of_size(low)], [law.of_size(high)], moved, bar)
        for size in np.linspace(low, high, 15):
            assert PrivacyLoss(law.of_size(float(size)), moved).exceedance(bar) <= bound * (1 + 1e-12)


@pytest.mark.parametrize("law", laws().values(), ids=laws())
def test_a_range_without_length_has_the_chance_itself(law: Noise) -> None:
    for moved in (1, 2):
        noise = law.of_size(2.3)
        chance = PrivacyLoss(noise, moved).exceedance(0.4)
        assert greatest_exceedance([noise], [noise], moved, 0.4) == pytest.approx(chance, rel=1e-12)


def test_several_levels_and_wide_noise() -> None:
    gaussian = laws()["discrete-gaussian"]
    for sizes in ((3.0, 5.0), (2000.0,)):
        low, high = ([gaussian.of_size(factor * size) for size in sizes] for factor in (1.0, 1.02))
        bar = 2.0 / sizes[0]
        bound = greatest_exceedance(low, high, 2, bar)
        for factor in (1.0, 1.007, 1.02):
            chance = loss_of([gaussian.of_size(factor * size) for size in sizes], 2).exceedance(bar)
            assert chance <= bound * (1 + 1e-9)
            assert bound <= 2.0 * chance
