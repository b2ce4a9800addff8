"""Sums over the cells of a table whose races are not all known: the least and the largest that they can be."""

from __future__ import annotations

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.reproduce.p2.extracts import Known


def sums(values: FloatArray, table: Known) -> tuple[FloatArray, FloatArray]:
    """The least and the largest sum of ``values[count]`` over the cells, however people are of the unknown races.

    ``values`` may have further axes: each of their places is summed, and taken to its extremes, by itself.
    """
    certain = values[table.told].sum(axis=(0, 1))
    if table.settled:
        whole = certain + values[0] * (table.others * len(table.told)) if table.others else certain  # all are empty
        return whole, whole
    low, high = (_best(values, table.most, table.others, take) for take in (np.minimum, np.maximum))
    return certain + low[table.together].sum(axis=0), certain + high[table.together].sum(axis=0)


def spread(bias: FloatArray, table: Known) -> tuple[float, float]:
    """The least and the largest that max B - min B over cells can be, of a bias that depends on the count alone."""
    certain = bias[table.told]
    low, high = float(certain.min()), float(certain.max())
    if table.settled:
        if table.others:
            low, high = min(low, float(bias[0])), max(high, float(bias[0]))
        return high - low, high - low
    possible = bias[: table.most + 1]
    return high - low, max(high, float(possible.max())) - min(low, float(possible.min()))


def _best(values: FloatArray, people: int, cells: int, take: np.ufunc) -> FloatArray:
    """The extreme sum of values of ``cells`` counts that add up to 0, 1, ..., ``people``."""
    one = as_floats(values[: people + 1])
    best = one
    for _ in range(cells - 1):
        best = np.array([take.reduce(best[: total + 1] + one[total::-1]) for total in range(people + 1)])
    return best
