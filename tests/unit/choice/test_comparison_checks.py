from __future__ import annotations

from typing import Any

import pytest

from epsilens.avoidance.catalogue import SYSTEMS
from epsilens.choice.comparison_checks import check_numbers, refuse_no_epsilon, refuse_several_rows
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
    ],
)
def test_numbers(given: dict[str, Any], problem: str) -> None:
    sound: dict[str, Any] = {"epsilons": [1.0], "repetitions": 2}
    check_numbers(**sound)
    with pytest.raises(ParameterError, match=problem):
        check_numbers(**sound | given)


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
