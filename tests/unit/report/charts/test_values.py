from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess
from epsilens.report.charts.values import EPSILONS, HARMLESS, MOST_VALUES, values_chart

TABLE = replace(
    el.FrequencyTable.from_counts([[30, 0], [1, 2], [0, 1], [25, 1]], ["0", "1"], {"sex": list("fmxy")}),
    sensitive=("stroke",),
)


def drawn(table: el.FrequencyTable, **asked: Any) -> dict[str, Any]:
    chart: dict[str, Any] = values_chart(table, assess(table, Question(epsilons=(1.0,), **asked))).to_dict()
    return chart


def test_the_areas_are_what_is_shown_rightly_and_wrongly() -> None:
    chart = drawn(TABLE)
    right, wrong = chart["hconcat"]
    assert (right["encoding"]["y"]["field"], wrong["encoding"]["y"]["field"]) == ("right", "wrong")
    assert right["encoding"]["y"]["scale"] == wrong["encoding"]["y"]["scale"]  # what stands side by side is compared
    rows = chart["datasets"][right["data"]["name"]]
    assert len(rows) == EPSILONS[2] * 2
    at_1 = {row["value"]: row for row in rows if row["epsilon"] == pytest.approx(1.0)}
    (line,) = assess(TABLE, Question(epsilons=(1.0,))).lines
    for value in line.by_value:
        assert (at_1[value.value]["right"], at_1[value.value]["wrong"]) == pytest.approx(
            (value.shown_right, value.shown_wrong)
        )
    assert "every value is harmful. Internal." in chart["description"]


def test_values_that_harm_nobody_are_grey_and_harmful_ones_that_they_hide_are_drawn_again() -> None:
    chart = drawn(TABLE.with_harm("stroke=1"))
    (_, above), (_, below) = (row["hconcat"] for row in chart["vconcat"])
    scale = above["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True))["0"] == HARMLESS[0]
    assert scale["domain"] == ["1", "0"]  # harmful ones below
    assert {row["value"] for row in chart["datasets"][below["data"]["name"]]} == {"1"}
    assert below["encoding"]["y"]["scale"]["domain"][1] < above["encoding"]["y"]["scale"]["domain"][1]
    assert "grey: values that are not counted as harmful" in " ".join(chart["title"]["subtitle"])


def test_of_many_values_the_others_share_an_area() -> None:
    many = el.FrequencyTable.from_counts([[k + 1 if i == k else 0 for k in range(12)] for i in range(12)])
    for table, rest in (
        (many, ["other harmful values (5)"]),
        (
            many.with_harm(*(f"label={k}" for k in range(10))),
            ["other harmful values (3)", "other values, not harmful (2)"],
        ),
    ):
        chart = drawn(table)
        panel = chart["hconcat"][1] if "hconcat" in chart else chart["vconcat"][0]["hconcat"][1]
        names = panel["encoding"]["color"]["scale"]["domain"]
        assert len(names) == MOST_VALUES + len(rest)
        assert [name for name in names if name.startswith("other")] == rest


def test_a_pair_for_every_noise_by_the_first_measure() -> None:
    chart = drawn(TABLE, mechanisms=("laplace", "gaussian-analytic"), deltas=(1e-6, 1e-3), measures=("hard", "local"))
    assert len(chart["vconcat"]) == 3
    assert "largest noisy count" in str(chart["vconcat"][0]["title"]["subtitle"])
