"""How far one concrete published table is from the truth: errors of its counts, distances of its marginals.

Nothing is averaged over noise: both tables are given. What a law of noise does on average is in ``absolute_error`` and
``marginal_distance``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.notebook import brief
from epsilens.table.domain import sorted_codes
from epsilens.utility.cell_errors import difference, l1_error, rmse
from epsilens.utility.marginal_distance import MarginalDistance, all_marginals
from epsilens.utility.marginals import total_variation
from epsilens.utility.margins import Marginal

MOST_MARGINALS = 1_000
USUAL_WAYS = (1, 2, 3)


@dataclass(frozen=True)
class Accuracy:
    """Published less true counts, over all counts that are compared."""

    counts: int
    total_true: int
    total_published: float
    bias: float
    """The mean of published - true."""
    l1: float
    """The sum of |published - true|."""
    rmse: float
    """The root of the mean squared error."""
    largest: float
    """The largest |published - true|."""

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return dict(vars(self))


def accuracy(published: FloatArray, truth: IntArray) -> Accuracy:
    """The errors of published counts, as they were published: negative and fractional ones as they are."""
    errors = difference(published, truth)
    if errors.size == 0:
        return Accuracy(0, 0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return Accuracy(
        errors.size,
        int(truth.sum()),
        math.fsum(published.ravel().tolist()),
        math.fsum(errors.ravel().tolist()) / errors.size,
        l1_error(published, truth),
        rmse(published, truth),
        float(np.abs(errors).max()),
    )


def ways_within_reach(columns: int) -> tuple[int, ...]:
    """How many columns marginals are made of: 1, 2 and 3, as far as there are not too many of them."""
    ways: list[int] = []
    number = 0
    for way in USUAL_WAYS:
        number += math.comb(columns, way)
        if way > columns or number > MOST_MARGINALS:
            break
        ways.append(way)
    return tuple(ways)


def released_distances(
    published: FloatArray,
    truth: IntArray,
    cells: Mapping[str, Sequence[str]],
    label_values: Sequence[Sequence[str]],
    sensitive: Sequence[str],
    ways: Sequence[int] | None = None,
) -> list[MarginalDistance]:
    """The total variation distance of every marginal of a published table from that of the truth.

    TVD = ||p - p~||_1 / 2, with p and p~ the shares of people in the marginal's cells. Counts are added up as they were
    published; what is negative then counts as 0, and shares are those of the published total. ``published`` and
    ``truth`` are cells x labels.

    Source: P0 section 5.3, footnote 8.
    """
    columns = (*cells, *sensitive)
    codes: dict[str, tuple[IntArray, int, bool]] = {}
    for name, values in cells.items():
        codes[name] = (*_coded(values), True)
    for j, name in enumerate(sensitive):
        codes[name] = (*_coded([parts[j] for parts in label_values]), False)
    found = []
    for marginal in all_marginals(columns, ways or ways_within_reach(len(columns))):
        group, size = _groups(marginal, codes, published.shape)
        after = np.bincount(group, weights=published.ravel(), minlength=size)
        before = np.bincount(group, weights=truth.ravel(), minlength=size)
        found.append(MarginalDistance(marginal, size, total_variation(after, before)))
    return found


def _coded(values: Sequence[str]) -> tuple[IntArray, int]:
    levels, codes = sorted_codes(values)
    return codes, len(levels)


def _groups(
    marginal: Marginal, codes: Mapping[str, tuple[IntArray, int, bool]], shape: tuple[int, ...]
) -> tuple[IntArray, int]:
    """For every count the cell of the marginal it belongs to, and how many cells that has."""
    rows, labels = np.zeros(shape[0], dtype=np.int64), np.zeros(shape[1], dtype=np.int64)
    for name in marginal:
        code, size, of_cells = codes[name]
        rows, labels = rows * size, labels * size
        if of_cells:
            rows = rows + code
        else:
            labels = labels + code
    _, group = np.unique(rows[:, None] + labels[None, :], return_inverse=True)
    flat = group.reshape(-1).astype(np.int64)
    return flat, int(flat.max()) + 1
