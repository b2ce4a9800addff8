from __future__ import annotations

import math

import pytest

from epsilens.choice.choose.public_grid import PUBLIC_GRID, rounded_down, roundest
from epsilens.choice.choose.safe_set import Interval


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 0.84, 0.5),
        (0.655, 0.8404, 0.8),
        (0.81, 0.8404, 0.84),
        (0.8401, 0.8404, 0.8404),
        (0.95, 1.0, 1.0),
        (0.93, 0.9999, 0.99),
        (0.0, 3.7e-6, 3e-6),
        (7123.0, 7987.0, None),
        (0.123456789, 0.123456791, None),
        (2.0, math.inf, None),
    ],
)
def test_as_few_digits_as_will_do(low: float, high: float, expected: float | None) -> None:
    found = roundest(Interval(low, high), lambda value: value < 1000)
    assert found == expected


def test_what_does_not_keep_the_requirements_is_passed_over() -> None:
    assert roundest(Interval(0.1, 0.9), lambda value: value < 0.3) == 0.2
    assert roundest(Interval(0.6, 0.95), lambda value: value != 0.9) == 0.8
    assert roundest(Interval(0.9, 1.0), lambda value: value < 1.0) == 0.9  # 0.9 comes before 1
    assert roundest(Interval(0.1, 0.9), lambda value: False) is None


def test_a_grid() -> None:
    assert rounded_down(Interval(0.173, 0.84), PUBLIC_GRID) == 0.5
