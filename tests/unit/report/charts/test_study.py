from __future__ import annotations

import pytest

from epsilens.release.statistics.proportion_study import StudyQuestion, answer_study
from epsilens.report.charts.study import study_chart


def test_every_sample_size_has_a_row_of_panels_for_each_criterion() -> None:
    answer = answer_study(StudyQuestion((50, 60, 70), (0.5, 1.0), ("simplex", "original"), repetitions=20))
    chart = study_chart(answer.rows).to_dict()
    assert len(chart["vconcat"]) == 12
    drawn = [chart["datasets"][panel["data"]["name"]] for panel in chart["vconcat"]]
    assert [{row["n"] for row in rows} for rows in drawn] == [{50}, {60}, {70}] * 4
    for n, bias in zip((50, 60, 70), drawn[:3], strict=True):
        assert [row["value"] for row in bias] == [row.bias for row in answer.rows if row.n == n]
        assert all(row["low"] <= row["value"] <= row["high"] for row in bias)


def test_both_coverages_are_drawn_and_a_method_that_costs_more_is_named() -> None:
    answer = answer_study(StudyQuestion((50,), (1.0,), ("original", "truncated-published"), repetitions=20))
    chart = study_chart(answer.rows).to_dict()
    drawn = [chart["datasets"][panel["data"]["name"]] for panel in chart["vconcat"]]
    assert [row["value"] for row in drawn[2]] == [row.coverage for row in answer.rows]
    assert [row["value"] for row in drawn[3]] == [row.naive_coverage for row in answer.rows]
    assert chart["title"]["subtitle"][-1] == "truncated-published costs more than its epsilon: 1.66 to 1.66 times."


def test_points_of_different_methods_stand_side_by_side() -> None:
    answer = answer_study(StudyQuestion((50,), (1.0,), ("simplex", "original"), repetitions=20))
    chart = study_chart(answer.rows).to_dict()
    (first, second) = {row["epsilon"] for row in chart["datasets"][chart["vconcat"][0]["data"]["name"]]}
    assert first != second
    assert first * second == pytest.approx(1.0)
