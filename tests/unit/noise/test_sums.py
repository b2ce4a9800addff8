"""Noise of sums of published counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise, sums
from epsilens.noise.published import CountNoise, within_reach
from epsilens.noise.sums import DiscreteGaussianSum, TabulatedLaw
from epsilens.posterior import noise_of_sum, sum_approximation_error


@pytest.mark.parametrize("sigma", [0.3, 0.5, 0.7071, 1.0, 1.5, 2.24])
@pytest.mark.parametrize("terms", [2, 3, 5, 27])
def test_discrete_gaussian_sum_is_the_convolution(sigma: float, terms: int) -> None:
    noise = DiscreteGaussianNoise(sigma)
    table = np.exp(within_reach(CountNoise(noise), 1e-280)[1])
    power = np.ones(1)
    for _ in range(terms):
        power = np.convolve(power, table)
    half = len(power) // 2
    y = np.arange(-half, half + 1)
    usable = power > 1e-200
    exact = noise_of_sum(noise, terms)
    assert exact.logpmf(y)[usable] == pytest.approx(np.log(power[usable]), abs=1e-11)
    assert np.exp(exact.logpmf(y)).sum() == pytest.approx(1.0, abs=1e-13)


@pytest.mark.parametrize("noise", [DiscreteLaplaceNoise(1.5), LaplaceNoise(0.7), GaussianNoise(0.5)], ids=repr)
def test_other_sums_are_convolutions(noise: Noise) -> None:
    z, logpmf = within_reach(CountNoise(noise), 1e-15)
    law = noise_of_sum(noise, 3)
    direct = np.convolve(np.convolve(np.exp(logpmf), np.exp(logpmf)), np.exp(logpmf))
    y = np.arange(3 * z[0], 3 * z[-1] + 1)
    assert np.exp(law.logpmf(y)) == pytest.approx(direct, abs=1e-13)
    reach = law.reach(1e-9)
    inside = np.exp(law.logpmf(np.arange(-reach, reach + 1))).sum()
    assert 1.0 - 1e-9 <= inside <= 1.0 + 1e-12
    assert law.logpmf([10**6]) == -np.inf


@pytest.mark.parametrize("noise", [DiscreteLaplaceNoise(60.0), DiscreteLaplaceNoise(200.0), GaussianNoise(140.0)])
def test_wide_tables(noise: Noise) -> None:
    law = noise_of_sum(noise, 4)
    assert isinstance(law, TabulatedLaw)
    y = np.arange(-14000, 14001)
    probabilities = np.exp(law.logpmf(y))
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    # a rounded draw has a variance that is larger by 1/12
    variance = noise.variance + (0.0 if noise.integer_valued else 1.0 / 12.0)
    assert probabilities @ y**2 == pytest.approx(4 * variance, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [LaplaceNoise(0.05), LaplaceNoise(2.6), LaplaceNoise(8.0), DiscreteLaplaceNoise(8.0)])
def test_laplace_sums_keep_their_far_tails(noise: Noise) -> None:
    """Draw by draw against plain convolutions, in any order of asking, to 1e-200 of the middle."""
    one = np.exp(within_reach(CountNoise(noise), 1e-230)[1])  # what is cut off moves 1e-200 by one part in 1e60
    tables = [one]
    for _ in range(6):
        tables.append(np.convolve(tables[-1], one))
    for terms in (5, 2, 7, 3):
        direct = tables[terms - 1]
        y = np.arange(-(len(direct) // 2), len(direct) // 2 + 1)
        usable = direct > 1e-200
        found = noise_of_sum(noise, terms).logpmf(y[usable])
        assert found == pytest.approx(np.log(direct[usable]), abs=1e-11)


def test_one_term_is_the_noise_itself() -> None:
    noise = DiscreteGaussianNoise(1.1)
    assert noise_of_sum(noise, 1).logpmf([0, 3]) == pytest.approx(CountNoise(noise).logpmf([0, 3]))


def test_the_approximation_is_bad_only_for_little_noise() -> None:
    assert sum_approximation_error(DiscreteGaussianNoise(0.3), 2) > 0.05
    errors = [sum_approximation_error(DiscreteGaussianNoise(1 / np.sqrt(2 * rho)), 5) for rho in (4.0, 1.0, 0.5, 0.099)]
    assert errors == sorted(errors, reverse=True)
    assert errors[1] == pytest.approx(1.08e-3, rel=0.01)
    with pytest.raises(ParameterError, match="sum_law='exact'"):
        noise_of_sum(LaplaceNoise(1.0), 3, "approximate")


@pytest.mark.parametrize("terms", [2, 3, 27, 28])
@pytest.mark.parametrize("rho", [1.0, 10.0, 20.0, 200.0, 1000.0])
def test_sum_of_narrow_discrete_gaussians_against_convolution_in_logarithms(terms: int, rho: float) -> None:
    steps = np.arange(-8, 9)
    one = -rho * steps**2.0
    one -= np.logaddexp.reduce(one)
    total = np.zeros(1)
    for _ in range(terms):
        wider = np.full(len(total) + 16, -np.inf)
        for i, weight in enumerate(one):
            part = slice(i, i + len(total))
            wider[part] = np.logaddexp(wider[part], total + weight)
        total = wider
    centre = 8 * terms
    y = np.arange(-terms, terms + 1)
    law = DiscreteGaussianSum(1 / math.sqrt(2 * rho), terms)
    np.testing.assert_allclose(law.logpmf(y), total[centre + y], rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("sigma", [0.3, 0.7, 1.0, 1.6])
def test_sums_of_a_hundred_thousand_narrow_draws_have_their_variance(sigma: float) -> None:
    terms, noise = 100_000, DiscreteGaussianNoise(sigma)
    law = noise_of_sum(noise, terms)
    y = np.arange(-3_600.0, 3_601.0)
    mass = np.exp(law.logpmf(y))
    assert mass.sum() == pytest.approx(1.0, abs=1e-9)
    assert y**2 @ mass / terms == pytest.approx(noise.variance, rel=1e-6)


def test_sums_too_long_to_list_are_refused() -> None:
    with pytest.raises(ParameterError, match="too many to"):
        noise_of_sum(DiscreteLaplaceNoise(1e7), 100)
    with pytest.raises(ParameterError, match="at most 1,000,000 draws"):
        noise_of_sum(DiscreteGaussianNoise(1.0), 10**9)


@pytest.mark.parametrize("terms", [2, 5, 20])
def test_tiny_discrete_gaussians_have_a_closed_form(terms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    law = sums.DiscreteGaussianSum(0.13, terms)
    assert law._few_vectors
    with monkeypatch.context() as never:
        never.setattr(sums, "_RESOLUTION", 0.0)
        read_off = sums.DiscreteGaussianSum(0.13, terms).logpmf(np.arange(8.0))
    np.testing.assert_allclose(law.logpmf(np.arange(8.0)), read_off, rtol=1e-12, atol=1e-12)


def test_sums_that_are_too_long_to_be_listed_are_refused() -> None:
    with pytest.raises(ParameterError, match="too many to list; take a larger budget, or fewer terms"):
        noise_of_sum(LaplaceNoise(1e12), 100)


@pytest.mark.parametrize(("sigma", "terms"), [(0.5, 2000), (0.3, 5000), (0.9, 1000)])
def test_sums_from_the_characteristic_function(sigma: float, terms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "_MOST_TERMS", 1)
    law = sums.sum_of_many(DiscreteGaussianNoise(sigma), terms)
    assert isinstance(law, TabulatedLaw)
    half = len(law.table) // 2
    listed = np.exp(DiscreteGaussianSum(sigma, terms).logpmf(np.arange(-half, half + 1)))
    np.testing.assert_allclose(law.table, listed, rtol=0, atol=1e-12 * listed.max())


def test_very_many_narrow_draws_have_their_variance_and_others_their_own_law() -> None:
    noise = DiscreteGaussianNoise(0.4)
    law = sums.sum_of_many(noise, 10**7)
    assert isinstance(law, TabulatedLaw)
    half = len(law.table) // 2
    assert law.table.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.arange(-half, half + 1.0) ** 2 @ law.table == pytest.approx(1e7 * noise.variance, rel=1e-9)
    assert sums.sum_of_many(noise, 1000) is None
    assert sums.sum_of_many(DiscreteGaussianNoise(9.0), 10**7) is None
    assert sums.sum_of_many(LaplaceNoise(1.0), 10**7) is None
    wide = sums.sum_of_many(noise, 10**14)
    assert isinstance(wide, DiscreteGaussianNoise)
    assert wide.variance == pytest.approx(1e14 * noise.variance, rel=1e-12)


def test_the_wide_law_is_the_one_by_transform(monkeypatch: pytest.MonkeyPatch) -> None:
    noise, terms = DiscreteGaussianNoise(0.5), 4 * 10**6
    law = sums.sum_of_many(noise, terms)
    monkeypatch.setattr(sums, "_LONGEST_TRANSFORM", 1)
    wide = sums.sum_of_many(noise, terms)
    assert isinstance(law, TabulatedLaw)
    assert isinstance(wide, DiscreteGaussianNoise)
    half = len(law.table) // 2
    for k in (1, 300, 2500):
        assert law.table[half + k :].sum() == pytest.approx(float(wide.sf(k - 0.5)), abs=1.0 / wide.variance)
