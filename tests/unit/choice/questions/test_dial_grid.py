"""The budgets of a dial are round, ascending, and the same for all data."""

from __future__ import annotations

import pytest

from epsilens.choice.questions.dial_grid import nearest, public_budgets, with_others
from epsilens.errors import ParameterError


@pytest.mark.parametrize(("rho", "ends"), [(False, (0.01, 20.0)), (True, (0.001, 5.0))])
def test_budgets_are_round_and_few(rho: bool, ends: tuple[float, float]) -> None:
    found = public_budgets(rho)
    assert 40 <= len(found) <= 61
    assert (found[0], found[-1]) == ends
    assert list(found) == sorted(set(found))
    assert all(float(f"{budget:.1e}") == budget for budget in found)
    assert {0.1, 0.12, 0.2, 0.5, 1.0, 2.0, 5.0} <= set(found)


def test_a_mechanism_that_holds_below_1_ends_there() -> None:
    assert public_budgets(below=1.0)[-1] == 0.9


def test_a_declared_budget_is_added_once() -> None:
    assert with_others((0.1, 1.0), (0.77, 1.0, float("inf"))) == (0.1, 0.77, 1.0)
    with pytest.raises(ParameterError, match="budgets"):
        with_others((0.1,), (0.0,))


@pytest.mark.parametrize(("wanted", "place"), [(0.01, 0), (0.1, 0), (0.3, 0), (0.33, 1), (1.0, 1), (3.2, 2), (99.0, 2)])
def test_the_nearest_budget_is_that_on_the_log_axis(wanted: float, place: int) -> None:
    assert nearest((0.1, 1.0, 10.0), wanted) == place


def test_of_two_that_are_as_near_it_is_the_smaller_one() -> None:
    assert nearest((1.0, 4.0), 2.0) == 0
