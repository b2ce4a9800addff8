"""Thresholding against full enumeration, against simulation, and at its limits."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.arrays import FloatArray
from epsilens.errors import ParameterError
from epsilens.homogeneity import published_hard, published_soft
from epsilens.homogeneity.guesses import hard_guesses, soft_guesses
from epsilens.homogeneity.local import local, scenarios
from epsilens.homogeneity.shown import number_shown, shown_and_hidden
from epsilens.homogeneity.thresholding import (
    guess_probabilities,
    hard,
    prepare_hard,
    prepare_soft,
    soft,
    threshold_belief,
)
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise
from epsilens.noise.law import Noise
from epsilens.noise.whole_number_sums import NODES, _legendre_sums, reach, whole_numbers
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable

SMALL_CELLS = [(1, 1, 1), (3, 0, 2), (0, 0, 0), (6, 0, 0), (2, 2, 0), (4, 1, 1)]
LAWS: list[Noise] = [
    DiscreteLaplaceNoise(0.9),
    DiscreteGaussianNoise(1.3),
    LaplaceNoise(1.0),
    GaussianNoise(1.7),
    LaplaceNoise(0.05),
]


def published_law(count: int, noise: Noise) -> FloatArray:
    """P(published count = 0, 1, 2, ...), straight from the definition."""
    if count == STRUCTURAL_ZERO:
        return np.ones(1)
    far = 1
    while float(noise.sf(far)) > 1e-15:
        far += 1
    m = np.arange(0.0, count + far + 1)
    mass = noise.pmf(m - count)
    mass[0] = float(noise.cdf(0.5 - count))
    return mass


def enumerated(cell: tuple[int, ...], noise: Noise) -> tuple[FloatArray, FloatArray]:
    """Guesses of the hard and the soft attacker by going through every published cell."""
    laws = [published_law(count, noise) for count in cell]
    shape = tuple(len(law) for law in laws)
    weight = np.ones(shape)
    for k, law in enumerate(laws):
        weight = weight * law.reshape([-1 if j == k else 1 for j in range(len(laws))])
    published = np.moveaxis(np.indices(shape), 0, -1)
    total = published.sum(axis=-1, keepdims=True)
    winners = (published == published.max(axis=-1, keepdims=True)) & (published > 0)
    hard_rule = winners / np.maximum(winners.sum(axis=-1, keepdims=True), 1)
    soft_rule = published / np.maximum(total, 1)
    axes = tuple(range(len(cell)))
    return (weight[..., None] * hard_rule).sum(axis=axes), (weight[..., None] * soft_rule).sum(axis=axes)


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_guesses_are_those_of_full_enumeration(noise: Noise) -> None:
    for cell in SMALL_CELLS:
        by_plurality, by_proportion = enumerated(cell, noise)
        assert hard_guesses(np.array([cell]), noise)[0] == pytest.approx(by_plurality, abs=1e-10)
        assert soft_guesses(np.array([cell]), noise)[0] == pytest.approx(by_proportion, abs=1e-10)


def test_a_structural_zero_is_never_guessed() -> None:
    noise = LaplaceNoise(1.0)
    cell = (2, STRUCTURAL_ZERO, 1)
    by_plurality, by_proportion = enumerated(cell, noise)
    assert hard_guesses(np.array([cell]), noise)[0] == pytest.approx(by_plurality, abs=1e-12)
    assert soft_guesses(np.array([cell]), noise)[0] == pytest.approx(by_proportion, abs=1e-12)
    assert by_plurality[1] == by_proportion[1] == 0.0


@pytest.mark.parametrize("noise", [LaplaceNoise(400.0), GaussianNoise(300.0), DiscreteLaplaceNoise(250.0)], ids=str)
@pytest.mark.parametrize("cell", [(3, 0), (500, 20), (5000, 4800)])
def test_shortened_sums_agree_with_full_ones(noise: Noise, cell: tuple[int, int]) -> None:
    m = np.arange(1.0, max(cell) + reach(noise) + 1)
    first, tied = noise.pmf(m - cell[0]), noise.pmf(m - cell[1])
    expected = float((first * (noise.cdf(m - 0.5 - cell[1]) + 0.5 * tied)).sum())
    assert hard_guesses(np.array([cell]), noise)[0, 0] == pytest.approx(expected, abs=1e-12)


def test_soft_guesses_agree_with_a_full_double_sum_at_a_large_scale() -> None:
    noise = LaplaceNoise(40.0)
    laws = [published_law(count, noise) for count in (70, 15)]
    m, other = np.ogrid[: len(laws[0]), : len(laws[1])]
    share = m / np.maximum(m + other, 1)
    expected = float(laws[0] @ share @ laws[1])
    assert soft_guesses(np.array([[70, 15]]), noise)[0, 0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("length", [57, 58, 61, 100, 1000, 4096, 5000, 10_000])
def test_shortened_sums_are_exact_for_polynomials(length: int) -> None:
    grid = whole_numbers(5, 5 + length, [], panel=float(length))
    for degree in (0, 1, 2, 7, 15):
        full = ((np.arange(length) / length) ** degree).sum()
        assert grid.weights @ ((grid.points - 5) / length) ** degree == pytest.approx(full, rel=1e-12)


def test_sums_of_legendre_polynomials_over_a_long_run() -> None:
    length = 4200
    midpoints = (2.0 * np.arange(length) + 1.0) / length - 1.0
    full = np.polynomial.legendre.legvander(midpoints, NODES - 1).sum(axis=0)
    assert _legendre_sums(length) == pytest.approx(full, abs=1e-9)


@pytest.mark.parametrize(
    "noise", [LaplaceNoise(1e6), GaussianNoise(1e6), LaplaceNoise(1e3), LaplaceNoise(1.0)], ids=str
)
def test_guesses_and_silence_add_up_to_one_for_huge_noise_and_huge_counts(noise: Noise) -> None:
    cells = np.array([[1, 0, 0, 0], [100_000, 99_990, 3, 0], [7, 7, 7, 7], [50_000, 20, 1, 0], [0, 0, 0, 0]])
    silent, _, _ = number_shown(*shown_and_hidden(cells, noise))
    assert hard_guesses(cells, noise).sum(axis=1) + silent == pytest.approx(np.ones(5), abs=1e-12)
    assert soft_guesses(cells, noise).sum(axis=1) + silent == pytest.approx(np.ones(5), abs=1e-12)


def test_many_different_large_counts_are_cut_into_blocks() -> None:
    counts = np.random.default_rng(5).integers(0, 100_000, (300, 6))
    guesses = hard_guesses(counts, LaplaceNoise(2000.0))
    assert guesses[17] == pytest.approx(hard_guesses(counts[17:18], LaplaceNoise(2000.0))[0], abs=1e-13)
    assert guesses.sum(axis=1).max() <= 1 + 1e-12


@pytest.mark.parametrize("noise", [LaplaceNoise(2.0), GaussianNoise(1.5)], ids=str)
def test_risks_are_those_of_simulation(noise: Noise) -> None:
    cells = np.array([[5, 2, 0], [1, 1, 1], [0, 4, 0]])
    table = FrequencyTable.from_counts(cells)
    rng = np.random.default_rng(11)
    draws = 200_000
    for i, cell in enumerate(cells):
        published = np.maximum(np.floor(cell + noise.sample((draws, 3), rng) + 0.5), 0.0)
        share = cell / cell.sum()
        winners = (published == published.max(axis=1, keepdims=True)) & (published > 0)
        for rule, right in (
            (hard, (winners @ share) / np.maximum(winners.sum(axis=1), 1)),
            (soft, (published @ share) / np.maximum(published.sum(axis=1), 1)),
        ):
            error = right.std() / np.sqrt(draws)
            assert rule(table, noise)[i] == pytest.approx(right.mean(), abs=5 * error)


def test_without_noise_the_plurality_is_the_largest_share_and_proportions_square_it() -> None:
    counts = np.array([[5, 2, 1], [4, 0, 0], [3, 3, 0], [0, 0, 0]])
    table = FrequencyTable.from_counts(counts)
    for noise in (LaplaceNoise(1e-3), GaussianNoise(1e-2)):
        assert hard(table, noise) == pytest.approx([5 / 8, 1, 1 / 2, 0], abs=1e-12)
        assert soft(table, noise) == pytest.approx([30 / 64, 1, 1 / 2, 0], abs=1e-12)
    belief = threshold_belief(table)
    assert belief.right == pytest.approx(threshold_belief(table, LaplaceNoise(1e-3)).right, abs=1e-12)
    assert belief.wrong == pytest.approx(1 - belief.right)
    assert threshold_belief(table, rule="soft", part="thresholding").right == pytest.approx((30 / 8 + 3) / 18)


def test_with_endless_noise_every_guess_is_a_draw_among_the_labels_of_the_cell() -> None:
    table = FrequencyTable.from_counts([[3, 1, 1]])
    # nobody is shown with probability 1/8; otherwise all three labels are alike
    for rule in (hard, soft):
        assert rule(table, LaplaceNoise(1e7)) == pytest.approx([7 / 8 / 3], abs=1e-6)


def test_printed_definition_leaves_out_cells_that_became_homogeneous() -> None:
    table = FrequencyTable.from_counts([[4, 0], [3, 2], [0, 1]])
    noise = LaplaceNoise(1.0)
    by_scenario = scenarios(table, noise)
    for rule, printed in ((hard, published_hard), (soft, published_soft)):
        expected = rule(table, noise, part="thresholding") + by_scenario[:, 0]
        assert printed(table, noise) == pytest.approx(expected, abs=1e-14)
        assert printed(table, noise)[1] < rule(table, noise)[1]


def test_the_lower_asymptote_in_print_is_three_eighths_for_two_labels() -> None:
    table = FrequencyTable.from_counts([[9, 0], [0, 1]])
    for printed in (published_hard, published_soft):
        assert printed(table, LaplaceNoise(1e8)) == pytest.approx([0.375, 0.375], abs=1e-6)


def test_parts_add_up_and_prepared_measures_agree() -> None:
    table = FrequencyTable.from_counts([[4, 0, 1], [1, 3, 1], [0, 1, 4], [0, 0, 2]])
    noise = DiscreteLaplaceNoise(1.5)
    for rule, prepare in ((hard, prepare_hard), (soft, prepare_soft)):
        for match in ("any", "share"):
            parts = [rule(table, noise, part=part, match=match) for part in ("homogeneity", "thresholding")]
            assert rule(table, noise, match=match) == pytest.approx(parts[0] + parts[1], abs=1e-14)
            assert parts[0] == pytest.approx(local(table, noise, match), abs=1e-14)
        weights = table.counts.sum(axis=1) / table.n_records
        assert prepare(table).average(noise) == pytest.approx(float(weights @ rule(table, noise)), abs=1e-14)


def test_guess_probabilities_keep_the_order_of_labels() -> None:
    table = FrequencyTable.from_counts([[0, 5, 2], [5, 2, 0]])
    guesses = guess_probabilities(table, LaplaceNoise(1.0))
    assert guesses[0] == pytest.approx(guesses[1][[2, 0, 1]])
    assert guesses[0].argmax() == 1


def test_wrong_options_are_refused() -> None:
    table = FrequencyTable.from_counts([[1, 2]])
    with pytest.raises(ParameterError, match="part must be one of"):
        hard(table, LaplaceNoise(1.0), part="threshold")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="rule must be one of"):
        guess_probabilities(table, LaplaceNoise(1.0), rule="firm")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="match must be one of"):
        prepare_soft(table, match="all")


cells_of_people = st.lists(st.integers(0, 40), min_size=2, max_size=5).filter(any)


@settings(max_examples=60, deadline=None)
@given(counts=cells_of_people, log_epsilon=st.floats(-6, 3), law=st.sampled_from(["laplace", "discrete", "gaussian"]))
def test_risks_are_probabilities_above_the_homogeneity_part(counts: list[int], log_epsilon: float, law: str) -> None:
    scale = 10.0**-log_epsilon
    laws: dict[str, Callable[[float], Noise]] = {
        "laplace": LaplaceNoise,
        "discrete": DiscreteLaplaceNoise,
        "gaussian": GaussianNoise,
    }
    noise = laws[law](scale)
    table = FrequencyTable.from_counts([counts])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rule in (hard, soft):
            risk = float(rule(table, noise)[0])
            assert 0.0 <= risk <= 1.0
            assert risk >= float(local(table, noise, match="share")[0])
            assert float(rule(table, noise, match="any")[0]) >= risk - 1e-12


@settings(max_examples=30, deadline=None)
@given(counts=cells_of_people, epsilon=st.floats(0.01, 10), seed=st.integers(0, 99))
def test_order_of_labels_does_not_matter(counts: list[int], epsilon: float, seed: int) -> None:
    shuffled: list[int] = np.random.default_rng(seed).permutation(counts).tolist()
    noise = LaplaceNoise(1.0 / epsilon)
    for rule in (hard, soft):
        first, second = (rule(FrequencyTable.from_counts([c]), noise)[0] for c in (counts, shuffled))
        assert first == pytest.approx(second, abs=1e-13)


def test_every_order_of_three_labels_gives_the_same_risk() -> None:
    table = FrequencyTable.from_counts(list(itertools.permutations((4, 2, 1))))
    assert np.ptp(hard(table, GaussianNoise(2.0))) == 0.0


@pytest.mark.parametrize("measure", [hard, soft])
def test_noise_beyond_all_counting_is_refused(measure: Callable[..., FloatArray]) -> None:
    table = FrequencyTable.from_counts([[3, 1]])
    with pytest.raises(ParameterError, match="take a larger budget"):
        measure(table, LaplaceNoise(1e300))
