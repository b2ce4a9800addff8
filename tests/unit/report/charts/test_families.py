"""The chart of what a guarantee leaves to families."""

from __future__ import annotations

from epsilens.choice.questions.posterior import families
from epsilens.report.charts.families import family_chart


def test_one_line_per_number_of_people_and_a_panel_per_prior() -> None:
    answer = families.answer(families.Question(epsilon=1.0, members=(1, 4), prior=(0.1, 0.5)))
    plain = family_chart(answer).to_dict()
    (rows,) = plain["datasets"].values()
    assert {row["who"] for row in rows} == {"1 person", "4 people"}
    assert {row["panel"] for row in rows} == {"prior 0.1", "prior 0.5"}
    assert "epsilon = 1" in str(plain["title"]["subtitle"])
    assert "share what is to be learnt" in plain["description"]


def test_a_delta_is_said() -> None:
    answer = families.answer(families.Question(rho=0.1, delta=1e-6, members=(1,), prior=(0.5,)))
    assert "delta = 1e-06" in str(family_chart(answer).to_dict()["title"]["subtitle"])
