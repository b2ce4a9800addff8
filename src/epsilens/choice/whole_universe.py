"""A table with every cell of its declared universe, the empty ones too: what a release adds noise to."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np

from epsilens.avoidance.histogram import Histogram
from epsilens.errors import ParameterError
from epsilens.table.declared_cells import declared_cells, declared_levels_of
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable, MemoryStore

MOST_COUNTS = 2_000_000


def over_universe(table: FrequencyTable) -> FrequencyTable:
    """``table`` with all combinations of the levels that its schema declares; as it is where none are declared.

    Bins between edges declare themselves; another column that the universe leaves out has the levels found in the
    table. Combinations that are declared impossible are structural zeros, which get no noise. A table of one of several
    sensitive attributes is that part of the joint one. The result needs no declarations any more, and has none.
    """
    if table.joint is not None:
        joint = over_universe(table.joint)
        return table if joint is table.joint else joint.attribute(table.sensitive[0])
    levels = declared_levels_of(table)
    if not levels:
        return table
    size = math.prod(universe_shape(table).values())
    if size > MOST_COUNTS:
        raise ParameterError(
            f"has {size:,} counts, and at most {MOST_COUNTS:,} are simulated",
            parameter="universe",
            remedy="declare fewer levels, or leave columns out",
        )
    whole = Histogram.of(table, levels)
    split = len(table.quasi_identifiers)
    counts = whole.counts.astype(np.int64)
    if whole.possible is not None:
        counts = np.where(whole.possible, counts, STRUCTURAL_ZERO)
    rows = list(product(*whole.levels[:split]))
    label_values = tuple(product(*whole.levels[split:]))
    columns = {name: [row[j] for row in rows] for j, name in enumerate(table.quasi_identifiers)}
    return replace(
        table,
        labels=tuple(" x ".join(parts) for parts in label_values),
        label_values=label_values,
        store=MemoryStore(counts.reshape(len(rows), len(label_values)), columns),
        schema=None,
    )


def listed_universe(table: FrequencyTable) -> FrequencyTable:
    """:func:`over_universe` where that can be listed; a larger table stays as it is, without its empty cells."""
    declared = declared_cells(table)
    return table if declared is None or declared.counts > MOST_COUNTS else over_universe(table)


def universe_shape(table: FrequencyTable) -> dict[str, int]:
    """How many levels every column of ``table`` has: those known without the data, or else those found in them."""
    levels = declared_levels_of(table)
    shape = {name: len(levels[name]) for name in table.quasi_identifiers if name in levels}
    missing = [name for name in table.quasi_identifiers if name not in shape]
    shape |= {name: table.marginal([name]).n_cells for name in missing}
    for j, name in enumerate(table.sensitive):
        shape[name] = len(levels[name]) if name in levels else len({parts[j] for parts in table.label_values})
    return {name: shape[name] for name in (*table.quasi_identifiers, *table.sensitive)}
