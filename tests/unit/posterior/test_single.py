"""One level."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special

from epsilens import posterior
from epsilens.arrays import FloatArray
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.posterior.single import _family_ratio, log_likelihood_ratio

LAWS: list[Noise] = [
    DiscreteGaussianNoise(2.24),
    DiscreteGaussianNoise(0.1),
    DiscreteLaplaceNoise(1.0),
    GaussianNoise(0.8),
    LaplaceNoise(2.0),
]


@given(
    noisy=st.integers(-60, 60),
    known=st.integers(0, 40),
    rho=st.floats(1e-4, 50.0),
    prior=st.floats(1e-6, 1 - 1e-6),
)
@settings(deadline=None)
def test_posterior_is_bayes_theorem(noisy: int, known: int, rho: float, prior: float) -> None:
    value = posterior.single_level(noisy, known, rho, prior)
    assert 0.0 <= value <= 1.0
    odds = np.log(prior / (1 - prior)) + rho * (2 * (noisy - known) - 1)
    assert value.log_odds == pytest.approx(odds, rel=1e-9, abs=1e-9)
    assert value.risk_ratio == pytest.approx(value.posterior / prior)
    mirrored = posterior.single_level(2 * known + 1 - noisy, known, rho, 1 - prior)
    assert float(value) == pytest.approx(1.0 - float(mirrored), abs=1e-9)
    assert float(posterior.single_level(noisy + 7, known + 7, rho, prior)) == pytest.approx(float(value), abs=1e-12)


def test_posterior_rises_with_the_noisy_count() -> None:
    values = [float(posterior.single_level(x, rho=0.099, prior=0.1)) for x in range(-5, 8)]
    assert values == sorted(values)
    assert posterior.single_level(1, rho=0.099).decides_present
    assert not posterior.single_level(0, rho=0.099).decides_present


def test_a_posterior_survives_pickling() -> None:
    value = posterior.single_level(3, rho=0.2, prior=0.3)
    copy = pickle.loads(pickle.dumps(value))
    assert (copy, copy.prior, copy.log_odds) == (value, 0.3, value.log_odds)


@pytest.mark.parametrize("noise", LAWS, ids=repr)
@pytest.mark.parametrize("prior", [0.5, 0.05])
@pytest.mark.parametrize("present", [True, False])
def test_expected_is_the_sum_over_noisy_counts(noise: Noise, prior: float, present: bool) -> None:
    risk = posterior.expected_single_level(noise=noise, prior=prior, present=present)
    noisy = np.arange(-120, 122)
    weight = noise.pmf(noisy - int(present))
    values = np.array([float(posterior.single_level(x, noise=noise, prior=prior)) for x in noisy[weight > 0]])
    weight = weight[weight > 0]
    assert risk.posterior == pytest.approx(weight @ values, abs=1e-12)
    says_yes = weight[values > 0.5 + 1e-10].sum()
    assert risk.correct_decision == pytest.approx(says_yes if present else 1.0 - says_yes, abs=1e-12)


@pytest.mark.parametrize(
    "noise", [LaplaceNoise(0.05), LaplaceNoise(3.0), GaussianNoise(0.2), GaussianNoise(4.0)], ids=repr
)
@pytest.mark.parametrize("present", [True, False])
def test_unrounded_counts_are_integrated(noise: Noise, present: bool) -> None:
    prior = 0.2

    def integrand(z: float) -> float:
        odds = np.log(prior / (1 - prior)) + log_likelihood_ratio(z + int(present), noise, rounded=False)
        return float(noise.density(z) * special.expit(odds))

    scale = np.sqrt(noise.variance)
    edges = np.unique([-30 * scale - 1, -3 * scale, -1, -0.5, 0, 0.5, 1, 3 * scale, 30 * scale + 1])
    direct = sum(
        integrate.quad(integrand, low, high, epsabs=1e-13, limit=300)[0] for low, high in itertools.pairwise(edges)
    )
    risk = posterior.expected_single_level(noise=noise, prior=prior, rounded=False, present=present)
    assert risk.posterior == pytest.approx(direct, abs=1e-11)
    rounded = posterior.expected_single_level(noise=noise, prior=prior, present=present)
    assert (rounded.posterior <= risk.posterior + 1e-12) == present  # rounding hides something


@pytest.mark.parametrize("prior", [0.5, 0.2])
def test_unrounded_decisions_turn_where_the_odds_are_even(prior: float) -> None:
    logit = float(special.logit(prior))
    for sigma in (0.3, 2.0):
        noise = GaussianNoise(sigma)
        yes = float(noise.sf(-0.5 - sigma**2 * logit))  # the odds are (2 z + 1) / (2 sigma^2) at noise z
        risk = posterior.expected_single_level(noise=noise, prior=prior, rounded=False)
        assert risk.correct_decision == pytest.approx(yes, abs=1e-11)
    for scale in (0.1, 0.5):
        laplace = LaplaceNoise(scale)
        yes = float(laplace.sf(-0.5 - scale * logit / 2))  # (2 z + 1) / scale for z between -1 and 0
        risk = posterior.expected_single_level(noise=laplace, prior=prior, rounded=False)
        assert risk.correct_decision == pytest.approx(yes, abs=1e-11)


@pytest.mark.parametrize("noise", LAWS, ids=repr)
def test_prior_weighted_posteriors_average_to_the_prior(noise: Noise) -> None:
    p = 0.3
    there, not_there = (
        posterior.expected_single_level(noise=noise, prior=p, present=x).posterior for x in (True, False)
    )
    assert p * there + (1 - p) * not_there == pytest.approx(p, abs=1e-12)


def test_simulation_agrees() -> None:
    rng = np.random.default_rng(7)
    noise, prior = DiscreteGaussianNoise(1.3), 0.25
    noisy = 1 + noise.sample(200_000, rng)
    values = special.expit(np.log(prior / (1 - prior)) + log_likelihood_ratio(noisy, noise))
    risk = posterior.expected_single_level(noise=noise, prior=prior)
    assert abs(values.mean() - risk.posterior) < 5 * values.std() / np.sqrt(len(values))
    right = (values > 0.5).mean()
    assert abs(right - risk.correct_decision) < 5 * np.sqrt(right * (1 - right) / len(values))


def test_exceedance_counts_the_noisy_counts_above() -> None:
    table = posterior.noisy_count_table(np.arange(-40, 42), rho=0.099, prior=0.1)
    for threshold in (1.0, 1.3, 2.0, 5.0):
        direct = table.probability[table.risk_ratio > threshold].sum()
        assert posterior.exceedance_single_level(threshold, rho=0.099, prior=0.1) == pytest.approx(direct, abs=1e-12)
    assert posterior.exceedance_single_level(10.0, rho=0.099, prior=0.1) == 0.0
    assert posterior.exceedance_single_level(0.0, rho=0.099, prior=0.1) == 1.0


def test_evidence_that_is_exactly_even() -> None:
    # discrete Laplace noise of scale 1 moves the odds by e or 1/e only
    risk = posterior.expected_single_level(noise=DiscreteLaplaceNoise(1.0), prior=1 / (1 + np.e))
    assert risk.correct_decision == 0.0
    assert risk.undecided == pytest.approx(float(DiscreteLaplaceNoise(1.0).sf(-0.5)))


@pytest.mark.parametrize("prior", [0.0, 1.0, -0.1, 1.5, float("nan")])
def test_priors_outside_the_unit_interval_are_refused(prior: float) -> None:
    with pytest.raises(ParameterError, match="prior must"):
        posterior.single_level(1, rho=0.1, prior=prior)
    with pytest.raises(ParameterError, match="prior must"):
        posterior.expected_single_level(rho=0.1, prior=prior)


def test_counts_that_are_no_counts_are_refused() -> None:
    with pytest.raises(ParameterError, match="rounded=False"):
        posterior.single_level(1.5, noise=LaplaceNoise(1.0))
    assert 0 < posterior.single_level(1.5, noise=LaplaceNoise(1.0), rounded=False) < 1
    with pytest.raises(ParameterError, match="known must be >= 0"):
        posterior.single_level(1, known=-1, rho=0.1)
    with pytest.raises(ParameterError, match="noisy must be finite"):
        posterior.single_level(float("nan"), rho=0.1)


def test_noisy_counts_of_any_size_are_evidence() -> None:
    assert float(posterior.single_level(1e17, rho=0.1)) == 1.0
    assert float(posterior.single_level(-1e17, rho=0.1)) == 0.0
    assert float(posterior.single_level(1e308, rho=1e4)) == 1.0
    assert posterior.single_level(1e17 + 32, 10**17, rho=0.001).log_odds == pytest.approx(0.001 * 63)
    for noise in (DiscreteLaplaceNoise(2.0), LaplaceNoise(2.0)):
        assert posterior.single_level(1e17, noise=noise).log_odds == pytest.approx(0.5)
    assert posterior.single_level(1e17, noise=GaussianNoise(1e9)).log_odds == pytest.approx(0.1, rel=1e-9)


def test_a_decision_is_no_tie_because_its_evidence_is_small() -> None:
    # P(X* >= 1 | X = 1) = 1/2 + P(no noise) / 2
    for rho in (1e-6, 1e-12, 1e-20):
        sigma = 1 / math.sqrt(2 * rho)
        right = posterior.expected_single_level(rho)
        assert right.correct_decision == pytest.approx(0.5 + 0.5 / (sigma * math.sqrt(2 * math.pi)), abs=1e-12)
        assert right.undecided == 0.0
        assert right.posterior == pytest.approx(0.5 + rho / 4, abs=1e-12)
    assert posterior.single_level(2, rho=1e-12).decides_present
    assert not posterior.single_level(0, rho=1e-12).decides_present


@pytest.mark.parametrize("prior", [1e-300, 1e-12, 0.3])
def test_wide_noise_is_what_narrower_noise_tends_to(prior: float) -> None:
    for law in (DiscreteLaplaceNoise, LaplaceNoise, GaussianNoise):
        risk = posterior.expected_single_level(noise=law(1e6), prior=prior)
        assert risk.risk_ratio == pytest.approx(1.0, abs=1e-11)
        assert risk.correct_decision == 0.0
        assert posterior.exceedance_single_level(1.0, prior=prior, noise=law(1e6)) == pytest.approx(0.5, abs=1e-6)


def test_a_curve_knows_where_it_falls() -> None:
    curve = posterior.single_level_curve([2.4, 2.8, 3.0, 3.2, 3.4], [1 / 864, 1 / 50])
    [fall] = curve.falls
    assert (fall.prior, fall.from_rho, fall.to_rho) == (1 / 864, 2.8, 3.2)
    assert (fall.from_ratio, fall.to_ratio) == (curve.risk_ratio[0, 1], curve.risk_ratio[0, 3])
    absent = posterior.single_level_curve([0.1, 1.0], [0.5], present=False)
    assert absent.posterior[0, 1] == posterior.expected_single_level(1.0, present=False).posterior
    assert absent.falls[0].to_rho == 1.0


def test_noisy_counts_of_somebody_who_is_not_there() -> None:
    there = posterior.noisy_count_table([1, 2, 3], rho=0.2)
    not_there = posterior.noisy_count_table([0, 1, 2], rho=0.2, present=False)
    assert not_there.probability == pytest.approx(there.probability)


FAMILIES = [DiscreteGaussianNoise(2.24), DiscreteLaplaceNoise(1.0), LaplaceNoise(2.0)]


@pytest.mark.parametrize("noise", FAMILIES, ids=repr)
@pytest.mark.parametrize(("family", "prior", "present"), [(2, 0.5, True), (4, 0.1, True), (4, 0.5, False)])
def test_a_family_moves_the_count_by_its_size(noise: Noise, family: int, prior: float, present: bool) -> None:
    x = np.arange(-30.0, 31.0) + (family if present else 0)
    there, absent = prior * noise.pmf(x - family), (1 - prior) * noise.pmf(x)
    weight = there / prior if present else absent / (1 - prior)
    expected = posterior.expected_single_level(noise=noise, prior=prior, present=present, family=family)
    assert expected.posterior == pytest.approx(float(weight @ (there / (there + absent))), abs=1e-5)
    yes = float(weight[there > absent * (1 + 1e-9)].sum())
    assert expected.correct_decision == pytest.approx(yes if present else 1 - yes, abs=1e-5)
    table = posterior.noisy_count_table(x, noise=noise, prior=prior, present=present, family=family)
    assert table.posterior == pytest.approx(there / (there + absent))
    assert table.probability == pytest.approx(weight)
    one = posterior.single_level(float(x[33]) + 5, 5, prior=prior, noise=noise, family=family)
    assert one.posterior == pytest.approx(table.posterior[33])


@pytest.mark.parametrize("noise", LAWS, ids=repr)
def test_a_family_of_one_is_a_person_and_more_people_are_easier_to_find(noise: Noise) -> None:
    sizes = [posterior.expected_single_level(noise=noise, prior=0.2, family=m).posterior for m in (1, 2, 3, 5, 9)]
    assert sizes[0] == posterior.expected_single_level(noise=noise, prior=0.2).posterior
    assert sizes == sorted(sizes)
    exceeding = [posterior.exceedance_single_level(1.5, prior=0.5, noise=noise, family=m) for m in (1, 4)]
    assert exceeding[0] == posterior.exceedance_single_level(1.5, prior=0.5, noise=noise)
    assert exceeding[1] >= exceeding[0] - 1e-12


@pytest.mark.parametrize("noise", [LaplaceNoise(1.0), GaussianNoise(1.3)], ids=repr)
def test_unrounded_counts_of_a_family_are_integrated(noise: Noise) -> None:
    def integrand(z: float) -> float:
        ratio = float(noise.logdensity(z) - noise.logdensity(z + 4.0))
        return float(noise.density(z)) * float(special.expit(ratio + math.log(0.1 / 0.9)))

    exact, _ = integrate.quad(integrand, -40, 40, points=[-4.0, 0.0], limit=400)
    found = posterior.expected_single_level(noise=noise, prior=0.1, rounded=False, family=4)
    assert found.posterior == pytest.approx(exact, abs=1e-9)


def test_huge_families_and_narrow_noise_are_certain() -> None:
    wide = posterior.expected_single_level(noise=DiscreteLaplaceNoise(1e6), family=5000)
    assert wide.correct_decision == pytest.approx(0.5 + 0.5 * -math.expm1(-5000 / 2e6), abs=1e-6)
    narrow = DiscreteGaussianNoise(1e-119)
    assert posterior.single_level(2e15, 10**15, noise=narrow, family=10**15) == 1.0
    assert posterior.single_level(1e15, 10**15, noise=narrow, family=2000) == 0.0


@pytest.mark.parametrize("family", [0, -3, 2.5, True, "many", 2**60])
def test_what_is_no_size_of_a_family_is_refused(family: object) -> None:
    with pytest.raises(ParameterError, match="family"):
        posterior.expected_single_level(rho=0.1, family=family)  # type: ignore[arg-type]


@pytest.mark.parametrize("family", [2, 3, 7, 64, 600, 999])
def test_a_large_family_looks_at_every_count_once_and_gets_the_same_sum(family: int) -> None:
    asked: list[int] = []

    def ratio(points: FloatArray) -> FloatArray:
        asked.append(points.size)
        return np.sin(points) + 1e-3 * points

    for points in (np.arange(-9_000.0, 9_000.0), np.arange(3.0), np.array([4.0, 9.0]), np.array(5.0)):
        found = _family_ratio(points, family, ratio, ratio)
        np.testing.assert_allclose(found, sum(ratio(points - j) for j in range(family)), rtol=1e-9, atol=1e-9)
    assert asked[0] == 18_000 + family - 1


def test_of_ends_beyond_any_number_the_nearer_one_is_certain() -> None:
    found = log_likelihood_ratio([1900.0, 100.0, -3.0], GaussianNoise(1e-160), rounded=False, family=1500)
    assert found.tolist() == [math.inf, -math.inf, -math.inf]
