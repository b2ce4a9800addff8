"""Distances between counts, cell by cell."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import DataError
from epsilens.utility import l1_error, rmse


def test_errors_of_cells() -> None:
    assert l1_error([1, 2, 3], [1, 0, 4]) == 3
    assert rmse([1, 2, 3], [1, 0, 4]) == pytest.approx(np.sqrt(5 / 3))
    with pytest.raises(DataError, match="shape"):
        l1_error([1], [1, 2])
