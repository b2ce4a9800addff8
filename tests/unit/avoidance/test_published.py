"""The printed bounds and expressions against the exact laws."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from epsilens import avoidance as av
from epsilens.avoidance import published
from epsilens.errors import DataError, ParameterError
from epsilens.noise import LaplaceNoise


def test_printed_bounds_hold_for_the_exact_laws() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        counts = rng.integers(0, 40, (6, 4))
        epsilon, k = float(rng.uniform(0.2, 4)), int(rng.integers(1, 12))
        suppressed = av.DPSuppression(k, epsilon).bias(counts)
        assert av.bias_l1(suppressed) <= published.suppression_bias_bound(counts, epsilon, k) + 1e-9
        assert av.fairness(suppressed) <= published.suppression_fairness_bound(counts, epsilon, k) + 1e-9
        swapped = av.DPSwapping(epsilon).bias(counts)
        assert av.bias_l1(swapped) == pytest.approx(published.swapping_bias_l1(counts, epsilon))
        assert av.fairness(swapped) <= published.swapping_fairness_bound(counts, epsilon, 4) + 1e-9
        laplace = av.NoisyCounts(LaplaceNoise(2 / epsilon), rounded=False).bias(counts)
        assert av.fairness(laplace) <= published.laplace_fairness_bound(counts, epsilon) + 1e-9
        p = published.suppression_probabilities(counts, epsilon, k)
        np.testing.assert_allclose(suppressed, (k / 2 - counts) * p)


def test_merge_bias_by_enumeration() -> None:
    counts, k = np.arange(9), 4
    beta = published.sampling_probability(0.7)
    system = av.DPKAnonymity(k, 0.7)
    expected = [
        sum(math.comb(x, j) * beta**j * (1 - beta) ** (x - j) for j in range(min(k, int(x) + 1))) - (x < k)
        for x in counts
    ]
    np.testing.assert_allclose(published.merge_bias(counts, k, beta), expected, atol=1e-12)
    histogram = av.Histogram(counts.reshape(9, 1), ("a", "y"), (tuple("abcdefghi"), ("1",)), ("a",))
    np.testing.assert_allclose(system.merge_bias(histogram).ravel(), expected, atol=1e-12)


def test_the_probability_to_keep_quasi_identifiers() -> None:
    assert published.keep_probability(0.5, 2) == pytest.approx(math.exp(0.5) / (math.exp(0.5) + 1))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: published.suppression_delta(1.0, 6, 5),
            "bound must be above the threshold 6, as .*, got 5",
        ),
    ],
)
def test_bad_input_says_the_rule(call: Callable[[], object], message: str) -> None:
    with pytest.raises((ParameterError, DataError), match=message):
        call()


def test_the_delta_of_k_anonymity_is_the_minimum_over_all_sizes() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        epsilon, bound = float(10 ** rng.uniform(-3, 1.2)), int(rng.integers(1, 1500))
        share, w = published.sampling_probability(epsilon), np.arange(1, bound + 1)
        listed = 1.0 - stats.binom.cdf(np.floor(share * w), w, share).min() ** 2
        assert published.k_anonymity_delta(epsilon, bound) == pytest.approx(listed, abs=1e-12)
    for bound in (10**6, 10**17, 10**300):
        assert published.k_anonymity_delta(0.5, bound) == pytest.approx(0.8787, abs=1e-4)
        assert published.k_anonymity_delta(40.0, bound) == 1.0  # 1 - e^-40 is rounded to 1, and is below it
    assert published.k_anonymity_delta(1e-15, 10**300) == pytest.approx(1.0 - np.exp(-2.0), abs=1e-6)
