from __future__ import annotations

from decimal import Decimal

import pytest

import epsilens as el
from epsilens.accounting.cost import Cost, cost_of, cost_of_noise, tallied
from epsilens.accounting.events import ApproximateEvent, ConcentratedEvent, NoiseEvent, PureEvent
from epsilens.budget import ZCDP, ApproxDP, Budget, PureDP


def test_a_cost_below_zero_is_no_cost() -> None:
    with pytest.raises(ValueError, match="below 0"):
        Cost.from_dict({"epsilon": "-5", "delta": "0", "rho": None, "events": []})


def test_a_budget_of_which_nothing_else_is_known() -> None:
    tenth = Decimal("0.1")
    assert cost_of(PureDP(0.1)) == Cost(tenth, Decimal(0), Decimal("0.005"), (PureEvent(tenth),))
    assert cost_of(ZCDP(0.1)) == Cost(None, Decimal(0), tenth, (ConcentratedEvent(tenth),))
    delta = Decimal("0.000001")
    assert cost_of(ApproxDP(0.1, 1e-6)) == Cost(tenth, delta, None, (ApproximateEvent(tenth, delta),))


def test_noise_costs_what_its_law_loses() -> None:
    laplace = cost_of_noise(el.LaplaceNoise(2.0), "add-remove")
    assert (laplace.epsilon, laplace.delta, laplace.rho) == (Decimal("0.5"), Decimal(0), Decimal("0.125"))
    assert laplace.events == (NoiseEvent(el.LaplaceNoise(2.0)),)
    gaussian = cost_of_noise(el.GaussianNoise(2.0), "add-remove")
    assert gaussian.epsilon is None
    assert float(gaussian.rho or 0) == pytest.approx(1 / 8)


def test_a_stated_budget_is_the_price_and_the_law_the_event() -> None:
    stated = cost_of_noise(el.GaussianNoise(2.0), "add-remove", budget=ApproxDP(1.0, 1e-6))
    assert (stated.epsilon, stated.delta) == (Decimal(1), Decimal("0.000001"))
    assert float(stated.rho or 0) == pytest.approx(1 / 8)
    assert stated.events == (NoiseEvent(el.GaussianNoise(2.0)),)


@pytest.mark.parametrize("budget", [PureDP(0.3), ZCDP(0.125), ApproxDP(1.0, 1e-7)])
def test_what_was_written_down_is_read_again(budget: Budget) -> None:
    assert Cost.from_dict(cost_of(budget).to_dict()) == cost_of(budget)


def test_equal_prices_are_counted_together_in_the_order_of_their_first_time() -> None:
    tenth, fifth = cost_of(PureDP(0.1)), cost_of(PureDP(0.2))
    assert tallied([fifth, tenth, cost_of(PureDP(0.2)), fifth]) == {fifth: 3, tenth: 1}
    assert list(tallied([fifth, tenth, fifth])) == [fifth, tenth]
    assert tallied([]) == {}
