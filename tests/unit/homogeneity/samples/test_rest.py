from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from epsilens.homogeneity.samples.rest import nobody_has, predictive_shares
from epsilens.table.frequency import STRUCTURAL_ZERO

ALPHA = np.array([0.4, 0.7, 1.1])
VECTORS = np.array([[2, 0, 1], [0, 0, 0], [0, 3, STRUCTURAL_ZERO], [1, STRUCTURAL_ZERO, STRUCTURAL_ZERO]])


def urn(vector: list[int], drawn: tuple[int, ...]) -> float:
    """P(these labels are drawn one after the other): everybody drawn makes their label likelier (Polya)."""
    own = [0.0 if n == STRUCTURAL_ZERO else a + n for a, n in zip(ALPHA, vector, strict=True)]
    chance = 1.0
    for k in drawn:
        chance *= own[k] / sum(own)
        own[k] += 1.0
    return chance


def test_the_rest_is_drawn_from_an_urn() -> None:
    shares = predictive_shares(VECTORS, ALPHA)
    nobody = nobody_has(VECTORS, ALPHA, np.full(4, 3.0))
    for row, vector in enumerate(VECTORS.tolist()):
        drawn = {labels: urn(vector, labels) for labels in product(range(3), repeat=3)}
        for k in range(3):
            last = sum(chance for labels, chance in drawn.items() if labels[-1] == k)
            none = sum(chance for labels, chance in drawn.items() if k not in labels)
            assert shares[row, k] == pytest.approx(last, rel=1e-12, abs=1e-15)
            assert nobody[row, k] == pytest.approx(none, rel=1e-12, abs=1e-15)


def test_nobody_is_in_a_cell_where_nothing_is_possible() -> None:
    cell = np.full((1, 3), STRUCTURAL_ZERO)
    assert predictive_shares(cell, ALPHA).tolist() == [[0.0, 0.0, 0.0]]
    assert nobody_has(cell, ALPHA, np.zeros(1)).tolist() == [[1.0, 1.0, 1.0]]


def test_a_rest_that_is_not_whole_lies_between_whole_ones() -> None:
    found = [nobody_has(VECTORS[:1], ALPHA, np.array([rest]))[0] for rest in (2.0, 2.5, 3.0)]
    assert (found[0] > found[1]).all()
    assert (found[1] > found[2]).all()
    assert nobody_has(VECTORS, ALPHA, np.zeros(4)) == pytest.approx(np.ones((4, 3)))


def test_large_numbers_are_those_of_the_beta_law() -> None:
    """E[(1 - t)^R] with Beta(1, b) is b / (b + R); a rare label of a large population, to the last digits."""
    for others, rest in ((2.0, 1e9), (1e7, 5e6), (3e6, 1.0)):
        found = nobody_has(np.array([[0, int(others) - 1]]), np.array([1.0, 1.0]), np.array([rest]))
        assert found[0, 0] == pytest.approx(others / (others + rest), rel=1e-9)


def test_a_label_that_nobody_has_anywhere_is_not_in_the_rest_either() -> None:
    found = nobody_has(np.array([[5, 0]]), np.array([1.0, 1e-12]), np.array([1000.0]))
    assert found[0, 1] == pytest.approx(1.0, abs=1e-10)
