from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import special

from epsilens.budget import ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP
from epsilens.errors import ParameterError
from epsilens.noise import (
    MECHANISMS,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    GaussianNoise,
    LaplaceNoise,
    calibrate,
)
from epsilens.noise.calibration import (
    analytic_gaussian_sigma,
    classic_gaussian_sigma,
    concentrated_sigma,
    probabilistic_gaussian_sigma,
)
from epsilens.noise.gaussian import gaussian_log_delta


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 1e3])
def test_pure_mechanisms_divide_the_sensitivity_by_epsilon(epsilon: float) -> None:
    assert calibrate("laplace", PureDP(epsilon)) == LaplaceNoise(1 / epsilon)
    assert calibrate("laplace", PureDP(epsilon), neighbours="substitute") == LaplaceNoise(2 / epsilon)
    assert calibrate("discrete-laplace", PureDP(epsilon), sensitivity=3) == DiscreteLaplaceNoise(3 / epsilon)
    assert calibrate("laplace", PureDP(epsilon), max_rows_per_unit=4) == LaplaceNoise(4 / epsilon)


def test_gaussian_mechanisms_use_the_l2_sensitivity() -> None:
    assert calibrate("discrete-gaussian", ZCDP(0.5)) == DiscreteGaussianNoise(1.0)
    noise = calibrate("gaussian", ZCDP(0.5), neighbours="substitute")
    assert noise == GaussianNoise(math.sqrt(2.0))


def test_classic_gaussian_is_p0_equation_3() -> None:
    noise = calibrate("gaussian", ApproxDP(0.5, 1e-5))
    assert isinstance(noise, GaussianNoise)
    assert noise.sigma == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / 0.5, rel=1e-14)


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_classic_gaussian_refuses_epsilon_from_1_and_names_the_alternative(epsilon: float) -> None:
    with pytest.raises(ParameterError, match=r"needs epsilon < 1, got .*'gaussian-analytic'"):
        calibrate("gaussian", ApproxDP(epsilon, 1e-5))


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 20.0, 1e3])
@pytest.mark.parametrize("delta", [1e-12, 1e-3, 0.1])
def test_probabilistic_gaussian_bounds_the_privacy_loss(epsilon: float, delta: float) -> None:
    noise = calibrate("gaussian", ProbabilisticDP(epsilon, delta))
    assert isinstance(noise, GaussianNoise)
    assert noise == calibrate("gaussian-probabilistic", ProbabilisticDP(epsilon, delta))
    ratio = 1 / noise.sigma  # the loss is N(ratio^2 / 2, ratio^2)
    above = float(special.ndtr(-(epsilon - ratio**2 / 2) / ratio))
    below = float(special.ndtr((-epsilon - ratio**2 / 2) / ratio))
    assert above == pytest.approx(delta / 2, rel=1e-6)
    assert above + below <= delta * (1 + 1e-6)


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1.0, 7.0, 1e3])
@pytest.mark.parametrize("delta", [1e-100, 1e-9, 1e-3, 0.4])
def test_analytic_gaussian_is_the_smallest_valid_sigma(epsilon: float, delta: float) -> None:
    noise = calibrate("gaussian-analytic", ApproxDP(epsilon, delta))
    assert isinstance(noise, GaussianNoise)
    assert gaussian_log_delta(epsilon, 1 / noise.sigma) <= math.log(delta)
    assert gaussian_log_delta(epsilon, 1 / (noise.sigma * (1 - 1e-6))) > math.log(delta)


def test_analytic_gaussian_golden_number_and_never_more_noise_than_the_classic() -> None:
    noise = calibrate("gaussian-analytic", ApproxDP(1.0, 1e-5))
    assert isinstance(noise, GaussianNoise)
    assert noise.sigma == pytest.approx(3.73063163, abs=1e-8)  # dp-accounting: 3.7306317 (stops its search early)
    for epsilon in np.geomspace(1e-3, 0.99, 7):
        assert (
            calibrate("gaussian-analytic", ApproxDP(epsilon, 1e-6)).variance
            < calibrate("gaussian", ApproxDP(epsilon, 1e-6)).variance
        )


