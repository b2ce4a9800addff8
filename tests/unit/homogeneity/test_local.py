from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity.local import SCENARIOS, local, match_weights, scenarios
from epsilens.noise import LaplaceNoise
from epsilens.table.frequency import FrequencyTable

TABLE = FrequencyTable.from_counts([[3, 0], [2, 1], [0, 0]])
NOISE = LaplaceNoise(1.5)


def test_a_homogeneous_cell_is_at_the_risk_of_showing_its_label_alone() -> None:
    own, other = float(NOISE.sf(-2.5)), float(NOISE.sf(0.5))
    assert local(TABLE, NOISE)[0] == pytest.approx(own * (1 - other))
    assert local(TABLE, NOISE)[2] == 0.0


def test_a_random_member_is_at_less_risk_than_the_cell() -> None:
    assert match_weights(np.array([[2, 1, -1]]), "any").tolist() == [[1.0, 1.0, 0.0]]
    assert match_weights(np.array([[2, 1, -1]]), "share").tolist() == [[2 / 3, 1 / 3, 0.0]]
    assert local(TABLE, NOISE, "share")[1] < local(TABLE, NOISE, "any")[1]
    with pytest.raises(ParameterError, match="match must be one of any, share"):
        local(TABLE, NOISE, "some")  # type: ignore[arg-type]


def test_scenarios_of_a_cell_add_up_and_contain_its_risk() -> None:
    found = scenarios(TABLE, NOISE)
    assert found.shape == (3, len(SCENARIOS))
    assert found.sum(axis=1) == pytest.approx([1.0, 1.0, 0.0])
    assert found[:, 0] + found[:, 7] == pytest.approx(local(TABLE, NOISE))
