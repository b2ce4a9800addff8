"""Cells in memory; what every store answers is in ``tests/contract/test_cell_stores.py``."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.table import cell_store, frequency
from epsilens.table.cell_store import MemoryStore, regrouped_vectors
from epsilens.table.count_vectors import STRUCTURAL_ZERO


def test_a_marginal_has_its_cells_in_order_and_its_weights_added_up() -> None:
    columns = {"age": ["young", "old", "young"], "sex": ["f", "f", "m"]}
    store = MemoryStore(np.array([[3, 0], [1, 2], [0, 4]]), columns, np.array([30.0, 15.0, 8.0]))
    by_age = store.marginal(["age"])
    assert by_age.columns == {"age": ["old", "young"]}
    assert by_age.matrix.tolist() == [[1, 2], [3, 4]]
    assert by_age.weights is not None
    assert by_age.weights.tolist() == [15.0, 38.0]


def test_regrouping_keeps_the_impossible_only_where_all_of_it_is() -> None:
    vectors = np.array([[STRUCTURAL_ZERO, STRUCTURAL_ZERO, 1], [STRUCTURAL_ZERO, 2, 0]])
    assert regrouped_vectors(vectors, [[0, 1], [2]]).tolist() == [[STRUCTURAL_ZERO, 1], [2, 0]]


def test_the_names_of_tables_and_their_cells_are_found_together() -> None:
    assert frequency.MemoryStore is cell_store.MemoryStore
    assert frequency.CellStore is cell_store.CellStore
    assert frequency.regrouped_vectors is cell_store.regrouped_vectors


@settings(max_examples=100, deadline=None)
@given(
    matrix=st.integers(1, 5).flatmap(
        lambda labels: st.lists(
            st.lists(st.integers(-1, 3) | st.sampled_from([2**20, 2**53]), min_size=labels, max_size=labels), min_size=1
        )
    ),
)
def test_distinct_vectors_are_those_of_numpy_in_order(matrix: list[list[int]]) -> None:
    """Whether a vector fits into a number or, with several large counts, does not."""
    vectors, times = MemoryStore(np.array(matrix), {}).ordered_signatures()
    expected, expected_times = np.unique(np.array(matrix), axis=0, return_counts=True)
    assert np.array_equal(vectors.dense(), expected)
    assert np.array_equal(times, expected_times)
