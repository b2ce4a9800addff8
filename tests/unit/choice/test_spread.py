"""The spread of a risk over people, against counting them one by one."""

from __future__ import annotations

import numpy as np

from epsilens.choice.spread import BANDS, measure_spread, spread
from epsilens.homogeneity.local import local
from epsilens.homogeneity.measures import prepare
from epsilens.noise import LaplaceNoise
from epsilens.table.frequency import FrequencyTable


def test_everybody_is_counted_once() -> None:
    risks = np.array([0.0, 0.01, 0.5, 0.50001, 1.0, 0.3])
    people = np.array([5, 1, 2, 3, 4, 0])
    found = spread(risks, people, 0.3)
    assert (found.people, found.worst, found.at_worst, found.above_half, found.above_ceiling) == (15, 1.0, 4, 7, 9)
    assert spread(risks, people, 0.5).above_ceiling == 7  # who is at the ceiling is not above it
    each = np.repeat(risks, people)
    for band in found.bands:
        inside = (each > band.above) | ((band.above == 0) & (each == 0))
        assert band.people == int((inside & (each <= band.up_to)).sum())
    assert [band.above for band in found.bands] == list(BANDS[:-1])
    assert sum(band.people for band in found.bands) == 15


def test_harm_that_counts_more_than_once_is_in_the_last_band() -> None:
    found = spread(np.array([2.5, 0.2]), np.array([1, 1]))
    assert found.bands[-1].up_to == found.worst == 2.5
    assert found.above_ceiling is None
    assert "ceiling" not in found.to_dict()


def test_a_worst_risk_that_rounds_up_stays_in_the_last_band() -> None:
    risks = np.array([2.4999999999996, 1.2])
    found = spread(risks, np.array([2, 7]))
    assert found.bands[-1].up_to == found.worst == risks[0]
    assert found.bands[-1].people == 9


def test_of_a_measure_it_is_that_of_all_cells() -> None:
    table, noise = FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5], [2, 1]]), LaplaceNoise(1.0)
    found = measure_spread(prepare("local", table), noise, 0.4)
    risks = np.repeat(local(table, noise), table.counts.sum(axis=1))
    assert found.people == len(risks)
    assert found.above_ceiling == int((risks > 0.4).sum())
    np.testing.assert_allclose(found.worst, risks.max())
