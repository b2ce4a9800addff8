from __future__ import annotations

import epsilens as el
from epsilens.choice.questions.choose_delta import Question, answer
from epsilens.report.charts.choose_delta import delta_chart

TABLE = el.FrequencyTable.from_counts([[3, 0], [0, 5], [1, 0], [2, 2], [7, 1]])


def test_the_chart_has_the_ceiling_the_band_and_the_delta() -> None:
    found = answer(Question(max_risk=0.45, epsilon=1.0, mechanism="gaussian-probabilistic"), TABLE)
    drawn = delta_chart(found).to_dict()
    data = [row for rows in drawn["datasets"].values() for row in rows]
    assert {"risk": 0.45, "text": "ceiling"} in data
    assert any(row.get("delta") == found.delta for row in data)
    assert any(row.get("high") == found.delta for row in data)
    assert "epsilon = 1. Internal." in str(drawn["title"]["subtitle"])
    none = delta_chart(answer(Question(max_risk=0.1, epsilon=1.0), TABLE)).to_dict()
    assert len(none["layer"]) == 3


def test_a_ratio_is_called_a_ratio() -> None:
    question = Question(max_risk=1.2, epsilon=1.0, measure="posterior-ratio")
    axes = [layer["encoding"].get("y", {}) for layer in delta_chart(answer(question, TABLE)).to_dict()["layer"]]
    assert "average posterior / prior over people" in [axis.get("title") for axis in axes]
