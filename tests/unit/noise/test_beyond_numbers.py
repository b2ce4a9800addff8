from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.noise import DiscreteLaplaceNoise
from epsilens.noise.beyond_numbers import geometric_differences, in_sizes, squared


def test_what_is_beyond_any_number_is_infinite_and_does_not_warn() -> None:
    x = np.array([-1e300, -2.0, 0.0, 3.0, 1e300])
    np.testing.assert_array_equal(in_sizes(x, 1e-200), [-math.inf, -2e200, 0.0, 3e200, math.inf])
    np.testing.assert_array_equal(squared(x), [math.inf, 4.0, 0.0, 9.0, math.inf])


@pytest.mark.parametrize("scale", [0.3, 5.0, 2.0**41, 1e150])
def test_differences_of_geometric_draws_are_whole_and_have_the_variance_of_the_law(scale: float) -> None:
    draws = geometric_differences(scale, (20_000,), np.random.default_rng(1))
    assert (draws == np.rint(draws)).all()
    expected = DiscreteLaplaceNoise(scale).variance / scale / scale
    assert float(np.mean((draws / scale) ** 2)) == pytest.approx(expected, rel=0.1)
