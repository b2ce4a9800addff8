"""Sums of discrete Laplace draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.noise import DiscreteLaplaceNoise, discrete_laplace_sum
from epsilens.noise.discrete_laplace_sum import DiscreteLaplaceSum


@pytest.mark.parametrize("scale", [0.05, 0.4, 1.3, 8.0])
@pytest.mark.parametrize("terms", [1, 2, 5, 30])
def test_against_convolution(scale: float, terms: int) -> None:
    reach = math.ceil(60 * scale) + 40
    one = DiscreteLaplaceNoise(scale).pmf(np.arange(-reach, reach + 1.0))
    table = one
    for _ in range(terms - 1):
        table = np.convolve(table, one)
    middle, k = len(table) // 2, np.array([1, 2, 5, 17, 33])
    tails = np.cumsum(table[::-1])[::-1]
    law = DiscreteLaplaceSum(scale, terms)
    there = tails[middle + k] > 1e-250
    assert law.tail(k[there]) == pytest.approx(tails[middle + k][there], rel=1e-11)
    assert law.density(-k[there]) == pytest.approx(table[middle + k][there], rel=1e-11)
    assert law.cdf(0.5) == pytest.approx(1.0 - tails[middle + 1], rel=1e-12)


def test_many_draws_are_nearly_normal() -> None:
    from scipy import special

    law = DiscreteLaplaceSum(2.0, 10**6)
    size = math.sqrt(law.variance)
    k = np.rint(size * np.array([0.5, 2.0, 5.0]))
    assert law.logtail(k) == pytest.approx(special.log_ndtr(-(k - 0.5) / size), rel=1e-5)
    assert 2.0 * law.tail(np.ones(1)) + law.density(0.0) == pytest.approx(1.0, abs=1e-11)


def test_between_whole_numbers_nothing_and_beyond_all_of_them_nothing() -> None:
    law = DiscreteLaplaceSum(1.0, 3)
    assert law.density(0.5) == 0.0
    assert law.sf(math.inf) == 0.0
    assert DiscreteLaplaceSum(1e-4, 3).sf(0.5) == 0.0  # so little noise that no double holds its tail


def test_simulation_within_five_standard_errors() -> None:
    law, draws = DiscreteLaplaceSum(1.5, 7), 100_000
    own = law.sample(draws, np.random.default_rng(3))
    summed = DiscreteLaplaceNoise(1.5).sample((draws, 7), np.random.default_rng(4)).sum(axis=1)
    for x in (-3.5, 0.5, 6.5):
        p = float(law.sf(x))
        for drawn in (own, summed):
            assert abs((drawn > x).mean() - p) < 5.0 * math.sqrt(p * (1.0 - p) / draws)


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="terms"):
        DiscreteLaplaceSum(1.0, 0)


@pytest.mark.parametrize(
    ("scale", "terms", "k", "tail"),
    [
        (4e5, 2, 1, 0.4999996875),
        (4e5, 2, 200_000, 0.37908194663160316),
        (1e8, 5, 50_000_000, 0.432044504615603),
        (2e5, 20, 800_000, 0.26016318840581376),
    ],
)
def test_sums_too_wide_to_be_listed(scale: float, terms: int, k: int, tail: float) -> None:
    # by partial fractions: the sum over i < m of [v^i] ((1 - q v) / (1 + p - v))^m P(NB(m - i, q) >= k), in 40 digits
    assert float(DiscreteLaplaceSum(scale, terms).tail(np.array([float(k)]))[0]) == pytest.approx(tail, rel=1e-12)


def test_wide_and_listed_sums_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    k = np.array([1.0, 2.0, 700.0, 9000.0])
    for scale, terms in ((5000.0, 3), (20.0, 10**5)):
        law = DiscreteLaplaceSum(scale, terms)
        listed = law.tail(k), law.density(k)
        with monkeypatch.context() as patched:
            patched.setattr(discrete_laplace_sum, "_LONGEST", 1)
            assert law.tail(k) == pytest.approx(listed[0], rel=5.0 / law.variance)
            assert law.density(k) == pytest.approx(listed[1], rel=50.0 / law.variance)
    assert DiscreteLaplaceSum(1e300, 2).sf(0.5) == 0.5
