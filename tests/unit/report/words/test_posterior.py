"""Sentences about the adversary: every number in them is one of the answer."""

from __future__ import annotations

import pytest

from epsilens.choice.questions.posterior import (
    category,
    census_2020,
    curve,
    levels,
    postprocess,
    release,
    sequence,
    single,
    tree,
    two_level,
)
from epsilens.report.words import posterior as words
from epsilens.report.words.common import BLANK, Grid, Text
from epsilens.table.hierarchy import Situations


@pytest.mark.parametrize(
    ("probability", "digits", "text"),
    [(0.5, 4, "0.5000"), (0.0, 4, "0.0000"), (1e-6, 4, "1e-06"), (0.1234567, 6, "0.123457"), (2e-6, 6, "2e-06")],
)
def test_a_small_chance_does_not_read_as_none(probability: float, digits: int, text: str) -> None:
    assert words.chance(probability, digits) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1000003.0, "1000003"), (1e17, "1e+17"), (1 / 864, "0.00115741"), (0.9999999999, "0.9999999999"), (0.1, "0.1")],
)
def test_a_number_reads_as_it_was_given(value: float, text: str) -> None:
    assert words.plain(value) == text


def test_no_number_reads_as_a_bar_that_it_is_not() -> None:
    assert words.chance(0.99999999) == "0.99999999"
    assert words.chance(1.0) == "1.0000"
    assert words.chance(0.5000001, bars=(0.5,)) == "0.5000001"
    assert words.ratio(1.10001, bars=(1.1,)) == "1.10001"
    assert words.ratio(1.1, bars=(1.1,)) == "1.1000"
    assert words.ratio(1e300) == "1e+300"
    assert words.ratio(1e-9, 3) == "1e-09"


def test_large_counts_are_told_in_full() -> None:
    answer = single.answer(single.Question(noisy=1000003, known=1000000, rho=0.1))
    assert "A noisy count of 1,000,003 with 1,000,000 others known moves it to 0.6" in words.single_sentences(answer)[2]
    certain = single.answer(single.Question(noisy=1e17, rho=0.1))
    assert "100,000,000,000,000,000 with 0 others known moves it to 1.0000" in words.single_sentences(certain)[2]


def test_single() -> None:
    answer = single.answer(single.Question(noisy=2, known=1, rho=0.1, prior=0.2, scenario="misreporting"))
    question, prior, found, average = words.single_sentences(answer)
    assert question == "Did this person report their true characteristics?"
    assert "0.2" in prior
    assert answer.found is not None
    assert f"A noisy count of 2 with 1 other known moves it to {answer.found.posterior:.4f}" in found
    assert found.endswith("the best guess is that the person is not there.")
    assert f"{answer.expected.correct_decision:.4f}" in average
    assert len(words.single_sentences(single.answer(single.Question(rho=0.1)))) == 3


def test_a_curve_is_shortened_for_every_prior_alike() -> None:
    grid, _ = words.curve_blocks(curve.answer(curve.Question(0.1, 1.0, 21, (0.5, 0.1))))
    assert isinstance(grid, Grid)
    assert len(grid.rows) == 2 * 11
    assert list(grid.rows[0][:2]) == ["0.5", "0.1"]
    assert list(grid.rows[11][:2]) == ["0.1", "0.1"]


def test_a_chance_that_is_not_0_does_not_read_as_0() -> None:
    grid, _ = words.curve_blocks(curve.answer(curve.Question(0.001, 0.01, 2, (0.1,))))
    assert isinstance(grid, Grid)
    assert [row[-1] for row in grid.rows] == ["< 1e-12", "< 1e-12"]


def test_two_level() -> None:
    [seen] = words.two_level_sentences(
        two_level.answer(two_level.Question(5, (0.1, 0.2), noisy=2, noisy_parent=1, noisy_siblings=0))
    )
    assert "(exact posterior), against " in seen
    assert seen.endswith("alone and a prior of 0.5.")
    first, second = words.two_level_sentences(two_level.answer(two_level.Question(5, (0.1, 0.2), parents=(1, 3))))
    assert first.startswith("Parent 1, rho 0.2 (exact posterior): expected posterior ")
    assert second.startswith("Parent 3, rho 0.2")


def test_levels_and_sequences() -> None:
    grid, _ = words.levels_blocks(levels.answer(levels.Question((0.1, 0.2), priors=(0.5,))))
    assert isinstance(grid, Grid)
    assert [tuple(row[:2]) for row in grid.rows] == [("0.5", "1"), ("0.5", "2")]
    assert grid.rows[0][2].startswith("0.5")
    answer = sequence.answer(sequence.Question((0.1, 0.2), (1, 0)))
    steps, average = words.sequence_sentences(answer)
    assert answer.found is not None
    assert steps.startswith(f"Posterior after each release: {answer.found.posteriors[0]:.4f}, ")
    assert average.endswith("after 2 releases.")


def test_categories() -> None:
    likeliest, *_ = words.category_sentences(category.answer(category.Question(0.5, noisy=(0, 3), known=(0, 0))))
    assert likeliest.startswith("category 1: posterior 0.")
    _, ranks = words.category_sentences(category.answer(category.Question(0.5, categories=4, first=(1, 2))))
    assert "within the first 1: " in ranks
    assert ", 2: " in ranks


def test_post_processing_ends_in_its_verdict() -> None:
    answer = postprocess.answer(postprocess.Question((1,), 3, (0.1,)))
    grid, *_, blank, verdict = words.postprocess_blocks(answer)
    assert isinstance(grid, Grid)
    assert (len(grid.rows), blank, verdict) == (2, BLANK, Text(answer.check.verdict))


def test_tree() -> None:
    found = tree.answer(tree.Question(((2, 0, 1), (3,)), ((0, 0, 0),), (0.1, 0.2)))
    [sentence] = words.tree_sentences(found)
    assert sentence.startswith(f"Posterior {found.found.posterior:.6f} (")


def test_a_release_says_that_it_is_internal_and_counts_people_as_people() -> None:
    question = release.Question(("block", "tract"), ("age",), rho=(5.0, 5.0), thresholds=(1.5,))
    several = words.release_sentences(release.answer(question, Situations.of([[1, 1], [1, 3]], [3, 2], [1000, 1])))
    assert several[0] == "Epsilens  INTERNAL: computed from true data, not for publication"
    assert several[2] == "1,001 people are in cells of at most 1 person at level 'block' (2 different situations)."
    assert several[-1].startswith("Above 1.5: 1,001 people by the expected ratio; in a single release the ratio of ")
    one = words.release_sentences(release.answer(question, Situations.of([[1, 1]], [3], [1])))
    assert one[2] == "1 person is in cells of at most 1 person at level 'block' (1 situation)."
    assert one[-1].startswith("Above 1.5: 1 person by the expected ratio; ")


def test_the_census_is_a_table_from_the_lowest_level_up() -> None:
    grid, *_, total = words.census_2020_blocks(census_2020.answer(census_2020.Question()))
    assert isinstance(grid, Grid)
    assert [row[0] for row in grid.rows] == ["block", "block group", "tract", "county", "state", "nation"]
    assert total == Text(
        "Total rho 2.56 at delta 1e-10: epsilon 17.158 by the best conversion, 17.915 by the simple theorem."
    )


def test_ranks_beyond_the_number_of_categories_are_not_told() -> None:
    _, ranks = words.category_sentences(category.answer(category.Question(0.1, categories=3)))
    assert ranks.endswith("within the first 1: 0.4652.")
