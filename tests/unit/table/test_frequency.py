"""The frequency table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from epsilens.errors import DataError, ParameterError
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable, MemoryStore

CELLS = {"age": ["old", "young", "old"], "sex": ["f", "f", "m"]}


def table() -> FrequencyTable:
    return FrequencyTable.from_counts([[3, 0, 1], [1, 0, 3], [0, 2, 0]], ["z", "a", "m"], CELLS)


def test_counts_keep_the_order_given() -> None:
    assert table().labels == ("z", "a", "m")
    assert table().counts.tolist() == [[3, 0, 1], [1, 0, 3], [0, 2, 0]]
    assert table().cells() == CELLS
    assert table().cells(1) == {"age": ["old"], "sex": ["f"]}
    assert repr(table()) == "FrequencyTable(age, sex by label: 3 cells x 3 labels, 10 records)"


def test_signatures_count_equal_vectors() -> None:
    vectors, cells = table().signatures()
    assert vectors.tolist() == [[2, 0, 0], [3, 1, 0]]
    assert cells.tolist() == [1, 2]
    ordered, cells = table().signatures(ordered=True)
    assert ordered.tolist() == [[0, 2, 0], [1, 0, 3], [3, 0, 1]]
    assert cells.tolist() == [1, 1, 1]


def test_totals() -> None:
    assert (table().n_cells, table().n_labels, table().n_records) == (3, 3, 10)
    assert table().label_totals.tolist() == [4, 2, 4]


def test_structural_zeros_are_marked_and_count_as_nobody() -> None:
    marked = FrequencyTable.from_counts([[1, 0], [2, 1]], structural_zeros=[[0, 1], [0, 0]])
    assert marked.vectors.tolist() == [[1, STRUCTURAL_ZERO], [2, 1]]
    assert marked.counts.tolist() == [[1, 0], [2, 1]]
    assert marked.label_totals.tolist() == [3, 1]
    assert marked.signatures()[0].tolist() == [[1, STRUCTURAL_ZERO], [2, 1]]


def test_marginals_add_people_up() -> None:
    by_age = table().marginal(["age"])
    assert by_age.cells() == {"age": ["old", "young"]}
    assert by_age.counts.tolist() == [[3, 2, 1], [1, 0, 3]]
    assert by_age.quasi_identifiers == ("age",)
    assert table().marginal([]).counts.tolist() == [[4, 2, 4]]
    with pytest.raises(ParameterError, match=r"'agee' is not a quasi-identifier.*did you mean 'age'"):
        table().marginal(["agee"])
    with pytest.raises(ParameterError, match="once"):
        table().marginal(["age", "age"])


def test_cells_are_found_by_their_vectors() -> None:
    cells, vectors = table().cells_with(np.array([[0, 2, 0], [3, 0, 1]]), limit=10)
    assert cells == {"age": ["old", "old"], "sex": ["f", "m"]}
    assert vectors.tolist() == [[3, 0, 1], [0, 2, 0]]
    assert table().cells_with(np.array([3, 0, 1]), limit=1)[0] == {"age": ["old"], "sex": ["f"]}
    with pytest.raises(ParameterError, match="3 counts each, got 2"):
        table().cells_with(np.array([[1, 2]]), 1)


def test_one_attribute_out_of_several() -> None:
    values = (("a", "u"), ("b", "u"), ("a", "v"))
    store = MemoryStore(np.array([[1, 2, 4], [STRUCTURAL_ZERO, 0, STRUCTURAL_ZERO]]), {})
    joint = FrequencyTable(
        ("a | u", "b | u", "a | v"), store, sensitive=("s", "t"), label_values=values, dropped_rows=3
    )
    alone = joint.attribute("s")
    assert alone.labels == ("a", "b")
    assert alone.vectors.tolist() == [[5, 2], [STRUCTURAL_ZERO, 0]]
    assert alone.dropped_rows == 3
    assert joint.attribute("t").vectors.tolist() == [[3, 4], [0, STRUCTURAL_ZERO]]
    with pytest.raises(ParameterError, match="not a sensitive attribute"):
        joint.attribute("u")
    assert table().attribute("label").labels == ("z", "a", "m")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"counts": [1, 2]}, "counts must be a matrix"),
        ({"counts": [[1, 2], [3]]}, "rectangular matrix of whole numbers"),
        ({"counts": [["a", "b"]]}, "rectangular matrix of whole numbers"),
        ({"counts": []}, "counts must be a matrix"),
        ({"counts": [[1, -2]]}, "1 count is negative"),
        ({"counts": [[1, 2.5]]}, "1 count is fractional"),
        ({"counts": [[1, float("nan")]]}, "1 count is missing or infinite"),
        ({"counts": [[0, 0]]}, "nobody to protect"),
        ({"counts": [[1, 2**60]]}, r"above 2\*\*53"),
        ({"counts": [[1], [2]]}, "at least 2 values"),
        ({"counts": [[1, 2]], "labels": ["a"]}, "1 label for 2 columns"),
        ({"counts": [[1, 2]], "labels": ["a", "a"]}, "labels must differ"),
        ({"counts": [[1, 2]], "cells": {"q": ["x", "y"]}}, "names 2 cells, the counts have 1"),
        ({"counts": [[1, 2]], "structural_zeros": [[1, 0]]}, "1 structural zero has people in it"),
        ({"counts": [[1, 2]], "structural_zeros": [1, 0]}, "structural_zeros has shape"),
    ],
)
def test_bad_counts_are_refused(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=says):
        FrequencyTable.from_counts(**arguments)


def test_cells_that_name_no_column_are_refused() -> None:
    with pytest.raises(ParameterError, match="cells must map columns to the level of each cell, not be a list"):
        FrequencyTable.from_counts([[1, 2]], cells=["f"])  # type: ignore[arg-type]
