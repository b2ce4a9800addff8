"""The bounds on slopes and bends: against dense differences of real risks, law by law."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.choice.choose.steepness import Steepness, steepness_of_cells, steepness_of_labels
from epsilens.homogeneity.local import local_risks, other_weights
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.noise import MECHANISMS, Noise

LAWS = [MECHANISMS[name].law for name in ("laplace", "discrete-laplace", "gaussian", "discrete-gaussian")]
PLACES = np.arange(-4.0, 4.0, 0.04)
CELLS = [[1], [1, 0], [5, 0], [1, 1], [2, 1, 0], [1, 1, 1, 1], [3, 0, 0, 0, 0, 0, 0, 0], [9, 4, 1, 1, 0, 0, 0, -1]]


def holds_from_here_on(found: Steepness, values: np.ndarray) -> bool:
    """Whether no slope and no bend is larger than what is said from the place before it upwards."""
    step = PLACES[1] - PLACES[0]
    slopes, bends = np.abs(np.diff(values)) / step, np.abs(np.diff(values, 2)) / step**2
    said = [found.beyond(float(place)) for place in PLACES]
    return all(slope <= bound + 1e-10 for slope, (bound, _) in zip(slopes, said, strict=False)) and all(
        bend <= (bound or 0) + 1e-10 for bend, (_, bound) in zip(bends, said, strict=False)
    )


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_no_cell_is_steeper_or_bends_more(law: Noise) -> None:
    """Nor where labels match though nobody has them, as with people who are wrongly shown."""
    padded = np.array([cell + [-1] * (8 - len(cell)) for cell in CELLS])
    noises = [law.of_size(float(np.exp(-place))) for place in PLACES]
    risks = np.array([local_risks(padded, noise) for noise in noises]).T
    alone = [shown_alone(*shown_and_hidden(padded, noise)) for noise in noises]
    wrong = np.array([(other_weights(padded) * each).sum(axis=1) for each in alone]).T
    for cell, risk, wrongly in zip(CELLS, risks, wrong, strict=True):
        vector = np.array([cell])
        own, any_cell = steepness_of_cells(law, vector, np.ones(1)), steepness_of_labels(law, len(cell))
        assert own is not None
        assert any_cell is not None
        assert holds_from_here_on(own, risk)
        assert holds_from_here_on(any_cell, risk)
        assert own.slope <= any_cell.slope * (1 + 1e-12)
        matching = steepness_of_cells(law, vector, np.ones(1), zeros_match=True)
        assert matching is not None
        assert holds_from_here_on(matching, wrongly)


def test_an_average_has_the_average_bound_and_a_harm_that_counts_thrice_three_times_as_much() -> None:
    law = LAWS[0]
    one, other = (steepness_of_cells(law, np.array([cell]), np.ones(1)) for cell in ([1, 0, 0], [2, 2, 1]))
    both = steepness_of_cells(law, np.array([[1, 0, 0], [2, 2, 1]]), np.array([3.0, 1.0]))
    assert one is not None
    assert other is not None
    assert both is not None
    assert both.slope == pytest.approx(0.75 * one.slope + 0.25 * other.slope)
    assert both.bend == pytest.approx(0.75 * (one.bend or 0) + 0.25 * (other.bend or 0))
    thrice = both.times(3.0)
    assert (thrice.slope, thrice.bend) == (3.0 * both.slope, 3.0 * (both.bend or 0))
    kinked = Steepness(both.places, both.slopes, None)
    assert (kinked.bend, kinked.times(2.0).bend, kinked.beyond(1.0)[1]) == (None, None, None)


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
