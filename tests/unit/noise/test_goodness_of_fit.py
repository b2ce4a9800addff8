"""The test of a claimed noise: its transform is uniform exactly, its level and its intervals hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import epsilens as el
from epsilens.errors import ParameterError
from epsilens.noise.goodness_of_fit import (
    PublishedLaw,
    Transformed,
    expected_residuals,
    fit_test,
    holm,
    no_negative_by_chance,
    sizes_not_rejected,
    uniforms,
)

WHOLE = [
    PublishedLaw(el.DiscreteLaplaceNoise(1.3)),
    PublishedLaw(el.DiscreteLaplaceNoise(1.3), clipped=True),
    PublishedLaw(el.DiscreteGaussianNoise(1.1), shown_from=2),
    PublishedLaw(el.LaplaceNoise(0.9), rounded=True),
    PublishedLaw(el.GaussianNoise(1.2), rounded=True, clipped=True),
]
SMOOTH = [
    PublishedLaw(el.LaplaceNoise(0.9)),
    PublishedLaw(el.GaussianNoise(1.2), clipped=True),
    PublishedLaw(el.LaplaceNoise(0.9), shown_from=0.0),
]
COUNTS = np.array([0.0, 0.0, 1.0, 2.0, 5.0, 30.0])


def published(law: PublishedLaw, counts: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Counts that are shown, as published, and their true ones."""
    values = counts + law.noise.sample(counts.shape, rng)
    values = np.floor(values + 0.5) if law.whole else values
    if law.clipped:
        values = np.maximum(values, 0.0)
    shown = values >= (-math.inf if law.shown_from is None else law.shown_from)
    return counts[shown], values[shown]


@pytest.mark.parametrize("law", WHOLE, ids=str)
@pytest.mark.parametrize("count", [0.0, 1.0, 4.0])
def test_tails_agree_with_enumeration(law: PublishedLaw, count: float) -> None:
    """Every whole sum of count and noise, put through what is done to it, one by one."""
    sums = np.arange(-60, 80)
    chances = law.noise.pmf(sums - count)
    values = np.maximum(sums, 0) if law.clipped else sums
    shown = values >= (-1000 if law.shown_from is None else law.shown_from)
    chances, values = chances[shown] / chances[shown].sum(), values[shown]
    for y in np.unique(values)[:25]:
        below, at, above = law.tails([count], [y])
        assert below[0] == pytest.approx(chances[values < y].sum(), abs=1e-12)
        assert at[0] == pytest.approx(chances[values == y].sum(), abs=1e-12)
        assert above[0] == pytest.approx(chances[values > y].sum(), abs=1e-12)


@pytest.mark.parametrize("law", WHOLE, ids=str)
def test_the_transform_is_uniform_by_enumeration(law: PublishedLaw) -> None:
    """P(U <= u) = u: the sum over y of P(y) times the share of its interval that lies below u."""
    values = np.arange(0 if law.clipped else -60 if law.shown_from is None else int(law.shown_from), 80)
    below, at, _ = law.tails(np.full(len(values), 3.0), values)
    for u in (0.01, 0.3, 0.5, 0.77, 0.999):
        inside = np.clip((u - below) / np.maximum(at, 1e-100), 0.0, 1.0)
        assert float(at @ inside) == pytest.approx(u, abs=1e-12)


@pytest.mark.parametrize("law", WHOLE + SMOOTH, ids=str)
def test_the_transform_is_uniform_by_simulation(law: PublishedLaw) -> None:
    rng = np.random.default_rng(3)
    true, values = published(law, np.tile(COUNTS, 1000), rng)
    found = Transformed.of(law, true, values, rng.random(len(true)))
    assert np.abs(found.lower + found.upper - 1.0).max() < 1e-9
    size = math.sqrt(len(true))
    assert abs(found.lower.mean() - 0.5) < 5.0 * math.sqrt(1 / 12) / size
    assert abs((found.lower**2).mean() - 1 / 3) < 5.0 * math.sqrt(4 / 45) / size
    assert abs(found.scores.mean()) < 5.0 / size
    assert abs((found.scores**2).mean() - 1.0) < 5.0 * math.sqrt(2.0) / size


