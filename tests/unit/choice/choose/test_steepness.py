"""The bounds on slopes and bends: against dense differences of real risks, law by law."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.choice.choose.steepness import Steepness, steepness_of_cells, steepness_of_labels
from epsilens.homogeneity.by_value import prepare_by_value
from epsilens.homogeneity.local import local_risks
from epsilens.noise import MECHANISMS, Noise
from epsilens.table.frequency import FrequencyTable

LAWS = [MECHANISMS[name].law for name in ("laplace", "discrete-laplace", "gaussian", "discrete-gaussian")]
PLACES = np.arange(-4.0, 4.0, 0.02)
CELLS = [[1], [1, 0], [5, 0], [1, 1], [2, 1, 0], [1, 1, 1, 1], [3, 0, 0, 0, 0, 0, 0, 0], [9, 4, 1, 1, 0, 0, 0, -1]]


def derivatives(values: np.ndarray) -> tuple[float, float]:
    """The largest first and second derivative of values on PLACES."""
    step = PLACES[1] - PLACES[0]
    return float(np.abs(np.diff(values)).max() / step), float(np.abs(np.diff(values, 2)).max() / step**2)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_no_cell_is_steeper_or_bends_more(law: Noise) -> None:
    for cell in CELLS:
        vector = np.array([cell])
        risks = np.array([local_risks(vector, law.of_size(float(np.exp(-place))))[0] for place in PLACES])
        slope, bend = derivatives(risks)
        own, any_cell = steepness_of_cells(law, vector, np.ones(1)), steepness_of_labels(law, len(cell))
        assert own is not None
        assert any_cell is not None
        assert own.bend is not None
        assert any_cell.bend is not None
        assert slope <= own.slope <= any_cell.slope * (1 + 1e-12)
        assert bend <= own.bend <= any_cell.bend * (1 + 1e-12)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_labels_that_match_though_nobody_has_them_bend_more(law: Noise) -> None:
    for cell in CELLS[1:]:
        table = FrequencyTable.from_counts([[max(n, 0) for n in cell]])
        ready = prepare_by_value(table)
        wrong = np.array([ready.wrong(law.of_size(float(np.exp(-place)))).sum() for place in PLACES])
        found = steepness_of_cells(law, ready.vectors, np.ones(1), zeros_match=True)
        assert found is not None
        assert found.bend is not None
        slope, bend = derivatives(wrong)
        assert slope <= found.slope
        assert bend <= found.bend


def test_an_average_has_the_average_bound_and_a_harm_that_counts_thrice_three_times_as_much() -> None:
    law = LAWS[0]
    one, other = (steepness_of_cells(law, np.array([cell]), np.ones(1)) for cell in ([1, 0, 0], [2, 2, 1]))
    both = steepness_of_cells(law, np.array([[1, 0, 0], [2, 2, 1]]), np.array([3.0, 1.0]))
    assert one is not None
    assert other is not None
    assert both is not None
    assert both.slope == pytest.approx(0.75 * one.slope + 0.25 * other.slope)
    assert both.bend == pytest.approx(0.75 * (one.bend or 0) + 0.25 * (other.bend or 0))
    assert both.times(3.0) == Steepness(3.0 * both.slope, 3.0 * (both.bend or 0))
    assert Steepness(1.0, None).times(2.0) == Steepness(2.0, None)


def test_many_labels_cost_a_logarithm_and_not_a_multiple() -> None:
    law = LAWS[0]
    found = [steepness_of_labels(law, labels) for labels in (8, 100, 101, 5000)]
    slopes = [one.slope for one in found if one is not None]
    assert slopes == sorted(slopes)
    assert slopes[-1] < 8.0  # 925 if every label counted by itself
    assert slopes[2] == pytest.approx(slopes[1], rel=0.03)


def test_a_law_without_bounds_has_none() -> None:
    class Unknown:
        steepest = None

    assert steepness_of_labels(Unknown(), 3) is None  # type: ignore[arg-type]
    assert steepness_of_cells(Unknown(), np.array([[1, 0]]), np.ones(1)) is None  # type: ignore[arg-type]
