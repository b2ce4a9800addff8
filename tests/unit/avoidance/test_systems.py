"""Every system against its own simulation, on random tables; readings; bad input."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import epsilens as el
from epsilens import avoidance as av
from epsilens.avoidance import published
from epsilens.avoidance.system import released_counts
from epsilens.errors import DataError, ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.published import overshoot_moments, rounded_variance
from epsilens.table.domain import natural_order

SETTINGS = av.Settings(k=3, swap=("race",), share=0.3)
REPETITIONS = 400


def random_histogram(seed: int, ordered: tuple[str, ...] = ()) -> av.Histogram:
    rng = np.random.default_rng(seed)
    counts = rng.negative_binomial(1, 0.2, (3, 4, 2)) * (rng.random((3, 4, 2)) < 0.7)
    levels = tuple(tuple(str(i) for i in range(size)) for size in counts.shape)
    return av.Histogram(counts.astype(np.int64), ("puma", "race", "income"), levels, ("puma", "race"), ordered)


EXACT = [
    *(name for name in av.SYSTEMS if name not in {"dp-k-anonymity", "swapping", "swapping-different", "swapping-cells"})
]


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("seed", [1, 2])
def test_simulated_bias_is_within_five_standard_errors_of_the_exact_law(name: str, seed: int) -> None:
    histogram = random_histogram(seed, ordered=("race",) if seed == 2 else ())
    system = av.build(name, 1.0, SETTINGS.for_histogram(histogram))
    exact = system.moments(histogram)
    assert exact is not None
    assert exact.exact
    simulated = av.simulated_moments(system, histogram, np.random.default_rng(seed), REPETITIONS)
    assert simulated.standard_error is not None
    error = np.sqrt(exact.variance / REPETITIONS)
    assert (np.abs(simulated.bias - exact.bias) <= 5.0 * error + 1e-9).all()
    # the variance of each cell: its own standard error is about sqrt(kurtosis / repetitions)
    assert simulated.variance.sum() == pytest.approx(exact.variance.sum(), rel=0.25, abs=1e-9)
    np.testing.assert_array_equal(system.bias(histogram), exact.bias)


@pytest.mark.parametrize("noise", [LaplaceNoise(2.0), GaussianNoise(1.5)])
@pytest.mark.parametrize(("rounded", "clipped"), list(itertools.product([True, False], repeat=2)))
def test_post_processing_of_noisy_counts(noise: Noise, rounded: bool, clipped: bool) -> None:
    counts = np.arange(12)
    system = av.NoisyCounts(noise, rounded, clipped)
    exact = system.moments(counts)
    released = np.stack([system.release(counts, np.random.default_rng(i)) for i in range(4000)])
    assert (released >= 0).all() == clipped
    assert (released == np.floor(released)).all() == rounded
    error = np.sqrt(exact.variance / len(released))
    assert (np.abs(released.mean(axis=0) - counts - exact.bias) <= 5.0 * error).all()
    np.testing.assert_allclose(released.var(axis=0), exact.variance, rtol=0.2)
    assert clipped or not exact.bias.any()


def test_closed_forms_of_clipped_laplace_and_discrete_laplace_bias() -> None:
    counts, b = np.arange(30.0), 4.0
    plain = av.NoisyCounts(LaplaceNoise(b), rounded=False).bias(counts)
    np.testing.assert_allclose(plain, 0.5 * b * np.exp(-counts / b), rtol=1e-12)
    rounded = av.NoisyCounts(LaplaceNoise(b)).bias(counts)
    np.testing.assert_allclose(rounded, np.exp(-(counts + 0.5) / b) / (2 * (1 - math.exp(-1 / b))), rtol=1e-12)
    p = math.exp(-1 / b)
    discrete = av.NoisyCounts(DiscreteLaplaceNoise(b)).bias(counts)
    np.testing.assert_allclose(discrete, p ** (counts + 1) / ((1 + p) * (1 - p)), rtol=1e-12)


@pytest.mark.parametrize("noise", [LaplaceNoise(3.0), GaussianNoise(2.0), DiscreteGaussianNoise(2.0)])
def test_overshoot_moments_by_brute_force(noise: Noise) -> None:
    k = np.arange(-200.0, 201.0)
    mass = noise.pmf(k)
    for x in (0, 1, 5):
        below = np.maximum(-x - k, 0.0)
        first, second = overshoot_moments(noise, np.array([float(x)]), rounded=True)
        assert first[0] == pytest.approx(mass @ below, rel=1e-10)
        assert second[0] == pytest.approx(mass @ below**2, rel=1e-10)
    assert rounded_variance(noise) == pytest.approx(mass @ k**2, rel=1e-10)


def test_wide_noise_is_summed_by_euler_maclaurin() -> None:
    wide = LaplaceNoise(500.0)  # standard deviation above the limit for plain sums
    x = np.array([0.0, 100.0, 2000.0])
    b = wide.scale
    np.testing.assert_allclose(
        overshoot_moments(wide, x, rounded=True)[0], np.exp(-(x + 0.5) / b) / (2 * (1 - math.exp(-1 / b))), rtol=1e-10
    )
    s, p = 1e7, math.exp(-1e-7)
    first, second = overshoot_moments(DiscreteLaplaceNoise(s), x, rounded=True)
    np.testing.assert_allclose(first, p ** (x + 1) / ((1 + p) * -math.expm1(-1 / s)), rtol=1e-10)
    np.testing.assert_allclose(second, p ** (x + 1) / math.expm1(-1 / s) ** 2, rtol=1e-10)


def test_rounding_keeps_halves_up_and_arrays_stay_arrays() -> None:
    system = av.Suppression(4)
    np.testing.assert_array_equal(system.release([0, 3, 4, 9]), [2, 2, 4, 9])
    np.testing.assert_array_equal(av.Suppression(5, "equation-1").release([0, 2, 3, 9]), [2.5, 2.5, 3, 9])
    np.testing.assert_array_equal(av.Suppression(5).release([0, 2, 3, 9]), [2, 2, 2, 9])


def test_printed_bounds_hold_for_the_exact_laws() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        counts = rng.integers(0, 40, (6, 4))
        epsilon, k = float(rng.uniform(0.2, 4)), int(rng.integers(1, 12))
        suppressed = av.DPSuppression(k, epsilon).bias(counts)
        assert av.bias_l1(suppressed) <= published.suppression_bias_bound(counts, epsilon, k) + 1e-9
        assert av.fairness(suppressed) <= published.suppression_fairness_bound(counts, epsilon, k) + 1e-9
        swapped = av.DPSwapping(epsilon).bias(counts)
        assert av.bias_l1(swapped) == pytest.approx(published.swapping_bias_l1(counts, epsilon))
        assert av.fairness(swapped) <= published.swapping_fairness_bound(counts, epsilon, 4) + 1e-9
        laplace = av.NoisyCounts(LaplaceNoise(2 / epsilon), rounded=False).bias(counts)
        assert av.fairness(laplace) <= published.laplace_fairness_bound(counts, epsilon) + 1e-9
        p = published.suppression_probabilities(counts, epsilon, k)
        np.testing.assert_allclose(suppressed, (k / 2 - counts) * p)


def test_merge_bias_by_enumeration() -> None:
    counts, k = np.arange(9), 4
    beta = published.sampling_probability(0.7)
    system = av.DPKAnonymity(k, 0.7)
    expected = [
        sum(math.comb(x, j) * beta**j * (1 - beta) ** (x - j) for j in range(min(k, int(x) + 1))) - (x < k)
        for x in counts
    ]
    np.testing.assert_allclose(published.merge_bias(counts, k, beta), expected, atol=1e-12)
    histogram = av.Histogram(counts.reshape(9, 1), ("a", "y"), (tuple("abcdefghi"), ("1",)), ("a",))
    np.testing.assert_allclose(system.merge_bias(histogram).ravel(), expected, atol=1e-12)


def test_keep_probability_and_swapping_keep_the_other_margins() -> None:
    assert published.keep_probability(0.5, 2) == pytest.approx(math.exp(0.5) / (math.exp(0.5) + 1))
    histogram = random_histogram(3)
    for name in ("dp-swapping", "dp-swapping-rows", "swapping", "swapping-different", "swapping-cells"):
        system = av.build(name, 0.5, SETTINGS.for_histogram(histogram))
        released = released_counts(system.release(histogram, np.random.default_rng(1)))
        assert released.sum() == histogram.counts.sum()
        if name != "swapping-cells":  # cells of different other attributes may be partners
            np.testing.assert_array_equal(released.sum(axis=1), histogram.counts.sum(axis=1))


def test_shown_probabilities_are_the_frequencies_of_shown_cells() -> None:
    histogram, rounds = random_histogram(4), 3000
    for name in ("laplace", "dp-suppression", "dp-swapping", "dp-swapping-rows"):
        system = av.build(name, 1.0, SETTINGS.for_histogram(histogram))
        expected = system.shown_probabilities(histogram)
        assert expected is not None
        rng = np.random.default_rng(6)
        seen = np.zeros(histogram.counts.shape)
        for _ in range(rounds):
            released = released_counts(system.release(histogram, rng))
            if name == "dp-suppression":
                seen += (released == histogram.counts) & (histogram.counts > 0)
            else:
                seen += released >= 0.5
        error = np.sqrt(expected * (1 - expected) / rounds)
        assert (np.abs(seen / rounds - expected) <= 5 * error + 1e-12).all(), name
    assert av.DPSwapping(0.5, columns=("income",)).shown_probabilities(histogram) is None


def test_impossible_cells_stay_empty() -> None:
    table = el.FrequencyTable.from_counts(
        [[5, 0], [2, 3]], ["a", "b"], {"q": ["x", "y"]}, structural_zeros=[[False, True], [False, False]]
    )
    histogram = av.Histogram.of(table)
    for name in ("laplace", "suppression", "dp-suppression", "dp-swapping", "k-anonymity"):
        system = av.build(name, 0.1, av.Settings(k=2).for_histogram(histogram))
        released = released_counts(system.release(table, np.random.default_rng(1)))
        assert released[0, 1] == 0
        assert system.bias(table)[0, 1] == 0


def test_the_universe_of_a_table() -> None:
    table = el.FrequencyTable.from_counts([[1, 2], [0, 4]], ["no", "yes"], {"age": ["10", "9"], "sex": ["f", "m"]})
    histogram = av.Histogram.of(table)
    assert histogram.attributes == ("age", "sex", "label")
    assert histogram.levels == (("9", "10"), ("f", "m"), ("no", "yes"))
    assert histogram.counts[1, 0].tolist() == [1, 2]
    wider = av.Histogram.of(table, {"sex": ["f", "m", "x"]})
    assert (wider.n_cells, wider.n_records, wider.largest, wider.others) == (12, 7, 4, ("label",))
    assert "sex(3)" in repr(wider)
    with pytest.raises(DataError, match="universe of 'sex' misses 1 values"):
        av.Histogram.of(table, {"sex": ["f"]})
    with pytest.raises(ParameterError, match="lists a value twice"):
        av.Histogram.of(table, {"sex": ["f", "m", "m"]})
    with pytest.raises(ParameterError, match="did you mean 'sex'"):
        av.Histogram.of(table, {"sexx": ["f"]})
    with pytest.raises(ParameterError, match="names no quasi-identifiers"):
        av.Histogram.of(el.FrequencyTable.from_counts([[1, 2]]))
    assert natural_order(["[20, 25)", "< 5", "[5, 10)"]) == ["< 5", "[5, 10)", "[20, 25)"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: av.Suppression(0), "k must be >= 1, got 0"),
        (lambda: av.DPSuppression(6, -1.0), "epsilon must be > 0"),
        (lambda: av.DPSuppression(6, 1.0, "eq"), "reading must be one of"),  # type: ignore[arg-type]
        (lambda: av.DPSuppression(6, 1.0).published_delta(), "needs bound, the largest"),
        (lambda: av.DPSuppression(6, 1.0).delta(bound=6), "must exceed the threshold"),
        (lambda: published.suppression_delta(1.0, 6, 5), "above the threshold"),
        (lambda: av.DPSwapping(1.0, levels=1), "levels must be >= 2"),
        (lambda: av.DPSwapping(1.0).published_delta(), "delta needs levels, the number"),
        (lambda: av.DPSwapping(1.0, columns=()), "at least one column"),
        (lambda: av.DPSwapping(1.0, levels=5).bias([[1, 2]]), "levels says 5"),
        (lambda: av.DPSwapping(1.0).bias([[1], [2]]), "single combination"),
        (lambda: av.DPSwapping(1.0, columns=("rac",)).bias(random_histogram(1)), "did you mean 'race'"),
        (lambda: av.DPSwapping(1.0, 9).delta("rows"), "neighbours must be one of"),  # type: ignore[arg-type]
        (lambda: av.Swapping(1.5), "share of rows to swap must be > 0 and at most 1, got 1.5"),
        (lambda: av.Swapping(0.1).bias(random_histogram(1)), "give an rng"),
        (lambda: av.DPKAnonymity(3, 1.0).bias(random_histogram(1)), "give an rng"),
        (lambda: av.DPKAnonymity(3, 1.0).published_delta(), "needs bound, the largest"),
        (lambda: av.KAnonymity(10**6).bias(random_histogram(1)), "k must not exceed the number of people"),
        (lambda: av.KAnonymity(2, columns=()), "at least one quasi-identifier"),
        (lambda: av.NoisyCounts.as_published("cauchy", 1.0), "law must be one of"),
        (lambda: av.NoisyCounts(LaplaceNoise(1)).bias([-1]), "whole numbers >= 0"),
        (lambda: av.chosen_systems(["laplce"]), "did you mean 'laplace'"),
        (lambda: av.chosen_systems([]), "at least one system"),
        (lambda: av.Settings(k=50_000).for_histogram(random_histogram(1)), "k must not exceed"),
        (lambda: av.Histogram(np.ones((1, 1)), ("a", "b"), (("1",), ("1",)), ()), "at least one quasi-identifier"),
        (lambda: av.simulated_moments(av.Suppression(2), [1], np.random.default_rng(), 1), "repetitions must be >= 2"),
    ],
)
def test_bad_input_says_the_rule(call, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((ParameterError, DataError), match=message):
        call()
