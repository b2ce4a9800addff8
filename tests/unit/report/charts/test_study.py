from __future__ import annotations

import pytest

from epsilens.release.statistics.proportion_study import StudyQuestion, answer_study
from epsilens.report.charts.study import study_chart


def test_every_sample_size_has_a_row_of_panels_for_each_criterion() -> None:
    answer = answer_study(StudyQuestion((50, 60, 70), (0.5, 1.0), ("simplex", "original"), repetitions=20))
    chart = study_chart(answer.rows).to_dict()
    assert len(chart["vconcat"]) == 9
    drawn = [chart["datasets"][panel["data"]["name"]] for panel in chart["vconcat"]]
    assert [{row["n"] for row in rows} for rows in drawn] == [{50}, {60}, {70}] * 3
    for n, bias in zip((50, 60, 70), drawn[:3], strict=True):
        assert [row["value"] for row in bias] == [row.bias for row in answer.rows if row.n == n]
        assert all(row["low"] <= row["value"] <= row["high"] for row in bias)


def test_points_of_different_methods_stand_side_by_side() -> None:
    answer = answer_study(StudyQuestion((50,), (1.0,), ("simplex", "original"), repetitions=20))
    chart = study_chart(answer.rows).to_dict()
    (first, second) = {row["epsilon"] for row in chart["datasets"][chart["vconcat"][0]["data"]["name"]]}
    assert first != second
    assert first * second == pytest.approx(1.0)
