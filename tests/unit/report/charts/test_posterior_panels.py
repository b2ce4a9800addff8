"""Panels hold the numbers of the answers they are drawn from, and say what they show."""

from __future__ import annotations

from typing import Any

import pytest

from epsilens.choice.questions.posterior import curve, levels, single, two_level
from epsilens.report.charts import posterior_panels as charts
from epsilens.report.words.posterior import prior_text
from tests.unit.report.charts.test_posterior import values


def panels_of(chart: Any) -> list[dict[str, Any]]:
    return list(chart.to_dict()["hconcat"])


def test_three_panels_over_rho_share_their_colours() -> None:
    answer = curve.answer(curve.Question(0.1, 1.0, 4, (0.5, 1 / 864)))
    drawn = charts.budget_chart(answer.curve, ("posterior", "ratio", "decision"), mark=0.2)
    assert len(panels_of(drawn)) == 3
    for name in ("posterior", "risk_ratio", "correct_decision"):
        wanted = [(prior_text(row["prior"]), row["rho"], row[name]) for row in answer.rows]
        assert wanted in [
            [(row["prior"], row["rho"], row["risk"]) for row in rows]
            for rows in drawn.to_dict()["datasets"].values()
            if "risk" in rows[0]
        ]
    assert drawn.to_dict()["resolve"]["scale"] == {"color": "shared", "strokeDash": "shared"}
    assert "dashed line: rho = 0.2" in str(drawn.to_dict()["title"])
    assert {"rho": 0.2} in values(drawn)


def test_levels_show_posterior_and_ratio() -> None:
    answer = levels.answer(levels.Question((0.1, 0.2), priors=(0.5, 0.1), absent=True))
    drawn = charts.levels_chart(answer.curve, ("posterior", "ratio"), present=False)
    assert len(panels_of(drawn)) == 2
    assert "the person is in truth not there" in str(drawn.to_dict()["title"])
    assert {row["posterior"] for row in answer.rows} <= {row["risk"] for row in values(drawn)}


@pytest.mark.parametrize("axis", ["parent", "rho"])
def test_two_levels_are_drawn_along_either_axis(axis: str) -> None:
    question = two_level.Question(3, (0.1, 0.2), parents=(1, 2), parent_rho=(0.1, 0.5))
    answer = two_level.answer(question)
    drawn = charts.two_level_chart(answer.curve(), ("decision", "posterior"), axis, "PUBLISHED values", 0.2)
    rows = values(drawn)
    assert {average.risk.correct_decision for average in answer.averages} <= {row.get("risk") for row in rows}
    assert {average.risk.posterior for average in answer.averages} <= {row.get("risk") for row in rows}
    lines = {row["who"] for row in rows if "who" in row}
    assert lines == (
        {"parent 1", "parent 2"} if axis == "rho" else {f"with the parent, rho = {r}" for r in (0.1, 0.5)}
    ) | {"group alone"}
    assert "PUBLISHED values" in str(drawn.to_dict()["title"])
    assert ({"rho": 0.2} in rows) == (axis == "rho")


def test_every_adversary_has_a_line_in_both_panels() -> None:
    question = single.Question(rho=0.5, prior=(0.5, 1 / 864), absent=True)
    tables = {p: question.noisy_counts(p) for p in question.priors}
    drawn = charts.adversaries_chart(tables, "noise", present=False)
    rows = values(drawn)
    assert {row["prior"] for row in rows if "prior" in row} == {"0.5", "1/864"}
    assert {float(r) for r in tables[1 / 864].risk_ratio} <= {row.get("risk") for row in rows}
    assert "if not there" in str(drawn.to_dict())


def test_the_bars_stand_below_the_lines_and_large_ratios_are_written_out() -> None:
    question = single.Question(rho=1.0, prior=(0.5, 1 / 864))
    drawn = charts.adversaries_chart({p: question.noisy_counts(p) for p in question.priors}, "noise").to_dict()
    lines, bars = drawn["vconcat"]
    along = [part["layer"][0]["encoding"] for part in lines["hconcat"]]
    assert along[0]["x"]["scale"] == along[1]["x"]["scale"] == bars["encoding"]["x"]["scale"]
    assert along[1]["y"]["axis"]["format"] == ".6~g"  # d3 writes 800 as 8e+2 where it chooses the digits
