"""How far fitted counts lie from the true ones."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.homogeneity.repeated.deviations import Deviation, log_moments, sum_reach
from epsilens.noise import DiscreteGaussianNoise, GaussianNoise, LaplaceNoise
from epsilens.noise.law import AnyNoise
from epsilens.noise.whole_number_sums import TAIL, reach
from tests.unit.homogeneity.publishing import FewValues

SKEW = FewValues(((-2, 0.3), (1, 0.7)))
LAWS: list[AnyNoise] = [LaplaceNoise(1.3), GaussianNoise(3.0), DiscreteGaussianNoise(0.4), SKEW]


@pytest.mark.parametrize("noise", LAWS, ids=str)
@pytest.mark.parametrize("kappa", [1, 2, 5])
def test_shares_and_children_stay_within_their_reach(noise: AnyNoise, kappa: int) -> None:
    """Exact laws by convolution: what lies beyond is at most the tail."""
    root = Deviation.of_root(LaplaceNoise(2.0))
    z = np.arange(-root.far, root.far + 1)
    own = np.arange(-reach(noise), reach(noise) + 1)
    e = noise.pmf(own)
    others, spread = np.array([1.0]), 0
    for _ in range(kappa - 1):
        others, spread = np.convolve(others, e), spread + reach(noise)
    for clipped in (z, np.maximum(z, -3)):
        beyond_share = beyond_child = 0.0
        moved = np.bincount(clipped + root.far, LaplaceNoise(2.0).pmf(z), 2 * root.far + 1)
        rest = np.convolve(moved, others[::-1])  # q - n less the noises of the others
        far = root.far + spread
        for step, p in zip(own.tolist(), e.tolist(), strict=True):
            g = (2 * (np.arange(-far, far + 1) - step) + kappa) // (2 * kappa)
            if kappa > 1:
                beyond_share += p * rest[np.abs(g) > root.furthest_share(noise, kappa)].sum()
            beyond_child += p * rest[np.abs(step + g) > root.of_child(noise, kappa).far].sum()
        assert beyond_share <= 3 * TAIL
        assert beyond_child <= 3 * TAIL


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_moments_are_those_of_the_law(noise: AnyNoise) -> None:
    far = reach(noise)
    steps = np.arange(-far, far + 1.0)
    for t in (-0.3, 0.0, 0.2):
        assert log_moments(noise, np.array([t]))[0] == pytest.approx(np.log(noise.pmf(steps) @ np.exp(t * steps)))
    assert sum_reach(noise, 1) == far
    assert sum_reach(noise, 9) <= 9 * far


def test_of_several_the_largest_counts() -> None:
    one, other = Deviation.of_root(LaplaceNoise(1.0)), Deviation.of_root(GaussianNoise(1.0))
    both = Deviation.largest([one, other])
    assert both.far == max(one.far, other.far)
    t = np.array([-0.5, 0.5])
    assert (both.log_moments(t) == np.maximum(one.log_moments(t), other.log_moments(t))).all()
    assert Deviation.largest([one]) is one


def test_noise_that_reaches_very_far_is_bounded_without_moments() -> None:
    wide = LaplaceNoise(1e4)
    assert Deviation.of_root(wide).of_child(LaplaceNoise(1.0), 2).far > reach(wide) // 2
    assert sum_reach(wide, 3) == 3 * reach(wide)
