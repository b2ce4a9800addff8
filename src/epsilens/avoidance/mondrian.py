"""Mondrian: greedy partitioning of records into classes of at least k that are alike in their quasi-identifiers.

The textbook recursion visits one partition at a time. Here all partitions of a depth are split at once: the rows stay
grouped by partition, one sort orders every partition by the column it wants to be split on, and the best cut of each
is a reduction over its candidate cuts. A depth costs a few passes over the rows, however many partitions there are.

A row may stand for several people (``weights``), so a histogram is partitioned by its occupied cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.avoidance.value_tree import GeneralisationHierarchy

_PRESENCE = 50_000_000  # entries of a partitions x levels matrix that may be held at once


@dataclass(frozen=True, eq=False)
class SplitColumn:
    """A quasi-identifier as Mondrian sees it: codes in the order in which they may be cut.

    ``positions`` are the places of the codes on a numeric axis; None for categories, whose width is the number of
    distinct values. With a ``hierarchy`` the codes are its leaves and a cut separates the children of a node.
    """

    codes: npt.NDArray[np.int32]
    n_levels: int
    positions: FloatArray | None = None
    hierarchy: GeneralisationHierarchy | None = None


@dataclass(frozen=True)
class _Attempt:
    """Rows of the partitions that try one cut, sorted by partition and value, and where each partition starts."""

    rows: IntArray
    starts: IntArray
    values: IntArray


def mondrian_classes(
    columns: Sequence[SplitColumn],
    k: int,
    strict: bool = True,
    weights: IntArray | None = None,
    tables: IntArray | None = None,
) -> IntArray:
    """The class of each row: every class holds at least ``k`` people, and no allowed cut is left in it.

    Every partition is cut on the column on which it is widest (normalised by the width of the whole), at the allowed
    cut nearest its median; where that column has none, on the next widest. ``strict`` keeps equal values together,
    otherwise a partition is cut in half whatever the values (LeFevre, DeWitt and Ramakrishnan 2006). A column with a
    hierarchy is cut into all children of its current node at once, and always strictly. ``tables`` are the lengths of
    several tables whose rows stand one after another: each is partitioned as if it were alone, all of them at once.
    """
    n_rows = len(columns[0].codes)
    lengths = np.array([n_rows], dtype=np.int64) if tables is None else tables
    table_of = np.repeat(np.arange(len(lengths)), lengths)
    people = np.ones(n_rows, dtype=np.int64) if weights is None else weights
    class_of = np.empty(n_rows, dtype=np.int64)
    matrix = np.stack([column.codes for column in columns])
    rows, starts = np.arange(n_rows), _starts(lengths)
    widths = np.stack([_overall_widths(column, starts) for column in columns], axis=1)
    n_classes = 0
    while len(rows):
        spans = _spans(columns, matrix, widths[table_of[rows[starts]]], rows, starts)
        ranking = np.argsort(-spans, axis=1, kind="stable")
        next_rows: list[IntArray] = []
        next_sizes: list[IntArray] = []
        for rank in range(len(columns)):
            if not len(starts):
                break
            wanted = ranking[:, rank]
            able = np.take_along_axis(spans, wanted[:, None], axis=1)[:, 0] > 0.0
            if not able.any():  # spans are ranked, so nothing further can be cut either
                break
            split, sorted_rows, sizes = _cut(columns, matrix, rows, starts, wanted, able, k, strict, people)
            next_rows.append(sorted_rows)
            next_sizes.append(sizes)
            stay = ~split
            keep = np.repeat(stay, _lengths(starts, len(rows)))
            lengths = _lengths(starts, len(rows))[stay]
            rows, starts = rows[keep], _starts(lengths)
            spans, ranking = spans[stay], ranking[stay]
        class_of[rows] = n_classes + np.repeat(np.arange(len(starts)), _lengths(starts, len(rows)))
        n_classes += len(starts)
        rows = np.concatenate([*next_rows, np.empty(0, dtype=np.int64)])
        starts = _starts(np.concatenate([*next_sizes, np.empty(0, dtype=np.int64)]))
        rows, starts, n_classes = _finish_small(rows, starts, 2 * k, people, class_of, n_classes)
    return class_of


def _overall_widths(column: SplitColumn, starts: IntArray) -> FloatArray:
    """How wide a column is in each of the tables that begin at ``starts``."""
    if column.positions is None:
        return np.full(len(starts), float(max(column.n_levels - 1, 1)))
    present = column.positions[column.codes]
    width = np.maximum.reduceat(present, starts) - np.minimum.reduceat(present, starts)
    return np.where(width > 0, width, 1.0)


def _spans(
    columns: Sequence[SplitColumn],
    matrix: npt.NDArray[np.int32],
    widths: FloatArray,
    rows: IntArray,
    starts: IntArray,
) -> FloatArray:
    """How wide every partition is on every column, as a share of the width of the whole; 0 is a single value."""
    spans = np.empty((len(starts), len(columns)))
    for j, column in enumerate(columns):
        codes = matrix[j, rows]
        if column.positions is None and column.hierarchy is None:
            spans[:, j] = (_distinct(codes, starts, column.n_levels) - 1) / widths[:, j]
            continue
        first, last = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
        if column.positions is not None:
            spans[:, j] = (column.positions[last] - column.positions[first]) / widths[:, j]
        else:
            spans[:, j] = (last - first) / widths[:, j]
    return spans


def _distinct(codes: npt.NDArray[np.int32], starts: IntArray, n_levels: int) -> IntArray:
    """The number of distinct codes in each partition."""
    lengths = _lengths(starts, len(codes))
    partition = np.repeat(np.arange(len(starts)), lengths)
    counts = np.empty(len(starts), dtype=np.int64)
    step = max(1, _PRESENCE // n_levels)
    for low in range(0, len(starts), step):
        high = min(low + step, len(starts))
        begin, end = starts[low], starts[high] if high < len(starts) else len(codes)
        present = np.zeros((high - low, n_levels), dtype=bool)
        present[partition[begin:end] - low, codes[begin:end]] = True
        counts[low:high] = present.sum(axis=1)
    return counts


def _cut(
    columns: Sequence[SplitColumn],
    matrix: npt.NDArray[np.int32],
    rows: IntArray,
    starts: IntArray,
    wanted: IntArray,
    able: BoolArray,
    k: int,
    strict: bool,
    people: IntArray,
) -> tuple[BoolArray, IntArray, IntArray]:
    """Cut each ``able`` partition on its ``wanted`` column where that is allowed.

    Returns which partitions were cut, the rows of the parts, part after part, and the parts' lengths.
    """
    lengths = _lengths(starts, len(rows))
    trying = np.flatnonzero(able)
    chosen = rows[np.repeat(able, lengths)]
    sizes = lengths[trying]
    attempt = _sorted(columns, matrix, chosen, sizes, wanted[trying])
    partition = np.repeat(np.arange(len(trying)), sizes)
    weight = people[attempt.rows]
    before = np.cumsum(weight) - weight  # people in front of each row
    begin = before[attempt.starts]
    total = np.add.reduceat(weight, attempt.starts)
    inside = np.ones(len(chosen), dtype=bool)
    inside[attempt.starts] = False
    tree = np.array([column.hierarchy is not None for column in columns])[wanted[trying]]
    cut_here = inside & (np.append(True, attempt.values[1:] != attempt.values[:-1]) | ~(strict | tree[partition]))
    candidates = np.flatnonzero(cut_here)
    owner = partition[candidates]
    ahead = before[candidates] - begin[owner]
    allowed = (ahead >= k) & (total[owner] - ahead >= k)
    cuts = np.concatenate(
        [
            _nearest_median(candidates, owner, ahead, total, allowed & ~tree[owner]),
            _all_children(candidates, owner, ahead, total, tree, k),
        ]
    )
    cuts.sort()
    split = np.zeros(len(trying), dtype=bool)
    split[partition[cuts]] = True
    part_of_split = split[partition]
    done = np.zeros(len(starts), dtype=bool)
    done[trying[split]] = True
    boundaries = np.zeros(len(chosen), dtype=bool)
    boundaries[attempt.starts] = True
    boundaries[cuts] = True
    kept_boundaries = np.flatnonzero(boundaries[part_of_split])
    sorted_rows = attempt.rows[part_of_split]
    return done, sorted_rows, _lengths(kept_boundaries, len(sorted_rows))


def _sorted(
    columns: Sequence[SplitColumn], matrix: npt.NDArray[np.int32], rows: IntArray, sizes: IntArray, wanted: IntArray
) -> _Attempt:
    """Rows sorted by partition and by the value that decides the part they go to."""
    starts = _starts(sizes)
    column_of_row = np.repeat(wanted, sizes)
    values = matrix[column_of_row, rows].astype(np.int64)
    for j, column in enumerate(columns):
        if column.hierarchy is None:
            continue
        mine = wanted == j
        if not mine.any():
            continue
        first, last = np.minimum.reduceat(values, starts)[mine], np.maximum.reduceat(values, starts)[mine]
        depth = column.hierarchy.common_depth(first, last)
        below = np.minimum(depth + 1, len(column.hierarchy.ancestors) - 1)
        at = column_of_row == j
        values[at] = column.hierarchy.ancestors[np.repeat(below, sizes[mine]), values[at]]
    partition = np.repeat(np.arange(len(sizes)), sizes)
    order = np.argsort(partition * (int(values.max(initial=0)) + 1) + values, kind="stable")
    return _Attempt(rows[order], starts, values[order])


def _nearest_median(
    candidates: IntArray, owner: IntArray, ahead: IntArray, total: IntArray, allowed: BoolArray
) -> IntArray:
    """Of each partition's allowed cuts the one that comes nearest to halving it."""
    cuts, of = candidates[allowed], owner[allowed]
    imbalance = np.abs(2 * ahead[allowed] - total[of])
    order = np.lexsort((imbalance, of))
    first = np.flatnonzero(np.diff(of[order], prepend=-1))
    return cuts[order[first]]


