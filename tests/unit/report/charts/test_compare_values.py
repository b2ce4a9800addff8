from __future__ import annotations

import epsilens as el
from epsilens.choice.comparison import compare
from epsilens.report.charts.compare_values import SIDES, value_chart

COUNTS = [[1, 2, 3, 1, 0, 2], [2, 0, 1, 4, 1, 0]]


def test_a_panel_per_value_and_two_bars_per_system() -> None:
    table = el.FrequencyTable.from_counts(COUNTS, list("abcdef"), {"town": ["a", "b"]}).with_harm("label=b*2")
    found = compare(table, ["laplace", "suppression"], [1.0], 2, k=2, classify=False)
    drawn = value_chart(found).to_dict()
    assert drawn["hconcat"][0]["title"]["text"] == "b (x 2)"
    assert all("harms nobody" in panel["title"]["text"] for panel in drawn["hconcat"][1:])
    points = [row for rows in drawn["datasets"].values() for row in rows if row["value"] == "b"]
    assert {(point["line"], point["side"]) for point in points} == {
        (line, side) for line in ("laplace, epsilon 1", "suppression") for side in SIDES.values()
    }
    assert drawn["title"]["subtitle"][-1].startswith("2 further values are not drawn; equal epsilon")
    assert "rightly and wrongly" in drawn["description"]
