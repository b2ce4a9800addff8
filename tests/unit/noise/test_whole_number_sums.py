"""Sums over runs of whole numbers at a few nodes."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.noise.whole_number_sums import NODES, _legendre_sums, whole_numbers


@pytest.mark.parametrize("length", [57, 58, 61, 100, 1000, 4096, 5000, 10_000])
def test_shortened_sums_are_exact_for_polynomials(length: int) -> None:
    grid = whole_numbers(5, 5 + length, [], panel=float(length))
    for degree in (0, 1, 2, 7, 15):
        full = ((np.arange(length) / length) ** degree).sum()
        assert grid.weights @ ((grid.points - 5) / length) ** degree == pytest.approx(full, rel=1e-12)


def test_sums_of_legendre_polynomials_over_a_long_run() -> None:
    length = 4200
    midpoints = (2.0 * np.arange(length) + 1.0) / length - 1.0
    full = np.polynomial.legendre.legvander(midpoints, NODES - 1).sum(axis=0)
    assert _legendre_sums(length) == pytest.approx(full, abs=1e-9)
