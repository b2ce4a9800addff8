"""Cells with very many people, against the shared series, full sums and limits."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity.models.huge_cells import huge_cell_risk
from epsilens.homogeneity.models.multinomial import fixed_sizes
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise

LAWS = [LaplaceNoise(0.3), LaplaceNoise(300.0), GaussianNoise(1000.0), DiscreteLaplaceNoise(40.0)]


@pytest.mark.parametrize("match", ["any", "share"])
@pytest.mark.parametrize(
    "counts", [[57, 3], [1480, 20], [20_000, 20_000], [2991, 5, 4], [400, 200, 150, 50], [300_000, 2000, 900, 1]]
)
def test_agrees_with_the_series_that_smaller_cells_share(counts: list[int], match: str) -> None:
    size, rates = sum(counts), np.array(counts, dtype=float)
    for noise in LAWS:
        shared = fixed_sizes(np.array([size]), rates[None], match)(noise)[0]
        assert huge_cell_risk(size, rates, noise, match) == pytest.approx(shared, rel=0, abs=1e-13)


@pytest.mark.parametrize("scale", [0.3, 5.0, 1e4])
def test_a_billion_people_and_five_others_are_a_poisson_average(scale: float) -> None:
    """The binomial count of five in a billion is Poisson but for 5e-9 of its probabilities."""
    noise = LaplaceNoise(scale)
    m = np.arange(60.0)
    chance = np.exp(-5.0 + m * np.log(5.0) - np.cumsum(np.log(np.maximum(m, 1.0))))
    limit = float(chance @ noise.cdf(0.5 - m))
    assert huge_cell_risk(10**9 + 5, np.array([1e9, 5.0]), noise, "any") == pytest.approx(limit, rel=1e-7)
    three = huge_cell_risk(10**9 + 8, np.array([1e9, 5.0, 3.0]), noise, "any")
    others = np.exp(-3.0 + m * np.log(3.0) - np.cumsum(np.log(np.maximum(m, 1.0))))
    assert three == pytest.approx(limit * float(others @ noise.cdf(0.5 - m)), rel=1e-7)


def test_two_labels_beyond_the_reach_of_the_noise_are_both_shown() -> None:
    assert huge_cell_risk(10**9, np.array([5e8, 5e8]), LaplaceNoise(1e6), "any") == 0.0
    assert huge_cell_risk(2 * 10**15, np.array([1e15, 1e15]), DiscreteGaussianNoise(1e9), "any") == 0.0


def test_noise_wider_than_the_cell_by_far_shows_every_label_with_probability_one_half() -> None:
    noise = GaussianNoise(1e14)
    assert huge_cell_risk(10**9, np.array([6e8, 4e8]), noise, "any") == pytest.approx(0.5, abs=1e-5)
    assert huge_cell_risk(10**8, np.array([5e7, 3e7, 2e7]), noise, "any") == pytest.approx(0.375, abs=1e-5)


def test_what_would_take_too_long_is_refused_in_one_line() -> None:
    with pytest.raises(ParameterError, match="take too long under noise that reaches so far; take a larger budget"):
        huge_cell_risk(6 * 10**15, np.full(3, 2e15), LaplaceNoise(1e15), "any")
    with pytest.raises(ParameterError, match=r"more than 2\^53 people"):
        huge_cell_risk(2**54, np.full(2, 2.0**53), LaplaceNoise(1.0), "any")
