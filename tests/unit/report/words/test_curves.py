from __future__ import annotations

from dataclasses import replace

import epsilens as el
from epsilens.choice.knee import Knee
from epsilens.choice.questions.assess import Question, assess
from epsilens.choice.questions.axes import KneeLine
from epsilens.report.words.assess import summary
from epsilens.report.words.common import Grid, Note, Text
from epsilens.report.words.curves import KNEE, delta_grids, knee_sentence
from tests.support.blocks import average_grids

COUNTS = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"], {"sex": ["f", "m", "x"]})
TABLE = replace(COUNTS, sensitive=("ill",))
GAUSSIAN = ("gaussian-probabilistic",)


def test_deltas_are_rows_and_epsilons_columns() -> None:
    question = Question(mechanisms=GAUSSIAN, epsilons=(0.5, 1.0), deltas=(0.1, 0.01), axis="delta")
    found = assess(TABLE, question)
    (grid,) = [block for block in delta_grids(found, found.lines, "{:.4f}".format) if isinstance(block, Grid)]
    assert grid.title == "local risk against delta, average over people"
    assert list(grid.headings) == ["delta", "epsilon\n= 0.5", "epsilon\n= 1"]
    assert [row[0] for row in grid.rows] == ["0.01", "0.1"]
    by_budget = {(line.delta, line.epsilon): line.risks["local"] for line in found.lines}
    assert grid.rows[0][2] == f"{by_budget[0.01, 1.0]:.4f}"
    assert grid.title in [block.title for block in summary(found) if isinstance(block, Grid)]


def test_several_deltas_are_rows_of_one_table() -> None:
    found = assess(TABLE, Question(mechanisms=GAUSSIAN, epsilons=(0.5, 1.0), deltas=(0.1, 0.01)))
    _, beliefs, risks = average_grids(summary(found))
    for grid in (beliefs, risks):
        assert list(grid.headings[:2]) == ["delta", "epsilon"]
        assert [tuple(row[:2]) for row in grid.rows] == [("0.1", "0.5"), ("0.1", "1"), ("0.01", "0.5"), ("0.01", "1")]
        assert grid.keys == 2


def test_both_averages_have_a_table() -> None:
    found = assess(TABLE, Question(epsilons=(1.0,), weightings=("people", "cells")))
    _, _, *risks = average_grids(summary(found))
    assert [grid.title for grid in risks] == ["Risk, average over people", "Risk, average over cells"]


def test_a_knee_is_a_sentence_and_explained_once() -> None:
    found = assess(TABLE, Question(mechanisms=("laplace", "discrete-laplace"), epsilons=(1.0,), knee=True))
    blocks = summary(found)
    assert len([block for block in blocks if isinstance(block, Note) and block.text == KNEE]) == 1
    told = [block.text for block in blocks if isinstance(block, Text) and "rise faster" in block.text]
    assert len(told) == 2
    knee = found.knees[0].knee
    assert told[0].startswith(f"The local risk starts to rise faster at epsilon = {knee.epsilon:.3g}, where it is ")
    assert f"rises fastest at epsilon = {knee.fastest_at:.3g}" in told[0]


def test_where_there_is_no_knee_the_sentence_says_why() -> None:
    found = assess(
        TABLE, Question(mechanisms=("gaussian",), deltas=(0.1,), epsilons=(0.5,), weightings=("people", "cells"))
    )

    def told(why: str | None, **more: float) -> str:
        facts = {"epsilon": None, "risk": None, "fastest_at": None, "until": None, **more}
        knee = Knee(fastest_slope=0.1, why=why, **facts)  # type: ignore[arg-type]
        return knee_sentence(KneeLine("ill", "gaussian", 0.1, "local", "cells", knee), found)

    assert told("flat") == "The local risk (over cells, delta = 0.1) does not rise between epsilon = 0.001 and 100."
    assert "ever faster up to epsilon = 1, where the range ends" in told("end")
    assert "at such a rate from epsilon = 0.001 on; it rises fastest at epsilon = 0.5" in told("start", fastest_at=0.5)
    assert told(None, epsilon=0.2, risk=0.3, fastest_at=0.5).endswith("it rises fastest at epsilon = 0.5.")
