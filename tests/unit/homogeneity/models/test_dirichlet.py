"""Risks of Dirichlet-multinomial cells."""

from __future__ import annotations

import numpy as np
import pytest

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
