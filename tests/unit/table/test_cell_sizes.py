from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import DataError
from epsilens.table import FrequencyTable, cell_sizes
from epsilens.table.cell_sizes import CellSizes

TABLE = FrequencyTable.from_counts([[1, 0], [0, 1], [2, 1], [0, 0], [4, 4], [0, 3]])


def test_cells_are_counted_by_size_and_empty_ones_are_not() -> None:
    found = cell_sizes(TABLE)
    assert found.to_dict() == {
        "cells": 5,
        "mean": 16 / 5,
        "singletons": 2,
        "quantiles": {"0": 1, "0.25": 1, "0.5": 3, "0.75": 3, "0.95": 8, "1": 8},
        "histogram": {"1": 2, "3": 2, "8": 1},
    }


def test_quantiles_are_those_of_the_sorted_sizes() -> None:
    sizes = np.sort(np.random.default_rng(2).geometric(0.2, 200))
    table = FrequencyTable.from_counts(np.stack([sizes, np.zeros_like(sizes)], axis=1))
    found = cell_sizes(table)
    for share in (0.005, 0.1, 0.5, 0.77, 0.95, 1.0):
        assert found.quantile(share) == np.quantile(sizes, share, method="inverted_cdf")


def test_few_sizes_have_a_bar_each_and_many_double() -> None:
    assert cell_sizes(TABLE).grouped(8) == [
        *((1, 1, 2), (2, 2, 0), (3, 3, 2), (4, 4, 0), (5, 5, 0), (6, 6, 0), (7, 7, 0), (8, 8, 1)),
    ]
    assert cell_sizes(TABLE).grouped(7) == [(1, 1, 2), (2, 2, 0), (3, 4, 2), (5, 8, 1)]
    wide = CellSizes(np.array([1, 9, 1000]), np.array([5, 2, 1]))
    assert sum(cells for _, _, cells in wide.grouped(40)) == 8
    assert wide.grouped(40)[-1] == (513, 1024, 1)


def test_nobody_has_no_cell() -> None:
    nobody = FrequencyTable(("a", "b"), TABLE.marginal(()).store.regrouped([[0], [1]]))
    assert cell_sizes(nobody).sizes.tolist() == [16]
    empty = FrequencyTable.from_counts([[1, 0], [0, 0]])
    object.__setattr__(empty.store, "matrix", np.zeros((2, 2), dtype=np.int64))
    with pytest.raises(DataError, match="all cells are empty"):
        cell_sizes(empty)
