"""The chart that a choice is read from never shows an average alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.questions.choose import Question, answer
from epsilens.report.charts.choose_risk import risk_chart

TABLE = replace(
    el.FrequencyTable.from_counts([[5, 0, 1], [3, 0, 0], [0, 2, 0], [8, 0, 0], [10, 6, 2]], ["no", "yes", "old"]),
    sensitive=("ill",),
)


def drawn(table: el.FrequencyTable, **asked: Any) -> dict[str, Any]:
    chart: dict[str, Any] = risk_chart(answer(Question(**asked), table)).to_dict()
    return chart


def lines(chart: dict[str, Any]) -> list[str]:
    rows = [row for rows in chart["datasets"].values() for row in rows]
    return list(dict.fromkeys(row["line"] for row in rows if "line" in row))


def test_the_worst_off_person_stands_beside_the_average() -> None:
    assert lines(drawn(TABLE, max_risk=0.4)) == ["average risk over people", "worst-off person"]
    assert lines(drawn(TABLE, max_risk=0.7, measure="posterior")) == ["average risk over people"]  # all are alike


@pytest.mark.parametrize(
    ("harmful", "more"),
    [
        (("ill=yes",), ["people shown as yes, rightly", "people shown as yes, wrongly"]),
        (
            ("ill=yes", "ill=no", "ill=old*2"),
            ["people shown with a harmful value, rightly", "people shown with a harmful value, wrongly"],
        ),
    ],
)
def test_who_is_shown_as_what_where_harm_is_declared(harmful: tuple[str, ...], more: list[str]) -> None:
    chart = drawn(TABLE.with_harm(*harmful), max_risk=0.3)
    weighted = "weighted " if len(harmful) > 1 else ""
    assert lines(chart) == [f"average {weighted}risk over people", "worst-off person", *more]
    scales = [layer["encoding"]["y"]["scale"] for layer in chart["layer"] if layer["mark"]["type"] == "line"]
    assert (scales[0]["domain"][1] > 1) == (len(harmful) > 1)  # a harm that counts twice may be above 1


def test_no_noise_is_needed_is_never_said_alone() -> None:
    said = str(drawn(TABLE, max_risk=0.99)["title"]["subtitle"])
    assert "this attack needs none, but without noise there is no guarantee" in said.replace("', '", " ")
