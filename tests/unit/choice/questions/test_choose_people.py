"""What an answer says of people, in plain values."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.questions.choose_people import harmful_values, people_of, short_answer, told_of_people
from epsilens.homogeneity.repeated.separate import belief_in_joint

TABLE = replace(el.FrequencyTable.from_counts([[5, 0, 1], [0, 2, 0]], ["no", "yes", "(missing)"]), sensitive=("ill",))


def test_the_short_answer_and_what_stands_beside_it() -> None:
    people = people_of(risk_dial(TABLE, "laplace", MeanRisk()), 0.3)
    taken = people.at(1.0)
    plain = told_of_people("epsilon", taken, [people.at(0.5), taken], people)
    assert plain["answer"] == short_answer("epsilon", taken)
    assert (plain["answer"]["exists"], plain["answer"]["budget"]) == (True, 1.0)
    assert (plain["answer"]["risk"], plain["answer"]["price"]) == (taken.risk, taken.error)
    assert [row["epsilon"] for row in plain["table"]] == [0.5, 1.0]
    assert taken.spread is not None
    assert plain["spread"] == taken.spread.to_dict()
    assert [value["value"] for value in plain["by_value"]] == ["no", "yes", "(missing)"]


def test_where_there_is_no_budget_everything_is_null() -> None:
    plain = told_of_people("rho", None, [], people_of(risk_dial(TABLE, "laplace", MeanRisk()), 0.3))
    assert plain["answer"]["exists"] is False
    assert {plain["answer"][name] for name in ("budget", "risk", "price", "worst", "above_half")} == {None}
    assert (plain["spread"], plain["by_value"]) == (None, None)


def test_missing_values_harm_nobody_unless_they_are_declared() -> None:
    assert harmful_values(TABLE) == {
        "declared": False,
        "values": [{"attribute": "ill", "value": name, "weight": 1.0} for name in ("no", "yes")],
        "others": [{"attribute": "ill", "value": "(missing)", "weight": 0.0}],
    }
    declared = harmful_values(TABLE.with_harm("ill=yes*3", "ill="))
    assert declared["declared"] is True
    assert [(value["value"], value["weight"]) for value in declared["values"]] == [("(missing)", 1.0), ("yes", 3.0)]


def test_separate_tables_have_values_each() -> None:
    people = [("a", "x", "1"), ("a", "y", "2"), ("b", "x", "1"), ("b", "x", "2"), ("c", "y", "1")] * 3
    table = el.read_table(pd.DataFrame(people, columns=["q", "s", "t"]), el.Schema("q", ["s", "t"]))
    found = people_of(risk_dial(table, "laplace", MeanRisk(), publish="separate"), 0.3).at(1.0)
    assert [value.value for value in found.by_value] == ["s=x", "s=y", "t=1", "t=2"]
    assert (found.harmful_right, found.harmful_wrong) == (None, None)  # a person may be shown in both
    jointly = people_of(risk_dial(table, "laplace", MeanRisk(), attributes="max"), 0.3).at(1.0)
    assert [value.value for value in jointly.by_value] == ["s=x", "s=y", "t=1", "t=2"]
    exact = belief_in_joint(table, "t", el.LaplaceNoise(1.0))
    assert sum(value.shown_right for value in jointly.by_value[2:]) == pytest.approx(exact.right)
    assert sum(value.shown_wrong for value in jointly.by_value[2:]) == pytest.approx(exact.wrong)
