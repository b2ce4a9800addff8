"""What every room does with arrays."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from epsilens.arrays import as_floats, distinct_and_positions, distinct_rows


def test_distinct_rows_adds_weights() -> None:
    rows, weights = distinct_rows(np.array([[2, 1], [1, 9], [2, 1]]), np.array([1, 5, 10]))
    assert rows.tolist() == [[1, 9], [2, 1]]
    assert weights.tolist() == [5, 11]


def test_distinct_rows_against_counting() -> None:
    rng = np.random.default_rng(4)
    rows, weights = rng.integers(-1, 3, (500, 3)), rng.integers(0, 9, 500)
    counted: Counter[tuple[int, ...]] = Counter()
    for row, weight in zip(rows.tolist(), weights.tolist(), strict=True):
        counted[tuple(row)] += weight
    found, totals = distinct_rows(rows, weights)
    assert [tuple(row) for row in found.tolist()] == sorted(counted)
    assert totals.tolist() == [counted[row] for row in sorted(counted)]


def test_distinct_rows_of_nothing_and_without_weight() -> None:
    rows, weights = distinct_rows(np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=np.int64))
    assert (rows.shape, weights.shape) == ((0, 2), (0,))
    rows, weights = distinct_rows(np.array([[7, 7], [0, 1], [7, 7]]), np.array([0, 0, 0]))
    assert (rows.tolist(), weights.tolist()) == ([[0, 1], [7, 7]], [0, 0])


def test_distinct_rows_of_numbers_that_do_not_fit_in_one_word() -> None:
    rng, low, high = np.random.default_rng(5), -(2**63), 2**63 - 1
    values = np.array([low, low + 1, -1, 0, 1, 2**31, high - 1, high])
    for columns in (1, 2, 5):
        rows = values[rng.integers(0, len(values), (300, columns))]
        rows[:, -1] = rng.integers(0, 3, 300)
        found, totals = distinct_rows(rows, np.ones(300, dtype=np.int64))
        expected, times = np.unique(rows, axis=0, return_counts=True)
        assert (found.tolist(), totals.tolist()) == (expected.tolist(), times.tolist())
        distinct, positions = distinct_and_positions(rows)
        assert (distinct[positions] == rows).all()
    codes: Any = rng.integers(0, 60_000, (100, 3)).astype(np.int32)  # whose digits together are more than 32 bits
    assert distinct_rows(codes, np.ones(100, dtype=np.int64))[0].tolist() == sorted(codes.tolist())


def test_floats_are_doubles_and_arrays_of_them_are_not_copied() -> None:
    given = np.array([1.0, 2.0])
    assert as_floats(given) is given
    for x in (3, [1, 2], np.float32(0.5), np.array([True, False]), [[1], [2]]):
        found = as_floats(x)
        assert found.dtype == np.float64
        assert found.tolist() == np.array(x, dtype=object).astype(float).tolist()


def test_every_row_is_the_distinct_row_of_its_position() -> None:
    rows = np.random.default_rng(3).integers(-1, 3, (200, 2))
    distinct, positions = distinct_and_positions(rows)
    assert (distinct[positions] == rows).all()
    assert [tuple(row) for row in distinct.tolist()] == sorted({tuple(row) for row in rows.tolist()})
    none, nowhere = distinct_and_positions(np.empty((0, 2), dtype=np.int64))
    assert (none.shape, nowhere.shape) == ((0, 2), (0,))
