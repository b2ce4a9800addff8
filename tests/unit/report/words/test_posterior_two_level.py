from __future__ import annotations

from epsilens.choice.questions.posterior import two_level
from epsilens.report.words import posterior_two_level as words
from epsilens.report.words.common import Grid


def test_the_posterior_of_the_parent_is_told_as_well() -> None:
    seen = two_level.Question(27, (0.099226, 0.246485), noisy=2, noisy_parent=1, noisy_siblings=-1)
    _, parents = words.two_level_blocks(two_level.answer(seen))
    assert isinstance(parents, str)
    told = "0: 0.1294, 1: 0.3866, 2: 0.2979, 3: 0.1392, 4: 0.0394, 5: 0.0068, 6: 0.000706."
    assert parents == f"Posterior of the parent's count: {told}"


def test_of_a_wide_law_the_likeliest_counts_are_told() -> None:
    seen = two_level.Question(3, (0.001, 0.01), noisy=2, noisy_parent=500, noisy_siblings=498)
    _, parents = words.two_level_blocks(two_level.answer(seen))
    assert isinstance(parents, str)
    assert parents.count(":") == 1 + 12
    assert "500: 0." in parents
    assert parents.endswith(" others.")


def test_many_averages_stand_in_a_table() -> None:
    asked = two_level.Question(3, (0.1, 0.2), parents=(0, 1, 2), parent_rho=(0.1, 0.2), absent=True)
    grid, law, of_whom = words.two_level_blocks(two_level.answer(asked))
    assert isinstance(grid, Grid)
    assert len(grid.rows) == 6
    assert grid.title.endswith("of a person who is not there")
    assert "exact posterior" in str(law)
    assert "not there is that they are not" in str(of_whom)


def test_a_chart_says_whose_values_it_shows() -> None:
    asked = two_level.Question(3, (0.5, 0.5), parents=(2,), published=True, parent_prior="uniform:9", known=1)
    said = words.two_level_subtitle(two_level.answer(asked))
    assert said.startswith("prior 0.5, 3 siblings, parent's prior uniform:9, 1 other known, PUBLISHED values: ")
