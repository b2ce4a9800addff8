"""The values that statistics can take."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import sensitivity


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 9])
def test_ranges_hold_every_corner_and_are_reached(n: int) -> None:
    corners = np.array(np.meshgrid(*[[0.0, 1.0]] * n)).reshape(n, -1)
    low, high = sensitivity.variance_range(n, -1, 2)
    assert low == 0
    assert high == pytest.approx(9 * corners.var(axis=0, ddof=1).max())
    reach = sensitivity.covariance_range(n, (0, 0), (2, 3))
    assert reach[1] == pytest.approx(6 * corners.var(axis=0, ddof=1).max())
    assert reach[0] == -reach[1]
    assert sensitivity.pooled_variance_range((n,), -1, 2) == pytest.approx((low, high))
    assert sensitivity.pooled_covariance_range((n, n), (0, 0), (2, 3)) == pytest.approx(reach)
