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

from epsilens.arrays import as_floats
from epsilens.budget import PureDP
from epsilens.release.statistics import Mean, Proportions, Variance
from epsilens.release.statistics.noise import noise_plan
from epsilens.release.statistics.postprocessing import half_width_in_steps, nearest_semidefinite, processed
from epsilens.utility.accuracy import half_width
from tests.support.released_statistics import ONE


def test_clamping_states_its_bias() -> None:
    plan = noise_plan(Mean("a", 0, 10), Decimal(1), ONE, 2, "substitute")
    found = processed(plan, [Fraction(-3)], 0.95)
    assert (found.value, found.noisy[0], found.lower[0]) == (0.0, -30.0, 0.0)
    (step,) = found.steps
    scale = 5.0
    assert step["largest_bias"] == pytest.approx(scale / 2 * (1 - math.exp(-10 / scale)), rel=1e-5)
    assert step["range"] == [0.0, 10.0]


def test_shares_are_rescaled_by_their_sum() -> None:
    declared = Proportions("s", ("a", "b", "c"), adding_up="rescale")
    plan = noise_plan(declared, Decimal(1), ONE, 40, "substitute")
    found = processed(plan, [Fraction(-1, 8), Fraction(5, 4), Fraction(1, 4)], 0.95)
    assert found.values == pytest.approx([0.0, 0.8, 0.2])
    (step,) = found.steps
    assert (step["step"], step["sum_before"]) == ("rescaling", 1.25)
    assert step["distance"] == pytest.approx(math.sqrt(0.125**2 + 0.45**2 + 0.05**2))
    assert (found.lower <= found.values).all()
    assert (found.values <= found.upper).all()
    assert processed(plan, [Fraction(-1)] * 3, 0.95).values == pytest.approx([1 / 3] * 3)


def test_rescaled_shares_have_intervals_that_cover() -> None:
    """By simulation of the whole way, also of shares at 0 and where the noise is wider than they are."""
    rng, truth = np.random.default_rng(3), [Fraction(0), Fraction(1, 40), Fraction(39, 40)]
    plan = noise_plan(Proportions("s", ("a", "b", "c"), "rescale"), Decimal(1), PureDP(0.5), 40, "substitute")
    covered = np.zeros(3)
    for _ in range(400):
        noisy = [t + int(plan.law.sample(1, rng)[0]) * plan.grid for t in truth]
        found = processed(plan, noisy, 0.9)
        assert found.values.sum() == pytest.approx(1.0)
        covered += (found.lower <= as_floats([float(t) for t in truth])) & (
            as_floats([float(t) for t in truth]) <= found.upper
        )
    assert (covered / 400 >= 0.9 - 3 * math.sqrt(0.9 * 0.1 / 400)).all()


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


@pytest.mark.parametrize("bounding", ["clamped", "none", "truncated"])
@pytest.mark.parametrize("epsilon", [1e-2, 1.0, 800.0, 1e6])
@pytest.mark.parametrize("upper", [1e-99, 1.0, 1e99])
def test_no_budget_and_no_bounds_make_post_processing_fail(bounding: str, epsilon: float, upper: float) -> None:
    """The squares of the widest bounds are beyond a double, so errors are computed in units of the bounds."""
    plan = noise_plan(Variance("a", 0, upper), Decimal(1), PureDP(epsilon), 20, "substitute", bounding=bounding)
    found = processed(plan, [Fraction(1, 8)], 0.95)
    numbers = [*found.values, *found.standard_errors, *found.lower, *found.upper]
    numbers += [value for step in found.steps for value in step.values() if isinstance(value, float)]
    assert np.isfinite(numbers).all()
    assert found.lower[0] <= found.value <= found.upper[0]
    same = processed(
        noise_plan(Variance("a", 0, 1), Decimal(1), PureDP(epsilon), 20, "substitute", bounding=bounding),
        [Fraction(1, 8)],
        0.95,
    )
    for ours, theirs in zip(found.steps, same.steps, strict=True):
        assert ours["largest_bias"] == pytest.approx(theirs["largest_bias"] * upper**2, rel=1e-9)


def test_a_half_width_has_room_for_rounding_to_the_grid() -> None:
    plan = noise_plan(Mean("a", 0, 10), Decimal(1), ONE, 2**58, "substitute")
    assert plan.steps < 2**10  # of so many records the grid is coarse
    assert half_width_in_steps(plan, 0.95) == half_width(plan.law, 0.95) + 1
