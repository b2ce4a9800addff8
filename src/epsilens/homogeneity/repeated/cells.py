"""Which cell of a coarser table holds a cell of a finer one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilens.arrays import IntArray
from epsilens.checks import did_you_mean
from epsilens.errors import ParameterError
from epsilens.table.frequency import FrequencyTable


def finest_of(tables: Sequence[FrequencyTable]) -> FrequencyTable:
    """The table whose quasi-identifiers include those of all others."""
    finest = max(tables, key=lambda table: len(table.quasi_identifiers))
    for table in tables:
        for name in table.quasi_identifiers:
            if name not in finest.quasi_identifiers:
                hint = did_you_mean(name, finest.quasi_identifiers)
                raise ParameterError(
                    f"releases of one cohort must be nested, but {name!r} is not a quasi-identifier of the finest"
                    f"{hint}",
                    remedy="give disjoint people a different `cohort`",
                )
    return finest


def rows_of(fine: FrequencyTable, coarse: FrequencyTable) -> IntArray:
    """For every cell of ``fine`` the row of ``coarse`` that contains it; both must count the same people."""
    names = coarse.quasi_identifiers
    if fine is coarse:
        return np.arange(fine.n_cells)
    if not names and not fine.quasi_identifiers:
        rows = np.arange(fine.n_cells) if fine.n_cells == coarse.n_cells else np.empty(0, dtype=np.int64)
    elif not names and coarse.n_cells == 1:
        rows = np.zeros(fine.n_cells, dtype=np.int64)
    else:
        columns = coarse.cells()
        position = {key: i for i, key in enumerate(zip(*(columns[name] for name in names), strict=True))}
        columns = fine.cells()
        keys = zip(*(columns[name] for name in names), strict=True)
        rows = np.array([position.get(key, -1) for key in keys], dtype=np.int64)
    if len(rows) == fine.n_cells and (rows >= 0).all():
        people = np.bincount(rows, weights=fine.counts.sum(axis=1), minlength=coarse.n_cells)
        if np.array_equal(people, coarse.counts.sum(axis=1)):
            return rows
    raise ParameterError(
        f"releases of one cohort must be about the same people in the same cells (or finer ones), got tables of "
        f"{coarse.n_cells} and {fine.n_cells} cells that do not agree",
        remedy="give disjoint people a different `cohort`",
    )
