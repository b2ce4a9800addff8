"""The expected absolute error of every system of the catalogue, where it has one, is that of its releases."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.system import released_counts
from tests.support.avoidance import SETTINGS, random_histogram

REPETITIONS = 400


@pytest.mark.parametrize("name", list(av.SYSTEMS))
def test_absolute_errors_are_those_of_releases(name: str) -> None:
    histogram = random_histogram(2)
    system = av.build(name, 0.8, SETTINGS.for_histogram(histogram))
    exact = system.absolute_errors(histogram)
    if exact is None:
        moments = system.moments(histogram)
        assert moments is None or moments.variance.any()  # what leaves nothing to chance is known
        return
    rng = np.random.default_rng(3)
    truth = np.asarray(histogram.counts, dtype=np.float64)
    drawn = np.array(
        [np.abs(released_counts(system.release(histogram, rng)) - truth).sum() for _ in range(REPETITIONS)]
    )
    assert abs(drawn.mean() - exact.sum()) <= 5.0 * drawn.std() / np.sqrt(REPETITIONS) + 1e-9
    assert (exact >= np.abs(system.bias(histogram)) - 1e-9).all()


@pytest.mark.parametrize("name", list(av.SYSTEMS))
def test_an_impossible_cell_has_no_error(name: str) -> None:
    possible = np.ones((3, 4, 2), dtype=bool)
    possible[0, 1, 0] = False
    plain = random_histogram(2)
    counts = np.where(possible, plain.counts, 0)
    histogram = av.Histogram(counts, quasi_identifiers=plain.quasi_identifiers, possible=possible, domain=plain.domain)
    errors = av.build(name, 0.8, SETTINGS.for_histogram(histogram)).absolute_errors(histogram)
    if errors is not None:
        assert errors[0, 1, 0] == 0.0
