from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import DataError
from epsilens.homogeneity.average import average, cell_weights
from epsilens.table.frequency import FrequencyTable

TABLE = FrequencyTable.from_counts([[3, 0], [0, 0], [4, 1]])


def test_over_people_or_over_cells_that_have_some() -> None:
    assert average([0.5, 0.9, 0.1], TABLE) == pytest.approx((3 * 0.5 + 5 * 0.1) / 8)
    assert average([0.5, 0.9, 0.1], TABLE, weighted=False) == pytest.approx(0.3)
    with pytest.raises(DataError, match=r"risks must hold one risk per cell \(3\), got shape \(2,\)"):
        average([0.5, 0.5], TABLE)


def test_weights_count_signatures_as_often_as_they_occur() -> None:
    weights = cell_weights(np.array([[1, -1], [0, 2]]), np.array([4, 3]), weighted=True)
    assert weights == pytest.approx([0.4, 0.6])
