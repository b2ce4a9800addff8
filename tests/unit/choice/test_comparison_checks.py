from __future__ import annotations

from typing import Any

import pytest

from epsilens.avoidance.catalogue import SYSTEMS
from epsilens.avoidance.suppression import Suppression
from epsilens.choice.comparison_checks import (
    check_numbers,
    refuse_no_epsilon,
    refuse_several_rows,
    refuse_small_bound,
    refuse_theorems_at_equal_risk,
    several,
)
from epsilens.errors import ParameterError


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"epsilons": [1.0, 0.0]}, "epsilon must be > 0"),
        ({"repetitions": 1}, "repetitions must be >= 2, got 1"),
        ({"n_jobs": 0}, "n_jobs must be >= 1, got 0"),
        ({"seed": -1}, "seed must be >= 0, got -1"),
        ({"k": 0}, "k must be >= 1, got 0"),
        ({"prior": 1.0}, "prior must lie strictly"),
        ({"swapped_share": "x"}, "swapped_share must be a number"),
        ({"k": (3, 0)}, "k must be >= 1, got 0"),
        ({"swapped_share": (0.1, float("nan"))}, "swapped_share must be finite"),
        ({"base": (5, 1)}, "base must be >= 2, got 1"),
        ({"k": ()}, "k needs at least one number"),
        ({"bound": 0}, "bound must be >= 1, got 0"),
    ],
)
def test_numbers(given: dict[str, Any], problem: str) -> None:
    sound: dict[str, Any] = {"epsilons": [1.0], "repetitions": 2}
    check_numbers(**sound)
    with pytest.raises(ParameterError, match=problem):
        check_numbers(**sound | given)


def test_a_bound_is_one_for_this_table_and_these_systems() -> None:
    refuse_small_bound(None, 100, [])
    refuse_small_bound(100, 100, [Suppression(6)])
    with pytest.raises(ParameterError, match=r"bound must be at least the largest count of the table, got 99$"):
        refuse_small_bound(99, 100, [])
    with pytest.raises(ParameterError, match="bound must be at least 7: the printed deltas are for counts above"):
        refuse_small_bound(6, 5, [Suppression(6)])


def test_one_value_or_several() -> None:
    assert several(3) == (3,)
    assert several([3, 4, 3]) == (3, 4)
    assert several("x") == ("x",)


def test_theorems_need_epsilons() -> None:
    with pytest.raises(ParameterError, match="theorems are about given epsilons"):
        refuse_theorems_at_equal_risk()


def test_one_row_per_person() -> None:
    refuse_several_rows(1)
    with pytest.raises(ParameterError, match="this table keeps up to 3; read it with a max_rows_per_unit of 1"):
        refuse_several_rows(3)


def test_only_systems_with_a_budget_need_an_epsilon() -> None:
    for name, system in SYSTEMS.items():
        refuse_no_epsilon(name, [1.0])
        if system.budgeted:
            with pytest.raises(ParameterError, match="epsilon needs at least one number"):
                refuse_no_epsilon(name, [])
        else:
            refuse_no_epsilon(name, [])
