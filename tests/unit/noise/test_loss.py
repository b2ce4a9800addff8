"""The privacy loss of published counts against enumeration of their outputs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import epsilens as el
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.noise.loss import PrivacyLoss
from tests.support.noise import LOSSY, outputs


@pytest.mark.parametrize("noise", LOSSY)
@pytest.mark.parametrize("moved", [1, 2])
def test_loss_against_enumeration(noise: Noise, moved: int) -> None:
    p, q = outputs(noise, moved)
    keep = (p > 1e-280) & (q > 1e-280)
    losses = np.log(p[keep] / q[keep])
    found = PrivacyLoss(noise, moved)
    for bar in (-0.31, 0.0, 0.42, 0.9):
        assert found.exceedance(bar) == pytest.approx(p[keep][losses > bar + 1e-9].sum(), abs=1e-9)
    assert found.advantage() == pytest.approx(0.5 * np.abs(p - q).sum(), abs=1e-9)
    for epsilon in (0.2, 0.7):
        assert found.delta(epsilon) == pytest.approx(np.maximum(p - math.exp(epsilon) * q, 0).sum(), abs=1e-9)


@pytest.mark.parametrize("noise", LOSSY)
@pytest.mark.parametrize("moved", [1, 2])
def test_trade_off_is_that_of_the_best_tests(noise: Noise, moved: int) -> None:
    p, q = outputs(noise, moved)
    order = np.argsort(-(np.log(np.maximum(p, 1e-300)) - np.log(np.maximum(q, 1e-300))), kind="stable")
    alarms, misses = np.r_[0, np.cumsum(q[order])], 1 - np.r_[0, np.cumsum(p[order])]
    alpha = np.array([0.0, 0.01, 0.1, 0.37, 0.5, 0.9, 1.0])
    curve = PrivacyLoss(noise, moved).trade_off(alpha)
    best = np.interp(alpha, alarms, misses)
    assert (curve <= best + 1e-9).all()  # never less power than the best test has
    assert curve == pytest.approx(best, abs=1e-9 if moved == 1 else 0.005)
    assert (np.diff(curve) <= 1e-12).all()


@pytest.mark.parametrize("noise", LOSSY)
@pytest.mark.parametrize("moved", [1, 2])
def test_exceedance_is_one_side_and_the_other_is_smaller(noise: Noise, moved: int) -> None:
    p, q = outputs(noise, moved)
    keep = (p > 1e-280) & (q > 1e-280)
    losses = np.log(p[keep] / q[keep])
    for bar in (0.1, 0.42, 0.9):
        upper = PrivacyLoss(noise, moved).exceedance(bar)
        lower = p[keep][losses < -bar - 1e-9].sum()
        above = losses > bar + 1e-9
        assert lower == pytest.approx((p[keep][above] * np.exp(-losses[above])).sum(), abs=1e-9)
        assert lower <= math.exp(-bar) * upper + 1e-9
        assert PrivacyLoss(noise, moved).exceedance_either_side(bar) == pytest.approx(upper + lower, abs=1e-9)


def test_the_delta_of_probabilistic_dp_is_two_sided() -> None:
    noise = el.calibrate("gaussian-probabilistic", el.ProbabilisticDP(1.0, 0.01))
    found = PrivacyLoss(noise)
    assert (round(found.exceedance(1.0), 6), round(found.exceedance_either_side(1.0), 6)) == (0.003262, 0.004287)
    with pytest.raises(ParameterError, match="loss must be >= 0"):
        found.exceedance_either_side(-0.1)


def test_bad_requests() -> None:
    with pytest.raises(ParameterError, match="moved must be 1"):
        PrivacyLoss(el.LaplaceNoise(1.0), 3)
    with pytest.raises(ParameterError, match="strictly between 0 and 1"):
        PrivacyLoss(el.LaplaceNoise(1.0)).largest(1.5)


def test_the_bound_on_odds_holds_where_noise_hardly_ever_moves_a_count() -> None:
    assert PrivacyLoss(el.LaplaceNoise(0.01)).largest() == pytest.approx(100.0)
