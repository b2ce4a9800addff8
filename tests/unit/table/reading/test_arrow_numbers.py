from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from epsilens.table.reading.arrow_numbers import levels_and_codes, numbers_of


@pytest.mark.parametrize(
    "column",
    [
        pa.array([3, 1, 2]),
        pa.array([3, 1, 2], pa.int32()),
        pa.array([0.5, -1.0]),
        pa.array([True, False, True]),
        pa.array([1, None, 3]),
        pa.array([], pa.int64()),
        pa.chunked_array([pa.array([1, 2]), pa.array([3])]),
        pa.chunked_array([], pa.int64()),
        pa.array(["b", "a", "b"]).dictionary_encode().indices,
    ],
)
def test_numbers_are_what_arrow_says_they_are(column: pa.Array) -> None:
    np.testing.assert_array_equal(numbers_of(column), np.asarray(column.to_pylist(), dtype=numbers_of(column).dtype))


def test_a_part_of_a_column_is_that_part() -> None:
    assert numbers_of(pa.array([1, 2, 3, 4]).slice(1, 2)).tolist() == [2, 3]


@pytest.mark.parametrize("parts", [[], [[]], [["b", "é", "a"]], [["b", "10"], [], ["9", "b", "a", "é", "10"]]])
def test_texts_are_positions_among_the_distinct_ones_by_code_point(parts: list[list[str]]) -> None:
    column = pa.chunked_array([pa.array(part, pa.string()) for part in parts], pa.string())
    levels, codes = levels_and_codes(column)
    assert list(levels) == sorted(set(column.to_pylist()))
    assert [levels[code] for code in codes] == column.to_pylist()
