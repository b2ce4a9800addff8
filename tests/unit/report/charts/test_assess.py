from __future__ import annotations

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess, assessment_curves
from epsilens.homogeneity.measures import MEASURES, prepare
from epsilens.noise import calibrate
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


def test_every_measure_has_its_own_value_without_noise() -> None:
    question = Question(epsilons=(1.0,), measures=tuple(MEASURES))
    curves = assessment_curves(TABLE, question)
    drawn = risk_curve_chart(curves, assess(TABLE, question)).to_dict()
    beside = drawn["datasets"][drawn["layer"][2]["data"]["name"]]
    shown = {row["measure"]: row["risk"] for row in beside}
    exact = {"local": 8 / 11, "hard": (8 + 2) / 11, "soft": (8 + 3 * 5 / 9) / 11}
    assert {name: shown[name] for name in exact} == pytest.approx(exact, abs=1e-12)
    for name, curve in curves:
        assert curve.unprotected == shown[curve.measure], name
        almost = calibrate("laplace", el.PureDP(1e4))  # the limit, and not the homogeneous share, unless that is it
        assert curve.unprotected == pytest.approx(prepare(curve.measure, TABLE).average(almost), abs=1e-9)
    assert len({row["ring"] for row in beside}) == len(beside)  # equal values do not hide one another


def test_no_two_lines_look_alike_however_many() -> None:
    question = Question(epsilons=(1.0,), measures=tuple(MEASURES))
    drawn = risk_curve_chart(assessment_curves(TABLE, question), assess(TABLE, question)).to_dict()
    colour = drawn["layer"][0]["encoding"]["color"]["scale"]
    assert colour["domain"] == list(MEASURES)
    assert len(set(colour["range"])) == len(MEASURES) > 7


def test_where_both_vary_every_measure_has_its_panel_and_the_title_names_everything() -> None:
    question = Question(mechanisms=("laplace", "gaussian-analytic"), delta=1e-5, measures=("local", "hard"))
    drawn = risk_curve_chart(assessment_curves(TABLE, question), assess(TABLE, question)).to_dict()
    assert [str(panel["title"]["subtitle"]) for panel in drawn["vconcat"]] == [
        f"{measure} measure; laplace, gaussian-analytic noise, delta = 1e-05. Internal."
        for measure in ("local", "hard")
    ]
    for panel in drawn["vconcat"]:
        lines = panel["layer"][0]["encoding"]
        assert lines["x"]["title"] == "epsilon, log scale"
        assert len(set(map(str, lines["strokeDash"]["scale"]["range"]))) == 2  # seen through one another's gaps
