from __future__ import annotations

import altair as alt
import numpy as np

import epsilens as el
from epsilens.choice.curve import risk_curves
from epsilens.report.charts.beside_average import LEAST_TOP, once, panels_below

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]])


def test_two_panels_share_the_axis_and_few_people_do_not_look_like_many() -> None:
    rows = [{"epsilon": e, "measure": "local", "worst": 0.4, "above_half": 0.01} for e in (0.1, 1.0)]
    worst, above = panels_below(rows, alt.X("epsilon:Q"), {"color": alt.value("#333333")}, 300, "rows")
    assert worst.to_dict()["encoding"]["y"]["title"] == ["risk of the", "worst-off row"]
    assert worst.to_dict()["encoding"]["y"]["scale"]["domain"] == [0, 1.0]
    assert above.to_dict()["encoding"]["y"]["scale"]["domain"] == [0, LEAST_TOP]
    assert panels_below([{"epsilon": 1.0}], alt.X("epsilon:Q"), {}, 300, "people") == []


def test_a_curve_that_is_averaged_twice_is_drawn_once() -> None:
    budgets = [el.PureDP(0.1), el.PureDP(1.0)]
    curves = risk_curves(TABLE, "laplace", budgets)
    assert len(curves) == 2
    (only,) = once(curves)
    np.testing.assert_array_equal(only.risks, curves[0].risks)
