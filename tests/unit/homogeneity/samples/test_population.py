from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from epsilens.errors import DataError, ParameterError
from epsilens.homogeneity.samples.population import Population, population_of, rows_of
from epsilens.table.frequency import FrequencyTable

COUNTS = [[3, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 0]]


def test_a_fraction_makes_every_cell_stand_for_more() -> None:
    found = population_of(FrequencyTable.from_counts(COUNTS), 0.25)
    assert (found.people, found.sample, found.fraction, found.known_by) == (24.0, 6, 0.25, "fraction")
    assert sorted(found.rest.tolist()) == [0.0, 3.0, 3.0, 12.0]
    assert found.unseen == 6.0


def test_weights_say_it_cell_by_cell() -> None:
    found = population_of(FrequencyTable.from_counts(COUNTS, weights=[4, 9, 1, 2.5]))
    assert (found.people, found.sample, found.known_by) == (16.5, 6, "weights")
    assert found.unseen == 0.0  # how many are in the empty cell is known
    assert population_of(FrequencyTable.from_counts(COUNTS[:3], weights=[4, 9, 1])).unseen == 8.0


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.01, 1e-10, 1e-320, float("nan")])
def test_a_fraction_lies_above_0_and_up_to_1(fraction: float) -> None:
    with pytest.raises(ParameterError, match="must be"):
        population_of(FrequencyTable.from_counts(COUNTS), fraction)


def test_one_of_the_two_is_needed() -> None:
    with pytest.raises(ParameterError, match="say which share"):
        population_of(FrequencyTable.from_counts(COUNTS))
    with pytest.raises(ParameterError, match="beside survey weights"):
        population_of(FrequencyTable.from_counts(COUNTS, weights=[9, 9, 9, 9]), 0.5)


def test_people_out_of_sight_are_estimated_without_bias_over_all_samples() -> None:
    """Five people in three cells with unequal chances: every one of the 32 samples, each with its probability."""
    cell, chance = np.array([0, 0, 0, 1, 2]), np.array([0.5, 0.3, 0.8, 0.4, 0.9])
    truth = estimate = 0.0
    for chosen in product([False, True], repeat=5):
        taken = np.array(chosen)
        probability = np.prod(np.where(taken, chance, 1 - chance))
        sampled = np.bincount(cell[taken], minlength=3)
        weights = np.bincount(cell[taken], 1 / chance[taken], minlength=3).astype(np.float64)
        found = Population(sampled[:, None], weights, np.ones(3, dtype=np.int64), "weights")
        truth += probability * (~taken & (sampled[cell] == 0)).sum()
        estimate += probability * found.unseen
    assert estimate == pytest.approx(truth, rel=1e-12)


def test_rows_are_found_among_distinct_vectors() -> None:
    vectors = np.array([[1, 0], [0, 1], [2, 2]])
    assert rows_of(vectors, np.array([[2, 2], [1, 0], [2, 2]])).tolist() == [2, 0, 2]
    with pytest.raises(DataError, match="other cells"):
        rows_of(vectors, np.array([[3, 3]]))