def _all_children(
    candidates: IntArray, owner: IntArray, ahead: IntArray, total: IntArray, tree: BoolArray, k: int
) -> IntArray:
    """All cuts of the partitions with a hierarchy whose every child is large enough."""
    mine = tree[owner]
    cuts, of, offset = candidates[mine], owner[mine], ahead[mine]
    if not len(cuts):
        return cuts
    last = np.append(of[1:] != of[:-1], True)
    size_before = offset - np.where(np.diff(of, prepend=-1) != 0, 0, np.append(0, offset[:-1]))
    size_after = np.where(last, total[of] - offset, k)  # between two cuts the next one's size_before speaks
    too_small = np.zeros(len(tree), dtype=bool)
    np.logical_or.at(too_small, of, (size_before < k) | (size_after < k))
    return cuts[~too_small[of]]


def _finish_small(
    rows: IntArray, starts: IntArray, enough: int, people: IntArray, class_of: IntArray, n_classes: int
) -> tuple[IntArray, IntArray, int]:
    """Parts with fewer than ``enough`` people cannot be cut again: they are classes."""
    if not len(rows):
        return rows, starts, n_classes
    lengths = _lengths(starts, len(rows))
    small = np.add.reduceat(people[rows], starts) < enough
    finished = np.repeat(small, lengths)
    class_of[rows[finished]] = n_classes + np.repeat(np.arange(int(small.sum())), lengths[small])
    return rows[~finished], _starts(lengths[~small]), n_classes + int(small.sum())


