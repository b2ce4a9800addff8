"""Sums of products over lists of names."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.homogeneity.repeated import halves
from epsilens.homogeneity.repeated.halves import Halves


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("at_once", [2, 64])
@pytest.mark.parametrize("sparse", [0, 4, 1000])
def test_sums_are_those_of_every_list_by_itself(
    columns: int, at_once: int, sparse: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(halves, "_LEFTS_AT_ONCE", at_once)
    monkeypatch.setattr(halves, "_SPARSE", sparse)  # all pairs, some, none
    rng = np.random.default_rng(columns)
    rows = np.sort(rng.integers(0, 4, (60, columns)), axis=1)
    tables = rng.normal(size=(3, 4, 7)) + 1j * rng.normal(size=(3, 4, 7))
    turn = np.exp(1j * rng.normal(size=(3, 7)))
    lists = Halves(rows)
    expected = [[(turn[w] * tables[w, row].prod(axis=0)).sum() for w in range(3)] for row in rows]
    assert lists.sums(tables, turn) == pytest.approx(np.array(expected), abs=1e-12)
    assert lists.number <= len(np.unique(rows, axis=0)) + 1


def test_the_largest_product_is_not_above_its_bound() -> None:
    rng = np.random.default_rng(1)
    rows, tables = rng.integers(0, 5, (40, 4)), rng.random((5, 9))
    products = np.array([tables[row].prod(axis=0) for row in rows])
    assert (Halves(rows).largest(tables) >= products.max(axis=0) - 1e-15).all()
