"""Charts of the adversary hold the numbers of the answers they are drawn from."""

from __future__ import annotations

from typing import Any

import pytest

from epsilens.choice.questions.posterior import curve, levels, postprocess, release, single, two_level
from epsilens.report.charts import posterior as charts
from epsilens.table.hierarchy import Situations


def values(chart: Any) -> list[dict[str, Any]]:
    """All rows of data that a chart holds, whatever its composition."""
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows]


def test_noisy_counts() -> None:
    question = single.Question(rho=0.5, prior=0.2)
    drawn = values(charts.noisy_count_chart(question.noisy_counts(), question.priors[0]))
    assert {"prior": 0.2} in drawn
    table = question.noisy_counts()
    assert [row["posterior"] for row in drawn if "posterior" in row][: len(table.noisy)] == table.posterior.tolist()


def test_counts_stand_above_their_own_bars_and_the_noise_is_named() -> None:
    question = single.Question(epsilon=1.0)
    drawn = charts.noisy_count_chart(question.noisy_counts(), 0.5, f"{question.noise.title} noise").to_dict()
    upper, lower = drawn["vconcat"]
    assert upper["layer"][0]["encoding"]["x"]["scale"] == lower["encoding"]["x"]["scale"]
    assert lower["encoding"]["x"]["scale"]["padding"] == 0  # or else bars get a margin that points do not
    assert upper["width"] == lower["width"]
    assert upper["title"]["subtitle"] == "discrete Laplace noise; dotted: the prior, 0.5"


def test_curves_have_a_line_for_every_prior() -> None:
    answer = curve.answer(curve.Question(0.1, 1.0, 4, (0.5, 0.1)))
    drawn = values(charts.budget_chart(answer.curve))
    assert [(row["prior"], row["risk"]) for row in drawn] == [(f"{r['prior']:g}", r["risk_ratio"]) for r in answer.rows]
    unique = levels.answer(levels.Question((0.1, 0.2), priors=(0.5,)))
    assert [row["risk"] for row in values(charts.levels_chart(unique.curve))] == [
        row["risk_ratio"] for row in unique.rows
    ]


def test_two_levels_are_drawn_beside_the_group_alone() -> None:
    question = two_level.Question(3, (0.1, 0.2), parents=(1, 2))
    answer = two_level.answer(question)
    drawn = values(charts.two_level_chart(answer.curve()))
    assert [row["right"] for row in drawn if row["who"] == "with the parent, rho = 0.2"] == [
        average.risk.correct_decision for average in answer.averages
    ]
    assert {row["decision"] for row in values(charts.decision_chart(question.decision_map()))} <= {
        "there, either way",
        "not there, either way",
        "there, only with the hierarchy",
        "not there, only with the hierarchy",
    }


def test_post_processing_is_drawn_beside_the_raw_count() -> None:
    answer = postprocess.answer(postprocess.Question((1, 2), 3, (0.1,)))
    drawn = values(charts.postprocessing_chart(answer.check))
    assert {row["what"] for row in drawn} == {"simplified step", "constrained step", "raw count"}
    assert [row["posterior"] for row in drawn[::2]] == [row["posterior"] for row in answer.rows]


def test_a_release_is_drawn_as_people_and_marked_internal() -> None:
    question = release.Question(("block", "tract"), ("age",), rho=(0.5, 0.5))
    answer = release.answer(question, Situations.of([[1, 1], [1, 3]], [3, 2], [10, 5]))
    chart = charts.release_chart(answer.risk)
    assert sum(row["people"] for row in values(chart)) == 15
    assert "Internal." in str(chart.to_dict()["title"])
    mean = sum(row["ratio"] * row["people"] for row in values(chart)) / 15
    assert mean == pytest.approx(answer.risk.mean_ratio, abs=1e-5)
