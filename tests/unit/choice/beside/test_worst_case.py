from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import epsilens as el
from epsilens.arrays import FloatArray, as_floats
from epsilens.choice.beside.worst_case import epsilon_advantage, worst_case_of, worst_case_permitted
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.noise.composed_loss import ComposedLoss, loss_of
from epsilens.noise.loss import PrivacyLoss

LAWS = [
    el.LaplaceNoise(1.3), el.DiscreteLaplaceNoise(1.3), el.GaussianNoise(1.7), el.DiscreteGaussianNoise(1.7)
]  # fmt: skip
SPAN = np.arange(-60, 61)


def outputs(noise: Noise, moved: int) -> tuple[FloatArray, FloatArray]:
    """P and Q of every output of one or two published counts, by enumeration."""
    p, q = noise.pmf(SPAN), noise.pmf(SPAN + 1)
    if moved == 1:
        return p, q
    return np.outer(p, p).ravel(), np.outer(q, noise.pmf(SPAN - 1)).ravel()


@pytest.mark.parametrize("noise", LAWS)
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


@pytest.mark.parametrize("noise", LAWS)
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


def test_pure_budgets_bound_the_worst_case() -> None:
    for epsilon, neighbours in itertools.product((0.1, 1.0, 3.0), ("add-remove", "substitute")):
        for mechanism in ("laplace", "discrete-laplace"):
            noise = el.calibrate(mechanism, el.PureDP(epsilon), neighbours)
            worst = worst_case_of(noise, neighbours)
            assert worst.advantage <= epsilon_advantage(epsilon) + 1e-9
            assert worst.odds_factor == pytest.approx(math.exp(epsilon), rel=1e-6)
            assert worst.posterior == pytest.approx(1 / (1 + math.exp(-epsilon)), rel=1e-6)


def test_gaussian_losses_have_no_bound() -> None:
    worst = worst_case_of(el.GaussianNoise(2.0), prior=0.1)
    assert worst.odds_factor == math.inf
    assert worst.to_dict()["odds_factor"] is None
    loss = PrivacyLoss(el.GaussianNoise(2.0))
    usually = math.log(worst.odds_factor_usually)
    assert loss.exceedance(usually) <= 1e-6 < loss.exceedance(usually - 0.3)
    odds = worst.posterior / (1 - worst.posterior)
    assert odds == pytest.approx(worst.odds_factor_usually / 9)


def test_bad_requests() -> None:
    with pytest.raises(ParameterError, match="moved must be 1"):
        PrivacyLoss(el.LaplaceNoise(1.0), 3)
    with pytest.raises(ParameterError, match="strictly between 0 and 1"):
        PrivacyLoss(el.LaplaceNoise(1.0)).largest(1.5)


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


def test_levels_cost_together_what_their_budgets_add_up_to() -> None:
    shares, epsilon = (0.2, 0.3, 0.5), 1.4
    worst = worst_case_of([el.LaplaceNoise(1.0 / (share * epsilon)) for share in shares])
    assert worst.odds_factor == pytest.approx(math.exp(epsilon))
    assert worst.odds_factor_usually <= worst.odds_factor * (1 + 1e-9)
    assert worst.advantage < epsilon_advantage(epsilon)
    # wide Gaussian noises cost what one with the sum of their 1 / sigma^2 costs
    one = worst_case_of(el.GaussianNoise(9.0))
    several = worst_case_of([el.GaussianNoise(9.0 / math.sqrt(share)) for share in shares])
    assert several.odds_factor == math.inf
    assert several.advantage == pytest.approx(one.advantage, rel=2e-3)
    assert several.odds_factor_usually == pytest.approx(one.odds_factor_usually, rel=5e-3)
    substituted = worst_case_of([el.LaplaceNoise(2.0 / (share * epsilon)) for share in shares], "substitute")
    assert substituted.odds_factor == pytest.approx(math.exp(epsilon))
    with pytest.raises(ParameterError, match="at least one level"):
        ComposedLoss(())


def test_the_bound_on_odds_holds_where_noise_hardly_ever_moves_a_count() -> None:
    assert PrivacyLoss(el.LaplaceNoise(0.01)).largest() == pytest.approx(100.0)


def test_very_wide_noise_is_neither_enumerated_nor_refused() -> None:
    """Ceilings next to the risk without any release ask for noise that reaches billions of people."""
    assert worst_case_of(el.LaplaceNoise(1e9)).advantage == pytest.approx(0.5e-9, rel=1e-4)
    assert worst_case_of(el.LaplaceNoise(1e9)).odds_factor == pytest.approx(math.exp(1e-9), rel=1e-12)
    assert worst_case_of(el.DiscreteLaplaceNoise(1e9), "substitute").advantage == pytest.approx(0.5e-9, rel=1e-4)
    for noise in (el.GaussianNoise(1e5), el.DiscreteGaussianNoise(1e5)):
        for neighbours, moved in (("add-remove", 1.0), ("substitute", 2.0)):
            worst = worst_case_of(noise, neighbours)
            truth = math.erf(0.5 * math.sqrt(moved) / 1e5 / math.sqrt(2.0))
            assert truth <= worst.advantage <= truth * 1.005
            assert math.log(worst.odds_factor_usually) == pytest.approx(4.7534 * math.sqrt(moved) / 1e5, rel=2e-3)
    # next to where enumeration ends
    narrow, wide = (PrivacyLoss(el.GaussianNoise(s)) for s in (900.0, 1000.0))
    assert (narrow.is_wide, wide.is_wide) == (False, True)
    ratio = worst_case_of(el.GaussianNoise(900.0)).advantage / worst_case_of(el.GaussianNoise(1000.0)).advantage
    assert ratio == pytest.approx(10.0 / 9.0, rel=2e-3)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_what_epsilon_permits_bounds_people_with_several_rows(epsilon: float) -> None:
    permitted = worst_case_permitted(epsilon, prior=0.2)
    assert permitted.advantage == pytest.approx(epsilon_advantage(epsilon))
    assert permitted.posterior == pytest.approx(0.2 * math.exp(epsilon) / (0.8 + 0.2 * math.exp(epsilon)))
    # two rows in one cell, or in two, under noise for two rows: no event tells more than is permitted
    noise = el.DiscreteLaplaceNoise(2.0 / epsilon)
    points = np.arange(-60, 61)
    same = noise.pmf(points), noise.pmf(points - 2)
    apart = np.outer(noise.pmf(points), noise.pmf(points)), np.outer(noise.pmf(points - 1), noise.pmf(points - 1))
    for here, there in (same, apart):
        assert 0.5 * np.abs(here - there).sum() <= permitted.advantage + 1e-12
        assert (here <= permitted.odds_factor * there * (1 + 1e-9)).all()
