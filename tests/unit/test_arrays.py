"""What every room does with arrays."""

from __future__ import annotations

import numpy as np

from epsilens.arrays import distinct_rows


def test_distinct_rows_adds_weights() -> None:
    rows, weights = distinct_rows(np.array([[2, 1], [1, 9], [2, 1]]), np.array([1, 5, 10]))
    assert rows.tolist() == [[1, 9], [2, 1]]
    assert weights.tolist() == [5, 11]
