"""Every noise law keeps the same laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise

SCALES = [1e-3, 0.03, 0.4, 0.99, 1.0, 1.7, 12.0, 300.0, 5e3, 1e6]
LAWS: list[Noise] = [
    law(scale) for law in (LaplaceNoise, GaussianNoise, DiscreteLaplaceNoise, DiscreteGaussianNoise) for scale in SCALES
]


def standard_deviation(noise: Noise) -> float:
    return float(np.sqrt(noise.variance))


def grid(noise: Noise, widest: float = 30.0) -> np.ndarray:
    reach = max(2.0, widest * standard_deviation(noise))
    points = np.concatenate([np.linspace(-reach, reach, 401), np.arange(-8, 9) + 0.5, np.arange(-8.0, 9.0)])
    return np.unique(points)


@pytest.fixture(params=LAWS, ids=repr)
def noise(request: pytest.FixtureRequest) -> Noise:
    law: Noise = request.param
    return law


def test_cdf_is_monotone_and_complements_sf(noise: Noise) -> None:
    x = grid(noise)
    cdf, sf = noise.cdf(x), noise.sf(x)
    assert np.all(np.diff(cdf) >= -1e-15)
    assert np.all((cdf >= 0) & (cdf <= 1) & (sf >= 0) & (sf <= 1))
    np.testing.assert_allclose(cdf + sf, 1.0, rtol=0, atol=4e-16)


def test_symmetry(noise: Noise) -> None:
    x = grid(noise)
    start = np.ceil(x) - 1 if noise.integer_valued else x  # P(X <= -x) = P(X >= x)
    np.testing.assert_allclose(noise.cdf(-x), noise.sf(start), rtol=1e-15)


def test_logarithms_agree_and_survive_where_the_plain_values_vanish(noise: Noise) -> None:
    x = grid(noise)
    for plain, logarithm in ((noise.cdf, noise.logcdf), (noise.sf, noise.logsf), (noise.density, noise.logdensity)):
        values = plain(x)
        safe = values > 1e-290
        np.testing.assert_allclose(np.exp(logarithm(x[safe])), values[safe], rtol=1e-12)
    far = np.floor(1e5 * max(1.0, standard_deviation(noise)))
    assert np.isfinite(noise.logsf(far))
    assert noise.logsf(far) == noise.logcdf(-far - (1 if noise.integer_valued else 0))
    assert noise.logsf(far) < -1000


def test_pmf_of_rounded_noise_adds_up_to_the_cdf(noise: Noise) -> None:
    reach = int(min(max(40 * standard_deviation(noise), 3), 4e4))
    k = np.arange(-reach, reach + 1)
    pmf = noise.pmf(k)
    assert np.all(pmf >= 0)
    np.testing.assert_allclose(pmf, pmf[::-1], rtol=1e-13)
    upper = noise.sf(k - 0.5) if reach < 1000 else noise.sf(k[::50] - 0.5)
    from_above = (np.cumsum(pmf[::-1])[::-1] + noise.sf(reach + 0.5))[:: 1 if reach < 1000 else 50]
    np.testing.assert_allclose(from_above, upper, rtol=1e-10, atol=1e-14)


def test_pmf_keeps_relative_accuracy_in_the_tail(noise: Noise) -> None:
    k = np.unique(np.round(np.linspace(0, 20 * standard_deviation(noise), 7)))
    lower, upper = noise.sf(k - 0.5), noise.sf(k + 0.5)
    clear = (lower - upper) > 1e-3 * lower  # elsewhere the difference itself is inaccurate
    np.testing.assert_allclose(noise.pmf(k)[clear], (lower - upper)[clear], rtol=1e-10)


def test_density_integrates_to_the_cdf(noise: Noise) -> None:
    if noise.integer_valued:
        assert noise.density(0.5) == 0.0
        np.testing.assert_array_equal(noise.density(np.arange(5)), noise.pmf(np.arange(5)))
        return
    sd = standard_deviation(noise)
    for low, high in ((0.0, 1.0), (1.0, 3.0), (3.0, 9.0)):
        area, _ = integrate.quad(lambda x: float(noise.density(x)), low * sd, high * sd, epsabs=0, epsrel=1e-12)
        assert area == pytest.approx(float(noise.sf(low * sd) - noise.sf(high * sd)), rel=1e-10)


def test_variance(noise: Noise) -> None:
    sd = max(standard_deviation(noise), 1e-3)
    if noise.integer_valued and sd < 300:
        k = np.arange(-int(60 * sd) - 3, int(60 * sd) + 4)
        assert float(np.sum(k**2 * noise.pmf(k))) == pytest.approx(noise.variance, rel=1e-9, abs=1e-290)
    draws = noise.sample(200_000, np.random.default_rng(7))
    fourth = float(np.mean(draws**4))
    assert abs(np.mean(draws**2) - noise.variance) <= 5 * np.sqrt(fourth / draws.size) + 1e-9
    assert abs(np.mean(draws)) <= 5 * np.sqrt(noise.variance / draws.size) + 1e-300


def test_sampling_is_seeded_shaped_and_follows_the_cdf(noise: Noise) -> None:
    again = noise.sample((3, 5), np.random.default_rng(1))
    np.testing.assert_array_equal(again, noise.sample((3, 5), np.random.default_rng(1)))
    assert again.shape == (3, 5)
    assert noise.sample(0, np.random.default_rng(1)).shape == (0,)
    draws = noise.sample(100_000, np.random.default_rng(3))
    if noise.integer_valued:
        np.testing.assert_array_equal(draws, np.floor(draws))
    for x in np.array([-2.0, -0.7, 0.0, 0.3, 1.5]) * standard_deviation(noise):
        p = float(noise.cdf(x))
        assert abs(np.mean(draws <= x) - p) <= 5 * np.sqrt(p * (1 - p) / draws.size) + 1e-12


def test_scalars_arrays_and_shapes(noise: Noise) -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert noise.sf(x).shape == (2, 3)
    assert noise.pmf(x).shape == (2, 3)
    assert float(noise.cdf(0.25)) == pytest.approx(1 - float(noise.sf(0.25)))


@pytest.mark.parametrize("law", [LaplaceNoise, GaussianNoise, DiscreteLaplaceNoise, DiscreteGaussianNoise])
@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf"), "x"])
def test_bad_scale(law: type, scale: object) -> None:
    with pytest.raises(ValueError, match=r"(scale|sigma) must be"):
        law(scale)
