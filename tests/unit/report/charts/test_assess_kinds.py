from __future__ import annotations

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess
from epsilens.errors import ParameterError
from epsilens.report.charts.assess_kinds import CHARTS, KINDS, check_kind, draw

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"], {"sex": ["f", "m", "x"]})


@pytest.mark.parametrize("kind", CHARTS)
def test_every_kind_is_drawn_and_says_that_it_is_internal(kind: str) -> None:
    drawn = draw(kind, TABLE, assess(TABLE, Question(epsilons=(1.0,), sampling_fraction=0.5))).to_dict()
    assert "Internal" in str(drawn["title"]["subtitle"])


def test_without_a_sample_there_is_no_population_to_draw() -> None:
    with pytest.raises(ParameterError, match="the chart of a population needs a sample; give a sampling_fraction"):
        draw("population", TABLE, assess(TABLE, Question(epsilons=(1.0,))))


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ParameterError, match="did you mean 'scenarios'"):
        check_kind("scenario")
    assert [check_kind(kind) for kind in KINDS] == ["risk", *CHARTS]


def test_what_a_question_cannot_answer_is_refused_before_it_is_asked() -> None:
    assert check_kind("people", Question(measures=("local",))) == "people"
    with pytest.raises(ParameterError, match="one risk for the whole table"):
        check_kind("people", Question(measures=("marginal-shrinkage",)))
