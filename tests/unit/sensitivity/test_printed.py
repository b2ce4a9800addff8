"""Every statistic has an answer to what print says."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from epsilens import sensitivity
from epsilens.sensitivity import STATISTICS
from epsilens.sensitivity.printed import AGREE, DIFFER, IN_GROUP, in_print, largest_in_print, range_of

GIVEN: dict[str, Any] = {"n": 10, "sizes": (3, 4), "levels": 3, "lower": 0.0, "upper": 1.0}


def arguments(name: str) -> dict[str, Any]:
    given = GIVEN | ({"lower": (0.0, 0.0), "upper": (1.0, 1.0)} if "covariance" in name else {})
    return {key: value for key, value in given.items() if key in inspect.signature(STATISTICS[name]).parameters}


@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
@pytest.mark.parametrize("name", STATISTICS)
def test_the_note_says_how_print_and_formula_stand_to_each_other(name: str, neighbours: str) -> None:
    found, ours = (
        in_print(name, neighbours, arguments(name)),
        STATISTICS[name](neighbours=neighbours, **arguments(name)),
    )
    if name in ("count", "histogram_tree"):
        assert found.value is None
    elif neighbours == "add-remove" and name in ("proportions", "pooled_covariance"):
        assert found.note == DIFFER
        assert found.value != pytest.approx(ours)
    else:
        assert found.note == AGREE
        assert found.value == pytest.approx(ours)


def test_print_is_about_one_row_in_l1_and_about_records_that_stay_in_their_group() -> None:
    assert in_print("histogram", "substitute", {"norm": 2}).value is None
    assert in_print("proportions", "substitute", {"n": 5, "norm": 2}).value is None
    assert in_print("histogram", "substitute", {"max_rows_per_unit": 2}).value is None
    moved: dict[str, Any] = {"sizes": (3, 3), "lower": (0, 0), "upper": (1, 1), "may_change_group": True}
    assert sensitivity.pooled_covariance(neighbours="substitute", **moved) == pytest.approx(0.3542, abs=5e-5)
    assert in_print("pooled-covariance", "substitute", moved).value == pytest.approx(1 / 6)
    assert in_print("pooled-covariance", "substitute", moved).note == IN_GROUP


def test_hidden_sizes_have_forms_of_their_own_in_print() -> None:
    hidden = {"sizes": (3, 3), "reveal_largest": False}
    assert in_print("pooled-variance", "substitute", hidden | {"lower": 0, "upper": 2}).value == 1.0
    assert in_print("pooled-variance", "add-remove", hidden | {"lower": 0, "upper": 1, "sizes": (2, 2)}).value == 0.375
    both = hidden | {"lower": (0, 0), "upper": (1, 1)}
    assert in_print("pooled-covariance", "add-remove", both).value == pytest.approx(0.2307, abs=5e-5)
    assert in_print("pooled-covariance", "substitute", both).value == 0.25


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7])
def test_the_printed_largest_variance_is_that_of_even_samples(n: int) -> None:
    corners = np.array(np.meshgrid(*[[0.0, 1.0]] * n)).reshape(n, -1).var(axis=0, ddof=1).max()
    given = {"n": n, "lower": 0, "upper": 1}
    low, high = range_of("variance", given) or (1, 0)
    assert (low, high) == pytest.approx((0.0, corners))
    printed = largest_in_print("variance", given)
    assert printed == pytest.approx(n / (4 * (n - 1)))
    assert (printed == pytest.approx(corners)) == (n % 2 == 0)


def test_ranges_of_what_is_not_a_variance() -> None:
    assert range_of("mean", {"n": 4, "lower": -1, "upper": 3}) == (-1.0, 3.0)
    assert range_of("proportions", {"n": 4}) == (0.0, 1.0)
    assert range_of("histogram", {}) is None
    assert largest_in_print("mean", {"n": 4, "lower": -1, "upper": 3}) is None
    both = {"sizes": (3, 3), "lower": (0, 0), "upper": (1, 2)}
    assert range_of("pooled-covariance", both) == pytest.approx((-2 / 3, 2 / 3))
    assert largest_in_print("pooled-covariance", both) == pytest.approx(0.75)
