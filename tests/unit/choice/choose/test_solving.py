from __future__ import annotations

import math

import pytest

import epsilens as el
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.choose.solving import solved
from epsilens.errors import ParameterError

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"])
DIAL = risk_dial(TABLE, "laplace", MeanRisk())


def test_the_ends_of_the_safe_set_have_the_risk_of_the_ceiling() -> None:
    lowest, highest = sorted(DIAL.limits)
    ceiling = 0.5 * (lowest + highest)
    found = solved(DIAL, ceiling)
    assert found.budget is not None
    assert found.safe_set[0].low == 0.0
    assert DIAL.risk(found.budget) == pytest.approx(ceiling, abs=1e-9)
    assert DIAL.risk(found.budget) <= ceiling
    assert found.floor <= min(DIAL.limits)


def test_everything_and_nothing() -> None:
    assert solved(DIAL, 1.0).budget == math.inf
    nothing = solved(DIAL, 1e-6)
    assert (nothing.safe_set, nothing.budget) == ((), None)
    assert nothing.floor > 1e-6


def test_a_range_of_ones_own() -> None:
    assert solved(DIAL, 1.0, (0.1, 2.0)).scan.budgets[[0, -1]].tolist() == pytest.approx([0.1, 2.0])
    with pytest.raises(ParameterError, match="the search must ascend, got 2 to 1"):
        solved(DIAL, 0.5, (2.0, 1.0))
    classic = risk_dial(TABLE, "gaussian", MeanRisk(), delta=1e-6)
    with pytest.raises(ParameterError, match="mechanism 'gaussian' holds for epsilon < 1"):
        solved(classic, 0.5, (0.1, 2.0))
