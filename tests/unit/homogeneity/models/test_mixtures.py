"""Cells of random size as mixtures over rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from epsilens.errors import ParameterError
from epsilens.homogeneity import NegativeBinomialSize, PoissonSize, ZeroInflatedSize
from epsilens.homogeneity.models.mixtures import PoissonAverages, rate_mixture
from epsilens.homogeneity.models.sizes import poisson_pmf
from epsilens.noise import DiscreteGaussianNoise, LaplaceNoise, Noise

SIZE_LAWS = [
    PoissonSize(0.02),
    PoissonSize(3.2),
    PoissonSize(900.0),
    NegativeBinomialSize(0.02, 1.0),
    NegativeBinomialSize(0.4, 6.0),
    NegativeBinomialSize(1e-6, 1e-5),
    NegativeBinomialSize(6.0, 3.2),
    NegativeBinomialSize(3000.0, 3.2),
    NegativeBinomialSize(1e9, 60.0),
    ZeroInflatedSize(NegativeBinomialSize(2.0, 40.0), 0.3),
]


@pytest.mark.parametrize("law", SIZE_LAWS, ids=repr)
@pytest.mark.parametrize("match", ["any", "share"])
def test_a_rate_mixture_has_the_right_mass(
    law: PoissonSize | NegativeBinomialSize | ZeroInflatedSize, match: str
) -> None:
    mixture = rate_mixture(law, match)
    mass = -np.expm1(-mixture.rates) if match == "any" else np.ones(len(mixture.rates))
    assert float(mixture.weights @ mass) == pytest.approx(1.0, abs=1e-12)


def test_the_density_of_the_others_is_the_integral_it_stands_for() -> None:
    shape, scale = 2.5, 3.0
    law = NegativeBinomialSize(shape, shape * scale)
    mixture = rate_mixture(law, "share")
    for moment in (1, 2):

        def integrand(u: float, rate: float, power: int = moment) -> float:
            there = rate + u
            density = there ** (shape - 1) * math.exp(-there / scale) / (math.gamma(shape) * scale**shape)
            return float(density * math.exp(-u) * rate**power)

        reference, _ = integrate.dblquad(integrand, 0, 200, 0, 60)
        assert float(mixture.weights @ mixture.rates**moment) * law.occupied == pytest.approx(reference, rel=1e-6)


def test_poisson_averages_are_averages() -> None:
    rng = np.random.default_rng(3)
    rates = np.concatenate([[0.0, 1e-14, 1e-3], rng.random(20) * 900.0])
    averages = PoissonAverages.at(rates)
    counts = averages.counts
    np.testing.assert_array_equal(counts, np.arange(len(counts)))
    values = rng.random(len(counts))  # as rough as can be: smoothness comes from the Poisson law alone
    reference = [float(stats.poisson.pmf(counts, rate) @ values) for rate in rates]
    np.testing.assert_allclose(averages.of(values), reference, atol=1e-12)


@pytest.mark.parametrize("noise", [LaplaceNoise(150.0), LaplaceNoise(9e3), DiscreteGaussianNoise(1e3)], ids=str)
def test_poisson_averages_at_large_rates_need_few_counts(noise: Noise) -> None:
    rates = np.array([3.0, 2e3, 7.5e3, 9e3, 3e4, 1e5])
    averages = PoissonAverages.at(rates)
    assert len(averages.counts) < 7e3
    hidden = noise.cdf(0.5 - averages.counts)
    for found, rate in zip(averages.of(hidden), rates, strict=True):
        counts = np.arange(max(0, int(rate - 12 * rate**0.5 - 60)), int(rate + 12 * rate**0.5 + 60))
        assert found == pytest.approx(float(poisson_pmf(counts, rate) @ noise.cdf(0.5 - counts)), abs=1e-13)


def test_negative_binomial_sizes_of_huge_cells_are_feasible() -> None:
    """Rates reach 10^7: neither a law at every count nor Poisson weights of every count may be held."""
    law = NegativeBinomialSize(0.5, 2e5)
    mixture = rate_mixture(law, "share")
    assert mixture.rates.max() > 1e7
    averages = PoissonAverages.at(mixture.rates)
    assert len(averages.counts) < 1e6
    others = float(mixture.weights @ averages.of(averages.counts.astype(np.float64)))
    assert others == pytest.approx(law.mean / law.occupied - 1.0, rel=1e-10)


def test_a_law_that_spreads_over_billions_is_refused_in_a_line() -> None:
    with pytest.raises(ParameterError, match="size_model spreads the sizes of cells so far"):
        rate_mixture(NegativeBinomialSize(0.06, 1e8), "any")
