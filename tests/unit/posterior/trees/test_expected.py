"""The risk of a whole tree, averaged over the noise."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import posterior
from epsilens.errors import DataError
from epsilens.noise import DiscreteGaussianNoise
from epsilens.posterior import (
    PoissonLeaf,
)


def test_expected_tree_averages_exact_posteriors() -> None:
    counts, parents, rho = [1, 0, 2], [[0, 0, 0]], (0.6, 0.9)
    ours = posterior.expected_tree(
        counts, parents, np.random.default_rng(1), rho=rho, leaf_prior=PoissonLeaf(0.7), repetitions=300
    )
    rng = np.random.default_rng(2)
    leaf, top = (DiscreteGaussianNoise(1 / np.sqrt(2 * r)) for r in rho)
    values = np.array(
        [
            posterior.tree(
                [np.array(counts) + leaf.sample(3, rng), 3 + top.sample(1, rng)],
                parents,
                rho=rho,
                leaf_prior=PoissonLeaf(0.7),
            ).posterior
            for _ in range(600)
        ]
    )
    error = np.hypot(ours.posterior_se, values.std(ddof=1) / np.sqrt(len(values)))
    assert abs(ours.posterior - values.mean()) < 5 * error
    assert ours.posterior_se < values.std(ddof=1) / np.sqrt(300)  # the target's own noise is averaged out exactly
    assert ours.correct_decision == pytest.approx((values > 0.5).mean(), abs=0.12)
    assert ours.posterior_alone == pytest.approx(posterior.expected_single_level(rho[0]).posterior)


def test_expected_tree_fits_priors_and_knows_invariants() -> None:
    counts = [1, 0, 0, 2, 0, 1]
    parents = [[0, 0, 0, 1, 1, 1], [0, 0]]
    rho = (0.2, 0.3, 0.1)
    free = posterior.expected_tree(counts, parents, np.random.default_rng(1), rho=rho, repetitions=20)
    informed = posterior.expected_tree(
        counts, parents, np.random.default_rng(1), rho=rho, repetitions=20, invariants=[[1, 2], [0]]
    )
    assert informed.posterior == pytest.approx(1.0)  # everybody else in the parent is known, and so is its total
    assert free.posterior < 0.9
    absent = posterior.expected_tree(
        counts,
        parents,
        np.random.default_rng(1),
        rho=rho,
        repetitions=20,
        target=1,
        present=False,
        leaf_prior="negative-binomial",
    )
    assert 0 < absent.posterior < 0.6
    assert absent.posterior_se > 0


def test_bad_input() -> None:
    with pytest.raises(DataError, match="counts nobody"):
        posterior.expected_tree([0, 1], [[0, 0]], np.random.default_rng(0), rho=(0.1, 0.2))
    with pytest.raises(DataError, match="whole numbers >= 0"):
        posterior.expected_tree([1.5, 1], [[0, 0]], np.random.default_rng(0), rho=(0.1, 0.2))


def test_a_family_in_a_tree_without_siblings_is_unique_at_two_levels() -> None:
    rng = np.random.default_rng(5)
    risk = posterior.expected_tree(
        [4], [[0]], rng, rho=(0.1, 0.2), leaf_prior=posterior.PoissonLeaf(1.0), repetitions=400, family=4
    )
    exact = posterior.expected_unique_at_levels((0.1, 0.2), family=4)
    assert abs(risk.posterior - exact.posterior) < 5 * risk.posterior_se
    assert risk.posterior_alone == pytest.approx(posterior.expected_single_level(0.1, family=4).posterior)
    with pytest.raises(DataError, match="fewer than 4 people"):
        posterior.expected_tree([3], [[0]], rng, rho=(0.1, 0.2), leaf_prior=posterior.PoissonLeaf(1.0), family=4)
