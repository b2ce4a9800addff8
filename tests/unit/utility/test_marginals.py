"""Total variation of counts and of their marginals, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.utility import marginal_variation, total_variation

COUNTS = np.array([[[30, 5], [4, 20]], [[25, 6], [7, 40]]])


def test_total_variation() -> None:
    assert total_variation([1, 1], [2, 2]) == 0.0
    assert total_variation([1, 0], [0, 5]) == 1.0
    assert total_variation([3, -7], [1, 0]) == 0.0  # negative counts count as zero
    assert total_variation([0, -1], [1, 1]) == 1.0
    with pytest.raises(ParameterError, match="all zero"):
        total_variation([1, 1], [0, 0])


def test_marginals_by_hand() -> None:
    released = COUNTS.copy()
    released[0, 0] = released[0, 0][::-1]  # only the last axis is wrong
    one_way = [
        total_variation(released.sum(axis=(1, 2)), COUNTS.sum(axis=(1, 2))),
        total_variation(released.sum(axis=(0, 2)), COUNTS.sum(axis=(0, 2))),
        total_variation(released.sum(axis=(0, 1)), COUNTS.sum(axis=(0, 1))),
    ]
    assert one_way[:2] == [0.0, 0.0]
    assert marginal_variation(released, COUNTS, 1) == pytest.approx(np.mean(one_way))
    assert marginal_variation(released, COUNTS, 3) == pytest.approx(total_variation(released, COUNTS))
    variations = [marginal_variation(released, COUNTS, ways) for ways in (1, 2, 3)]
    assert variations == sorted(variations)
    with pytest.raises(ParameterError, match="ways must lie between 1 and 3"):
        marginal_variation(released, COUNTS, 4)