@pytest.mark.parametrize("law", [WHOLE[0], WHOLE[4], SMOOTH[0]], ids=str)
def test_the_level_holds_on_a_table_of_eight_counts(law: PublishedLaw) -> None:
    """Two hundred releases: at most 5 % are refuted, within 5 standard errors, and in each of the three ways."""
    rng, repetitions = np.random.default_rng(8), 200
    found = np.zeros((repetitions, 4), dtype=bool)
    for i in range(repetitions):
        true, values = published(law, np.array([0.0, 0, 1, 1, 2, 3, 8, 20]), rng)
        test = fit_test(Transformed.of(law, true, values, uniforms(values)))
        found[i] = np.array([test.p_value, test.size, test.middle, test.shape]) < 0.05
    error = math.sqrt(0.05 * 0.95 / repetitions)
    assert (found.mean(axis=0) < 0.05 + 5.0 * error).all()
    assert (found.mean(axis=0)[1:] > 0.05 - 3.0 * error).all()


@pytest.mark.parametrize("law", [WHOLE[0], WHOLE[1], SMOOTH[0]], ids=str)
def test_a_size_is_in_the_interval_exactly_where_the_test_of_size_lets_it_pass(law: PublishedLaw) -> None:
    rng = np.random.default_rng(9)
    for _ in range(4):
        true, values = published(law, np.array([0.0, 0, 1, 1, 2, 3, 8, 20]), rng)
        uniform = uniforms(values)
        sizes = sizes_not_rejected(law, true, values, uniform, confidence=0.7)
        assert sizes is not None
        for size in np.geomspace(0.3, 4.0, 12):
            passes = fit_test(Transformed.of(law.of_size(float(size)), true, values, uniform)).size >= 0.3
            assert passes == (sizes.low <= size <= sizes.high)


@pytest.mark.parametrize("factor", [0.5, 2.0])
@pytest.mark.parametrize("law", [WHOLE[0], WHOLE[1], WHOLE[2], SMOOTH[0], SMOOTH[1]], ids=str)
def test_noise_of_another_size_is_refuted_and_its_size_found(law: PublishedLaw, factor: float) -> None:
    rng = np.random.default_rng(5)
    other = law.of_size(factor * law.noise.size)
    true, values = published(other, np.tile(COUNTS, 150), rng)
    uniform = uniforms(values)
    test = fit_test(Transformed.of(law, true, values, uniform))
    assert test.p_value < 1e-4
    assert (test.too_little < 0.5) == (factor < 1.0)
    sizes = sizes_not_rejected(law, true, values, uniform)
    assert sizes is not None
    assert sizes.low < sizes.size < sizes.high
    assert sizes.size == pytest.approx(other.noise.size, rel=0.2)
    assert not sizes.low <= law.noise.size <= sizes.high


def test_another_law_of_the_same_variance_is_refuted_by_its_shape() -> None:
    rng, counts = np.random.default_rng(2), np.full(4000, 50.0)
    values = counts + el.GaussianNoise(math.sqrt(2.0)).sample(counts.shape, rng)
    test = fit_test(Transformed.of(PublishedLaw(el.LaplaceNoise(1.0)), counts, values, uniforms(values)))
    assert test.shape < 1e-6
    moved = counts + 0.2 + el.LaplaceNoise(1.0).sample(counts.shape, rng)
    assert fit_test(Transformed.of(PublishedLaw(el.LaplaceNoise(1.0)), counts, moved, uniforms(moved))).middle < 1e-4


def test_the_same_release_gives_the_same_answer_and_another_has_other_draws() -> None:
    first, again, other = uniforms([1.0, 0.0]), uniforms([1.0, -0.0]), uniforms([1.0, 2.0])
    assert (first == again).all()
    assert (first != other).all()
    assert (uniforms([1.0, 0.0], seed=1) != first).all()


