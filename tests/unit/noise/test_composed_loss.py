"""The privacy loss of several levels against enumeration, and on the safe side of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import epsilens as el
from epsilens.arrays import FloatArray, as_floats
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.noise.composed_loss import ComposedLoss, loss_of
from epsilens.noise.loss import PrivacyLoss


@pytest.mark.parametrize("moved", [1, 2])
@pytest.mark.parametrize(
    "noises",
    [
        (el.LaplaceNoise(1.3), el.LaplaceNoise(0.9)),
        (el.DiscreteLaplaceNoise(1.3), el.LaplaceNoise(2.0), el.DiscreteLaplaceNoise(0.8)),
        (el.DiscreteGaussianNoise(1.7), el.DiscreteGaussianNoise(1.2)),
        (el.GaussianNoise(1.1), el.DiscreteGaussianNoise(1.9)),
    ],
)
def test_levels_against_enumeration(noises: tuple[Noise, ...], moved: int) -> None:
    """All outputs of the levels, enumerated: safe to the digits that a lattice leaves."""
    p: FloatArray = np.ones(1)
    q: FloatArray = np.ones(1)
    span = np.arange(-30, 31) if moved == 1 and len(noises) == 2 else np.arange(-9, 10)
    for noise in noises:
        for _ in range(moved):
            p, q = (np.outer(x, noise.pmf(span + j)).ravel() for j, x in ((0, p), (1, q)))
            order = np.argsort(np.round(np.log(p / q), 10), kind="stable")  # outputs with one loss are one
            same = np.append(0, np.cumsum(np.diff(np.round(np.log(p / q)[order], 10)) > 0))
            p, q = (as_floats(np.bincount(same, weights=x[order])) for x in (p, q))
    cut = 1.0 - p.sum()
    found = loss_of(noises, moved)
    losses = np.log(p / q)
    step = 0.0 if all(isinstance(n, (el.LaplaceNoise, el.DiscreteLaplaceNoise)) for n in noises) else 2e-3
    tolerance = cut + step + 1e-9
    assert found.advantage() >= 0.5 * (np.abs(p - q).sum() - 2 * cut) - 1e-9
    assert found.advantage() == pytest.approx(0.5 * np.abs(p - q).sum(), abs=tolerance)
    for bar in (-0.3, 0.4, 1.0):
        assert p[losses > bar + 1e-9].sum() - 1e-9 <= found.exceedance(bar)
        assert found.exceedance(bar) <= p[losses > bar - step - 1e-9].sum() + cut + 1e-9
        assert found.delta(bar) == pytest.approx(np.maximum(p - math.exp(bar) * q, 0).sum(), abs=tolerance)
    order = np.argsort(-losses)
    alpha = np.linspace(0.0, 1.0, 21)
    best = np.interp(alpha, np.r_[0, np.cumsum(q[order])], 1 - np.r_[0, np.cumsum(p[order])])
    curve = found.trade_off(alpha)
    assert (curve <= best + cut + 1e-9).all()
    assert curve == pytest.approx(best, abs=2 * tolerance)
    usually = found.largest(0.99)
    assert found.exceedance(usually) <= 0.01 < found.exceedance(usually - 0.5)


def test_one_level_that_is_not_wide_is_exact() -> None:
    one, several = el.LaplaceNoise(1.3), (el.LaplaceNoise(1.3), el.LaplaceNoise(2.0))
    assert loss_of([one], 2) == PrivacyLoss(one, 2)
    assert loss_of(several, 2) == ComposedLoss(several, 2)
    wide = el.GaussianNoise(1e5)
    assert loss_of([wide], 1) == ComposedLoss((wide,), 1)


def test_many_equal_geometric_levels_in_closed_form() -> None:
    """With p = e^-r, each of d counts loses +r with probability 1 / (1 + p), else -r: a binomial law of losses."""
    levels, rate = 6, 0.5
    p = math.exp(-rate)
    loss = ComposedLoss((el.DiscreteLaplaceNoise(1 / rate),) * levels)
    up = 1 / (1 + p)
    law = {(2 * j - levels) * rate: math.comb(levels, j) * up**j * (1 - up) ** (levels - j) for j in range(levels + 1)}
    for bar in (-2.2, -0.2, 0.0, 0.9, 2.0, 2.9, 3.0):
        assert loss.exceedance(bar) == pytest.approx(sum(mass for x, mass in law.items() if x > bar), abs=1e-12)
        delta = sum(mass * -math.expm1(bar - x) for x, mass in law.items() if x > bar)
        assert loss.delta(bar) == pytest.approx(delta, abs=1e-12)
    assert loss.advantage() == loss.delta(0.0)
    assert loss.largest() == pytest.approx(levels * rate)
    with pytest.raises(ParameterError, match="confidence must"):
        loss.largest(1.5)
    with pytest.raises(ParameterError, match="noises must have the noise of at least one level"):
        ComposedLoss(())
