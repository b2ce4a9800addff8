"""The main job in one call."""

from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question
from epsilens.choice.questions.assess import assess as assessed

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], labels=["no", "yes"])


def test_it_is_the_assessment_of_the_question() -> None:
    question = Question(("laplace", "gaussian-analytic"), (0.5, 1.0), 1e-6, ("local", "expected"), weighted=False)
    ours = el.assess(
        TABLE,
        ["laplace", "gaussian-analytic"],
        [0.5, 1.0],
        delta=1e-6,
        measure=("local", "expected"),
        weighted=False,
    )
    assert isinstance(ours, el.Assessment)
    assert ours.question == question
    assert ours.to_dict() == assessed(TABLE, question).to_dict()


def test_without_a_wish_it_is_the_default() -> None:
    assert el.assess(TABLE).to_dict() == assessed(TABLE, Question()).to_dict()


@pytest.mark.parametrize("epsilon", [1, 1.0, np.float64(1.0), np.int64(1), [1.0], np.array([1.0])])
def test_one_epsilon_or_several(epsilon: float) -> None:
    assert [line.epsilon for line in el.assess(TABLE, epsilon=epsilon).lines] == [1.0]


def test_options_of_measures_reach_them() -> None:
    shrinkage = el.assess(TABLE, epsilon=1.0, measure="shrinkage", alpha=[1.0, 1.0], match="share").lines[0].risks
    direct = el.homogeneity.shrinkage(TABLE, el.LaplaceNoise(1.0), alpha=[1.0, 1.0], match="share")
    assert shrinkage["shrinkage"] == pytest.approx(el.average(direct, TABLE), rel=1e-12)


def test_what_cannot_be_is_refused_before_anything_is_computed() -> None:
    with pytest.raises(el.EpsilensError, match=r"epsilon must be > 0, got -1"):
        el.assess(TABLE, epsilon=-1.0)
    with pytest.raises(el.EpsilensError, match=r"mechanism must be one of .* did you mean 'laplace'"):
        el.assess(TABLE, "laplase")
    with pytest.raises(el.EpsilensError, match=r"table must be a frequency table, not a list"):
        el.assess([[1, 2]], epsilon=-1.0)  # type: ignore[arg-type]
