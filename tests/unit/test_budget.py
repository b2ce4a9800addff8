from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epsilens.budget import (
    ZCDP,
    ApproxDP,
    ProbabilisticDP,
    PureDP,
    budget_from,
    budget_words,
    count_sensitivity,
    delta_of,
    epsilon_of,
    log_grid,
)
from epsilens.errors import ParameterError


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), None, "one"])
def test_epsilon_and_rho_must_be_positive_numbers(bad: float) -> None:
    for make in (PureDP, ZCDP, lambda e: ApproxDP(e, 0.1), lambda e: ProbabilisticDP(e, 0.1)):
        with pytest.raises(ParameterError, match=r"(epsilon|rho) must be"):
            make(bad)


def test_the_message_says_rule_and_value() -> None:
    with pytest.raises(ParameterError, match=r"^epsilon must be > 0, got -1$"):
        PureDP(-1)


@pytest.mark.parametrize("bad", [0, 1, -0.1, 1.5, float("nan")])
def test_delta_is_a_probability(bad: float) -> None:
    for kind in (ApproxDP, ProbabilisticDP):
        with pytest.raises(ParameterError, match="delta must"):
            kind(1.0, bad)


def test_a_budget_from_its_numbers() -> None:
    assert budget_from() is None
    assert budget_from(0.5) == PureDP(0.5)
    assert budget_from(0.5, 1e-6) == ApproxDP(0.5, 1e-6)
    assert budget_from(rho=0.1) == ZCDP(0.1)
    for numbers, said in (
        ({"delta": 1e-6}, "^delta needs epsilon$"),
        ({"epsilon": 1.0, "rho": 1.0}, "^give rho, or epsilon and delta, not both$"),
        ({"delta": 1e-6, "rho": 1.0}, "^give rho, or epsilon and delta, not both$"),
        ({"epsilon": 0.0}, "^epsilon must be > 0, got 0$"),
    ):
        with pytest.raises(ParameterError, match=said):
            budget_from(**numbers)


def test_the_parameters_of_a_budget_as_errors_name_them() -> None:
    assert [budget_words(given) for given in (PureDP(1), ApproxDP(1, 0.1), ZCDP(1), None, 3)] == [
        "`epsilon`",
        "`epsilon` and `delta`",
        "`rho`",
        "none",
        "a int",
    ]


def test_grids_hit_their_ends_exactly() -> None:
    grid = PureDP.grid(1e-3, 1e2, 101)
    assert (len(grid), grid[0].epsilon, grid[-1].epsilon) == (101, 1e-3, 1e2)
    assert grid[40].epsilon == pytest.approx(1e-1)
    assert {budget.delta for budget in ApproxDP.grid(0.1, 0.9, 5, delta=1e-6)} == {1e-6}
    assert log_grid(2, 2, 1) == [2.0]
    for low, high, size in ((0, 1, 5), (2, 1, 5), (1, 2, 1), (1, 2, 0)):
        with pytest.raises(ParameterError):
            log_grid(low, high, size)


def test_count_sensitivity() -> None:
    assert count_sensitivity("add-remove", 1) == count_sensitivity("add-remove", 2) == 1
    assert count_sensitivity("substitute", 1) == 2
    assert count_sensitivity("substitute", 2) == math.sqrt(2)
    assert count_sensitivity("substitute", 2, max_rows_per_unit=3) == 3 * math.sqrt(2)
    with pytest.raises(ParameterError, match="max_rows_per_unit must be >= 1, got 0"):
        count_sensitivity("add-remove", 1, max_rows_per_unit=0)


@given(rho=st.floats(1e-6, 50), epsilon=st.floats(1e-3, 100))
def test_best_conversion_is_a_minimum_over_orders(rho: float, epsilon: float) -> None:
    order = 1 + np.geomspace(1e-6, 1e7, 4001)
    log_delta = (order - 1) * (order * rho - epsilon) - np.log(order - 1) + order * np.log1p(-1 / order)
    best, scanned = ZCDP(rho).delta(epsilon), float(np.exp(min(log_delta.min(), 0.0)))
    assert best <= scanned * (1 + 1e-9)
    assert best >= scanned * 0.99 - 1e-300


@given(rho=st.floats(1e-5, 20), delta=st.floats(1e-12, 0.5))
def test_conversions_invert_each_other_and_beat_the_simple_one(rho: float, delta: float) -> None:
    budget = ZCDP(rho)
    epsilon = budget.epsilon(delta)
    assert epsilon <= budget.published_epsilon(delta)
    if epsilon > 1e-6:
        assert budget.delta(epsilon) == pytest.approx(delta, rel=1e-6)
        assert ZCDP.within(ApproxDP(epsilon, delta)).rho == pytest.approx(rho, rel=1e-6)


def test_conversion_golden_numbers() -> None:
    assert ZCDP(0.1).epsilon(1e-10) == pytest.approx(2.881828009, abs=1e-9)
    assert ZCDP(0.1).published_epsilon(1e-10) == pytest.approx(3.134854259, abs=1e-9)
    assert ZCDP.within(ApproxDP(1.0, 1e-6)).delta(1.0) <= 1e-6


def test_zcdp_converts_at_every_size() -> None:
    assert ZCDP(1e4).delta(1.0) == 1.0
    assert ZCDP(1e-200).delta(1e200) == 0.0
    assert ZCDP(1e-200).epsilon(1e-6) == 0.0
    assert ZCDP(1e200).epsilon(1e-6) == pytest.approx(1e200)
    assert ZCDP.within(ApproxDP(1e200, 1e-6)).rho == pytest.approx(1e200)
    rho = ZCDP.within(ApproxDP(1.0, 1e-300)).rho
    assert ZCDP(rho * (1 + 1e-9)).epsilon(1e-300) > 1.0 >= ZCDP(rho).epsilon(1e-300) * (1 - 1e-9)
    with pytest.raises(ParameterError, match="leave a rho below any number, got 1e-200; take a larger epsilon"):
        ZCDP.within(ApproxDP(1e-200, 1e-300))


def test_the_numbers_of_any_budget() -> None:
    assert (epsilon_of(PureDP(0.5)), delta_of(PureDP(0.5))) == (0.5, None)
    assert (epsilon_of(ApproxDP(1.0, 1e-6)), delta_of(ApproxDP(1.0, 1e-6))) == (1.0, 1e-6)
