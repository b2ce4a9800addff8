"""Lines over epsilon, k or a share: one per system, level where the system does not depend on it."""

from __future__ import annotations

from typing import Any

import pytest

from epsilens.choice.comparison import Comparison, compare
from epsilens.report.charts.compare import comparison_charts
from epsilens.report.charts.compare_lines import line_chart
from tests.support.avoidance import towns_by_age


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    names = ["suppression", "dp-suppression", "swapping-cells", "laplace"]
    return compare(towns_by_age(), names, [0.5, 8.0], 2, k=[2, 4, 6], swapped_share=[0.1, 0.5], classify=False)


def points(chart: Any) -> list[dict[str, Any]]:
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows if "line" in row]


def test_a_line_per_system_and_other_setting(comparison: Comparison) -> None:
    drawn = points(line_chart(comparison, "l1_error", "k"))
    lines = {row["line"] for row in drawn}
    assert lines == {
        "suppression", "dp-suppression, epsilon 0.5", "dp-suppression, epsilon 8", "laplace, epsilon 0.5 *",
        "laplace, epsilon 8 *", "swapping-cells, share 0.1 *", "swapping-cells, share 0.5 *",
    }  # fmt: skip
    places = [row["place"] for row in drawn if row["line"] == "suppression"]
    assert sorted(set(places)) == [2, 4, 6]
    level = {(row["place"], row["value"]) for row in drawn if row["line"] == "laplace, epsilon 8 *"}
    assert {place for place, _ in level} == {2, 6}
    assert len({value for _, value in level}) == 1


def test_axes(comparison: Comparison) -> None:
    assert {row["line"] for row in points(line_chart(comparison, "rmse", "share"))} > {
        "swapping-cells",
        "suppression, k 2 *",
    }
    across = line_chart(comparison, "rmse", "share").to_dict()["layer"][-1]["encoding"]["x"]
    assert (across["axis"]["format"], across["title"]) == ("~%", "share that is swapped")
    over = line_chart(comparison, "rmse", "epsilon").to_dict()
    assert over["layer"][-1]["encoding"]["x"]["scale"]["type"] == "log"
    assert over["title"]["text"] == "Root mean squared error of a cell, over epsilon"
    assert "thin lines with *: systems that do not depend on epsilon" in str(over["title"]["subtitle"])


def test_every_line_has_its_colour(comparison: Comparison) -> None:
    charts = comparison_charts(comparison, "epsilon")
    assert {"delta", "l1_error", "homogeneity_risk"} <= set(charts)
    for criterion in ("l1_error", "homogeneity_risk"):
        drawn = charts[criterion].to_dict()
        scale = next(x for x in drawn["layer"] if "strokeDash" in x["encoding"])["encoding"]["color"]["scale"]
        assert len(set(scale["range"])) == len(scale["domain"]), criterion
        assert "Internal" in str(drawn["title"])
