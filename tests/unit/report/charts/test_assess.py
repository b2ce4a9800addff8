from __future__ import annotations

from typing import Any

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess, assessment_curves
from epsilens.homogeneity.measures import MEASURES, prepare
from epsilens.noise import calibrate
from epsilens.report.charts.assess import risk_curve_chart


def main_panels(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """The panels of averages, from above and from the left: those that have a title."""
    if "title" in drawn:
        return [drawn]
    return [panel for part in drawn.get("vconcat", drawn.get("hconcat", ())) for panel in main_panels(part)]


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
    (panel,) = main_panels(drawn)
    lines, dots, *_ = panel["layer"]
    assert f"{lines['encoding']['color']['field']}:N" == coloured
    assert len(drawn["datasets"][dots["data"]["name"]]) == len(found.lines) * len(question.measures)
    assert "Internal" in panel["title"]["subtitle"]


def test_a_panel_per_attribute() -> None:
    joint = el.FrequencyTable(
        ("ax", "ay", "bx"),
        el.FrequencyTable.from_counts([[2, 1, 0], [0, 0, 3]]).store,
        sensitive=("first", "second"),
        label_values=(("a", "x"), ("a", "y"), ("b", "x")),
    )
    question = Question(epsilons=(1.0,))
    drawn = risk_curve_chart(assessment_curves(joint, question), assess(joint, question)).to_dict()
    assert [panel["title"]["text"] for panel in main_panels(drawn)] == [
        "Homogeneity risk of first", "Homogeneity risk of second", "Homogeneity risk of first x second",
    ]  # fmt: skip


def test_every_measure_has_its_own_value_without_noise() -> None:
    question = Question(epsilons=(1.0,), measures=tuple(MEASURES))
    curves = assessment_curves(TABLE, question)
    drawn = risk_curve_chart(curves, assess(TABLE, question)).to_dict()
    (panel,) = main_panels(drawn)
    beside = drawn["datasets"][panel["layer"][2]["data"]["name"]]
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
    (panel,) = main_panels(drawn)
    colour = panel["layer"][0]["encoding"]["color"]["scale"]
    assert colour["domain"] == list(MEASURES)
    assert len(set(colour["range"])) == len(MEASURES) > 7


def test_where_both_vary_every_measure_has_its_panel_and_the_title_names_everything() -> None:
    question = Question(mechanisms=("laplace", "gaussian-analytic"), delta=1e-5, measures=("local", "hard"))
    drawn = risk_curve_chart(assessment_curves(TABLE, question), assess(TABLE, question)).to_dict()
    assert [str(panel["title"]["subtitle"]) for panel in main_panels(drawn)] == [
        f"{measure} measure; laplace, gaussian-analytic noise, delta = 1e-05. Internal."
        for measure in ("local", "hard")
    ]
    for panel in main_panels(drawn):
        lines = panel["layer"][0]["encoding"]
        assert lines["x"]["title"] == "epsilon, log scale"
        assert len(set(map(str, lines["strokeDash"]["scale"]["range"]))) == 2  # seen through one another's gaps


def drawn_layers(question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first panel, and the datasets by name."""
    drawn = risk_curve_chart(assessment_curves(TABLE, question), assess(TABLE, question)).to_dict()
    return main_panels(drawn)[0], drawn["datasets"]


def test_a_line_for_every_delta_and_for_every_epsilon() -> None:
    gaussian = ("gaussian-probabilistic",)
    drawn, _ = drawn_layers(Question(mechanisms=gaussian, deltas=(0.004, 0.01), epsilons=(1.0,)))
    colour = drawn["layer"][0]["encoding"]["color"]
    assert (colour["legend"]["title"], colour["scale"]["domain"]) == ("delta", ["0.004", "0.01"])
    drawn, _ = drawn_layers(Question(mechanisms=gaussian, axis="delta", epsilons=(0.5, 1.0)))
    lines = drawn["layer"][0]["encoding"]
    assert (lines["color"]["legend"]["title"], lines["color"]["scale"]["domain"]) == ("epsilon", ["0.5", "1"])
    assert (lines["x"]["field"], lines["x"]["title"]) == ("delta", "delta, log scale")
    drawn, _ = drawn_layers(Question(mechanisms=("laplace", *gaussian), deltas=(0.004, 0.01), epsilons=(1.0,)))
    names = ["laplace", *(f"gaussian-probabilistic, delta = {delta}" for delta in (0.004, 0.01))]
    assert drawn["layer"][0]["encoding"]["color"]["scale"]["domain"] == names


def test_averages_share_a_panel_or_stand_side_by_side() -> None:
    both = ("people", "cells")
    drawn, data = drawn_layers(Question(epsilons=(1.0,), weightings=both))
    assert drawn["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["people", "cells"]
    beside = data[drawn["layer"][2]["data"]["name"]]
    assert {row["average"]: row["risk"] for row in beside} == pytest.approx({"people": 8 / 11, "cells": 2 / 3})
    question = Question(epsilons=(1.0,), weightings=both, measures=("local", "hard"))
    aside = risk_curve_chart(assessment_curves(TABLE, question), assess(TABLE, question)).to_dict()
    assert len(aside["hconcat"]) == 2
    axes = [panel["layer"][0]["encoding"]["y"] for panel in main_panels(aside)]
    assert [axis["title"] for axis in axes] == ["risk, average over people", "risk, average over cells"]
    assert axes[0]["scale"] == axes[1]["scale"]  # what stands side by side is compared


def test_simulated_means_have_whiskers_and_knees_diamonds() -> None:
    question = Question(epsilons=(0.5, 1.0), measures=("local", "expected"), repeats=10, knee=True)
    found = assess(TABLE, question)
    drawn = risk_curve_chart(assessment_curves(TABLE, question), found).to_dict()
    (panel,) = main_panels(drawn)
    whiskers = drawn["datasets"][panel["layer"][4]["data"]["name"]]
    assert [row["measure"] for row in whiskers] == ["local", "local"]  # what a simulation counts
    for row, line in zip(whiskers, found.lines, strict=True):
        assert line.simulation is not None
        mean, sd, _ = line.simulation["local"]
        assert (row["risk"], row["high"]) == (mean, mean + sd)
    diamonds = drawn["datasets"][panel["layer"][-1]["data"]["name"]]
    assert [(row["epsilon"], row["risk"]) for row in diamonds] == [(k.knee.epsilon, k.knee.risk) for k in found.knees]
    said = " ".join(panel["title"]["subtitle"])
    assert "mean and SD of 10 simulated releases" in said
    assert "diamonds" in said


def test_below_the_averages_are_the_worst_off_person_and_the_share_above_half() -> None:
    question = Question(epsilons=(1.0,), measures=("local", "marginal-shrinkage"))
    curves = assessment_curves(TABLE, question)
    drawn = risk_curve_chart(curves, assess(TABLE, question)).to_dict()
    _, worst, above = drawn["vconcat"]
    assert [panel["encoding"]["y"]["field"] for panel in (worst, above)] == ["worst", "above_half"]
    rows = drawn["datasets"][worst["data"]["name"]]
    assert {row["measure"] for row in rows} == {"local"}  # of the other there is nobody worse off than the average
    local = curves[0][1]
    assert local.worst is not None
    assert [row["worst"] for row in rows] == local.worst.tolist()
    generic = Question(epsilons=(1.0,), measures=("marginal-shrinkage",))
    assert "vconcat" not in risk_curve_chart(assessment_curves(TABLE, generic), assess(TABLE, generic)).to_dict()


def test_who_is_worst_off_does_not_depend_on_the_average() -> None:
    question = Question(epsilons=(1.0,), weightings=("people", "cells"))
    drawn = risk_curve_chart(assessment_curves(TABLE, question), assess(TABLE, question)).to_dict()
    _, worst, _ = drawn["vconcat"]
    assert {row["average"] for row in drawn["datasets"][worst["data"]["name"]]} == {"people"}


def test_a_falling_risk_is_explained_in_the_subtitle_and_a_rising_one_is_not() -> None:
    mixed, question = el.FrequencyTable.from_counts([[4, 3], [2, 5]]), Question(epsilons=(1.0,))
    for table, falls in ((mixed, True), (TABLE, False)):
        drawn = risk_curve_chart(assessment_curves(table, question), assess(table, question)).to_dict()
        (panel,) = main_panels(drawn)
        assert ("where a risk falls" in " ".join(panel["title"]["subtitle"])) is falls


def test_the_axis_holds_harms_that_count_more_than_once_and_risks_of_0() -> None:
    question = Question(epsilons=(1.0,))
    for table, top in (
        (TABLE.with_harm("label=yes*9"), None),
        (el.FrequencyTable.from_counts([[3, 0, 0], [2, 1, 0]], ["a", "b", "c"]).with_harm("label=c"), 1.0),
    ):
        curves = assessment_curves(table, question)
        (panel,) = main_panels(risk_curve_chart(curves, assess(table, question)).to_dict())
        low, high = panel["layer"][0]["encoding"]["y"]["scale"]["domain"]
        assert low == 0
        assert high == top if top is not None else high > curves[0][1].risks.max() > 1
