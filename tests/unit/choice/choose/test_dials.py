from __future__ import annotations

import pytest

import epsilens as el
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.choose.asked import Asked
from epsilens.choice.choose.dials import checked_data, dial_of, risk_dial
from epsilens.errors import ParameterError
from epsilens.table.hierarchy import Situations

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2]], ["no", "yes"])
GROUPS = Situations.of([[1, 1], [1, 4]], [3, 3])


def test_a_dial_is_that_of_its_data() -> None:
    table = dial_of(TABLE, Asked(measure="posterior"))
    groups = dial_of(GROUPS, Asked(measure="posterior"))
    assert (table.data, table.attack) == (TABLE, None)
    assert (groups.attack, groups.n_people) == ("unique-levels", 2)


def test_one_call_with_plain_values_is_the_same() -> None:
    asked = Asked(mechanism="discrete-gaussian", parameter="rho", options={"match": "share"})
    plain = risk_dial(TABLE, "discrete-gaussian", MeanRisk(), parameter="rho", match="share")
    assert plain.asked == asked
    assert plain.risk(0.3) == dial_of(TABLE, asked).risk(0.3)


def test_other_data_are_refused_before_the_question() -> None:
    with pytest.raises(ParameterError, match="data must be a frequency table, not a list"):
        risk_dial([[1, 2]], "no such mechanism", MeanRisk())  # type: ignore[arg-type]
    assert checked_data(GROUPS) is GROUPS
