from __future__ import annotations

from typing import Any

import pytest

import epsilens as el
from epsilens.choice.choose.two_parameters import choose_delta
from epsilens.choice.questions.choose_delta import Answer, Question, answer
from epsilens.errors import ParameterError
from epsilens.table.to_read import HierarchyToRead, TableToRead

TABLE = el.FrequencyTable.from_counts([[3, 0], [0, 5], [1, 0], [2, 2], [7, 1]])
NOWHERE = TableToRead.of("nowhere.csv", ["age", "sex"], "income")
LEVELS = HierarchyToRead("nowhere.csv", ("block", "tract"), ("age",))
MECHANISM = "gaussian-probabilistic"


def chosen(max_risk: float, **more: Any) -> Answer:
    return answer(Question(max_risk=max_risk, epsilon=1.0, mechanism=MECHANISM, **more), TABLE)


def test_it_is_what_the_library_computes() -> None:
    found = chosen(0.45, aggregate_by="cell-mean")
    own = choose_delta(TABLE, 1.0, MECHANISM, 0.45, aggregate_by="cell-mean")
    assert found.delta == own.delta
    assert found.delta is not None
    plain = found.to_dict()
    assert (plain["delta"], plain["parameter"], plain["label"]) == (own.delta, "delta", "internal")
    assert plain["risk"] == pytest.approx(0.45, abs=1e-9)
    assert plain["risk"] <= 0.45 + 1e-12
    assert found.public_delta is not None
    assert found.public_delta <= found.delta
    assert found.risk(found.public_delta) <= 0.45
    deltas, risks = found.curve
    assert (deltas[0], deltas[-1]) == (1e-12, 0.5)
    assert risks[0] == plain["risk_at_least_delta"]


def test_people_above_are_counted() -> None:
    found = chosen(0.6, max_people=5)
    assert found.to_dict()["people_above"] <= 5


def test_none_and_all() -> None:
    none, everything = chosen(0.1), chosen(1.0)
    assert (none.delta, none.public_delta, none.to_dict()["risk"]) == (None, None, None)
    assert everything.delta == 0.5


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"mechanism": "laplace"}, "mechanism 'laplace' has none; take mechanism='gaussian'"),
        ({"mechanism": "gausian"}, "did you mean"),
        ({"mechanism": "gaussian"}, "epsilon must be < 1 for mechanism 'gaussian'"),
        ({"epsilon": 0.0}, "epsilon must be > 0"),
        ({"max_risk": 2.0}, "max_risk must lie"),
        ({"data": LEVELS}, "'local' is one of a table"),
        ({"max_people": 2, "aggregate_by": "max"}, "max_people is an aggregate of its own"),
    ],
)
def test_what_makes_no_sense_is_refused_without_data(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Question(**{"max_risk": 0.3, "epsilon": 1.0, "data": NOWHERE, **asked})
    with pytest.raises(ParameterError, match="say in data where"):
        answer(Question(max_risk=0.3, epsilon=1.0))
