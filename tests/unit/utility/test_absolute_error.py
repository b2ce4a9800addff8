"""Expected errors of published counts against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.noise import Noise
from epsilens.utility.absolute_error import expected_cell_errors, mean_cell_error, share_off_by_more_than
from tests.support.noise import LAWS, K

CELLS = {"age": ["20", "20", "30", "30"], "sex": ["f", "m", "f", "m"]}
TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [30, 4], [0, 10]], ["x", "y"], CELLS)


@pytest.mark.parametrize("noise", LAWS)
def test_errors_of_counts_against_enumeration(noise: Noise) -> None:
    law = noise.pmf(K)
    exact = expected_cell_errors(TABLE, noise)
    for count, error in zip(TABLE.counts.ravel(), exact.ravel(), strict=True):
        assert error == pytest.approx(law @ np.abs(np.maximum(count + K, 0) - count), rel=1e-11)
    assert mean_cell_error(TABLE, noise) == pytest.approx(exact.mean())
    for percent in (5.0, 10.0, 50.0, 100.0, 150.0):
        shares = [
            law[np.abs(np.maximum(n + K, 0) - n) > n * percent / 100 + 1e-9].sum() for n in TABLE.counts.ravel() if n
        ]
        assert share_off_by_more_than(TABLE, noise, percent) == pytest.approx(np.mean(shares), abs=1e-12)


def test_a_structural_zero_has_no_error() -> None:
    table = el.FrequencyTable.from_counts([[3, 0], [1, 2]], structural_zeros=[[False, True], [False, False]])
    noise = el.LaplaceNoise(1.0)
    assert expected_cell_errors(table, noise)[0, 1] == 0.0
    assert mean_cell_error(table, noise) == pytest.approx(expected_cell_errors(table, noise).sum() / 3)
