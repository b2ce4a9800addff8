"""The chart of households by size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

import epsilens as el
from epsilens.choice.households import assess_households
from epsilens.report.charts.households import households_chart


def rows_of(plain: dict[str, Any]) -> list[dict[str, Any]]:
    (rows,) = plain["datasets"].values() if "datasets" in plain else (plain["data"]["values"],)
    return list(rows)


def test_bars_of_persons_and_households_by_size() -> None:
    rows = {"age": ["a", "a", "b", "b"], "ill": ["yes", "no", "yes", "no"], "home": [1, 2, 1, 3]}
    data, schema = pd.DataFrame(rows), el.Schema("age", "ill")
    table = el.read_table(data, schema)
    assessment = el.assess(table, epsilon=1.0)
    assert {row["size"] for row in rows_of(households_chart(table, assessment).to_dict())} == {"1"}
    noises = [(line.mechanism, line.budget, line.noise) for line in assessment.lines]
    found = assess_households("home", el.table.read_households(data, schema, "home"), noises)
    plain = households_chart(table, replace(assessment, households=found)).to_dict()
    bars = rows_of(plain)
    assert {row["panel"] for row in bars} == {"today", "laplace, epsilon = 1"}
    assert {row["size"] for row in bars} == {"1", "2"}
    assert "Internal" in str(plain["title"]["subtitle"])
