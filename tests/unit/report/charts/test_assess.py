from __future__ import annotations

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess, assessment_curves
from epsilens.report.charts.assess import risk_curve_chart

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"], {"sex": ["f", "m", "x"]})


@pytest.mark.parametrize(
    ("question", "coloured"),
    [
        (Question(epsilons=(1.0,), measures=("local", "hard")), "measure:N"),
        (Question(mechanisms=("laplace", "gaussian"), delta=1e-5), "mechanism:N"),
    ],
)
def test_colours_tell_what_varies_and_dots_are_the_budgets(question: Question, coloured: str) -> None:
    found = assess(TABLE, question)
    drawn = risk_curve_chart(assessment_curves(TABLE, question), found).to_dict()
    lines, dots, *_ = drawn["layer"]
    assert f"{lines['encoding']['color']['field']}:N" == coloured
    assert len(drawn["datasets"][dots["data"]["name"]]) == len(found.lines) * len(question.measures)
    assert "Internal" in drawn["title"]["subtitle"]


def test_a_panel_per_attribute() -> None:
    joint = el.FrequencyTable(
        ("ax", "ay", "bx"),
        el.FrequencyTable.from_counts([[2, 1, 0], [0, 0, 3]]).store,
        sensitive=("first", "second"),
        label_values=(("a", "x"), ("a", "y"), ("b", "x")),
    )
    question = Question(epsilons=(1.0,))
    drawn = risk_curve_chart(assessment_curves(joint, question), assess(joint, question)).to_dict()
    assert [panel["title"]["text"] for panel in drawn["vconcat"]] == [
        "Homogeneity risk of first", "Homogeneity risk of second", "Homogeneity risk of first x second",
    ]  # fmt: skip
