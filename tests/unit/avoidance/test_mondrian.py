"""Mondrian: all partitions at once."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.avoidance.mondrian import SplitColumn, frequency_order, frequency_orders, mondrian_classes


def one_at_a_time(columns: list[np.ndarray], k: int) -> list[frozenset[int]]:
    """The textbook recursion: widest column first, the allowed cut nearest the median."""
    widths = [int(np.ptp(c)) or 1 for c in columns]

    def split(rows: np.ndarray) -> list[frozenset[int]]:
        spans = [np.ptp(c[rows]) / w for c, w in zip(columns, widths, strict=True)]
        for j in sorted(range(len(columns)), key=lambda j: -spans[j]):
            values = np.sort(columns[j][rows])
            cuts = [i for i in range(1, len(rows)) if values[i] != values[i - 1] and k <= i <= len(rows) - k]
            if cuts and spans[j] > 0:
                cut = min(cuts, key=lambda i: (abs(2 * i - len(rows)), i))
                left = columns[j][rows] < values[cut]
                return split(rows[left]) + split(rows[~left])
        return [frozenset(rows.tolist())]

    return split(np.arange(len(columns[0])))


@pytest.mark.parametrize("seed", range(8))
def test_all_partitions_at_once_is_the_textbook_recursion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, size, 120) for size in (50, 9, 3)]
    split = [SplitColumn(c.astype(np.int32), 50, np.arange(50.0)) for c in columns]
    classes = mondrian_classes(split, k=4)
    ours = {frozenset(np.flatnonzero(classes == c).tolist()) for c in range(classes.max() + 1)}
    assert ours == set(one_at_a_time(columns, 4))


def test_categories_are_cut_by_how_common_they_are() -> None:
    codes = np.array([2, 2, 2, 0, 0, 1], dtype=np.int32)
    assert frequency_order(codes, 4).tolist() == [1, 2, 0, 3]


def test_several_tables_are_partitioned_as_if_each_were_alone() -> None:
    rng = np.random.default_rng(8)
    tables = np.array([40, 1, 75])
    codes = [rng.integers(0, size, int(tables.sum())).astype(np.int32) for size in (9, 4)]
    people = rng.integers(1, 4, int(tables.sum()))
    ends = np.cumsum(tables)
    together = mondrian_classes(
        [SplitColumn(codes[0], 9, np.arange(9.0)), SplitColumn(codes[1], 4)], 3, weights=people, tables=tables
    )
    assert len(np.unique(together)) == together.max() + 1
    for i, (low, high) in enumerate(zip(ends - tables, ends, strict=True)):
        mine = [SplitColumn(codes[0][low:high], 9, np.arange(9.0)), SplitColumn(codes[1][low:high], 4)]
        alone = mondrian_classes(mine, 3, weights=people[low:high])
        pairs = set(zip(alone.tolist(), together[low:high].tolist(), strict=True))
        assert len(pairs) == len(set(alone.tolist())) == len(set(together[low:high].tolist())), i
    ranks = frequency_orders(codes[1], 4, people, np.repeat(np.arange(3), tables), 3)
    for rank, low, high in zip(ranks, ends - tables, ends, strict=True):
        assert rank.tolist() == frequency_order(codes[1][low:high], 4, people[low:high]).tolist()