@pytest.mark.parametrize("name", MECHANISMS)
def test_an_epsilon_and_a_delta_are_enough_for_every_mechanism(name: str) -> None:
    budget = MECHANISMS[name].budget(0.5, 1e-6)
    assert calibrate(name, budget).variance > 0


def test_a_mechanism_with_delta_says_that_it_needs_one() -> None:
    with pytest.raises(ParameterError, match="'gaussian-analytic' needs a delta"):
        MECHANISMS["gaussian-analytic"].budget(1.0)


@pytest.mark.parametrize(
    ("mechanism", "budget"),
    [("laplace", ZCDP(1.0)), ("gaussian", PureDP(1.0)), ("discrete-laplace", ApproxDP(1.0, 0.1))],
)
def test_the_wrong_kind_of_budget_is_refused_with_the_right_one(mechanism: str, budget: Budget) -> None:
    with pytest.raises(ParameterError, match=f"{mechanism!r} takes .*, got {budget.words.replace('`', '')}$"):
        calibrate(mechanism, budget)


def test_unknown_names_suggest_the_nearest() -> None:
    with pytest.raises(ParameterError, match="did you mean 'laplace'"):
        calibrate("laplase", PureDP(1.0))
    with pytest.raises(ParameterError, match="did you mean 'substitute'"):
        calibrate("laplace", PureDP(1.0), neighbours="substitution")
    with pytest.raises(ParameterError, match="sensitivity must be > 0"):
        calibrate("laplace", PureDP(1.0), sensitivity=0)


def test_sigma_formulas_scale_with_the_sensitivity() -> None:
    approximate, probabilistic, concentrated = ApproxDP(0.5, 1e-5), ProbabilisticDP(0.5, 1e-5), ZCDP(0.5)
    for at_three, at_one in (
        (classic_gaussian_sigma(approximate, 3.0), classic_gaussian_sigma(approximate, 1.0)),
        (analytic_gaussian_sigma(approximate, 3.0), analytic_gaussian_sigma(approximate, 1.0)),
        (probabilistic_gaussian_sigma(probabilistic, 3.0), probabilistic_gaussian_sigma(probabilistic, 1.0)),
        (concentrated_sigma(concentrated, 3.0), concentrated_sigma(concentrated, 1.0)),
    ):
        assert at_three == pytest.approx(3.0 * at_one, rel=1e-12)


@pytest.mark.parametrize("epsilon", [1e-12, 1e-9, 1e-6, 1e-2, 1.0, 30.0, 1e3])
@pytest.mark.parametrize("delta", [1e-300, 1e-100, 1e-20, 1e-5, 0.1, 0.9])
def test_analytic_gaussian_never_errs_on_the_unsafe_side(epsilon: float, delta: float) -> None:
    sigma = analytic_gaussian_sigma(ApproxDP(epsilon, delta), 1.0)
    with mpmath.workdps(400):  # delta = Phi(r / 2 - epsilon / r) - e^epsilon Phi(-r / 2 - epsilon / r), digit by digit
        r, e = 1 / mpmath.mpf(sigma), mpmath.mpf(epsilon)
        exact = mpmath.ncdf(r / 2 - e / r) - mpmath.exp(e) * mpmath.ncdf(-r / 2 - e / r)
        assert -1e-9 < float(exact / mpmath.mpf(delta) - 1) <= 0


def test_newton_and_brackets_find_the_same_root() -> None:
    """Over 13 orders of magnitude of epsilon and 300 of delta."""
    from epsilens.noise.calibration import ROUNDING, _bracketed

    for epsilon in (1e-9, 1e-3, 0.3, 1.0, 7.0, 300.0, 1e4):
        for delta in (1e-300, 1e-30, 1e-8, 1e-3, 0.3, 0.9):
            slow = math.exp(-_bracketed(epsilon, math.log(delta) - ROUNDING))
            assert vars(calibrate("gaussian-analytic", ApproxDP(epsilon, delta)))["sigma"] == pytest.approx(
                slow, rel=1e-12
            )
