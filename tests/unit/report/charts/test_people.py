from __future__ import annotations

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess
from epsilens.choice.spread import measure_spread
from epsilens.errors import ParameterError
from epsilens.homogeneity.measures import prepare
from epsilens.report.charts.people import COLOURS, people_chart

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"], {"sex": ["f", "m", "x"]})


def test_bands_hold_everybody_at_every_budget() -> None:
    question = Question(epsilons=(1.0,), measures=("marginal-shrinkage", "local"))
    drawn = people_chart(TABLE, assess(TABLE, question)).to_dict()
    rows = drawn["datasets"][drawn["data"]["name"]]
    by_epsilon: dict[float, float] = {}
    for row in rows:
        by_epsilon[row["epsilon"]] = by_epsilon.get(row["epsilon"], 0.0) + row["share"]
    assert list(by_epsilon.values()) == pytest.approx([1.0] * len(by_epsilon))
    found = measure_spread(prepare("local", TABLE), el.LaplaceNoise(1.0))
    at_1 = [row["share"] for row in rows if row["epsilon"] == pytest.approx(1.0)]
    assert at_1 == pytest.approx([band.people / 11 for band in found.bands])
    assert drawn["encoding"]["color"]["scale"]["range"] == COLOURS
    assert drawn["encoding"]["color"]["scale"]["domain"][-1] == "above 90 %"
    assert "local risk" in str(drawn["title"]["subtitle"])
    assert "72.7 % of people are at epsilon = 1" in " ".join(drawn["title"]["subtitle"])


def test_harm_that_counts_more_than_once_has_the_same_bands() -> None:
    heavy = TABLE.with_harm("label=yes*3")
    drawn = people_chart(heavy, assess(heavy, Question(epsilons=(1.0,), mechanisms=("laplace", "discrete-laplace"))))
    assert len(drawn.to_dict()["vconcat"]) == 2


def test_one_risk_for_everybody_has_no_spread() -> None:
    question = Question(epsilons=(1.0,), measures=("marginal-shrinkage",))
    with pytest.raises(ParameterError, match="one risk for the whole table"):
        people_chart(TABLE, assess(TABLE, question))
