"""Sentences about the adversary: every number in them is one of the answer."""

from __future__ import annotations

import pytest

from epsilens.choice.questions.posterior.category import CategoryQuestion
from epsilens.choice.questions.posterior.census_2020 import CensusQuestion
from epsilens.choice.questions.posterior.curve import CurveQuestion
from epsilens.choice.questions.posterior.levels import LevelsQuestion
from epsilens.choice.questions.posterior.postprocess import PostprocessQuestion
from epsilens.choice.questions.posterior.release import ReleaseQuestion
from epsilens.choice.questions.posterior.sequence import SequenceQuestion
from epsilens.choice.questions.posterior.single import SingleQuestion
from epsilens.choice.questions.posterior.tree import TreeQuestion
from epsilens.choice.questions.posterior.two_level import TwoLevelQuestion
from epsilens.report.words import posterior as words
from epsilens.table.hierarchy import Situations


@pytest.mark.parametrize(
    ("probability", "digits", "text"),
    [(0.5, 4, "0.5000"), (0.0, 4, "0.0000"), (1e-6, 4, "1e-06"), (0.1234567, 6, "0.123457"), (2e-6, 6, "2e-06")],
)
def test_a_small_chance_does_not_read_as_none(probability: float, digits: int, text: str) -> None:
    assert words.chance(probability, digits) == text


def test_single() -> None:
    answer = SingleQuestion(noisy=2, known=1, rho=0.1, prior=0.2, scenario="misreporting").answer()
    question, prior, found, average = words.single_sentences(answer)
    assert question == "Did this person report their true characteristics?"
    assert "0.2" in prior
    assert answer.found is not None
    assert f"A noisy count of 2 with 1 others known moves it to {answer.found.posterior:.4f}" in found
    assert found.endswith("the best guess is that the person is not there.")
    assert f"{answer.expected.correct_decision:.4f}" in average
    assert len(words.single_sentences(SingleQuestion(rho=0.1).answer())) == 3


def test_a_curve_is_shortened_for_every_prior_alike() -> None:
    lines = words.curve_lines(CurveQuestion(0.1, 1.0, 21, (0.5, 0.1)).answer())
    assert len(lines) == 1 + 2 * 11
    assert lines[1].split()[:2] == ["0.5", "0.1"]
    assert lines[12].split()[:2] == ["0.1", "0.1"]


def test_two_level() -> None:
    [seen] = words.two_level_sentences(
        TwoLevelQuestion(5, (0.1, 0.2), noisy=2, noisy_parent=1, noisy_siblings=0).answer()
    )
    assert "(exact posterior), against " in seen
    assert seen.endswith("alone and a prior of 0.5.")
    first, second = words.two_level_sentences(TwoLevelQuestion(5, (0.1, 0.2), parents=(1, 3)).answer())
    assert first.startswith("Parent 1, rho 0.2 (exact posterior): expected posterior ")
    assert second.startswith("Parent 3, rho 0.2")


def test_levels_and_sequences() -> None:
    first, second = words.levels_sentences(LevelsQuestion((0.1, 0.2), priors=(0.5,)).answer())
    assert first.startswith("prior 0.5, unique at 1 level(s): expected posterior 0.5")
    assert "unique at 2 level(s)" in second
    answer = SequenceQuestion((0.1, 0.2), (1, 0)).answer()
    steps, average = words.sequence_sentences(answer)
    assert answer.found is not None
    assert steps.startswith(f"Posterior after each release: {answer.found.posteriors[0]:.4f}, ")
    assert average.endswith("after 2 releases.")


def test_categories() -> None:
    likeliest, *_ = words.category_sentences(CategoryQuestion(0.5, noisy=(0, 3), known=(0, 0)).answer())
    assert likeliest.startswith("category 1: posterior 0.")
    _, ranks = words.category_sentences(CategoryQuestion(0.5, categories=4, first=(1, 2)).answer())
    assert "within the first 1: " in ranks
    assert ", 2: " in ranks


def test_post_processing_ends_in_its_verdict() -> None:
    answer = PostprocessQuestion((1,), 3, (0.1,)).answer()
    *lines, blank, verdict = words.postprocess_sentences(answer)
    assert (len(lines), blank, verdict) == (2, "", answer.check.verdict)


def test_tree() -> None:
    tree = TreeQuestion(((2, 0, 1), (3,)), ((0, 0, 0),), (0.1, 0.2))
    [sentence] = words.tree_sentences(tree.answer())
    assert sentence.startswith(f"Posterior {tree.answer().found.posterior:.6f} (")


def test_a_release_says_that_it_is_internal_and_counts_people_as_people() -> None:
    question = ReleaseQuestion(("block", "tract"), ("age",), rho=(5.0, 5.0), thresholds=(1.5,))
    several = words.release_sentences(question.answer(Situations.of([[1, 1], [1, 3]], [3, 2], [1000, 1])))
    assert several[0] == "Epsilens  INTERNAL: computed from true data, not for publication"
    assert several[2] == "1,001 people are in cells of at most 1 at level 'block' (2 different situations)."
    assert several[-1].startswith("Above 1.5: 1,001 people by the expected ratio; in a single release the ratio of ")
    one = words.release_sentences(question.answer(Situations.of([[1, 1]], [3], [1])))
    assert one[2] == "1 person is in cells of at most 1 at level 'block' (1 situation)."
    assert one[-1].startswith("Above 1.5: 1 person by the expected ratio; ")


def test_the_census_is_a_table_from_the_lowest_level_up() -> None:
    heading, *levels, total = words.census_2020_lines(CensusQuestion().answer())
    assert heading.startswith("level")
    assert [line.split("  ")[0] for line in levels] == ["block", "block group", "tract", "county", "state", "nation"]
    assert total == (
        "Total rho 2.56 at delta 1e-10: epsilon 17.158 by the best conversion, 17.915 by the simple theorem."
    )