def _lengths(starts: IntArray, n: int) -> IntArray:
    return np.diff(starts, append=n)


def _starts(lengths: IntArray) -> IntArray:
    return np.asarray(np.cumsum(lengths) - lengths, dtype=np.int64)


def frequency_order(codes: npt.NDArray[np.int32], n_levels: int, people: IntArray | None = None) -> IntArray:
    """For categories without a hierarchy: their rank by how common they are, so that cuts set apart the common ones."""
    totals = np.bincount(codes, weights=None if people is None else as_floats(people), minlength=n_levels)
    rank = np.empty(n_levels, dtype=np.int64)
    rank[np.argsort(-totals, kind="stable")] = np.arange(n_levels)
    return rank


def frequency_orders(
    codes: npt.NDArray[np.int32], n_levels: int, people: IntArray, table_of: IntArray, tables: int
) -> IntArray:
    """:func:`frequency_order` of each of several ``tables``, to which the rows belong: tables x levels."""
    totals = np.bincount(table_of * n_levels + codes, weights=as_floats(people), minlength=tables * n_levels)
    ranked = np.argsort(-totals.reshape(tables, n_levels), axis=1, kind="stable")
    rank = np.empty((tables, n_levels), dtype=np.int64)
    np.put_along_axis(rank, ranked, np.broadcast_to(np.arange(n_levels), rank.shape), axis=1)
    return rank
