from __future__ import annotations

from epsilens.choice.questions.posterior import budget, noise
from epsilens.report.words import posterior_noise as words
from epsilens.report.words.common import Grid


def test_sums_that_are_not_seen_to_differ_say_so() -> None:
    draws, _, _, sums, *_ = words.noise_blocks(noise.answer(noise.Question((0.099, 1.0), (5,))))
    assert isinstance(draws, Grid)
    assert isinstance(sums, Grid)
    assert [row[3] for row in draws.rows] == ["5.05051", "0.498979"]
    assert [row[2] for row in sums.rows] == ["< 1e-18", "0.00108"]


def test_budgets() -> None:
    grid, *_ = words.budget_blocks(budget.answer(budget.Question((2.56,))))
    assert isinstance(grid, Grid)
    assert [list(row) for row in grid.rows] == [["2.56", "1e-10", "17.1583", "17.9153"]]
