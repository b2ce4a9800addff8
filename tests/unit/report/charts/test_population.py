from __future__ import annotations

from typing import Any

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess
from epsilens.homogeneity import population_risk
from epsilens.report.charts.population import BELIEVING, EPSILONS, WHO, population_chart

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"], {"sex": ["f", "m", "x"]})


def rows_of(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    return max(drawn["datasets"].values(), key=len)


def test_lines_are_the_exact_risks() -> None:
    drawn = population_chart(TABLE, assess(TABLE, Question(epsilons=(1.0,), sampling_fraction=0.2))).to_dict()
    rows = rows_of(drawn)
    assert len(rows) == 4 * EPSILONS[2]
    row = rows[4 * 30]
    exact = population_risk(TABLE, el.LaplaceNoise(1 / row["epsilon"]), sampling_fraction=0.2)
    found = {row["line"]: row["risk"] for row in rows[4 * 30 : 4 * 31]}
    values = (exact.population, exact.sample, exact.rest, exact.precision)
    assert found == pytest.approx(dict(zip((*WHO, BELIEVING), values, strict=True)))
    assert "Internal" in " ".join(drawn["title"]["subtitle"])


def test_a_panel_for_each_measure_and_no_line_of_nobody() -> None:
    question = Question(epsilons=(1.0,), measures=("local", "hard"), sampling_fraction=1.0)
    drawn = population_chart(TABLE, assess(TABLE, question)).to_dict()
    assert len(drawn["vconcat"]) == 2
    assert WHO[2] not in {row["line"] for row in rows_of(drawn)}
