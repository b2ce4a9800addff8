"""What every sensitivity refuses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from epsilens import sensitivity
from epsilens.errors import ParameterError

BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: sensitivity.mean(10, 1, 1), r"lower must be below upper, got lower 1 and upper 1"),
    (lambda: sensitivity.variance(10, 2, 1), r"lower must be below upper"),
    (lambda: sensitivity.variance(10, float("nan"), 1), r"lower must be finite, got nan"),
    (lambda: sensitivity.mean(10, 0, float("inf")), r"upper must be finite"),
    (lambda: sensitivity.mean(10, -1e308, 1e308), r"upper - lower must be finite"),
    (lambda: sensitivity.variance(1, 0, 1, "substitute"), r"n must be >= 2 \(a variance needs 2 records\), got 1"),
    (lambda: sensitivity.variance(2, 0, 1), r"n must be >= 3 .*also after one record is removed"),
    (lambda: sensitivity.mean(1, 0, 1), r"n must be >= 2"),
    (lambda: sensitivity.mean(0, 0, 1, "substitute"), r"n must be >= 1"),
    (lambda: sensitivity.mean(2.5, 0, 1), r"n must be a whole number, got 2.5"),  # type: ignore[arg-type]
    (lambda: sensitivity.mean(True, 0, 1), r"n must be a whole number"),
    (lambda: sensitivity.proportions(1), r"n must be >= 2"),
    (lambda: sensitivity.proportions(5, norm=3), r"norm must be 1 or 2, got 3"),  # type: ignore[arg-type]
    (lambda: sensitivity.proportion(5, "swap"), r"neighbours must be one of"),  # type: ignore[arg-type]
    (lambda: sensitivity.covariance(5, (0, 0), (1, 0)), r"lower of the second variable must be below"),
    (lambda: sensitivity.covariance(5, (0, 0, 0), (1, 1)), r"lower must hold one bound for each of the two"),
    (lambda: sensitivity.covariance(5, 0, 1), r"lower must be a list of numbers, got 0"),  # type: ignore[arg-type]
    (lambda: sensitivity.pooled_variance((3, 1), 0, 1), r"sizes must be >= 2 .*merge or drop.*got 1"),
    (lambda: sensitivity.pooled_variance((), 0, 1), r"at least one group, got none"),
    (lambda: sensitivity.pooled_variance("33", 0, 1), r"sizes must be a list"),  # type: ignore[arg-type]
    (lambda: sensitivity.pooled_covariance((2,), (0, 0), (1, 1)), r"at least the number of groups \+ 2"),
    (lambda: sensitivity.histogram_tree(1, "substitute"), r"levels must be >= 2"),
    (lambda: sensitivity.count("both"), r"neighbours must be one of"),  # type: ignore[arg-type]
    (lambda: sensitivity.count(max_rows_per_unit=0), r"(rows per person|max_rows_per_unit) must be >= 1"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


def test_arrays_will_do_for_sizes_and_bounds() -> None:
    sizes = np.array([3, 3])
    value = sensitivity.pooled_covariance(sizes, np.zeros(2), np.ones(2))  # type: ignore[arg-type]
    assert value == pytest.approx(2 / 9)


@pytest.mark.parametrize("upper", [1e200, 1e-200])
def test_a_square_beyond_any_number_is_refused(upper: float) -> None:
    refused = "beyond any number; measure the variable in other units"
    with pytest.raises(ParameterError, match=refused):
        sensitivity.variance(10, 0, upper)
    with pytest.raises(ParameterError, match=refused):
        sensitivity.covariance(10, (0, 0), (upper, upper))
    with pytest.raises(ParameterError, match=refused):
        sensitivity.pooled_variance((5, 5), 0, upper)
