"""Households as kinds."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import DataError
from epsilens.table.households import Households, Members

VECTORS = np.array([[3, 0], [1, 2], [3, 0]])


def members(rows: list[tuple[int, int, int, int, bool]]) -> Members:
    household, cell, label, people = np.array([row[:4] for row in rows], dtype=np.int64).reshape(-1, 4).T
    return Members(household, cell, label, people, np.array([row[4] for row in rows], dtype=bool))


def test_households_of_the_same_kind_are_one() -> None:
    # household, cell, label, people, alone
    rows = [
        (1, 0, 0, 2, False),
        (1, 1, 0, 1, False),
        (2, 2, 0, 2, False),
        (2, 1, 0, 1, False),
        (3, 1, 1, 1, False),
        (3, 0, 0, 1, False),
        (9, 1, 1, 2, True),
    ]
    found = Households.of(VECTORS, members(rows), ("a", "b"))
    assert (found.n_households, found.n_sharing, found.mixed) == (5, 4, 1)
    assert (found.n_people, found.people_in_mixed, found.without, found.largest) == (10, 2, 2, 3)
    assert [kinds.n_cells for kinds in found.kinds] == [1, 2]
    lonely, pairs = found.kinds
    assert lonely.times.tolist() == [2]
    assert pairs.times.tolist() == [2]  # two people in cells with the same counts and one in the mixed cell
    assert (pairs.labels.tolist(), pairs.sizes.tolist(), pairs.cells.shape) == ([0], [3], (1, 2))
    assert "5 households" in repr(found)
    assert "INTERNAL" in found._repr_html_()
    assert repr(lonely).startswith("Kinds(")
    assert repr(members(rows)) == "Members(7 groups)"


def test_everybody_may_live_alone() -> None:
    found = Households.of(VECTORS, members([(1, 0, 0, 3, True)]), ("a", "b"))
    assert (found.n_households, found.largest, found.mixed) == (3, 1, 0)
    everybody = Households.alone(VECTORS, ("a", "b"))
    assert (everybody.n_households, everybody.n_people, everybody.without) == (9, 9, 9)


def test_labels_must_fit() -> None:
    with pytest.raises(DataError, match="for each label"):
        Households.of(VECTORS, members([(1, 0, 0, 3, True)]), ("a", "b", "c"))
