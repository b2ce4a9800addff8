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
from epsilens.homogeneity.local import local
from epsilens.homogeneity.thresholding import (
    guess_probabilities,
    hard,
    prepare_hard,
    prepare_soft,
    soft,
    threshold_belief,
)
from epsilens.noise import DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise
from epsilens.noise.law import Noise
from epsilens.table.frequency import FrequencyTable


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
