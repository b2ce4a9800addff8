from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from epsilens.reproduce.p2.extracts import TEXAS, Known
from epsilens.reproduce.p2.recodings import spread, sums

TABLE = Known(np.array([[9, 0], [2, 1]]), np.array([4, 3]), 3, TEXAS)


def every_table(table: Known) -> list[list[int]]:
    """All counts of all cells that are possible."""
    ways = [
        [cells for cells in product(range(people + 1), repeat=table.others) if sum(cells) == people]
        for people in table.together
    ]
    return [[*table.told.ravel(), *(count for cells in way for count in cells)] for way in product(*ways)]


@pytest.mark.parametrize("seed", range(5))
def test_sums_are_those_of_the_most_extreme_tables(seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(10, 3))
    low, high = sums(values, TABLE)
    listed = np.array([values[counts].sum(axis=0) for counts in every_table(TABLE)])
    assert low == pytest.approx(listed.min(axis=0))
    assert high == pytest.approx(listed.max(axis=0))


def test_logarithms_of_nothing_do_no_harm() -> None:
    values = np.log(np.array([0.0, 0.5, *[1.0] * 8]), where=np.arange(10) > 0, out=np.full(10, -np.inf))
    low, high = sums(values, TABLE)
    assert [float(low), float(high)] == [-np.inf, -np.inf]  # a cell is empty for certain


def test_the_spread_of_biases_holds_every_possible_one() -> None:
    bias = np.array([3.0, 2.0, 1.0, 0.0, -1.5, 0.0, 0.0, 0.0, 0.0, 0.0])
    low, high = spread(bias, TABLE)
    listed = [np.ptp(bias[counts]) for counts in every_table(TABLE)]
    assert low <= min(listed)
    assert high == max(listed) == 4.5


def test_what_is_settled_has_one_value() -> None:
    values = np.arange(10.0)
    settled = Known(np.array([[9, 0], [2, 1]]), np.array([0, 0]), 3, TEXAS)
    assert [float(end) for end in sums(values + 1.0, settled)] == [16.0 + 6.0] * 2
    assert spread(values, settled) == (9.0, 9.0)
    told = Known(np.array([[9, 3], [2, 1]]), np.array([0, 0]), 0, TEXAS)
    assert [float(end) for end in sums(values, told)] == [15.0, 15.0]
    assert spread(values, told) == (8.0, 8.0)
