"""What systems take and give back, and what is measured of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import epsilens as el
from epsilens import avoidance as av
from epsilens.avoidance.system import checked_system, released_counts
from epsilens.errors import DataError, ParameterError


def test_impossible_cells_stay_empty() -> None:
    table = el.FrequencyTable.from_counts(
        [[5, 0], [2, 3]], ["a", "b"], {"q": ["x", "y"]}, structural_zeros=[[False, True], [False, False]]
    )
    histogram = av.Histogram.of(table)
    for name in ("laplace", "suppression", "dp-suppression", "dp-swapping", "k-anonymity"):
        system = av.build(name, 0.1, av.Settings(k=2).for_histogram(histogram))
        released = released_counts(system.release(table, np.random.default_rng(1)))
        assert released[0, 1] == 0
        assert system.bias(table)[0, 1] == 0


def test_what_does_not_answer_is_not_a_system() -> None:
    assert checked_system(av.Suppression(3)) == av.Suppression(3)
    table = el.FrequencyTable.from_counts([[5, 1], [2, 3]], ["a", "b"], {"q": ["x", "y"]})
    with pytest.raises(ParameterError, match="a LaplaceNoise is not a disclosure avoidance system: it has no epsilon"):
        el.compare(table, [el.LaplaceNoise(1.0)], repetitions=2, k=2)  # type: ignore[list-item]


def test_the_sum_and_the_spread_of_biases() -> None:
    assert av.bias_l1([[1.0, -2.0], [0.5, 0.0]]) == 3.5
    assert av.fairness([[1.0, -2.0], [0.5, 0.0]]) == 3.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: av.simulated_moments(av.Suppression(2), [1], np.random.default_rng(), 1), "repetitions must be >= 2"),
        (lambda: av.Suppression(2).bias("many"), "counts must be whole numbers >= 0, not a path or a text"),
        (lambda: av.KAnonymity(2).bias([1, 2]), "expected a table, a histogram or records"),
    ],
)
def test_bad_input_says_the_rule(call: Callable[[], object], message: str) -> None:
    with pytest.raises((ParameterError, DataError), match=message):
        call()
