from __future__ import annotations

import pytest

import epsilens as el
from epsilens.choice.questions.assess import assess
from epsilens.choice.questions.assess_question import Question

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 0], [0, 5]], labels=["no", "yes"])


def test_epsilons_that_a_mechanism_cannot_honour_are_named() -> None:
    found = assess(TABLE, Question(mechanisms=("gaussian", "gaussian-analytic"), delta=1e-6))
    assert found.left_out == {"gaussian": (1.0, 2.0, 5.0)}
    assert found.to_dict()["left_out"] == {"gaussian": [1.0, 2.0, 5.0]}
    assert [line.epsilon for line in found.lines if line.mechanism == "gaussian"] == [0.1, 0.5]
    assert "left_out" not in assess(TABLE, Question(epsilons=(1.0,))).to_dict()
    assert Question(match="share", measures=("published-marginal",), repeats=2).match == "share"  # of the simulation


def test_assessment_has_a_line_per_mechanism_and_budget() -> None:
    question = Question(mechanisms=("laplace", "gaussian"), epsilons=(0.2, 0.5), delta=1e-5)
    result = assess(TABLE, question)
    assert [(line.mechanism, line.epsilon) for line in result.lines] == [
        ("laplace", 0.2),
        ("laplace", 0.5),
        ("gaussian", 0.2),
        ("gaussian", 0.5),
    ]
    for line in result.lines:
        assert line.risks["local"] == pytest.approx(el.average(el.homogeneity.local(TABLE, line.noise), TABLE))
        share = el.average(el.homogeneity.local(TABLE, line.noise, "share"), TABLE)
        assert line.belief.right == pytest.approx(share)
    assert result.to_dict()["label"] == "internal"
