"""A table with every cell of its declared universe, the empty ones too: what a release adds noise to."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np

from epsilens.avoidance.histogram import Histogram
from epsilens.errors import ParameterError
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable, MemoryStore

MOST_COUNTS = 2_000_000


def over_universe(table: FrequencyTable) -> FrequencyTable:
    """``table`` with all combinations of the levels that its schema declares; as it is where none are declared.

    A column that the universe leaves out has the levels found in the table. Combinations that are declared impossible
    are structural zeros, which get no noise.
    """
    if table.schema is None or not table.schema.universe_levels:
        return table
    levels = table.schema.universe_levels
    found = {name: len(set(values)) for name, values in table.cells().items()}
    found |= {name: len({parts[j] for parts in table.label_values}) for j, name in enumerate(table.sensitive)}
    size = math.prod(len(levels[name]) if name in levels else number for name, number in found.items())
    if size > MOST_COUNTS:
        raise ParameterError(
            f"has {size:,} counts, and at most {MOST_COUNTS:,} are simulated",
            parameter="universe",
            remedy="declare fewer levels, or draw another chart",
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
    )
