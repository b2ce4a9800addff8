from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from epsilens.homogeneity import re_identification
from epsilens.homogeneity.samples.attackers import expected_inverse
from epsilens.table.frequency import FrequencyTable

COUNTS = [[1, 0], [2, 2], [5, 5], [0, 1], [0, 0]]


def test_each_record_has_the_risk_of_its_cell() -> None:
    sizes, weights = [1, 4, 10, 1], [3.0, 20.0, 10.0, 8.0]
    found = re_identification(FrequencyTable.from_counts(COUNTS, weights=[*weights, 7.0]))
    records = [(n, w) for n, w in zip(sizes, weights, strict=True) for _ in range(n)]
    assert found.prosecutor.highest == 1.0
    assert found.prosecutor.average == pytest.approx(np.mean([1 / n for n, _ in records])) == 4 / 16
    assert found.prosecutor.above == pytest.approx(6 / 16)
    assert found.journalist.highest == pytest.approx(1 / 3)
    assert found.journalist.average == pytest.approx(np.mean([1 / w for _, w in records]))
    assert found.journalist.above == pytest.approx(1 / 16)
    assert found.marketer == found.journalist.average
    assert found.individual.highest >= found.journalist.highest
    assert found.expected == pytest.approx(16 * found.individual.average)
    assert found.to_dict()["threshold"] == 0.2


def test_five_people_who_could_be_the_record_are_not_fewer_than_five() -> None:
    found = re_identification(FrequencyTable.from_counts([[5, 0], [3, 1]]), 1.0)
    assert found.prosecutor.above == pytest.approx(4 / 9)


def test_a_whole_population_makes_the_journalist_a_prosecutor() -> None:
    found = re_identification(FrequencyTable.from_counts(COUNTS), 1.0)
    assert found.journalist == found.prosecutor == found.individual


@pytest.mark.parametrize("n", [1, 2, 3, 7, 23, 24, 60, 400])
@pytest.mark.parametrize("chance", [0.999, 0.6, 0.05])
def test_the_inverse_is_summed_over_all_sizes(n: int, chance: float) -> None:
    rest = np.arange(0, 20_000)
    logs = special.gammaln(n + rest) - math.lgamma(n) - special.gammaln(rest + 1.0) + rest * math.log1p(-chance)
    pmf = np.exp(logs + n * math.log(chance))
    found = expected_inverse(np.array([n]), np.array([n / chance]))
    assert found[0] == pytest.approx(float(pmf @ (1.0 / (n + rest))), rel=1e-9)


def test_tiny_chances_and_large_cells_stay_finite() -> None:
    sizes = np.array([1, 2, 30, 100, 10**7])
    found = expected_inverse(sizes, sizes / 1e-9)
    assert np.isfinite(found).all()
    assert found[1:] == pytest.approx(1e-9 / (sizes[1:] - 1.0), rel=1e-6)  # E[1 / N] tends to p / (n - 1)
