"""Noisy counts: post-processing, closed forms, what print claims."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance import published
from epsilens.budget import ZCDP
from epsilens.errors import DataError, ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise


@pytest.mark.parametrize("noise", [LaplaceNoise(2.0), GaussianNoise(1.5)])
@pytest.mark.parametrize(("rounded", "clipped"), list(itertools.product([True, False], repeat=2)))
def test_post_processing_of_noisy_counts(noise: Noise, rounded: bool, clipped: bool) -> None:
    counts = np.arange(12)
    system = av.NoisyCounts(noise, rounded, clipped)
    exact = system.moments(counts)
    released = np.stack([system.release(counts, np.random.default_rng(i)) for i in range(4000)])
    assert (released >= 0).all() == clipped
    assert (released == np.floor(released)).all() == rounded
    error = np.sqrt(exact.variance / len(released))
    assert (np.abs(released.mean(axis=0) - counts - exact.bias) <= 5.0 * error).all()
    np.testing.assert_allclose(released.var(axis=0), exact.variance, rtol=0.2)
    assert clipped or not exact.bias.any()


def test_closed_forms_of_clipped_laplace_and_discrete_laplace_bias() -> None:
    counts, b = np.arange(30.0), 4.0
    plain = av.NoisyCounts(LaplaceNoise(b), rounded=False).bias(counts)
    np.testing.assert_allclose(plain, 0.5 * b * np.exp(-counts / b), rtol=1e-12)
    rounded = av.NoisyCounts(LaplaceNoise(b)).bias(counts)
    np.testing.assert_allclose(rounded, np.exp(-(counts + 0.5) / b) / (2 * (1 - math.exp(-1 / b))), rtol=1e-12)
    p = math.exp(-1 / b)
    discrete = av.NoisyCounts(DiscreteLaplaceNoise(b)).bias(counts)
    np.testing.assert_allclose(discrete, p ** (counts + 1) / ((1 + p) * (1 - p)), rtol=1e-12)


def test_deltas_at_the_nominal_epsilon_and_at_another() -> None:
    assert av.NoisyCounts(LaplaceNoise(2.0), epsilon=1.0).delta() == 0.0
    assert av.NoisyCounts(LaplaceNoise(2.0)).delta() is None
    assert av.NoisyCounts(LaplaceNoise(2.0)).published_delta() is None
    assert av.NoisyCounts(LaplaceNoise(2.0)).delta("add-remove", epsilon=0.5) == 0.0


def test_the_delta_of_unrounded_laplace_counts_is_exact() -> None:
    found = av.NoisyCounts(LaplaceNoise(0.05), rounded=False).delta("add-remove", epsilon=19.9)
    assert found == pytest.approx(0.048770575499285984, rel=1e-12)
    both = av.NoisyCounts(LaplaceNoise(0.05), rounded=False).delta("substitute", epsilon=39.9)
    assert both == pytest.approx(0.024989839886768162, rel=1e-12)  # by quadrature with 30 digits


def test_noise_states_itself_and_leaves_the_posterior_to_it() -> None:
    assert av.NoisyCounts(LaplaceNoise(2.0)).added_noise == (LaplaceNoise(2.0), True)
    assert av.NoisyCounts(LaplaceNoise(2.0), rounded=False).added_noise.rounded is False
    assert av.NoisyCounts(DiscreteLaplaceNoise(2.0), rounded=False).added_noise.rounded is True
    assert av.NoisyCounts(LaplaceNoise(2.0)).expected_posterior([1, 2], 0.5) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: av.NoisyCounts.as_published("cauchy", 1.0), "law must be one of"),
        (lambda: av.NoisyCounts(LaplaceNoise(1)).bias([-1]), "whole numbers >= 0"),
    ],
)
def test_bad_input_says_the_rule(call: Callable[[], object], message: str) -> None:
    with pytest.raises((ParameterError, DataError), match=message):
        call()


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 1.9])
def test_the_discrete_gaussian_of_the_text(epsilon: float) -> None:
    """Variance 4 / epsilon^2, and the claim of the text solved for the nominal epsilon."""
    text = av.NoisyCounts.as_in_the_text(epsilon)
    assert isinstance(text.noise, DiscreteGaussianNoise)
    assert text.noise.sigma == 2 / epsilon
    claimed = text.published_delta()
    assert claimed is not None
    assert published.discrete_gaussian_text_epsilon(epsilon, claimed) == pytest.approx(epsilon)
    assert claimed == pytest.approx(math.exp(-((1 - epsilon / 2) ** 2) / 2))
    # the claim is that of rho = epsilon^2 / 2, for counts that move by 2
    assert ZCDP(epsilon**2 / 2).published_epsilon(1e-3) == pytest.approx(
        published.discrete_gaussian_text_epsilon(epsilon, 1e-3)
    )
    assert text.delta() < claimed  # type: ignore[operator]
    assert text.name == "discrete Gaussian counts (text), clipped"
    counts = av.Histogram(np.array([[3, 0]]), ("q", "y"), (("a",), ("0", "1")), ("q",))
    assert "4 / epsilon^2 of the paper's text" in text.remarks(counts)[0]
    tables = av.NoisyCounts.as_published("discrete-gaussian", 1.0)
    assert "20 / epsilon of the published tables" in tables.remarks(counts)[0]
    assert av.NoisyCounts.as_published("laplace", 1.0, clipped=False).remarks(counts) == ()


def test_from_epsilon_two_on_the_text_claims_nothing() -> None:
    assert av.NoisyCounts.as_in_the_text(2.0).published_delta() == 1.0
    assert av.NoisyCounts.as_in_the_text(1.999).published_delta() < 1.0  # type: ignore[operator]
