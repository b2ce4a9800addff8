"""Risks of Dirichlet-multinomial cells."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity.models import dirichlet
from epsilens.homogeneity.models.dirichlet import convolved, dirichlet_sizes
from epsilens.homogeneity.models.multinomial import fixed_sizes
from epsilens.noise import GaussianNoise, LaplaceNoise


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


@pytest.mark.parametrize("alpha", [(0.5, 0.5), (300.0, 700.0), (1e-9, 2e-9), (0.3, 0.2, 0.5), (4.0, 2.0, 1e-3, 1.0)])
def test_sizes_without_a_series_agree_with_the_series(
    alpha: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes, shares = np.array([900, 1000, 4000]), np.array(alpha)
    for noise in (LaplaceNoise(0.3), LaplaceNoise(5.0)):
        for match in ("any", "share"):
            by_series = dirichlet_sizes(shares, sizes, match)(noise)
            with monkeypatch.context() as shorter:
                shorter.setattr(dirichlet, "_LARGEST_SERIES", 899)
                short = dirichlet_sizes(shares, sizes, match)(noise)
            np.testing.assert_allclose(short, by_series, rtol=0, atol=1e-13)


def test_a_billion_people_take_no_longer_than_the_noise() -> None:
    """Uniform shares of two labels: P(m of n) = 1 / (n + 1), so the risk is a sum of tails over n."""
    n, noise = 10**9, LaplaceNoise(1e4)
    m = np.arange(1.0, 1e6)
    tails = float(noise.cdf(0.5)) + float(noise.cdf(0.5 - m).sum())
    risk = dirichlet_sizes(np.ones(2), np.array([n]), "any")(noise)[0]
    assert risk == pytest.approx(2.0 * tails / (n + 1), rel=1e-12)
    with pytest.raises(ParameterError, match="take too long under noise that reaches so far; take a larger budget"):
        dirichlet_sizes(np.ones(3), np.array([n]), "any")(LaplaceNoise(1e9))
