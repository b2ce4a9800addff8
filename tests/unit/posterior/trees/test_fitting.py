"""The prior of leaves, fitted in logarithms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

from epsilens import posterior
from epsilens.arrays import as_floats
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, Noise
from epsilens.noise.published import CountNoise
from epsilens.posterior import LeafPrior, NegativeBinomialLeaf, PoissonLeaf
from epsilens.posterior.trees import fitting
from epsilens.posterior.trees.fitting import log_likelihoods


@pytest.mark.parametrize("noise", [DiscreteGaussianNoise(2.0), DiscreteLaplaceNoise(1.5)], ids=repr)
@pytest.mark.parametrize(
    "prior",
    [PoissonLeaf(0.5), PoissonLeaf(540.0), NegativeBinomialLeaf(40.0, 0.2), NegativeBinomialLeaf(40.0, 3.0)],
    ids=repr,
)
def test_likelihoods_are_sums_over_all_counts(prior: LeafPrior, noise: Noise) -> None:
    values = np.array([-20.0, 0.0, 3.0, 60.0, 700.0, 3_500.0])
    counts = np.arange(0.0, 6_000.0)
    terms = prior.logpmf(counts) + CountNoise(noise).logpmf(values[:, None] - counts)
    assert log_likelihoods(prior, noise, values) == pytest.approx(special.logsumexp(terms, axis=1), rel=1e-12)


def test_ten_leaves_near_a_hundred_thousand_have_a_mean_near_a_hundred_thousand() -> None:
    noisy = 1e5 + np.arange(10.0)
    for family in ("poisson", "negative-binomial"):
        fitted = posterior.fit_leaf_prior(noisy, DiscreteGaussianNoise(2.0), family)
        assert isinstance(fitted, (PoissonLeaf, NegativeBinomialLeaf))
        assert fitted.mean == pytest.approx(noisy.mean(), rel=1e-4)


def test_counts_far_from_each_other_all_have_their_say() -> None:
    noisy = np.array([10.0] * 5 + [3_000.0] * 5)
    fitted = posterior.fit_leaf_prior(noisy, DiscreteGaussianNoise(0.3))
    assert isinstance(fitted, PoissonLeaf)
    assert fitted.mean == pytest.approx(1505.0, abs=1.0)
    # with wider noise the counts behind 10 may be larger: against the likelihood, summed in full
    noise, counts = DiscreteGaussianNoise(2.0), np.arange(0.0, 6_000.0)

    def misfit(mean: float) -> float:
        terms = PoissonLeaf(mean).logpmf(counts) + CountNoise(noise).logpmf(noisy[[0, -1], None] - counts)
        return -float(special.logsumexp(terms, axis=1).sum())

    best = optimize.minimize_scalar(misfit, bounds=(1_000.0, 2_000.0), method="bounded", options={"xatol": 1e-4})
    wider = posterior.fit_leaf_prior(noisy, noise)
    assert isinstance(wider, PoissonLeaf)
    assert wider.mean == pytest.approx(best.x, rel=1e-5)


def test_large_counts_are_fitted_and_larger_ones_refused() -> None:
    for size in (1e9, 1e15):
        fitted = posterior.fit_leaf_prior([size, size + 5.0], DiscreteGaussianNoise(2.0))
        assert isinstance(fitted, PoissonLeaf)
        assert fitted.mean == pytest.approx(size, rel=1e-6)
    with pytest.raises(ParameterError, match="cannot be told from their neighbours"):
        posterior.fit_leaf_prior([1e17], DiscreteGaussianNoise(2.0))
    with pytest.raises(ParameterError, match="terms at a time"):
        posterior.fit_leaf_prior([1.0, 2.0], DiscreteGaussianNoise(1e6))


def test_many_different_large_counts_are_fitted_slice_by_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, prior, noise = as_floats(1e9 + 700.0 * np.arange(40)), PoissonLeaf(1e9), DiscreteGaussianNoise(20.0)
    whole = log_likelihoods(prior, noise, counts)
    monkeypatch.setattr(fitting, "_AT_ONCE", 1_000)
    assert log_likelihoods(prior, noise, counts) == pytest.approx(whole, rel=1e-14)
    with pytest.raises(ParameterError, match=r"for each of 40 different noisy counts; .*give the leaf_prior"):
        posterior.fit_leaf_prior(counts, DiscreteGaussianNoise(1e5))
    far = posterior.fit_leaf_prior([0.0, 1e9, 2e9], DiscreteGaussianNoise(0.5), "negative-binomial")
    assert isinstance(far, NegativeBinomialLeaf)
    assert far.mean == pytest.approx(1e9, rel=0.01)
