"""The reach of linear combinations of noise against enumeration, closed forms, and bounds that must hold."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import special, stats

from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.combinations import MOST_WEIGHTS, NODES, Part, combined_half_width, log_variance
from tests.unit.noise.test_law import HeavyTailNoise

LAWS = [
    *(DiscreteLaplaceNoise(1.0 / epsilon) for epsilon in (0.5, 1.0, 2.6, 7.8)),
    *(DiscreteGaussianNoise(sigma) for sigma in (0.3, 0.6, 1.0, 2.5)),
]


def enumerated(noise: Noise, weights: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """The sizes of the combination, rising, and the probability of being at most that; whole weights / 12."""
    reach = noise.reach(1e-14)
    single = noise.pmf(np.arange(-reach, reach + 1.0))
    law = np.ones(1)
    for weight in weights:
        spread = np.zeros(2 * reach * round(12 * weight) + 1)
        spread[:: round(12 * weight)] = single
        law = np.convolve(law, spread)
    half = len(law) // 2
    folded = np.append(law[half], 2.0 * law[half + 1 :])
    return np.arange(half + 1) / 12.0, np.cumsum(folded)


@pytest.mark.parametrize("noise", LAWS, ids=repr)
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_the_half_width_is_at_least_the_exact_quantile_and_hardly_more(noise: Noise, confidence: float) -> None:
    for weights in ([1.0], [0.5, 0.25, 0.25], [0.75, 0.5, 1 / 12], [1 / 3] * 5):
        sizes, within = enumerated(noise, weights)
        width = combined_half_width([Part.of(noise, weights)], confidence)
        covers = float(within[np.searchsorted(sizes, width, side="right") - 1])
        assert covers >= confidence
        # what the next smaller atom would cover is at most a thousandth of 1 - c above c
        least = float(sizes[np.searchsorted(within, confidence + 1.001e-3 * (1.0 - confidence))])
        steps = 50.0 * least / NODES + 0.01 * max(math.sqrt(noise.variance), 0.5)
        assert width <= least + steps


def test_continuous_combinations_in_closed_form() -> None:
    weights = [0.6, 0.3, 0.1]
    spread = 2.0 * math.sqrt(sum(w * w for w in weights))
    for confidence in (0.5, 0.95, 0.999):
        width = combined_half_width([Part.of(GaussianNoise(2.0), weights)], confidence)
        exact = spread * float(special.ndtri(0.5 + 0.5 * confidence))
        assert exact <= width <= 1.01 * exact
        single = combined_half_width([Part.of(LaplaceNoise(3.0), [0.5])], confidence)
        assert -1.5 * math.log1p(-confidence) <= single <= 1.02 * -1.5 * math.log1p(-confidence) + 0.01
    # the difference of two exponentials plus another one: two draws of one scale have P(|S| > h) = (1 + h/2b) e^(-h/b)
    two = combined_half_width([Part.of(LaplaceNoise(1.0), [1.0, 1.0])], 0.95)
    assert 0.05 * 0.97 <= (1.0 + two / 2.0) * math.exp(-two) <= 0.05


def test_several_laws_in_one_combination() -> None:
    """Gaussian parts add up to one; a discrete law of great precision beside them adds nothing."""
    parts = [Part.of(GaussianNoise(3.0), [1.0]), Part.of(GaussianNoise(4.0), [1.0])]
    assert combined_half_width(parts, 0.95) == pytest.approx(5.0 * 1.959964, rel=6e-3)
    precise = Part.of(DiscreteLaplaceNoise(1e-3), [1.0])
    assert combined_half_width([*parts, precise], 0.95) == pytest.approx(5.0 * 1.959964, rel=6e-3)
    assert combined_half_width([], 0.95) == 0.0
    assert combined_half_width([Part.of(GaussianNoise(3.0), [0.0])], 0.95) == 0.0


@pytest.mark.parametrize("noise", [DiscreteLaplaceNoise(0.4), DiscreteGaussianNoise(0.7), LaplaceNoise(1.0)], ids=repr)
def test_many_different_weights_are_taken_together_on_the_safe_side(noise: Noise) -> None:
    rng = np.random.default_rng(1)
    weights = np.concatenate([[0.8, 0.5], rng.uniform(0.0, 0.1, 300), 1e-9 * rng.random(2000)])
    assert len(weights) > MOST_WEIGHTS
    width = combined_half_width([Part.of(noise, weights)], 0.95)
    draws = noise.sample((20_000, 302), rng) @ weights[:302]
    covered = float((np.abs(draws) <= width).mean())
    assert 0.95 - 3.0 * math.sqrt(0.05 * 0.95 / 20_000) <= covered < 0.965
    times = Part.of(noise, [0.05], [302])  # as many equal ones are one weight
    assert len(times.weights) == 1
    assert times.squares == pytest.approx(302 * 0.05**2)


def test_weights_too_small_to_keep_are_still_accounted_for() -> None:
    """None of them is near another, so that each would be a group of its own."""
    tiny, kept = 2e-4 * 1.04 ** -np.arange(60.0), 0.5 * 1.04 ** -np.arange(60.0)
    with_them = combined_half_width([Part.of(LaplaceNoise(1.0), np.concatenate([kept, tiny]))], 0.95)
    assert with_them > combined_half_width([Part.of(LaplaceNoise(1.0), kept)], 0.95)


def test_fewer_nodes_are_wider_and_never_narrower() -> None:
    part = [Part.of(DiscreteLaplaceNoise(2.0), [0.5, 0.3, 0.2])]
    widths = [combined_half_width(part, 0.95, nodes) for nodes in (512, 1024, 8192)]
    exact = combined_half_width(part, 0.95, 1 << 17)
    assert all(a >= b for a, b in itertools.pairwise(widths))
    assert exact <= widths[-1] <= 1.01 * exact
    assert widths[0] <= 1.2 * exact


@pytest.mark.parametrize("confidence", [1e-6, 1 - 1e-6, 1 - 1e-12, 1 - 1e-15])
@pytest.mark.parametrize("scale", [1e-4, 1e-2, 1.0, 1e6, 1e12])
def test_extreme_noise_and_confidence(scale: float, confidence: float) -> None:
    for noise in (DiscreteLaplaceNoise(scale), DiscreteGaussianNoise(scale), LaplaceNoise(scale), GaussianNoise(scale)):
        width = combined_half_width([Part.of(noise, [0.7, 0.3])], confidence)
        assert 0.0 < width < math.inf
        alone = combined_half_width([Part.of(noise, [1.0])], confidence)
        assert 2.0 * float(noise.sf(alone)) <= 1.0 - confidence


def test_a_law_without_closed_form_gets_the_bound_of_chebyshev() -> None:
    noise = HeavyTailNoise(2.0)
    assert noise.known_characteristic(np.ones(1)) is None
    assert noise.known_log_moments(np.ones(1)) is None
    width = combined_half_width([Part.of(noise, [0.6, 0.8])], 0.95)
    assert width == pytest.approx(math.sqrt(noise.variance / 0.05), rel=1e-6)


@pytest.mark.parametrize("noise", [*LAWS, LaplaceNoise(2.0), GaussianNoise(0.5)], ids=repr)
def test_characteristic_functions_and_moments_are_those_of_the_law(noise: Noise) -> None:
    angles, rates = np.array([0.0, 0.3, 1.0, 3.0, 7.0]), np.array([0.1, 0.2, 0.45])
    characteristic, moments = noise.known_characteristic(angles), noise.known_log_moments(rates)
    assert characteristic is not None
    assert moments is not None
    if noise.integer_valued:
        k = np.arange(-2000.0, 2001.0)
        expected = noise.pmf(k) @ np.cos(np.outer(k, angles))
        exact = [float(special.logsumexp(noise.logdensity(k) + rate * k)) for rate in rates]
    else:
        frozen = stats.laplace(scale=2.0) if isinstance(noise, LaplaceNoise) else stats.norm(scale=0.5)
        expected = np.array([frozen.expect(lambda x, u=u: math.cos(u * x), limit=2000) for u in angles])
        exact = [math.log(frozen.expect(lambda x, u=u: math.exp(u * x), lb=-300, ub=300, limit=2000)) for u in rates]
    assert characteristic == pytest.approx(expected, abs=1e-7)
    assert (moments >= np.array(exact) - 1e-9).all()  # a bound of the discrete Gaussian's, exact for the others
    assert moments == pytest.approx(exact, rel=1e-6 if not isinstance(noise, DiscreteGaussianNoise) else 1e-2)


def test_log_variances_of_noise_that_is_all_but_none() -> None:
    assert log_variance(DiscreteLaplaceNoise(2.0)) == pytest.approx(math.log(DiscreteLaplaceNoise(2.0).variance))
    assert log_variance(DiscreteLaplaceNoise(1 / 3000)) == pytest.approx(math.log(2.0) - 3000.0)
    assert log_variance(DiscreteGaussianNoise(0.01)) == pytest.approx(math.log(2.0) - 5000.0)
    assert log_variance(GaussianNoise(1e-6)) == pytest.approx(-12.0 * math.log(10.0))


def test_weights_must_be_numbers() -> None:
    with pytest.raises(ParameterError, match=r"^the weights of noise must be finite numbers$"):
        Part.of(GaussianNoise(1.0), [1.0, math.nan])
