"""The chart of households by size."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.households import assess_households
from epsilens.errors import ParameterError
from epsilens.report.charts.households import households_chart


def test_bars_of_persons_and_households_by_size() -> None:
    rows = {"age": ["a", "a", "b", "b"], "ill": ["yes", "no", "yes", "no"], "home": [1, 2, 1, 3]}
    data, schema = pd.DataFrame(rows), el.Schema("age", "ill")
    assessment = el.assess(el.read_table(data, schema), epsilon=1.0)
    with pytest.raises(ParameterError, match="household"):
        households_chart(assessment)
    noises = [(line.mechanism, line.budget, line.noise) for line in assessment.lines]
    found = assess_households("home", el.table.read_households(data, schema, "home"), noises)
    plain = households_chart(replace(assessment, households=found)).to_dict()
    (bars,) = plain["datasets"].values() if "datasets" in plain else (plain["data"]["values"],)
    assert {row["panel"] for row in bars} == {"today", "laplace, epsilon = 1"}
    assert {row["size"] for row in bars} == {"1", "2"}
    assert "Internal" in str(plain["title"]["subtitle"])
