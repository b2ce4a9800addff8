"""Risks of multinomial cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from epsilens.arrays import FloatArray
from epsilens.homogeneity import NegativeBinomialSize, PoissonSize, ZeroInflatedSize
from epsilens.homogeneity.models import multinomial
from epsilens.homogeneity.models.mixtures import rate_mixture
from epsilens.homogeneity.models.multinomial import fixed_sizes, random_sizes
from epsilens.homogeneity.models.sizes import truncated_pmf
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise

SIZE_LAWS = [
    PoissonSize(0.02),
    PoissonSize(3.2),
    PoissonSize(900.0),
    NegativeBinomialSize(0.02, 1.0),
    NegativeBinomialSize(0.4, 6.0),
    NegativeBinomialSize(1e-6, 1e-5),
    NegativeBinomialSize(6.0, 3.2),
    NegativeBinomialSize(3000.0, 3.2),
    NegativeBinomialSize(1e9, 60.0),
    ZeroInflatedSize(NegativeBinomialSize(2.0, 40.0), 0.3),
]


@pytest.mark.parametrize("match", ["any", "share"])
@pytest.mark.parametrize("noise", [LaplaceNoise(1.0), LaplaceNoise(1e4), DiscreteGaussianNoise(30.0)], ids=repr)
def test_circles_agree_with_direct_sums_up_to_a_hundred_thousand(
    match: str, noise: Noise, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = np.array([[1.0, 1], [3, 2], [100, 4], [5000, 3000], [99_999, 1], [60_000, 40_000]])
    sizes = rates.sum(axis=1).astype(np.int64)
    direct = fixed_sizes(sizes, rates, match)
    assert len(direct.circles) == 0
    monkeypatch.setattr(multinomial, "_MOST_OUTCOMES", 0)
    inverted = fixed_sizes(sizes, rates, match)
    assert len(inverted.pairs.rows) == 0
    np.testing.assert_allclose(inverted(noise), direct(noise), rtol=0, atol=1e-13)


@cache
def of_every_size(largest: int, share: tuple[float, ...], match: str) -> Callable[[Noise], FloatArray]:
    """The risks of cells of 1 to ``largest`` people, made once for all noises."""
    sizes = np.arange(1, largest + 1)
    return fixed_sizes(sizes, sizes[:, None] * np.array(share)[None], match)


@pytest.mark.parametrize("law", SIZE_LAWS, ids=repr)
@pytest.mark.parametrize("noise", [LaplaceNoise(1.0), GaussianNoise(20.0), DiscreteLaplaceNoise(0.01)], ids=repr)
@pytest.mark.parametrize("match", ["any", "share"])
def test_random_sizes_agree_with_the_sum_over_fixed_sizes(
    law: PoissonSize | NegativeBinomialSize | ZeroInflatedSize, noise: Noise, match: str
) -> None:
    shares = np.array([[0.7, 0.3, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.98, 0.01, 0.01], [1.0, 0.0, 0.0]])
    chances = truncated_pmf(law, np.arange(1, law.largest + 1))
    summed = [float(chances @ of_every_size(law.largest, tuple(share), match)(noise)) for share in shares]
    mixed = random_sizes(shares, rate_mixture(law, match), match)(noise)
    np.testing.assert_allclose(mixed, summed, rtol=0, atol=1e-12)


@pytest.mark.parametrize("match", ["any", "share"])
def test_labels_that_count_differently_are_those_of_each_label_weighed(match: str) -> None:
    drawn = np.random.default_rng(8)
    rates = drawn.multinomial(drawn.integers(2, 60, 40), [0.5, 0.3, 0.1, 0.1]).astype(np.float64)
    rates = rates[(rates > 0).sum(axis=1) > 1]
    rates = np.concatenate([rates, [[6e7, 3e7, 5.0, 0.0]]])
    sizes, noise = rates.sum(axis=1).astype(np.int64), LaplaceNoise(2.0)
    for weights in (np.array([2.0, 0.0, 1.0, 3.0]), drawn.choice([0.5, 1.0, 4.0], rates.shape)):
        apart = fixed_sizes(sizes, rates, match).by_label(noise)[0]
        found = fixed_sizes(sizes, rates, match, weights)(noise)
        np.testing.assert_allclose(found, (apart * weights).sum(axis=1), rtol=0, atol=1e-13)
        mixture, shares = rate_mixture(NegativeBinomialSize(2.0, 6.0), match), rates / sizes[:, None]
        apart = random_sizes(shares, mixture, match).by_label(noise)[0]
        found = random_sizes(shares, mixture, match, weights)(noise)
        np.testing.assert_allclose(found, (apart * weights).sum(axis=1), rtol=0, atol=1e-13)
