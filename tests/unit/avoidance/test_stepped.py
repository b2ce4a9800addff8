"""The nearest kind by steps is the nearest of all, and ties are broken evenly."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.avoidance import stepped
from epsilens.avoidance.records import Column
from epsilens.avoidance.stepped import SteppedNeighbours


def _column(levels: int, numeric: bool) -> Column:
    return Column(
        np.zeros(0, dtype=np.int32),
        tuple(str(i) for i in range(levels)),
        np.arange(levels, dtype=np.float64) if numeric else None,
    )


@pytest.mark.parametrize("remembered", [True, False])
@pytest.mark.parametrize("tabled", [True, False])
@pytest.mark.parametrize("numeric", [(False, False, False), (True, False, False), (True, True, False)])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_nearest_is_the_nearest_of_all(
    numeric: tuple[bool, ...], grouped: bool, tabled: bool, remembered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not tabled:
        monkeypatch.setattr(stepped, "_LARGEST_TABLE", 1)
    if not remembered:
        monkeypatch.setattr(stepped, "_MOST_REMEMBERED", 1)
    rng = np.random.default_rng(3)
    columns = [_column(levels, ordered) for levels, ordered in zip((5, 4, 3), numeric, strict=True)]
    keys = rng.choice(60, 25, replace=False)
    codes = np.column_stack(np.unravel_index(keys, (5, 4, 3))).astype(np.int64)
    group = codes[:, 0].copy() if grouped else None
    index = SteppedNeighbours.of(codes, columns, group)
    scale = np.array([(levels - 1) if ordered else 1 for levels, ordered in zip((5, 4, 3), numeric, strict=True)])
    for kind in [*range(25), *range(25)]:  # what was found out of a kind is remembered
        left = rng.integers(0, 2, 25)
        apart = np.abs(codes - codes[kind]) / scale
        distance = np.where(numeric, apart, codes != codes[kind]).sum(axis=1)
        free = (left > 0) & (np.arange(25) != kind)
        if group is not None:
            free &= group != group[kind]
        found = index.nearest(kind, left, rng)
        assert found is not None
        assert free[found]
        assert distance[found] == pytest.approx(distance[free].min())


def test_ties_are_broken_evenly_and_nobody_may_be_left() -> None:
    codes = np.array([[0], [1], [2], [3]])
    left = np.array([1, 1, 1, 1])
    index, rng = SteppedNeighbours.of(codes, [_column(4, False)], None), np.random.default_rng(1)
    found = np.bincount([index.nearest(0, left, rng) or 0 for _ in range(3000)], minlength=4)
    assert found[0] == 0
    assert np.abs(found[1:] - 1000).max() < 5 * np.sqrt(3000 * 2 / 9)
    left[1:] = 0
    assert index.nearest(0, left, rng) is None
