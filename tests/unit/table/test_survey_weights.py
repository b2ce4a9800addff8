from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from epsilens.errors import DataError
from epsilens.table.frequency import FrequencyTable
from epsilens.table.survey_weights import weighted_cells

COUNTS = [[2, 0], [1, 1], [2, 0], [0, 0]]


def test_pairs_of_a_vector_and_a_weight_are_counted_once() -> None:
    found = weighted_cells(np.array(COUNTS), np.array([5.0, 3.0, 5.0, 2.0]), np.array([1, 2, 1, 1]))
    assert found.vectors.tolist() == [[0, 0], [1, 1], [2, 0]]
    assert found.weights.tolist() == [2.0, 3.0, 5.0]
    assert found.multiplicities.tolist() == [1, 2, 2]


def test_what_falls_short_by_rounding_is_made_good() -> None:
    found = weighted_cells(np.array([[3, 0]]), np.array([2.9999999999]), np.array([1]))
    assert found.weights.tolist() == [3.0]


def test_a_table_of_counts_takes_the_weights_of_its_cells() -> None:
    table = FrequencyTable.from_counts(COUNTS, weights=[5, 3, 5, 0])
    assert table.weighted_cells is not None
    assert table.weighted_cells.multiplicities.tolist() == [1, 1, 2]
    assert FrequencyTable.from_counts(COUNTS).weighted_cells is None


@pytest.mark.parametrize(
    ("weights", "rule"),
    [
        ([5, 3, 5], r"one number per cell \(4\)"),
        ([5, 3, 5, np.nan], "must be finite; 1 of them is not"),
        ([5, 1.5, 1, 0], "2 cells stand for fewer people than they have; a person stands at least for themselves"),
        (["a", 1, 2, 3], "must be numbers, one per cell"),
    ],
)
def test_weights_that_no_cells_can_have_are_refused(weights: Any, rule: str) -> None:
    with pytest.raises(DataError, match=rule):
        FrequencyTable.from_counts(COUNTS, weights=weights)
