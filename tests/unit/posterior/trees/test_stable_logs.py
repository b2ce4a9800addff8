"""Logarithms of count laws, against sums of exact fractions and known digits."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from epsilens.posterior.trees.stable_logs import deviance, log_negative_binomial, log_poisson, stirling_error


@pytest.mark.parametrize("mean", [1e-3, 0.5, 3.0, 90.0, 1e4])
def test_small_counts_agree_with_the_textbook(mean: float) -> None:
    n = np.array([-1.0, 0.0, 1.0, 2.0, 5.0, 17.0, 100.0, 9_000.0])
    assert log_poisson(n, mean) == pytest.approx(stats.poisson.logpmf(n, mean), rel=1e-12)
    for size in (1e-3, 0.5, 1.0, 40.0):
        textbook = stats.nbinom.logpmf(n, size, size / (size + mean))
        assert log_negative_binomial(n, mean, size) == pytest.approx(textbook, rel=1e-11)


def test_counts_of_a_million_billion_keep_their_digits() -> None:
    # by 50-digit arithmetic; a difference of logarithms of factorials would be off by about 4
    found = log_poisson(np.array([1e15]), 1e15 - 1e7)[0]
    assert found == pytest.approx(-18.238326730993, abs=1e-9)
    assert log_negative_binomial(np.array([1e15]), 1e15 - 1e7, 2e6)[0] == pytest.approx(-28.203386101620, abs=1e-9)
    assert log_negative_binomial(np.array([1e9]), 1e9 + 1e4, 3.7)[0] == pytest.approx(-21.010506732941, abs=1e-9)
    # a size beyond all counts is Poisson
    assert log_negative_binomial(np.array([7.0]), 5.0, 1e300)[0] == pytest.approx(log_poisson(np.array([7.0]), 5.0)[0])


def test_the_parts_are_what_they_say() -> None:
    assert deviance(np.array([3.0]), 3.0)[0] == 0.0
    assert deviance(np.array([1e6 + 1.0]), 1e6)[0] == pytest.approx(float(Fraction(1, 2 * 10**6)), rel=1e-5)
    n = np.array([1.0, 5.0, 15.0, 16.0, 100.0])
    exact = [math.lgamma(k + 1) - (k + 0.5) * math.log(k) + k - 0.5 * math.log(2 * math.pi) for k in n]
    assert stirling_error(n) == pytest.approx(exact, abs=1e-12)
