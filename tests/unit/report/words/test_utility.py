from __future__ import annotations

import math
from dataclasses import replace

import pytest

import epsilens as el
from epsilens.choice.questions.utility import Answer, Question, answer
from epsilens.report.words.common import Grid, Note
from epsilens.report.words.utility import closing, summary, worded

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"], {"sex": ["f", "m", "n"]})


@pytest.fixture(scope="module")
def found() -> Answer:
    asked = Question(("laplace", "gaussian"), (0.5, 0.9), (0.1, 0.01), (1, 2), repetitions=3)
    return answer(asked, TABLE)


def test_two_tables_for_every_noise_and_one_sentence_for_each(found: Answer) -> None:
    blocks = summary(found)
    grids = [block for block in blocks if isinstance(block, Grid)]
    assert len(grids) == 6
    assert [row[:2] for row in grids[1].rows] == [["0.5", "1"], ["0.5", "2"], ["0.9", "1"], ["0.9", "2"]]
    assert any("3 releases for each budget, seed 2026" in block.text for block in blocks if isinstance(block, Note))
    sentences = worded(found)["sentences"]
    assert sentences[0] == "11 people in 3 cells of 1 quasi-identifier; 3 marginals: 2 of 1 column, 1 of 2 columns."
    assert "No universe is declared" in sentences[1]
    assert "At epsilon = 0.9, delta = 0.1 with gaussian noise" in sentences[3]


def test_marginals_that_get_the_noise_say_whose_budget_it_is() -> None:
    for budget_of, said in (("all", "of the 3 marginals together"), (None, "together they cost 3 times as much")):
        asked = Question(epsilons=(1.0,), ways=(1, 2), sanitised="marginals", budget_of=budget_of, repetitions=2)  # type: ignore[arg-type]
        told = answer(asked, TABLE)
        assert said in " ".join(worded(told)["sentences"])
        assert len([block for block in summary(told) if isinstance(block, Grid)]) == 1


def test_noise_beyond_all_people_is_not_a_share_of_them(found: Answer) -> None:
    line = found.lines[0]
    far = replace(
        line, marginals=tuple(replace(m, mean=None, standard_error=None, expected=7.5) for m in line.marginals)
    )
    assert "the noise amounts to 7.5 times the number of people or more" in closing(replace(found, lines=(far,)))[0]
    assert math.isfinite(line.error)
    assert any(
        "too large to simulate" in str(block) for block in summary(replace(found, lines=(far,), repetitions=None))
    )


def test_usual_epsilons_that_are_left_out_are_named() -> None:
    told = answer(Question(("gaussian",), deltas=(0.1,), ways=(1,), repetitions=2), TABLE)
    assert [line.epsilon for line in told.lines] == [0.1, 0.5]
    assert any("gaussian noise is proved for epsilon < 1 only" in str(block) for block in summary(told))
