"""Every noise law keeps the same laws: all that the mechanisms make, so that a new one cannot be left out."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from scipy import integrate

from epsilens.budget import NEIGHBOURS, ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP, counts_moved
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.noise.absolute_error import absolute_sum, expected_absolute_error
from epsilens.noise.divergence import noise_delta
from epsilens.noise.law import SymmetricLaw
from epsilens.noise.mechanisms import law_named, laws, releasable
from epsilens.noise.published import CountNoise
from epsilens.release.samplers import secure

SCALES = [1e-3, 0.03, 0.4, 0.99, 1.0, 1.7, 12.0, 300.0, 5e3, 1e6]
LAWS: list[Noise] = [law.of_size(scale) for law in laws().values() for scale in SCALES]


def standard_deviation(noise: Noise) -> float:
    return float(np.sqrt(noise.variance))


def grid(noise: Noise, widest: float = 30.0) -> np.ndarray:
    reach = max(2.0, widest * standard_deviation(noise))
    points = np.concatenate([np.linspace(-reach, reach, 401), np.arange(-8, 9) + 0.5, np.arange(-8.0, 9.0)])
    return np.unique(points)


@pytest.fixture(params=LAWS, ids=repr)
def noise(request: pytest.FixtureRequest) -> Noise:
    law: Noise = request.param
    return law


def test_cdf_is_monotone_and_complements_sf(noise: Noise) -> None:
    x = grid(noise)
    cdf, sf = noise.cdf(x), noise.sf(x)
    assert np.all(np.diff(cdf) >= -1e-15)
    assert np.all((cdf >= 0) & (cdf <= 1) & (sf >= 0) & (sf <= 1))
    np.testing.assert_allclose(cdf + sf, 1.0, rtol=0, atol=4e-16)


def test_symmetry(noise: Noise) -> None:
    x = grid(noise)
    start = np.ceil(x) - 1 if noise.integer_valued else x  # P(X <= -x) = P(X >= x)
    np.testing.assert_allclose(noise.cdf(-x), noise.sf(start), rtol=1e-15)


def test_logarithms_agree_and_survive_where_the_plain_values_vanish(noise: Noise) -> None:
    x = grid(noise)
    for plain, logarithm in ((noise.cdf, noise.logcdf), (noise.sf, noise.logsf), (noise.density, noise.logdensity)):
        values = plain(x)
        safe = values > 1e-290
        np.testing.assert_allclose(np.exp(logarithm(x[safe])), values[safe], rtol=1e-12)
    far = np.floor(1e5 * max(1.0, standard_deviation(noise)))
    assert np.isfinite(noise.logsf(far))
    assert noise.logsf(far) == noise.logcdf(-far - (1 if noise.integer_valued else 0))
    assert noise.logsf(far) < -1000


def test_pmf_of_rounded_noise_adds_up_to_the_cdf(noise: Noise) -> None:
    reach = int(min(max(40 * standard_deviation(noise), 3), 4e4))
    k = np.arange(-reach, reach + 1)
    pmf = noise.pmf(k)
    assert np.all(pmf >= 0)
    np.testing.assert_allclose(pmf, pmf[::-1], rtol=1e-13)
    upper = noise.sf(k - 0.5) if reach < 1000 else noise.sf(k[::50] - 0.5)
    from_above = (np.cumsum(pmf[::-1])[::-1] + noise.sf(reach + 0.5))[:: 1 if reach < 1000 else 50]
    np.testing.assert_allclose(from_above, upper, rtol=1e-10, atol=1e-14)


def test_pmf_keeps_relative_accuracy_in_the_tail(noise: Noise) -> None:
    k = np.unique(np.round(np.linspace(0, 20 * standard_deviation(noise), 7)))
    lower, upper = noise.sf(k - 0.5), noise.sf(k + 0.5)
    clear = (lower - upper) > 1e-3 * lower  # elsewhere the difference itself is inaccurate
    np.testing.assert_allclose(noise.pmf(k)[clear], (lower - upper)[clear], rtol=1e-10)


def test_density_integrates_to_the_cdf(noise: Noise) -> None:
    if noise.integer_valued:
        assert noise.density(0.5) == 0.0
        np.testing.assert_array_equal(noise.density(np.arange(5)), noise.pmf(np.arange(5)))
        return
    sd = standard_deviation(noise)
    for low, high in ((0.0, 1.0), (1.0, 3.0), (3.0, 9.0)):
        area, _ = integrate.quad(lambda x: float(noise.density(x)), low * sd, high * sd, epsabs=0, epsrel=1e-12)
        assert area == pytest.approx(float(noise.sf(low * sd) - noise.sf(high * sd)), rel=1e-10)


def test_variance(noise: Noise) -> None:
    sd = max(standard_deviation(noise), 1e-3)
    if noise.integer_valued and sd < 300:
        k = np.arange(-int(60 * sd) - 3, int(60 * sd) + 4)
        assert float(np.sum(k**2 * noise.pmf(k))) == pytest.approx(noise.variance, rel=1e-9, abs=1e-290)
    draws = noise.sample(200_000, np.random.default_rng(7))
    fourth = float(np.mean(draws**4))
    assert abs(np.mean(draws**2) - noise.variance) <= 5 * np.sqrt(fourth / draws.size) + 1e-9
    assert abs(np.mean(draws)) <= 5 * np.sqrt(noise.variance / draws.size) + 1e-300


def test_sampling_is_seeded_shaped_and_follows_the_cdf(noise: Noise) -> None:
    again = noise.sample((3, 5), np.random.default_rng(1))
    np.testing.assert_array_equal(again, noise.sample((3, 5), np.random.default_rng(1)))
    assert again.shape == (3, 5)
    assert noise.sample(0, np.random.default_rng(1)).shape == (0,)
    draws = noise.sample(100_000, np.random.default_rng(3))
    if noise.integer_valued:
        np.testing.assert_array_equal(draws, np.floor(draws))
    for x in np.array([-2.0, -0.7, 0.0, 0.3, 1.5]) * standard_deviation(noise):
        p = float(noise.cdf(x))
        assert abs(np.mean(draws <= x) - p) <= 5 * np.sqrt(p * (1 - p) / draws.size) + 1e-12


def test_scalars_arrays_and_shapes(noise: Noise) -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert noise.sf(x).shape == (2, 3)
    assert noise.pmf(x).shape == (2, 3)
    assert float(noise.cdf(0.25)) == pytest.approx(1 - float(noise.sf(0.25)))


@pytest.mark.parametrize("law", laws().values(), ids=lambda law: law.name)
@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf"), "x"])
def test_bad_scale(law: Noise, scale: float) -> None:
    with pytest.raises(ParameterError, match=f"{law.parameter} must be"):
        law.of_size(scale)


def test_a_law_says_what_it_is(noise: Noise) -> None:
    assert type(law_named(noise.name)) is type(noise)
    assert noise.of_size(2.5).size == 2.5
    assert noise.of_size(noise.size) == noise
    assert repr(noise) == f"{type(noise).__name__}({noise.parameter}={noise.size!r})"
    assert noise.title.lower().replace(" ", "-") == noise.name


@pytest.mark.parametrize("tail", [0.5, 0.05, 1e-13, 1e-18, 2 * math.exp(-80), 1e-250])
def test_reach_is_the_smallest_distance_with_so_little_beyond(noise: Noise, tail: float) -> None:
    reach = noise.reach(tail)
    assert float(noise.logsf(reach + 0.5)) <= math.log(tail / 2)
    assert reach == 0 or float(noise.logsf(reach - 0.5)) > math.log(tail / 2)
    assert CountNoise(noise).reach(tail) == reach


def test_the_largest_loss_bounds_every_loss_and_is_nearly_taken(noise: Noise) -> None:
    bound = noise.largest_loss()
    assert noise.largest_loss(2) == 2 * bound
    assert noise.has_delta == math.isinf(bound)
    k = np.unique(np.round(np.append(np.arange(300.0), np.geomspace(1.0, 300 * max(1.0, noise.size), 300))))
    logpmf = CountNoise(noise).logpmf
    losses = logpmf(k) - logpmf(k + 1)
    if noise.has_delta:
        assert losses[-1] > 1.5 * losses[np.searchsorted(k, k[-1] / 2)]  # it grows and grows
    else:
        assert losses.max() <= bound + 1e-9 * max(1.0, k[-1] / noise.size)
        assert losses.max() >= bound * (1 - 1e-6) - 1e-9
    followed = SymmetricLaw.largest_loss(noise)  # type: ignore[arg-type]
    assert followed == pytest.approx(bound, rel=1e-6)  # what a law that states no bound would say


def test_no_change_of_size_shows_a_label_faster_than_the_law_says(noise: Noise) -> None:
    bound = noise.steepest
    if bound is None:
        return
    counts = np.array([0, 1, 2, 3, 7, 20, 100, 1000])
    wider = noise.of_size(noise.size * 1.001)
    assert np.max(np.abs(noise.sf(0.5 - counts) - wider.sf(0.5 - counts))) / math.log(1.001) <= bound * 1.001
    if not noise.integer_valued:
        followed = SymmetricLaw.steepest.fget(noise)  # type: ignore[attr-defined]
        assert followed == pytest.approx(bound, rel=0.01)


def test_what_follows_from_the_tail_is_what_the_law_says(noise: Noise) -> None:
    if noise.integer_valued:
        return
    k = np.arange(0.0, min(40 * max(noise.size, 1.0), 4000.0))
    np.testing.assert_allclose(SymmetricLaw.pmf(noise, k), noise.pmf(k), rtol=1e-9, atol=1e-300)  # type: ignore[arg-type]


def test_a_geometric_rate_is_one(noise: Noise) -> None:
    k = np.arange(1.0, 40.0)
    losses = -np.diff(CountNoise(noise).logpmf(k))
    constant = np.ptp(losses) < 1e-9 * losses.max()
    assert (noise.geometric_rate is not None) == constant or noise.size > 1e3
    if noise.geometric_rate is not None:
        np.testing.assert_allclose(losses, noise.geometric_rate, rtol=1e-6)


def test_expected_absolute_errors(noise: Noise) -> None:
    if noise.size <= 300:
        reach = noise.reach(1e-30)
        k = np.arange(-reach, reach + 1)
        assert expected_absolute_error(noise) == pytest.approx(float(noise.pmf(k) @ np.abs(k)), rel=1e-9)
    draws = noise.sample((20_000, 3), np.random.default_rng(5))
    sums = np.abs(draws.sum(axis=1))
    error = 5 * sums.std() / math.sqrt(len(sums)) + 1e-9
    assert absolute_sum(noise, 3, rounded=False) == pytest.approx(float(sums.mean()), abs=error)
    if not noise.integer_valued and (known := noise.known_absolute_sum(7)) is not None:
        integral = absolute_sum(_without_closed_forms(noise), 7, rounded=False)
        assert integral == pytest.approx(known, rel=1e-5)


def test_a_closed_delta_is_that_of_the_lattice(noise: Noise) -> None:
    if not 0.4 <= noise.size <= 12:
        return
    for moved in (1, 2):
        known = noise.known_delta(0.7, moved)
        if known is not None:
            assert noise_delta(_without_closed_forms(noise), 0.7, moved, rounded=False) == pytest.approx(
                known, rel=1e-3
            )
            assert noise_delta(noise, 0.7, moved) <= known * (1 + 1e-9)  # rounding hides, and never shows


def test_a_law_is_drawn_securely_or_refused(noise: Noise) -> None:
    if noise.secure_sampler is None:
        with pytest.raises(ParameterError, match="no secure sampler"):
            secure(noise, 1.0, Decimal("1e30"))
    elif noise.size >= 0.03:
        assert secure(noise, 1.0, Decimal("1e30")).law == noise


def _without_closed_forms(noise: Noise) -> Noise:
    kind = type("Unknown", (type(noise),), {"known_delta": lambda *_: None, "known_absolute_sum": lambda *_: None})
    return kind(noise.size)  # type: ignore[no-any-return]


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_mechanism_honours_every_budget_that_it_takes(mechanism: str, neighbours: str) -> None:
    chosen, moved = MECHANISMS[mechanism], counts_moved(neighbours)
    assert chosen.name == mechanism
    for budget in (PureDP(0.8), ApproxDP(0.8, 1e-3), ProbabilisticDP(0.8, 1e-3), ZCDP(0.05)):
        if type(budget) not in chosen.rules:
            with pytest.raises(ParameterError, match=f"{mechanism!r} takes .*, got"):
                calibrate(mechanism, budget, neighbours)
            continue
        noise = calibrate(mechanism, budget, neighbours)
        assert type(noise) is type(chosen.law)
        assert _is_kept(noise, budget, moved)
        assert not _is_kept(noise.of_size(0.4 * noise.size), budget, moved)


def _is_kept(noise: Noise, budget: Budget, moved: int) -> bool:
    if isinstance(budget, PureDP):
        return noise.largest_loss(moved) <= budget.epsilon * (1 + 1e-12)
    if isinstance(budget, ZCDP):  # the largest epsilon and delta that rho permits, at some epsilons
        return all(noise_delta(noise, e, moved, rounded=False) <= budget.delta(e) for e in (0.1, 0.5, 1.0, 2.0))
    return noise_delta(noise, budget.epsilon, moved, rounded=False) <= budget.delta * (1 + 1e-9)


def test_only_plain_mechanisms_with_a_secure_sampler_are_released() -> None:
    assert releasable() == ["discrete-laplace", "discrete-gaussian", "laplace", "gaussian"]
    assert [name for name, mechanism in MECHANISMS.items() if not mechanism.is_plain] == [
        "gaussian-probabilistic",
        "gaussian-analytic",
    ]
