from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from epsilens.homogeneity import NegativeBinomialSize, PoissonSize, ZeroInflatedSize
from epsilens.homogeneity.models import dirichlet, multinomial
from epsilens.homogeneity.models.dirichlet import convolved, dirichlet_sizes
from epsilens.homogeneity.models.kernel import one_alone, shown_and_hidden_by_count
from epsilens.homogeneity.models.mixtures import PoissonAverages, rate_mixture
from epsilens.homogeneity.models.multinomial import fixed_sizes, random_sizes
from epsilens.homogeneity.models.sizes import poisson_pmf, truncated_pmf
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise

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


def test_one_alone_is_the_sum_of_products() -> None:
    rng = np.random.default_rng(1)
    shown, hidden = rng.random((5, 7)), rng.random((5, 7))
    direct = sum(shown[k] * np.prod(np.delete(hidden, k, axis=0), axis=0) for k in range(5))
    np.testing.assert_allclose(one_alone(list(shown), list(hidden), np.multiply), direct, rtol=1e-13)


@pytest.mark.parametrize(
    "noise", [LaplaceNoise(2.0), DiscreteLaplaceNoise(50.0), DiscreteGaussianNoise(3.0), LaplaceNoise(1e-3)], ids=repr
)
def test_display_probabilities_are_the_laws_where_they_matter(noise: Noise) -> None:
    shown, hidden = shown_and_hidden_by_count(noise, 500)
    counts = np.arange(501)
    np.testing.assert_allclose(shown, noise.sf(0.5 - counts), atol=1e-17)
    np.testing.assert_allclose(hidden, noise.cdf(0.5 - counts), atol=1e-17)


@pytest.mark.parametrize("match", ["any", "share"])
@pytest.mark.parametrize("noise", [LaplaceNoise(1.0), LaplaceNoise(1e4), DiscreteGaussianNoise(30.0)], ids=repr)
def test_circles_agree_with_direct_sums_up_to_a_hundred_thousand(
    match: str, noise: Noise, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = np.array([[1.0, 1], [3, 2], [100, 4], [5000, 3000], [99_999, 1], [60_000, 40_000]])
    sizes = rates.sum(axis=1).astype(np.int64)
    direct = fixed_sizes(sizes, rates, match)
    assert len(direct.circles) == 0
    monkeypatch.setattr(multinomial, "_MOST_OUTCOMES", 0)
    inverted = fixed_sizes(sizes, rates, match)
    assert len(inverted.pairs.rows) == 0
    np.testing.assert_allclose(inverted(noise), direct(noise), rtol=0, atol=1e-13)


@pytest.mark.parametrize("law", SIZE_LAWS, ids=repr)
@pytest.mark.parametrize("noise", [LaplaceNoise(1.0), GaussianNoise(20.0), DiscreteLaplaceNoise(0.01)], ids=repr)
@pytest.mark.parametrize("match", ["any", "share"])
def test_random_sizes_agree_with_the_sum_over_fixed_sizes(
    law: PoissonSize | NegativeBinomialSize | ZeroInflatedSize, noise: Noise, match: str
) -> None:
    shares = np.array([[0.7, 0.3, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.98, 0.01, 0.01], [1.0, 0.0, 0.0]])
    sizes = np.arange(1, law.largest + 1)
    chances = truncated_pmf(law, sizes)
    summed = [float(chances @ fixed_sizes(sizes, sizes[:, None] * share[None], match)(noise)) for share in shares]
    mixed = random_sizes(shares, rate_mixture(law, match), match)(noise)
    np.testing.assert_allclose(mixed, summed, rtol=0, atol=1e-12)


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
            return float(stats.gamma.pdf(rate + u, shape, scale=scale) * math.exp(-u) * rate**power)

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


def test_long_products_by_fourier_transform_lose_nothing() -> None:
    rng = np.random.default_rng(4)
    for decay in (0.0, 0.9, 1.0, 3.0):
        x = np.arange(1.0, 9001.0) ** -decay * rng.random(9000)
        y = np.arange(1.0, 9001.0) ** -decay
        direct = np.convolve(x, y)[:9000]
        np.testing.assert_allclose(convolved(x, y, 9000), direct, rtol=1e-10)


@pytest.mark.parametrize("alpha", [(0.3, 0.05, 2.0), (1e-9, 1e-9, 2e-9), (400.0, 100.0, 3.0)], ids=str)
@pytest.mark.parametrize("match", ["any", "share"])
def test_dirichlet_risks_of_large_cells_do_not_depend_on_how_series_are_multiplied(
    alpha: tuple[float, ...], match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = np.array([1, 2, 50, 1000, 5500, 6000])
    noise = LaplaceNoise(3e3)
    fast = dirichlet_sizes(np.array(alpha), sizes, match)
    monkeypatch.setattr(dirichlet, "_LONGEST_DIRECT", 1 << 62)
    np.testing.assert_allclose(fast(noise), dirichlet_sizes(np.array(alpha), sizes, match)(noise), rtol=0, atol=1e-12)


def test_dirichlet_risks_of_many_sizes_agree_with_those_of_each_alone() -> None:
    alpha = np.array([3e5, 1e5])  # nearly the same shares everywhere: the hardest case for one product for all sizes
    sizes = np.array([1, 3, 40, 700, 1500, 2500])
    noise = LaplaceNoise(200.0)
    together = dirichlet_sizes(alpha, sizes, "any")
    assert len(together.bands) > 1
    alone = [dirichlet_sizes(alpha, np.array([n]), "any")(noise)[0] for n in sizes]
    np.testing.assert_allclose(together(noise), alone, rtol=0, atol=1e-12)
    same_shares = fixed_sizes(np.array([2500]), np.array([[1875.0, 625.0]]), "any")(noise)[0]
    assert together(noise)[-1] == pytest.approx(same_shares, abs=1e-4)


def test_dirichlet_limit_of_homogeneous_cells() -> None:
    noise = GaussianNoise(1.5)
    sizes = np.array([1, 5, 300])
    risks = dirichlet_sizes(np.array([2e-13, 3e-13, 5e-13]), sizes, "any")(noise)
    np.testing.assert_allclose(risks, noise.cdf(0.5) ** 2 * noise.sf(0.5 - sizes), rtol=0, atol=1e-11)
