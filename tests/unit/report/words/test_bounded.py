from __future__ import annotations

from epsilens.choice.questions.bounded import Question, answer
from epsilens.report.words.bounded import bounded_blocks
from epsilens.report.words.common import Grid, Text


def test_a_grid_of_costs_and_one_for_every_true_value() -> None:
    blocks = bounded_blocks(answer(Question((0.3, 0.01), 0.0, 1.0, 0.02, epsilon=1.0)))
    grids = [block for block in blocks if isinstance(block, Grid)]
    assert [grid.title for grid in grids] == ["what each way costs", "true value 0.3", "true value 0.01"]
    assert list(grids[0].rows[2])[1:] == ["0.02", "1.48988", "1.49"]
    assert list(grids[2].rows[1])[1:5] == ["0.3033", "0.0000", "0.0000", "+0.006065"]
    assert any("costs 1.49 times" in block.text for block in blocks if isinstance(block, Text))


def test_where_the_sensitivity_is_the_interval_nothing_is_lost() -> None:
    blocks = bounded_blocks(answer(Question((0.3,), 0.0, 1.0, 1.0, epsilon=1.0)))
    assert any("the two effects cancel" in block.text for block in blocks if isinstance(block, Text))
