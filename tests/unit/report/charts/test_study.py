from __future__ import annotations

from epsilens.release.statistics.proportion_study import StudyQuestion, answer_study
from epsilens.report.charts.study import study_chart


def test_the_smallest_and_the_largest_sample_are_drawn_in_three_rows_of_panels() -> None:
    answer = answer_study(StudyQuestion((50, 60, 70), (0.5, 1.0), ("simplex", "original"), repetitions=20))
    chart = study_chart(answer.rows).to_dict()
    assert len(chart["vconcat"]) == 3
    bias = chart["datasets"][chart["vconcat"][0]["data"]["name"]]
    assert {row["column"].split(", ")[1] for row in bias} == {"n = 50", "n = 70"}
    assert [row["value"] for row in bias] == [row.bias for row in answer.rows if row.n != 60]
    assert all(row["low"] <= row["value"] <= row["high"] for row in bias)
