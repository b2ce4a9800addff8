"""The best NumPy that a user could write for the local risk: the peer of the benchmarks of curves.

Rows are packed into one number each and made distinct; whoever sees that labels are alike to the local risk sorts them
first (``alike``). The law is asked once per distinct count and budget. A cell's chance to
show one label follows column by column without a temporary matrix: with h_k = P(label k hidden), after each column
``none`` is the product of the h so far and ``one`` the chance that exactly one is shown, and that somebody has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from scipy import special

Survival = Callable[[np.ndarray], np.ndarray]


def distinct(counts: np.ndarray, alike: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows, but for the order of labels if these are alike, and how many cells have each."""
    ordered = np.sort(counts, axis=1) if alike else counts
    bits = max(int(ordered.max()).bit_length(), 1)
    if bits * ordered.shape[1] > 63:
        return np.unique(ordered, axis=0, return_counts=True)
    key = np.zeros(len(ordered), dtype=np.int64)
    for column in ordered.T:
        key <<= bits
        key |= column
    keys, cells = np.unique(key, return_counts=True)
    columns = [(keys >> (bits * k)) & ((1 << bits) - 1) for k in reversed(range(ordered.shape[1]))]
    return np.stack(columns, axis=1), cells


def curve(counts: np.ndarray, laws: Iterable[Survival], alike: bool = True) -> np.ndarray:
    """The local risk, averaged over people, for each law (its survival function)."""
    rows, cells = distinct(counts, alike)
    return curve_of(rows, cells, laws)


def curve_of(rows: np.ndarray, cells: np.ndarray, laws: Iterable[Survival]) -> np.ndarray:
    """The same of rows that are distinct already."""
    columns = [np.ascontiguousarray(column) for column in rows.T]
    columns = [column.astype(np.intp) for column in columns if column.any()]
    empty = rows.shape[1] - len(columns)
    people = cells * rows.sum(axis=1)
    weights = people / people.sum()
    numbers = np.arange(int(rows.max()) + 1)
    risks = []
    for sf in laws:
        shown = sf(0.5 - numbers)
        hidden = 1.0 - shown
        somebody = np.where(numbers > 0, shown, 0.0)
        none = np.full(len(rows), hidden[0] ** empty)
        one = np.zeros(len(rows))
        for column in columns:
            one *= hidden[column]
            one += none * somebody[column]
            none *= hidden[column]
        risks.append(float(weights @ one))
    return np.array(risks)


def plain(counts: np.ndarray, laws: Iterable[Survival]) -> np.ndarray:
    """The straightforward evaluation: every label of every cell, each time."""
    risks = []
    sizes = counts.sum(axis=1)
    for sf in laws:
        shown = sf(0.5 - counts)
        hidden = 1.0 - shown
        total = np.zeros(len(counts))
        for k in range(counts.shape[1]):
            others = np.delete(hidden, k, axis=1).prod(axis=1)
            total += np.where(counts[:, k] > 0, shown[:, k] * others, 0.0)
        risks.append(float((sizes * total).sum() / sizes.sum()))
    return np.array(risks)


def laplace(scale: float) -> Survival:
    def sf(x: np.ndarray) -> np.ndarray:
        tail = 0.5 * np.exp(-np.abs(x) / scale)
        return np.asarray(np.where(x > 0, tail, 1.0 - tail))

    return sf


def geometric(scale: float) -> Survival:
    p = np.exp(-1.0 / scale)

    def sf(x: np.ndarray) -> np.ndarray:
        below = np.floor(x)
        above = p ** (np.maximum(below, 0) + 1) / (1 + p)
        return np.asarray(np.where(x > 0, above, 1 - p ** np.maximum(-below, 0) / (1 + p)))

    return sf


def gaussian(sigma: float) -> Survival:
    return lambda x: special.ndtr(-x / sigma)
