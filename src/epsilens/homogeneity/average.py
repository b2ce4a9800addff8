"""From risks of cells to the risk of a table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from epsilens.arrays import IntArray, as_floats
from epsilens.errors import DataError
from epsilens.table.count_vectors import CountVectors
from epsilens.table.frequency import FrequencyTable, checked_table


def average(risks: npt.ArrayLike, table: FrequencyTable, weighted: bool = True) -> float:
    """The average of one risk per cell: over people (``weighted``) or over non-empty cells.

    Source: P0 Definition 11, Eq. (12), with w_i = n_i / n or w_i = 1 / N.
    """
    checked_table(table)
    values = as_floats(risks)
    if values.shape != (table.n_cells,):
        raise DataError(f"must hold one risk per cell ({table.n_cells}), got shape {values.shape}", parameter="risks")
    return float(cell_weights(table.count_vectors, np.ones(table.n_cells, dtype=np.int64), weighted) @ values)


def cell_weights(vectors: CountVectors | IntArray, multiplicities: IntArray, weighted: bool) -> npt.NDArray[np.float64]:
    """The weight of each signature in an average: its people, or its non-empty cells, over all of them."""
    sizes = vectors.sizes if isinstance(vectors, CountVectors) else np.maximum(vectors, 0).sum(axis=-1)
    weights = multiplicities * (sizes if weighted else sizes > 0)
    return as_floats(weights / weights.sum())
