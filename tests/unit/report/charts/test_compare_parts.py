from __future__ import annotations

import epsilens as el
from epsilens.choice.comparison import compare
from epsilens.report.charts.compare_parts import chart_title, value_range, value_scale

TABLE = el.FrequencyTable.from_counts([[5, 1], [3, 2]], ["no", "yes"], {"town": ["a", "b"]})


def test_titles_say_what_is_drawn_and_how_to_read_it() -> None:
    found = compare(TABLE, ["laplace"], [1.0], 2, k=2, classify=False)
    plain = chart_title(found, "delta", False).to_dict()
    assert plain["text"] == "Delta at the nominal epsilon"
    assert plain["subtitle"] == [
        "town x label",
        "lower is better; equal epsilon; full: exact, hollow: published. Internal.",
    ]
    over = chart_title(found, "accuracy", True, ", over epsilon", "thin lines: others").to_dict()
    assert over["text"] == "Accuracy of logistic regression, over epsilon"
    assert over["subtitle"][1] == "higher is better; thin lines: others; grey: without protection. Internal."


def test_ranges_and_scales() -> None:
    found = compare(TABLE, ["laplace"], [1.0], 2, k=2, classify=False)
    assert value_range([0.2], found, "delta") == (0.0, 1.0)
    assert value_range([0.9], found, "homogeneity_risk")[0] == found.baseline["homogeneity_risk"]
    assert value_scale(0.0, 10.0, [1.0, 10.0])[1] == {}
    assert value_scale(0.0, 1000.0, [1.0, 1000.0])[1]["values"] == [0.0, 1.0, 10.0, 100.0, 1000.0]
