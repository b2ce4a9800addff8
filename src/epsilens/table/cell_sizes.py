"""How large the cells of a table are: the numbers of a histogram, and what to say of it in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import IntArray
from epsilens.errors import DataError, counted
from epsilens.notebook import one_line
from epsilens.table.frequency import FrequencyTable, checked_table


@dataclass(frozen=True, eq=False)
class CellSizes:
    """The sizes n >= 1 that occur, ascending, and how many cells have each."""

    sizes: IntArray
    cells: IntArray

    def __repr__(self) -> str:
        return one_line(self, counted(len(self.sizes), "size"), f"of {counted(self.n_cells, 'cell')}")

    @property
    def n_cells(self) -> int:
        """Cells that have somebody."""
        return int(self.cells.sum())

    @property
    def mean(self) -> float:
        """People per cell."""
        return float(self.sizes @ self.cells / self.cells.sum())

    @property
    def singletons(self) -> int:
        """Cells with one person."""
        return int(self.cells[self.sizes == 1].sum())

    def quantile(self, share: float) -> int:
        """The smallest size that at least this share of the cells does not exceed."""
        reached = np.cumsum(self.cells) >= share * self.n_cells * (1.0 - 1e-12)
        return int(self.sizes[int(np.argmax(reached))])

    def to_dict(self) -> dict[str, Any]:
        """The histogram, size -> number of cells, and its summary, as plain numbers."""
        return {
            "cells": self.n_cells,
            "mean": self.mean,
            "singletons": self.singletons,
            "quantiles": {f"{share:g}": self.quantile(share) for share in (0.0, 0.25, 0.5, 0.75, 0.95, 1.0)},
            "histogram": {
                str(size): count for size, count in zip(self.sizes.tolist(), self.cells.tolist(), strict=True)
            },
        }

    def grouped(self, most: int) -> list[tuple[int, int, int]]:
        """(smallest size, largest size, cells) of at most about ``most`` bars.

        Every size up to the largest has its own bar if they are that few; otherwise sizes double from bar to bar: 1,
        2, 3 to 4, 5 to 8, and so on.
        """
        largest = int(self.sizes[-1])
        doubled = 2 ** np.arange(int(largest - 1).bit_length() + 1)
        ends = np.arange(1, largest + 1) if largest <= most else doubled
        starts = np.r_[1, ends[:-1] + 1]
        heights = np.bincount(np.searchsorted(ends, self.sizes), weights=self.cells, minlength=len(ends))
        return list(zip(starts.tolist(), ends.tolist(), heights.astype(np.int64).tolist(), strict=True))


def cell_sizes(table: FrequencyTable) -> CellSizes:
    """How many cells have each size; empty cells are not counted.

    Source: P0 Figure 2; P1 Figures 1 and 2
    """
    checked_table(table)
    vectors, multiplicities = table.sparse_signatures()
    sizes, where = np.unique(vectors.sizes, return_inverse=True)
    cells = np.bincount(where.reshape(-1), weights=multiplicities).astype(np.int64)
    if not (sizes > 0).any():
        raise DataError("all cells are empty; there is nobody whose cell has a size")
    return CellSizes(sizes[sizes > 0], cells[sizes > 0])
