"""What the adversary believes about the leaves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from epsilens import posterior
from epsilens.errors import DataError, ParameterError
from epsilens.noise import DiscreteGaussianNoise
from epsilens.posterior import (
    BinomialLeaf,
    LeafPrior,
    NegativeBinomialLeaf,
    PmfLeaf,
    PoissonLeaf,
)


def test_fitted_priors_find_the_law() -> None:
    rng = np.random.default_rng(8)
    noise = DiscreteGaussianNoise(1.0)
    poisson = rng.poisson(0.8, 20_000) + noise.sample(20_000, rng)
    fitted = posterior.fit_leaf_prior(poisson, noise)
    assert isinstance(fitted, PoissonLeaf)
    assert fitted.mean == pytest.approx(0.8, abs=0.05)
    clumped = rng.negative_binomial(0.5, 0.5 / 2.5, 20_000) + noise.sample(20_000, rng)
    found = posterior.fit_leaf_prior(clumped, noise, "negative-binomial")
    assert isinstance(found, NegativeBinomialLeaf)
    assert (found.mean, found.size) == pytest.approx((2.0, 0.5), rel=0.15)
    nobody = posterior.fit_leaf_prior(-np.ones(5), noise)
    assert isinstance(nobody, PoissonLeaf)
    assert nobody.mean < 0.01


@pytest.mark.parametrize(
    ("prior", "law"),
    [
        (PoissonLeaf(2.5), stats.poisson(2.5)),
        (NegativeBinomialLeaf(2.0, 0.5), stats.nbinom(0.5, 0.2)),
        (BinomialLeaf(7, 0.2), stats.binom(7, 0.2)),
    ],
)
def test_leaf_priors_are_the_laws_they_say(prior: LeafPrior, law: stats.rv_discrete) -> None:
    n = np.arange(0.0, 40.0)
    assert np.exp(prior.logpmf(n)) == pytest.approx(law.pmf(n), abs=1e-12)
    for tail in (1e-3, 1e-9):
        highest = prior.highest(tail)
        assert highest is not None
        assert law.sf(highest) <= tail


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="sum to 1"):
        PmfLeaf({0: 0.2})
    with pytest.raises(ParameterError, match="mean of a leaf prior must be > 0"):
        PoissonLeaf(0.0)
    with pytest.raises(DataError, match="no noisy counts to fit"):
        posterior.fit_leaf_prior([], DiscreteGaussianNoise(1.0))
