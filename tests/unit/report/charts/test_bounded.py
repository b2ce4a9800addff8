from __future__ import annotations

from epsilens.choice.questions.bounded import WAYS, Question, answer
from epsilens.report.charts.bounded import bounded_chart


def test_a_panel_per_true_value_and_two_curves() -> None:
    chart = bounded_chart(answer(Question((0.3, 0.01, 0.9), 0.0, 1.0, 0.02, epsilon=1.0))).to_dict()
    *above, below = chart["vconcat"]
    assert [len(row["hconcat"]) for row in above] == [2, 1]
    titles = [panel["title"]["text"] for row in above for panel in row["hconcat"]]
    assert titles == ["true value 0.3", "true value 0.01", "true value 0.9"]
    assert [panel["title"]["text"].split(" over")[0] for panel in below["hconcat"]] == ["bias", "mean squared error"]
    assert above[0]["hconcat"][1]["title"]["subtitle"] == "clamped: exactly 0 with 30.3 %, exactly 1 with < 0.1 %"
    assert "costs 1.49 epsilon" in chart["description"]
    scale = below["hconcat"][0]["layer"][1]["encoding"]["color"]["scale"]
    assert scale["domain"] == list(WAYS)
