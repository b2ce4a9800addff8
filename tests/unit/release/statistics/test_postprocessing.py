"""From noisy numbers to published ones."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from epsilens.release.statistics import Mean
from epsilens.release.statistics.noise import noise_plan
from epsilens.release.statistics.postprocessing import nearest_semidefinite, processed
from tests.support.released_statistics import ONE


def test_clamping_states_its_bias() -> None:
    plan = noise_plan(Mean("a", 0, 10), Decimal(1), ONE, 2, "substitute")
    found = processed(plan, [Fraction(-3)], 0.95)
    assert (found.value, found.noisy[0], found.lower[0]) == (0.0, -30.0, 0.0)
    (step,) = found.steps
    scale = 5.0
    assert step["largest_bias"] == pytest.approx(scale / 2 * (1 - math.exp(-10 / scale)), rel=1e-5)
    assert step["range"] == [0.0, 10.0]


@settings(max_examples=60, deadline=None)
@given(arrays.arrays(np.float64, (4, 4), elements=st.floats(-1e3, 1e3)))
def test_the_nearest_matrix_is_semidefinite_and_nearest(noisy: Any) -> None:
    symmetric = np.triu(noisy) + np.triu(noisy, 1).T
    nearest, distance = nearest_semidefinite(symmetric)
    eigenvalues = np.linalg.eigvalsh(symmetric)
    assert np.linalg.eigvalsh(nearest)[0] >= 0.0 or abs(np.linalg.eigvalsh(nearest)[0]) < 1e-300
    expected = math.sqrt(sum(min(value, 0.0) ** 2 for value in eigenvalues))
    assert distance == pytest.approx(expected, rel=1e-6, abs=1e-9 * (1 + abs(eigenvalues).max()))
    assert (nearest == nearest.T).all()
