"""The message of one leaf, where prior and noise agree and where they do not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from epsilens.errors import DataError, ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, Noise
from epsilens.noise.published import CountNoise
from epsilens.posterior import BinomialLeaf, LeafPrior, NegativeBinomialLeaf, PmfLeaf, PoissonLeaf, UniformLeaf
from epsilens.posterior.trees import leaf_messages
from epsilens.posterior.trees.leaf_messages import leaf_message, radius

PRIORS: list[LeafPrior] = [
    PoissonLeaf(540.0),
    PoissonLeaf(3.0),
    NegativeBinomialLeaf(50.0, 0.1),
    NegativeBinomialLeaf(50.0, 4.0),
    BinomialLeaf(9_000, 0.05),
    UniformLeaf(9_000),
    PmfLeaf({0: 0.3, 540: 0.5, 8_000: 0.2}),
]


@pytest.mark.parametrize("noise", [DiscreteGaussianNoise(2.2), DiscreteLaplaceNoise(1.5)], ids=repr)
@pytest.mark.parametrize("prior", PRIORS, ids=repr)
@pytest.mark.parametrize("noisy", [-30.0, 4.0, 3_500.0])
def test_a_leaf_is_the_product_of_prior_and_noise(
    prior: LeafPrior, noise: Noise, noisy: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = np.arange(0.0, 9_001.0)
    law = CountNoise(noise)
    weights = prior.logpmf(counts) + law.logpmf(noisy - counts) - float(law.logpmf(0.0))
    expected = weights - special.logsumexp(weights)
    for dense in (1_000_000, 100):  # listed as a whole, and searched in intervals
        monkeypatch.setattr(leaf_messages, "_DENSE", dense)
        monkeypatch.setattr(leaf_messages, "_SHORT", 10)
        message = leaf_message(prior, noise, noisy, -69.0)
        assert message.lost < 1e-13
        assert message.log_mass == pytest.approx(special.logsumexp(weights), rel=1e-12, abs=1e-11)
        likely = np.flatnonzero(expected > -25.0)
        assert message.low <= likely[0] <= likely[-1] < message.low + len(message.logs)
        assert message.logs[likely - message.low] == pytest.approx(expected[likely], abs=1e-9)


def test_a_leaf_without_a_noisy_count_is_its_prior() -> None:
    message = leaf_message(PoissonLeaf(2.0), DiscreteGaussianNoise(1.0), math.nan, -69.0)
    assert message.values[:3] == pytest.approx([math.exp(-2), 2 * math.exp(-2), 2 * math.exp(-2)])
    with pytest.raises(DataError, match="proper prior"):
        leaf_message(UniformLeaf(), DiscreteGaussianNoise(1.0), math.nan, -69.0)


def test_counts_far_apart_are_found_without_listing_what_lies_between() -> None:
    message = leaf_message(PoissonLeaf(3e8), DiscreteGaussianNoise(2.0), 10.0, -69.0)
    assert len(message.logs) < 1_000
    # the slope of the prior, log(m / n), against that of the noise
    mode = message.low + int(np.argmax(message.logs))
    assert (mode - 10) / 4.0 == pytest.approx(math.log(3e8 / mode), abs=0.3)
    with pytest.raises(ParameterError, match="whole numbers"):
        leaf_message(UniformLeaf(), DiscreteGaussianNoise(1e7), 0.0, -69.0)


def test_reach_goes_deeper_than_doubles() -> None:
    assert radius(DiscreteGaussianNoise(1.0), -69.0) == DiscreteGaussianNoise(1.0).reach(math.exp(-69.0))
    assert radius(DiscreteGaussianNoise(1.0), -5_000.0) == pytest.approx(100, abs=1)
    assert radius(DiscreteLaplaceNoise(2.0), -5_000.0) == pytest.approx(10_000, abs=2)
