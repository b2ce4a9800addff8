"""Which category is the target in?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from epsilens import posterior
from epsilens.errors import DataError, ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, Noise
from epsilens.noise.published import CountNoise, within_reach
from epsilens.posterior.single import log_likelihood_ratio


def enumerated(noise: Noise, prior: list[float], truth: int, deepest: int) -> tuple[float, list[float]]:
    points, logpmf = within_reach(CountNoise(noise), 1e-13)
    scores = [np.log(weight) + log_likelihood_ratio(points + (c == truth), noise) for c, weight in enumerate(prior)]
    grid = np.stack(np.meshgrid(*scores, indexing="ij"))
    weight = np.exp(logpmf)
    joint = np.einsum("i,j,k->ijk", weight, weight, weight)
    share = np.exp(grid[truth] - special.logsumexp(grid, axis=0))
    ahead = sum((grid[c] > grid[truth] + 1e-9).astype(int) for c in range(3) if c != truth)
    level = sum((np.abs(grid[c] - grid[truth]) <= 1e-9).astype(int) for c in range(3) if c != truth)
    within = [float((joint * np.clip((m - ahead) / (level + 1), 0, 1)).sum()) for m in range(1, deepest + 1)]
    return float((joint * share).sum()), within


@pytest.mark.parametrize("noise", [DiscreteGaussianNoise(1.5), DiscreteLaplaceNoise(1.0), GaussianNoise(0.8)], ids=repr)
@pytest.mark.parametrize("prior", [[1 / 3] * 3, [0.5, 0.25, 0.25], [0.7, 0.2, 0.1]])
@pytest.mark.parametrize("truth", [0, 2])
def test_expected_is_the_enumerated_one(noise: Noise, prior: list[float], truth: int) -> None:
    ours = posterior.expected_categories(truth, prior, noise=noise, first=(1, 2, 3))
    mean, within = enumerated(noise, prior, truth, 3)
    assert ours.posterior == pytest.approx(mean, abs=1e-12)
    assert list(ours.within_first.values()) == pytest.approx(within, abs=1e-12)
    assert ours.ranked_first == ours.within_first[1]
    assert ours.error < 1e-11


@given(
    noisy=st.lists(st.integers(-20, 30), min_size=2, max_size=12),
    rho=st.floats(0.001, 5.0),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=50, deadline=None)
def test_posterior_is_bayes_theorem(noisy: list[int], rho: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.ones(len(noisy)))
    known = rng.integers(0, 9, len(noisy))
    ours = posterior.categories(noisy, known, prior, rho)
    assert ours.posterior.sum() == pytest.approx(1.0)
    eye = np.eye(len(noisy))
    loglik = np.log(prior) - rho * ((np.asarray(noisy) - known - eye) ** 2).sum(axis=1)
    assert ours.posterior == pytest.approx(special.softmax(loglik), abs=1e-9)
    assert ours.posterior[ours.ranking[0]] == ours.posterior.max()


def test_a_category_of_two_is_two_counts() -> None:
    # present in one cell or in the other: the log odds are those of two independent counts
    two = posterior.expected_categories(0, [0.3, 0.7], rho=0.4)
    both = posterior.expected_combined([DiscreteGaussianNoise(1 / np.sqrt(0.8))] * 2, 0.3)
    assert two.posterior == pytest.approx(both.posterior, abs=1e-10)
    assert two.ranked_first == pytest.approx(both.correct_decision + both.undecided / 2, abs=1e-10)


def test_simulation_agrees() -> None:
    rng = np.random.default_rng(2)
    size, truth, draws = 40, 7, 40_000
    prior = rng.dirichlet(np.ones(size))
    noise = DiscreteGaussianNoise(0.8)
    noisy = noise.sample((draws, size), rng)
    noisy[:, truth] += 1
    scores = np.log(prior) + log_likelihood_ratio(noisy, noise)
    share = special.softmax(scores, axis=1)[:, truth]
    rank = (scores > scores[:, [truth]]).sum(axis=1)
    ours = posterior.expected_categories(truth, prior, noise=noise, first=(1, 5))
    assert abs(share.mean() - ours.posterior) < 5 * share.std() / np.sqrt(draws)
    for m, value in ours.within_first.items():
        seen = (rank < m).mean()
        assert abs(seen - value) < 5 * np.sqrt(seen * (1 - seen) / draws) + 1e-12


def test_the_whole_census_histogram() -> None:
    ours = posterior.expected_categories(0, 2016, rho=0.0992, first=(1, 10, 300))
    assert ours.risk_ratio == pytest.approx(1.219, abs=2e-3)
    assert 1 / 2016 < ours.posterior < ours.ranked_first < ours.within_first[10] < 0.02
    assert 0.15 < ours.within_first[300] < 0.35


def test_without_evidence_ranks_follow_the_prior_and_the_lot() -> None:
    ours = posterior.expected_categories(3, 50, rho=1e-4, first=(1, 10, 50))
    assert ours.posterior == pytest.approx(1 / 50, rel=1e-3)
    assert ours.within_first[50] == pytest.approx(1.0, abs=1e-12)
    sharp = posterior.expected_categories(3, 50, rho=60.0)
    assert sharp.posterior == pytest.approx(1.0, abs=1e-12)
    assert sharp.ranked_first == pytest.approx(1.0, abs=1e-12)


def test_impossible_categories_stay_impossible() -> None:
    ours = posterior.categories([5, 2, 1], [0, 0, 0], [0.5, 0.5, 0.0], rho=0.2)
    assert ours.posterior[2] == 0.0
    assert np.isnan(ours.risk_ratio[2])
    two = posterior.expected_categories(0, [0.5, 0.5], rho=0.2)
    three = posterior.expected_categories(0, [0.5, 0.5, 0.0], rho=0.2)
    assert posterior.expected_categories(0, [1.0, 0.0], rho=0.2).ranked_first == 1.0
    assert three.posterior == pytest.approx(two.posterior, abs=1e-12)


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="sum to 1"):
        posterior.categories([1, 2], [0, 0], [0.5, 0.6], rho=0.1)
    with pytest.raises(ParameterError, match="one probability per category"):
        posterior.categories([1, 2], [0, 0], [0.5, 0.25, 0.25], rho=0.1)
    with pytest.raises(DataError, match="equal length"):
        posterior.categories([1, 2], [0], rho=0.1)
    with pytest.raises(DataError, match="known must be whole numbers"):
        posterior.categories([1, 2], [0, -1], rho=0.1)
    with pytest.raises(ParameterError, match="below the number of categories"):
        posterior.expected_categories(5, 3, rho=0.1)
    with pytest.raises(ParameterError, match="never finds it"):
        posterior.expected_categories(0, [0.0, 1.0], rho=0.1)


def test_a_billion_categories() -> None:
    # P(first) by lot among equals: with two values of evidence a closed form
    noise, others = DiscreteLaplaceNoise(1.0), 10**9 - 1
    found = posterior.expected_categories(0, others + 1, noise=noise, first=(1, 1000))
    share = 1.0 / (1.0 + np.exp(-1.0))  # of noise that speaks for the truth; of the others e^-1 as many do
    ahead = share * np.exp(-1.0)
    first = share * (1.0 - (1.0 - ahead) ** (others + 1)) / ((others + 1) * ahead)
    assert found.ranked_first == pytest.approx(first, rel=1e-6)
    assert found.within_first[1000] == pytest.approx(1000 * first, rel=1e-3)
    assert found.posterior == pytest.approx(
        posterior.expected_categories(0, 10**8, noise=noise).posterior / 10, rel=1e-6
    )


def test_noise_too_wide_for_ranks_is_refused() -> None:
    with pytest.raises(ParameterError, match="too wide"):
        posterior.expected_categories(0, 5, 1e-14)
    with pytest.raises(ParameterError, match="at most"):
        posterior.expected_categories(0, 10**20, 1.0)
