"""A plan of releases; that its order gains nothing is in ``tests/contract/test_accounts_against_an_adversary.py``."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from epsilens.accounting.cost import Cost, cost_of, cost_of_noise
from epsilens.accounting.events import DeltaEvent, NoiseEvent, PureEvent
from epsilens.accounting.plan import MOST_RELEASES, ReleasePlan, cost_words
from epsilens.budget import ZCDP, ApproxDP, PureDP
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteLaplaceNoise, GaussianNoise

TENTH, FIFTH = cost_of(PureDP(0.1)), cost_of(PureDP(0.2))


def test_equal_prices_are_one_row_in_whatever_order_they_are_written() -> None:
    plan = ReleasePlan(((2, FIFTH), (1, TENTH), (3, FIFTH)))
    assert plan == ReleasePlan(((1, TENTH), (5, FIFTH)))
    assert sorted(number for number, _ in plan.rows) == [1, 5]
    assert len(plan.costs) == 6


def test_places_are_used_up() -> None:
    plan = ReleasePlan(((2, FIFTH), (1, TENTH)))
    assert plan.admits([])
    assert plan.admits([FIFTH, TENTH, FIFTH])
    assert not plan.admits([TENTH, TENTH])
    assert not plan.admits([cost_of(PureDP(0.15))])
    assert dict(zip([cost for _, cost in plan.rows], plan.used([FIFTH, FIFTH]), strict=True)) == {TENTH: 0, FIFTH: 2}
    assert plan.words() == "1 x epsilon 0.1; 2 x epsilon 0.2"
    assert plan.words([FIFTH]) == "1 x epsilon 0.1 (1 left); 2 x epsilon 0.2 (1 left)"


def test_a_plan_survives_being_written_down() -> None:
    thresholded = Cost(
        Decimal("0.3"), Decimal("1E-7"), None, (NoiseEvent(DiscreteLaplaceNoise(1 / 0.3)), DeltaEvent(Decimal("1E-7")))
    )
    costs = (TENTH, thresholded, cost_of_noise(GaussianNoise(20.0 / 3.0), "substitute", 3), cost_of(ZCDP(0.01)))
    plan = ReleasePlan(tuple((number, cost) for number, cost in enumerate(costs, start=1)))
    assert ReleasePlan.from_rows(json.loads(json.dumps(plan.to_rows()))) == plan
    told = plan.to_rows([TENTH])
    assert sorted(row["used"] for row in told) == [0, 0, 0, 1]
    assert ReleasePlan.from_rows(told) == plan


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((), "plan must hold at least one release"),
        (((0, TENTH),), r"plan must be >= 1 \(a planned release is made once at least\), got 0"),
        (((1.5, TENTH),), "plan must be a whole number"),
        (((MOST_RELEASES, TENTH), (1, FIFTH)), "plan must hold at most 10000 releases, got 10001"),
    ],
)
def test_plans_that_are_none(rows: tuple[tuple[int, Cost], ...], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        ReleasePlan(rows)


def test_prices_in_words() -> None:
    assert cost_words(TENTH) == "epsilon 0.1"
    assert cost_words(cost_of(ZCDP(0.05))) == "rho 0.05"
    assert cost_words(cost_of(ApproxDP(0.5, 1e-6))) == "epsilon 0.5, delta 0.000001"
    noise = NoiseEvent(DiscreteLaplaceNoise(5.0))
    assert (
        cost_words(Cost(Decimal("0.6"), Decimal(0), None, (noise,) * 3)) == "epsilon 0.6 (discrete-laplace 5, 3 times)"
    )
    halves = (PureEvent(Decimal("0.25")), PureEvent(Decimal("0.05")))
    assert cost_words(Cost(Decimal("0.3"), Decimal(0), None, halves)) == "epsilon 0.3 (epsilon 0.25, epsilon 0.05)"
