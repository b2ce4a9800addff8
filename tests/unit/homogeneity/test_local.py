from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity.average import average
from epsilens.homogeneity.local import SCENARIOS, local, match_weights, scenario_shares, scenarios
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


@pytest.mark.parametrize("weighted", [True, False])
def test_the_shares_of_scenarios_are_averages_of_the_cells(weighted: bool) -> None:
    cells = [[3, 0, 0], [1, 2, 0], [1, 1, 1], [0, 0, 5], [0, 0, 0], [2, 0, 0]]
    table = FrequencyTable.from_counts(cells)
    found = scenario_shares(table, NOISE, weighted)
    weights = [sum(cell) if weighted else float(sum(cell) > 0) for cell in cells]
    expected = [0.0] * 8
    for cell, weight in zip(cells, weights, strict=True):  # every subset of labels that may be shown
        for shown in itertools.product((False, True), repeat=3):
            pairs = list(zip(cell, shown, strict=True))
            chance = math.prod(float(NOISE.sf(0.5 - n) if s else NOISE.cdf(0.5 - n)) for n, s in pairs)
            right = any(n > 0 and s for n, s in pairs)
            outcome = ("none", "right" if right else "wrong", "several", "several")[sum(shown)]
            order = ["right", "wrong", "several", "none"] if sum(n > 0 for n in cell) == 1 else None
            place = order.index(outcome) if order else 4 + ["several", "none", "wrong", "right"].index(outcome)
            expected[place] += weight / sum(weights) * chance
    assert found == pytest.approx(expected, abs=1e-14)
    assert found.sum() == pytest.approx(1.0, abs=1e-14)
    assert found[0] + found[7] == pytest.approx(average(local(table, NOISE), table, weighted), abs=1e-14)