def test_counts_that_are_published_as_they_are() -> None:
    """Whole-number noise may be as small as one likes; of continuous noise no size gives exactly nothing."""
    counts = np.arange(200.0)
    sizes = sizes_not_rejected(PublishedLaw(el.DiscreteLaplaceNoise(1.0)), counts, counts, uniforms(counts))
    assert sizes is not None
    assert sizes.low == 0.0
    assert sizes.high < 0.3
    assert sizes_not_rejected(PublishedLaw(el.LaplaceNoise(1.0)), counts, counts, uniforms(counts)) is None
    assert fit_test(Transformed.of(PublishedLaw(el.LaplaceNoise(1.0)), counts, counts, uniforms(counts))).p_value == 0.0


def test_what_a_law_never_gives() -> None:
    whole, clipped = PublishedLaw(el.DiscreteLaplaceNoise(1.0)), PublishedLaw(el.LaplaceNoise(1.0), clipped=True)
    assert whole.impossible([1.0, 0.5, -2.0]).tolist() == [False, True, False]
    assert clipped.impossible([1.0, 0.5, -2.0]).tolist() == [False, False, True]
    assert PublishedLaw(el.LaplaceNoise(1.0), shown_from=3).impossible([2.9, 3.0]).tolist() == [True, False]
    assert sizes_not_rejected(whole, [1.0], [0.5], [0.5]) is None
    assert fit_test(Transformed(np.array([0.4]), np.array([0.6])), impossible=1).p_value == 0.0
    assert fit_test(Transformed(np.zeros(0), np.zeros(0))).p_value == 1.0
    with pytest.raises(ParameterError, match="declare one of the two"):
        PublishedLaw(el.LaplaceNoise(1.0), clipped=True, shown_from=2)


def test_noise_far_out_is_refuted_without_a_number_that_is_none() -> None:
    law = PublishedLaw(el.GaussianNoise(1.0))
    test = fit_test(Transformed.of(law, [0.0, 5.0], [1e6, -1e6], [0.5, 0.5]))
    assert test.p_value == pytest.approx(0.0, abs=1e-200)
    wide = PublishedLaw(el.LaplaceNoise(1e200))
    assert 0.0 <= fit_test(Transformed.of(wide, [0.0, 5.0], [3.0, 1.0], [0.5, 0.5])).p_value <= 1.0


@pytest.mark.parametrize("law", [WHOLE[0], WHOLE[1], WHOLE[2], SMOOTH[1], SMOOTH[2]], ids=str)
def test_expected_differences_agree_with_simulation(law: PublishedLaw) -> None:
    rng = np.random.default_rng(4)
    edges = np.arange(-6, 7) - 0.5
    true, values = published(law, np.tile(COUNTS, 700), rng)
    found, expected = np.histogram(values - true, edges)[0], expected_residuals(law, true, edges)
    assert (np.abs(found - expected) <= 5.0 * np.sqrt(np.maximum(expected, 1.0))).all()
    assert expected_residuals(law, true, [-1e3 - 0.5, 1e3 + 0.5])[0] == pytest.approx(len(true))


def test_no_negative_count_by_chance() -> None:
    law = PublishedLaw(el.DiscreteLaplaceNoise(1.0))
    not_below = [1.0 - float(law.noise.cdf(-0.5 - n)) for n in (0, 0, 2)]
    assert no_negative_by_chance(law, [0, 0, 2]) == pytest.approx(math.prod(not_below))


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_all_three_statistics_against_the_textbook(power: float) -> None:
    lower = np.random.default_rng(5).random(60) ** power  # to the right of uniform, uniform, to the left
    found = fit_test(Transformed(lower, 1.0 - lower))
    scores = stats.norm.ppf(lower)
    more = stats.chi2.sf((scores**2).sum(), 60)
    assert found.size == pytest.approx(min(1.0, 2.0 * min(more, 1.0 - more)))
    assert found.too_little == pytest.approx(1.0 - more)
    assert found.middle == pytest.approx(2.0 * stats.norm.sf(abs(scores.mean()) * math.sqrt(60)))
    assert found.shape == pytest.approx(stats.kstest(lower, "uniform", method="exact").pvalue)
