"""The dial of Adult: the very numbers that ``choose`` prints, and a belief that only grows."""

from __future__ import annotations

from itertools import pairwise

import pytest

import epsilens as el
from epsilens.choice.questions import choose, dial
from epsilens.report.words.dial import told


@pytest.fixture(scope="module")
def answer(adult: el.FrequencyTable) -> dial.DialAnswer:
    return dial.answer_of(choose.answer(choose.Question(max_risk=0.3), adult))


def test_the_round_budget_of_adult(answer: dial.DialAnswer) -> None:
    line = answer.lines[answer.start]
    assert (line.budget, line.keeps) == (0.5, True)
    assert line.at.spread is not None
    assert round(line.at.risk, 3) == 0.291
    assert round(line.at.spread.worst, 3) == 0.611
    assert (line.at.spread.above_half, line.at.spread.above_ceiling) == (7342, 14617)
    assert (round(line.shown[0].right, 3), round(line.shown[0].wrong, 3)) == (0.275, 0.038)
    assert round(line.cost.error, 2) == 1.98
    assert [round(end, 3) for end in (answer.safe_set[0].low, answer.safe_set[0].high)] == [0.173, 0.84]


def test_believing_is_right_the_more_often_the_less_noise(answer: dial.DialAnswer, adult: el.FrequencyTable) -> None:
    believing = [line.shown[0].believing for line in answer.lines]
    assert all(one is not None and other is not None and one < other for one, other in pairwise(believing))
    at = {line.budget: line.shown[0].believing for line in answer.lines}
    for epsilon in (0.1, 2.0):
        assert at[epsilon] == pytest.approx(el.homogeneity.belief(adult, el.LaplaceNoise(1 / epsilon)).precision)


def test_the_sentences_of_adult(answer: dial.DialAnswer) -> None:
    found = told(answer)["dials"][0]
    line = found["table"]["lines"][found["start"]]
    assert line["shown_text"] == (
        "Of 100 people, 27 are in a cell that shows one value of income only, and it is theirs; 4 are in a cell that "
        "shows one only, and it is not theirs; 69 are in neither."
    )
    assert found["table"]["safe_text"] == (
        "Safe set, the risk at or below 30 %: epsilon 0.173 to 0.84. Smaller is not safer here."
    )
