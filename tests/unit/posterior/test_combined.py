"""Several counts of the same people: levels at which a person is unique, and repeated releases."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from epsilens import posterior
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.published import CountNoise, within_reach
from epsilens.posterior import evidence_sums
from epsilens.posterior.combined import evidence, exceedance, merged


def enumerated(noises: list[Noise], prior: float, present: bool = True) -> tuple[float, float]:
    tables = [within_reach(CountNoise(noise), 1e-12) for noise in noises]
    mean = right = 0.0
    for combination in itertools.product(*(range(len(points)) for points, _ in tables)):
        noisy = [points[i] + int(present) for (points, _), i in zip(tables, combination, strict=True)]
        weight = np.exp(sum(logs[i] for (_, logs), i in zip(tables, combination, strict=True)))
        value = posterior.unique_at_levels(noisy, prior=prior, noise=noises)
        mean += weight * float(value)
        right += weight * (value.decides_present == present)
    return mean, right


@pytest.mark.parametrize("prior", [0.5, 0.03])
@pytest.mark.parametrize("present", [True, False])
@pytest.mark.parametrize(
    "noises",
    [
        [DiscreteGaussianNoise(0.9), DiscreteGaussianNoise(0.5)],
        [DiscreteLaplaceNoise(0.4), GaussianNoise(0.4), LaplaceNoise(0.2)],
        [DiscreteGaussianNoise(0.6)] * 3,
    ],
    ids=repr,
)
def test_expected_combined_is_the_enumerated_one(noises: list[Noise], prior: float, present: bool) -> None:
    risk = posterior.expected_combined(noises, prior, present)
    mean, right = enumerated(noises, prior, present)
    assert risk.posterior == pytest.approx(mean, abs=2e-11)
    assert risk.correct_decision == pytest.approx(right, abs=2e-11)


@given(rho=st.floats(1e-3, 30.0), prior=st.floats(1e-4, 1 - 1e-4))
@settings(max_examples=50, deadline=None)
def test_one_count_is_the_single_level(rho: float, prior: float) -> None:
    one = posterior.expected_unique_at_levels([rho], prior)
    single = posterior.expected_single_level(rho, prior)
    assert one.posterior == pytest.approx(single.posterior, abs=one.error + single.error)
    assert one.correct_decision == pytest.approx(single.correct_decision, abs=1e-12)


def test_the_stated_error_holds_for_strong_evidence_and_extreme_priors() -> None:
    for rho, prior in itertools.product((1e-4, 1.0, 80.0), (1e-6, 0.5, 1 - 1e-6)):
        one, single = posterior.expected_unique_at_levels([rho], prior), posterior.expected_single_level(rho, prior)
        assert abs(one.posterior - single.posterior) <= one.error <= 1e-8


def test_equal_releases_are_one_release_of_their_sum() -> None:
    # four counts with rho .1 each: their sum is sufficient, with log odds .1 (2 S + 4), S the sum of the noises
    law = posterior.noise_of_sum(DiscreteGaussianNoise(np.sqrt(5.0)), 4)
    s = np.arange(-80, 81)
    weight, odds = np.exp(law.logpmf(s)), 0.1 * (2 * s + 4)
    risk = posterior.expected_sequence([0.1] * 4)
    assert risk.posterior == pytest.approx(weight @ special.expit(odds), abs=1e-11)
    assert risk.correct_decision == pytest.approx(weight[odds > 1e-9].sum(), abs=1e-11)
    assert risk.undecided == pytest.approx(float(weight[np.abs(odds) < 1e-9].sum()), abs=1e-11)
    assert posterior.expected_sequence(noise=posterior.repeated(0.1, 4)).posterior == risk.posterior


def test_simulation_agrees_at_six_levels() -> None:
    rng = np.random.default_rng(3)
    rhos, draws = posterior.CENSUS_2020.histogram_rhos, 200_000
    odds = np.zeros(draws)
    for rho in rhos:
        odds += rho * (2 * DiscreteGaussianNoise(1 / np.sqrt(2 * rho)).sample(draws, rng) + 1)
    values = special.expit(odds)
    risk = posterior.expected_unique_at_levels(rhos)
    assert abs(values.mean() - risk.posterior) < 5 * values.std() / np.sqrt(draws)
    share = (odds > 0).mean()
    assert abs(share - risk.correct_decision) < 5 * np.sqrt(share * (1 - share) / draws)


def test_ratios_multiply() -> None:
    noisy, rho = [2, -1, 3, 0], [0.1, 0.3, 0.05, 0.2]
    chain = posterior.sequence(noisy, known=1, rho=rho, prior=0.2)
    assert np.prod(chain.ratios) == pytest.approx(chain.risk_ratio)
    assert chain.posterior == pytest.approx(float(posterior.unique_at_levels(noisy, 1, rho, 0.2)))
    step = 0.2
    for x, r, value in zip(noisy, rho, chain.posteriors, strict=True):
        step = float(posterior.single_level(x, 1, r, step))
        assert value == pytest.approx(step)


def test_expected_risk_of_a_sequence_is_not_the_product_of_expected_risks() -> None:
    both = posterior.expected_sequence([0.5, 0.5]).risk_ratio
    assert abs(both - posterior.expected_single_level(0.5).risk_ratio ** 2) > 0.01


def test_more_releases_never_lower_the_expected_posterior() -> None:
    values = [posterior.expected_sequence([0.1] * m, 0.1, decisions=False).posterior for m in (1, 2, 5, 20, 100)]
    assert values == sorted(values)
    assert np.isnan(posterior.expected_sequence([0.1], decisions=False).correct_decision)


def test_many_different_noises_are_decided_to_within_a_stated_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_sums, "_MOST_STATES", 50_000)  # there is nothing to gain from a longer wait
    monkeypatch.setattr(evidence_sums, "_LONGEST_GROUP", 50_000)
    monkeypatch.setattr(evidence_sums, "_LATTICE_POINTS", 1 << 18)
    rhos = [0.02 * math.sqrt(prime) for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)]
    risk = posterior.expected_sequence(rhos)
    assert 4e-12 < risk.error < 1e-3
    rng, draws = np.random.default_rng(4), 40_000
    odds = np.zeros(draws)
    for rho in rhos:
        odds += rho * (2 * DiscreteGaussianNoise(1 / np.sqrt(2 * rho)).sample(draws, rng) + 1)
    share = (odds > 0).mean()
    assert abs(share - risk.correct_decision) < 4 * np.sqrt(share * (1 - share) / draws) + risk.error
    assert risk.posterior == posterior.expected_sequence(rhos, decisions=False).posterior


def test_evidence_merges_equal_values() -> None:
    law = evidence(DiscreteLaplaceNoise(0.5))
    assert law.values == pytest.approx([-2.0, 2.0])
    assert law.weights.sum() == pytest.approx(1.0, abs=1e-14)
    both = merged(np.array([1.0, 0.0, 1.0 + 1e-14]), np.array([0.2, 0.5, 0.3]))
    assert both.weights == pytest.approx([0.5, 0.5])
    assert exceedance([law, law], 0.5) == pytest.approx(law.weights[1] ** 2)


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match=r"noisy must hold one count per level \(1\), got 2"):
        posterior.unique_at_levels([1, 2], rho=[0.1])
    with pytest.raises(ParameterError, match=r"noisy must hold one count per release \(2\), got 1"):
        posterior.sequence([1], rho=[0.1, 0.2])
    with pytest.raises(ParameterError, match="rho must have at least 1 entry, one per level, got 0"):
        posterior.expected_unique_at_levels([])
    with pytest.raises(ParameterError, match="rho must be > 0"):
        posterior.expected_sequence([0.1, -0.1])
    with pytest.raises(ParameterError, match="times must be >= 1"):
        posterior.repeated(0.1, 0)


@pytest.mark.parametrize(
    ("rho", "ratio"),
    [((0.1,), 1.22140275816017), ((0.3, 0.7), 7.38905609893065), ((20.0,), 2.3538526683702e17)],
)
def test_a_tiny_prior_keeps_the_digits_of_its_posterior(rho: tuple[float, ...], ratio: float) -> None:
    # by 40-digit enumeration; as p falls to 0 the ratio is E e^L = e^{2 rho}
    found = posterior.expected_sequence(rho, 1e-300, decisions=False)
    assert found.risk_ratio == pytest.approx(ratio, rel=1e-10)
    assert found.risk_ratio == pytest.approx(math.exp(2 * sum(rho)), rel=1e-9)


def test_noise_too_wide_to_list_is_averaged_and_its_decisions_refused() -> None:
    wide = posterior.expected_sequence([1e-12, 0.1], decisions=False)
    assert wide.posterior == pytest.approx(posterior.expected_sequence([0.1], decisions=False).posterior, abs=1e-11)
    alone = posterior.expected_sequence([1e-12])
    assert alone.correct_decision == pytest.approx(0.5, abs=1e-6)
    with pytest.raises(ParameterError, match="too many cases to be listed"):
        posterior.expected_sequence([1e-12, 0.1])


def test_certainty_needs_no_sum() -> None:
    assert posterior.expected_sequence([1e100, 1e4]).posterior == 1.0
    assert posterior.expected_sequence([1e100, 1e4], present=False).posterior == 0.0
    with pytest.raises(ParameterError, match="noise of a size between"):
        posterior.expected_sequence([1e300])


@pytest.mark.parametrize("present", [True, False])
def test_a_family_moves_every_count(present: bool) -> None:
    noises: list[Noise] = [DiscreteGaussianNoise(0.9), DiscreteLaplaceNoise(0.5)]
    tables = [within_reach(CountNoise(noise), 1e-12) for noise in noises]
    mean = right = 0.0
    for i, j in itertools.product(*(range(len(points)) for points, _ in tables)):
        noisy = [tables[0][0][i] + 3 * present, tables[1][0][j] + 3 * present]
        weight = math.exp(tables[0][1][i] + tables[1][1][j])
        value = posterior.unique_at_levels(noisy, prior=0.1, noise=noises, family=3)
        assert value == posterior.sequence(noisy, prior=0.1, noise=noises, family=3).posterior
        mean += weight * float(value)
        right += weight * (value.decides_present == present)
    ours = posterior.expected_unique_at_levels(prior=0.1, noise=noises, present=present, family=3)
    assert (ours.posterior, ours.correct_decision) == pytest.approx((mean, right), abs=1e-9)
    together = posterior.expected_sequence(prior=0.1, noise=noises, present=present, family=3)
    assert together == ours
    curve = posterior.unique_levels_curve([0.1, 0.2], [0.5], present, family=3)
    assert curve["posterior"][0, 0] == pytest.approx(
        posterior.expected_single_level(0.1, present=present, family=3).posterior, abs=1e-11
    )
