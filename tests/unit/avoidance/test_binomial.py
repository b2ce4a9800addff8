"""Tails of binomial laws against SciPy's law and against sums of exact fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import stats

from epsilens.avoidance.binomial import at_most, more_than


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("share", [0.0, 1e-9, 0.3, 1.0 - 2.0**-40, 1.0])
def test_both_tails_are_sums_of_exact_fractions(n: int, share: float) -> None:
    p = Fraction(share)
    mass = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    k = np.arange(n + 3)
    below = [float(sum(mass[: one + 1])) for one in k]
    above = [float(sum(mass[one + 1 :])) for one in k]
    np.testing.assert_allclose(at_most(k, n, share), below, rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(more_than(k, n, share), above, rtol=1e-13, atol=1e-300)


def test_many_people_and_tails_far_out_agree_with_scipys_law() -> None:
    k, n = np.array([[0, 900, 1_000], [0, 3, 40]]), np.array([[1_000], [100_000]])
    np.testing.assert_allclose(at_most(k, n, 0.9), stats.binom.cdf(k, n, 0.9), rtol=1e-11)
    np.testing.assert_allclose(more_than(k, n, 1e-4), stats.binom.sf(k, n, 1e-4), rtol=1e-11)
