"""Shapley values, and the sets that are enough."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epsilens.errors import ParameterError
from epsilens.homogeneity.partial.shares import (
    in_words,
    largest_fall,
    minimal_sets,
    set_sizes,
    shapley_coefficients,
    shapley_values,
)


def by_orders(values: np.ndarray, columns: int) -> list[float]:
    """What each column adds, averaged over all orders of the columns."""
    shares = [0.0] * columns
    for order in itertools.permutations(range(columns)):
        known = 0
        for j in order:
            shares[j] += float(values[known | 1 << j] - values[known]) / math.factorial(columns)
            known |= 1 << j
    return shares


@given(st.integers(1, 4).flatmap(lambda q: st.lists(st.floats(-5, 5), min_size=2**q, max_size=2**q)))
def test_against_all_orders(listed: list[float]) -> None:
    values = np.array(listed)
    q = len(listed).bit_length() - 1
    shares = shapley_values(values)
    assert shares == pytest.approx(by_orders(values, q), abs=1e-9)
    assert shares.sum() == pytest.approx(listed[-1] - listed[0], abs=1e-9)  # efficiency


@given(st.lists(st.floats(0, 5), min_size=4, max_size=4))
def test_a_column_that_adds_nothing_has_0_and_columns_that_add_the_same_have_the_same(listed: list[float]) -> None:
    idle = np.array([listed[number & 3] for number in range(8)])  # column 2 adds nothing
    assert shapley_values(idle)[2] == pytest.approx(0.0, abs=1e-12)
    alike = np.array([listed[size] for size in (0, 1, 1, 2, 1, 2, 2, 3)])
    assert np.ptp(shapley_values(alike)) == pytest.approx(0.0, abs=1e-12)


def test_coefficients_take_every_set() -> None:
    assert shapley_coefficients(np.zeros(2)).tolist() == [[-1.0], [1.0]]
    with pytest.raises(ParameterError, match="one value for every set of columns"):
        shapley_coefficients(np.zeros(3))


def test_sets_that_are_enough_and_have_no_part_that_is() -> None:
    sets = np.array([1, 2, 4, 3, 5, 6, 7])
    enough = np.array([False, True, False, True, True, False, True])
    assert [int(sets[i]) for i in minimal_sets(sets, enough)] == [2, 5]
    assert minimal_sets(sets, np.zeros(7, dtype=bool)) == []
    assert set_sizes(sets).tolist() == [1, 1, 1, 2, 2, 2, 3]
    assert in_words(5, "abc") == ("a", "c")


def test_where_a_value_falls_most() -> None:
    sets = np.array([0, 1, 2, 3])
    assert largest_fall(sets, np.array([0.0, 0.3, 0.1, 0.2])) == (1, 3)
    assert largest_fall(sets, np.array([0.0, 0.1, 0.1, 0.2])) is None
