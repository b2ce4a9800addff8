from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.beside.worst_case import epsilon_advantage, worst_case_of, worst_case_permitted
from epsilens.errors import ParameterError
from epsilens.noise.composed_loss import ComposedLoss
from epsilens.noise.loss import PrivacyLoss


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
