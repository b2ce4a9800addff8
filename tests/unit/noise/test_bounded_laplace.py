"""Truncated and clamped Laplace laws: quadrature, tails, sampling, and what they cost."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from epsilens.budget import PureDP
from epsilens.errors import ParameterError
from epsilens.noise.bounded_laplace import (
    ClampedLaplace,
    TruncatedLaplace,
    clamped_epsilon,
    clamped_scale,
    truncated_draws,
    truncated_epsilon,
    truncated_scale,
)

Law = TruncatedLaplace | ClampedLaplace
LAWS: list[Law] = [
    kind(centre, scale, lower, upper)
    for kind in (TruncatedLaplace, ClampedLaplace)
    for centre, lower, upper in ((0.3, 0.0, 1.0), (0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (-2.0, -5.0, 7.0), (0.5, 0.0, 1.0))
    for scale in (0.02, 0.3, 1.0, 20.0, 500.0)
]


@pytest.fixture(params=LAWS, ids=repr)
def law(request: pytest.FixtureRequest) -> Law:
    found: Law = request.param
    return found


def integral(law: Law, function: Callable[[float], float]) -> float:
    """E(function(X)), by quadrature inside and by the probabilities of the bounds."""
    steps = law.centre + law.scale * np.array([-30.0, -5.0, 0.0, 5.0, 30.0])
    cuts = sorted({law.lower, *np.clip(steps, law.lower, law.upper), law.upper})

    def integrand(x: float) -> float:
        return function(x) * float(law.density(x))

    pieces = [integrate.quad(integrand, *ends, epsabs=1e-14, epsrel=1e-13)[0] for ends in itertools.pairwise(cuts)]
    if isinstance(law, ClampedLaplace):
        pieces += [function(law.lower) * law.mass_at_lower, function(law.upper) * law.mass_at_upper]
    return math.fsum(pieces)


def test_moments_equal_quadrature(law: Law) -> None:
    mean = integral(law, lambda x: x)
    assert integral(law, lambda x: 1.0) == pytest.approx(1.0, abs=1e-10)
    assert law.mean == pytest.approx(mean, abs=1e-10)
    assert law.bias == pytest.approx(mean - law.centre, abs=1e-10)
    assert law.variance == pytest.approx(integral(law, lambda x: (x - mean) ** 2), abs=1e-10)
    assert law.mse == pytest.approx(integral(law, lambda x: (x - law.centre) ** 2), abs=1e-10)


def test_cdf_integrates_the_density(law: Law) -> None:
    below = law.mass_at_lower if isinstance(law, ClampedLaplace) else 0.0
    start = law.lower
    for x in np.linspace(law.lower, law.upper, 9)[1:-1]:
        points = [law.centre] if start < law.centre < x else None
        below += integrate.quad(lambda y: float(law.density(y)), start, x, points=points, epsabs=1e-13, epsrel=1e-12)[0]
        start = x
        assert float(law.cdf(x)) == pytest.approx(below, abs=1e-10)
        assert float(law.sf(x)) == pytest.approx(1 - below, abs=1e-10)
    assert float(law.cdf(law.lower - 1e-9)) == 0.0
    assert float(law.sf(law.lower - 1e-9)) == 1.0
    assert float(law.cdf(law.upper)) == 1.0
    assert float(law.sf(law.upper)) == 0.0
    assert float(law.density(law.upper + 1)) == 0.0


def test_quantiles_invert_both_tails(law: Law) -> None:
    q = np.array([0.0, 1e-12, 1e-3, 0.2, 0.5, 0.8, 0.999])
    for values, tail in ((law.quantile(q), law.cdf), (law.upper_quantile(q), law.sf)):
        assert np.all((values >= law.lower) & (values <= law.upper))
        inside = (values > law.lower) & (values < law.upper)
        np.testing.assert_allclose(tail(values[inside]), q[inside], rtol=1e-9, atol=1e-15)
    assert np.all(np.diff(law.quantile(q)) >= 0)
    assert np.all(np.diff(law.upper_quantile(q)) <= 0)
    if isinstance(law, ClampedLaplace):
        assert float(law.quantile(law.mass_at_lower * 0.999)) == law.lower
        assert float(law.pmf(law.lower)) == law.mass_at_lower
        assert float(law.pmf(law.upper)) == law.mass_at_upper
        assert float(law.pmf(0.5 * (law.lower + law.upper))) == 0.0


def test_sampling_follows_the_law(law: Law) -> None:
    draws = law.sample(40_000, np.random.default_rng(5))
    np.testing.assert_array_equal(draws, law.sample(40_000, np.random.default_rng(5)))
    assert law.sample((2, 3), np.random.default_rng(1)).shape == (2, 3)
    assert draws.min() >= law.lower
    assert draws.max() <= law.upper
    assert abs(draws.mean() - law.mean) <= 5 * math.sqrt(law.variance / draws.size)
    fourth = float(np.mean((draws - law.centre) ** 4))
    assert abs(np.mean((draws - law.centre) ** 2) - law.mse) <= 5 * math.sqrt(fourth / draws.size)
    if isinstance(law, TruncatedLaplace):
        assert stats.kstest(draws, law.cdf).pvalue > 1e-5
    else:
        for bound, mass in ((law.lower, law.mass_at_lower), (law.upper, law.mass_at_upper)):
            assert abs(np.mean(draws == bound) - mass) <= 5 * math.sqrt(mass * (1 - mass) / draws.size)


def test_inversion_is_resampling_until_inside() -> None:
    law, rng = TruncatedLaplace(0.2, 0.5, 0.0, 1.0), np.random.default_rng(11)
    proposals = law.centre + rng.laplace(0.0, law.scale, 200_000)
    kept = proposals[(proposals >= 0) & (proposals <= 1)]
    assert stats.kstest(kept, law.cdf).pvalue > 1e-5
    share = law.probability_inside
    assert abs(kept.size / proposals.size - share) <= 5 * math.sqrt(share * (1 - share) / proposals.size)


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e150, 1e250])
def test_extreme_scales_stay_finite_and_tend_to_their_limits(scale: float) -> None:
    truncated, clamped = TruncatedLaplace(0.25, scale, 0.0, 1.0), ClampedLaplace(0.25, scale, 0.0, 1.0)
    assert float(truncated.cdf(0.25)) == pytest.approx(0.5 if scale < 1 else 0.25, rel=1e-6)
    if scale < 1:
        assert truncated.mse == pytest.approx(2 * scale**2, rel=1e-12)
        assert clamped.mse == pytest.approx(2 * scale**2, rel=1e-12)
    else:  # uniform on the interval, or on its two ends
        assert truncated.mean == pytest.approx(0.5, rel=1e-8)
        assert truncated.variance == pytest.approx(1 / 12, rel=1e-8)
        assert clamped.mean == pytest.approx(0.5, rel=1e-8)
        assert clamped.variance == pytest.approx(1 / 4, rel=1e-8)
        np.testing.assert_allclose(truncated.quantile([0.1, 0.25, 0.9]), [0.1, 0.25, 0.9], rtol=1e-7)
        np.testing.assert_allclose(truncated.upper_quantile([0.1, 0.9]), [0.9, 0.1], rtol=1e-7)


def test_far_tails_keep_their_relative_accuracy() -> None:
    law = TruncatedLaplace(0.0, 1.0, -600.0, 600.0)
    assert float(law.cdf(-500.0)) == pytest.approx(0.5 * math.exp(-500), rel=1e-12)
    assert float(law.sf(500.0)) == pytest.approx(0.5 * math.exp(-500), rel=1e-12)
    assert float(law.quantile(1e-200)) == pytest.approx(math.log(2e-200), rel=1e-13)
    assert float(law.upper_quantile(1e-200)) == pytest.approx(-math.log(2e-200), rel=1e-13)
    clamped = ClampedLaplace(0.0, 1.0, -600.0, 600.0)
    assert clamped.mass_at_lower == pytest.approx(0.5 * math.exp(-600), rel=1e-12)
    assert float(clamped.upper_quantile(1e-200)) == pytest.approx(-math.log(2e-200), rel=1e-13)


def measured_loss(scale: float, sensitivity: float, lower: float, upper: float) -> float:
    """The largest log ratio of densities over a grid of true values, neighbours and outputs that holds the extremes."""
    largest = 0.0
    for t in np.linspace(lower, upper, 41):
        for step in np.linspace(-sensitivity, sensitivity, 21):
            if not lower <= t + step <= upper:
                continue
            here, there = TruncatedLaplace(t, scale, lower, upper), TruncatedLaplace(t + step, scale, lower, upper)
            x = np.array([lower, t, t + step, 0.5 * (lower + upper), upper])
            largest = max(largest, float(np.max(here.logdensity(x) - there.logdensity(x))))
    return largest


@pytest.mark.parametrize("scale", [0.05, 0.3, 1.0, 8.0])
@pytest.mark.parametrize("sensitivity", [0.01, 0.1, 0.5, 0.9, 1.0])
def test_measured_privacy_loss_equals_the_computed_one(scale: float, sensitivity: float) -> None:
    computed = truncated_epsilon(scale, sensitivity, 0.0, 1.0)
    assert measured_loss(scale, sensitivity, 0.0, 1.0) == pytest.approx(computed, abs=1e-12)


def test_privacy_loss_measured_on_draws() -> None:
    # the event "within a sliver above the lower bound", where the densities of t = 0 and t' = D differ most
    scale, moved, draws, sliver = 0.5, 0.4, 400_000, 0.02
    rng = np.random.default_rng(2)
    here = np.mean(TruncatedLaplace(0.0, scale, 0.0, 1.0).sample(draws, rng) < sliver)
    there = np.mean(TruncatedLaplace(moved, scale, 0.0, 1.0).sample(draws, rng) < sliver)
    error = 5 * math.sqrt((1 - here) / (here * draws) + (1 - there) / (there * draws))
    assert abs(math.log(here / there) - truncated_epsilon(scale, moved, 0.0, 1.0)) <= error
    assert math.log(here / there) - error > 0.9 * moved / scale  # and it is not D / b that was measured
    assert abs(math.log(here / there) - moved / scale) > error


def test_clamped_loss_is_that_of_the_noise() -> None:
    scale, moved = 0.3, 0.2
    here, there = ClampedLaplace(0.4, scale, 0.0, 1.0), ClampedLaplace(0.6, scale, 0.0, 1.0)
    x = np.linspace(0.01, 0.99, 99)
    inside = np.max(here.logdensity(x) - there.logdensity(x))
    at_bounds = math.log(here.mass_at_lower / there.mass_at_lower)
    assert max(float(inside), at_bounds) == pytest.approx(clamped_epsilon(scale, moved), abs=1e-12)


@settings(max_examples=300, deadline=None)
@given(epsilon=st.floats(1e-9, 50), share=st.floats(1e-6, 1.0), width=st.floats(1e-3, 1e4), lower=st.floats(-50, 50))
def test_recalibration(epsilon: float, share: float, width: float, lower: float) -> None:
    upper = lower + width
    moved = share * (upper - lower)
    scale = truncated_scale(PureDP(epsilon), moved, lower, upper)
    actual = truncated_epsilon(scale, moved, lower, upper)
    assert actual <= epsilon
    assert actual == pytest.approx(epsilon, rel=1e-9)
    plain = clamped_scale(PureDP(epsilon), moved)
    assert plain <= scale <= 2 * plain * (1 + 1e-9)
    assert clamped_epsilon(plain, moved) == pytest.approx(epsilon)
    uncorrected = truncated_epsilon(plain, moved, lower, upper)
    assert epsilon * (1 - 1e-12) <= uncorrected <= 2 * epsilon * (1 + 1e-12)


@given(scale=st.floats(1e-3, 1e3), factor=st.floats(1.001, 10), share=st.floats(1e-3, 1))
def test_more_noise_costs_less(scale: float, factor: float, share: float) -> None:
    assert truncated_epsilon(scale * factor, share, 0, 1) < truncated_epsilon(scale, share, 0, 1)


def test_vectors_of_draws() -> None:
    centres = np.array([[0.0, 0.3], [0.7, 1.0]])
    draws = np.stack([truncated_draws(centres, 0.4, 0.0, 1.0, np.random.default_rng(s)) for s in range(4000)])
    assert draws.shape == (4000, 2, 2)
    for i, j in np.ndindex(2, 2):
        law = TruncatedLaplace(float(centres[i, j]), 0.4, 0.0, 1.0)
        assert abs(draws[:, i, j].mean() - law.mean) <= 5 * math.sqrt(law.variance / 4000)


@pytest.mark.parametrize("kind", [TruncatedLaplace, ClampedLaplace])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 1.0, 1.0, 1.0), r"lower must be below upper"),
        ((2.0, 1.0, 0.0, 1.0), r"true statistic must lie in its bounds \[0, 1\] and does not; clamp it"),
        ((0.5, 0.0, 0.0, 1.0), r"scale must be > 0"),
        ((float("nan"), 1.0, 0.0, 1.0), r"centre must be finite"),
        ((0.5, 1.0, float("-inf"), 1.0), r"lower must be finite"),
    ],
)
def test_bad_laws(kind: type, arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        kind(*arguments)
    assert "got 2" not in str(caught.value)  # the statistic itself is not repeated


def test_bad_requests() -> None:
    with pytest.raises(ParameterError, match=r"cannot move by 2"):
        truncated_epsilon(1.0, 2.0, 0.0, 1.0)
    with pytest.raises(ParameterError, match=r"lower must be below upper"):
        truncated_scale(PureDP(1.0), 0.1, 1.0, 1.0)
    with pytest.raises(ParameterError, match=r"sensitivity must be > 0"):
        truncated_scale(PureDP(1.0), 0.0, 0.0, 1.0)
    with pytest.raises(ParameterError, match=r"probabilities between 0 and 1"):
        TruncatedLaplace(0.5, 1.0, 0.0, 1.0).quantile(1.5)
    with pytest.raises(ParameterError, match=r"probabilities between 0 and 1"):
        ClampedLaplace(0.5, 1.0, 0.0, 1.0).quantile(float("nan"))
    with pytest.raises(ParameterError, match=r"centres must all lie in"):
        truncated_draws([0.5, 1.5], 1.0, 0.0, 1.0, np.random.default_rng(1))
