"""Sums of Laplace draws."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from epsilens.errors import ParameterError
from epsilens.noise import LaplaceNoise, laplace_sum
from epsilens.noise.laplace_sum import LaplaceSum, log_mixtures, tails


def direct(terms: int, u: float) -> float:
    """The difference of two Erlang variables, its coefficients as fractions."""
    beyond, total = Fraction(0), 0.0
    for i in range(terms - 1, -1, -1):
        a = i + 1
        beyond += Fraction(math.comb(2 * terms - 1 - a, terms - a), 2 ** (2 * terms - a))
        total += math.exp(-u + i * math.log(u) - math.lgamma(i + 1)) * float(beyond)
    return total


@pytest.mark.parametrize("terms", [1, 2, 3, 10, 60])
def test_against_the_finite_sum_in_fractions(terms: int) -> None:
    u = np.array([0.01, 0.5, 3.0, 20.0, 150.0])
    expected = [direct(terms, x) for x in u.tolist()]
    assert LaplaceSum(2.0, terms).tail(2.0 * u) == pytest.approx(expected, rel=1e-12)
    assert LaplaceSum(2.0, terms).sf(np.zeros(1)) == pytest.approx(0.5, rel=1e-14)


def test_one_draw_is_the_law_itself() -> None:
    x = np.array([-4.0, 0.0, 0.3, 7.0, 900.0])
    one, law = LaplaceSum(1.3, 1), LaplaceNoise(1.3)
    assert one.logsf(x) == pytest.approx(law.logsf(x), rel=1e-13)
    assert one.logdensity(x) == pytest.approx(law.logdensity(x), rel=1e-13)
    assert one.variance == law.variance


def test_the_density_integrates_to_the_tail_and_the_variance() -> None:
    law = LaplaceSum(0.7, 5)
    x = np.linspace(0.0, 60.0, 60_001)
    density = law.density(x)
    assert np.trapezoid(density, x) == pytest.approx(0.5, abs=1e-9)
    assert 2.0 * np.trapezoid(density * x**2, x) == pytest.approx(law.variance, rel=1e-6)
    assert np.trapezoid(density[20_000:], x[20_000:]) == pytest.approx(float(law.tail(x[20_000])), rel=1e-6)


def test_many_draws_are_nearly_normal_and_the_far_tail_keeps_its_digits() -> None:
    from scipy import special

    law = LaplaceSum(1.0, 10**6)
    x = math.sqrt(law.variance) * np.array([0.5, 2.0, 5.0])
    assert law.logtail(x) == pytest.approx(special.log_ndtr(-x / math.sqrt(law.variance)), rel=1e-5)
    far = float(LaplaceSum(1.0, 2000).logtail(np.array([5000.0]))[0])
    m, u = 2000.0, 5000.0
    root = math.hypot(m, u)
    chernoff = -(root - m) + m * math.log((m + root) / (2.0 * m))
    assert chernoff - 20.0 < far < chernoff < -1000.0


def test_simulation_within_five_standard_errors() -> None:
    law, draws = LaplaceSum(1.5, 7), 200_000
    shown = np.random.default_rng(1).laplace(0.0, 1.5, (draws, 7)).sum(axis=1)
    for x in (-3.0, 0.5, 6.0):
        p = float(law.sf(x))
        assert abs((shown > x).mean() - p) < 5.0 * math.sqrt(p * (1.0 - p) / draws)
    own = law.sample(draws, np.random.default_rng(2))
    assert abs((own**2).mean() / law.variance - 1.0) < 0.03


def test_many_sums_at_a_time_are_those_of_each() -> None:
    terms = np.array([1, 3, 900, 3, 40_000])
    u = np.array([0.2, 7.0, 40.0, math.inf, 700.0])
    found = log_mixtures(terms, u, beyond=True)
    assert found[3] == -math.inf
    for i in (0, 1, 2, 4):
        assert found[i] == pytest.approx(float(LaplaceSum(1.0, int(terms[i])).logtail(u[i])), rel=1e-13)


def test_many_tails_without_logarithms() -> None:
    rng = np.random.default_rng(8)
    terms = np.concatenate([rng.integers(1, 40, 200), rng.integers(1, 50_000, 200)])
    u = np.abs(rng.normal(size=400)) * np.sqrt(terms) * 4.0
    u[:3] = (0.0, 1e-300, math.inf)
    found, exact = tails(terms, u), np.exp(log_mixtures(terms, u, beyond=True))
    assert found == pytest.approx(exact, rel=1e-10, abs=1e-34)
    assert found[0] == pytest.approx(0.5, rel=1e-14)
    assert found[2] == 0.0


@pytest.mark.parametrize(("scale", "terms"), [(0.0, 2), (1.0, 0), (1.0, 1.5)])
def test_what_is_refused(scale: float, terms: int) -> None:
    with pytest.raises(ParameterError):
        LaplaceSum(scale, terms)


def test_sums_of_any_number_of_draws_are_normal_but_for_one_correction() -> None:
    z = np.array([0.0, 0.1, 0.5, 1.0, 2.0, 4.0, 6.0, 30.0])
    for draws in (laplace_sum._NORMAL, 10 * laplace_sum._NORMAL, 10**15):
        found = laplace_sum.tails(np.full(len(z), draws), z * math.sqrt(2.0 * draws))
        np.testing.assert_allclose(found[:-1], stats.norm.sf(z[:-1]), rtol=1e-5)
        assert found[-1] == 0.0
    few, u = float(laplace_sum._NORMAL), z[:-1] * math.sqrt(2.0 * laplace_sum._NORMAL)
    exact = laplace_sum.tails(np.full(len(u), laplace_sum._NORMAL), u)
    np.testing.assert_allclose(laplace_sum._nearly_normal(np.full(len(u), few), u), exact, rtol=1e-9)
