from __future__ import annotations

import pytest

from epsilens.homogeneity.belief import Belief, belief
from epsilens.noise import LaplaceNoise
from epsilens.table.frequency import FrequencyTable

TABLE = FrequencyTable.from_counts([[3, 0], [4, 1]])


def test_without_noise_only_homogeneous_cells_are_believed_and_rightly() -> None:
    assert belief(TABLE) == Belief(right=3 / 8, wrong=0.0, guessing=7 / 8)
    assert belief(TABLE).precision == 1.0


def test_noise_makes_believing_wrong_at_times_and_large_noise_worthless() -> None:
    some, much = belief(TABLE, LaplaceNoise(1.0)), belief(TABLE, LaplaceNoise(1e6))
    assert 0 < some.wrong < some.right
    assert much.precision == pytest.approx(0.5, abs=1e-4)
    assert Belief(0.0, 0.0, 0.5).precision == 0.0
