"""The numbers of P3, printed and true."""

from __future__ import annotations

import math

import pytest

from epsilens import sensitivity
from epsilens.noise.bounded_laplace import truncated_epsilon
from epsilens.sensitivity import published

UNIT = (0, 1)
SQUARE = ((0, 0), (1, 1))


def test_printed_formulas_that_are_right() -> None:
    assert sensitivity.mean(100, 0, 1, "substitute") == pytest.approx(0.01)
    assert sensitivity.proportion(100) == pytest.approx(0.01)
    assert sensitivity.variance(100, 0, 1, "substitute") == pytest.approx(0.01)
    assert sensitivity.covariance(100, (0, 0), (2, 3), "substitute") == pytest.approx(0.06)
    assert sensitivity.covariance(100, (0, 0), (2, 3), "add-remove") == pytest.approx(0.06)


def test_records_that_change_group() -> None:
    assert sensitivity.pooled_variance((3, 3), *UNIT, "substitute") == pytest.approx(1 / 6)
    assert sensitivity.pooled_variance((3, 3), *UNIT, "substitute", may_change_group=True) == pytest.approx(0.1875)
    assert sensitivity.pooled_covariance((3, 3), *SQUARE, "substitute") == pytest.approx(1 / 6)
    moved = sensitivity.pooled_covariance((3, 3), *SQUARE, "substitute", may_change_group=True)
    assert moved == pytest.approx(17 / 48)


def test_two_records_a_group_under_add_remove() -> None:
    assert published.pooled_variance((2, 2), *UNIT) == pytest.approx(0.375)
    assert sensitivity.pooled_variance((2, 2), *UNIT) == pytest.approx(0.25)
    assert published.pooled_variance((3, 3), *UNIT) == sensitivity.pooled_variance((3, 3), *UNIT)


def test_pooled_covariance_under_add_remove() -> None:
    assert published.pooled_covariance((3, 3), *SQUARE) == pytest.approx(0.2292, abs=5e-5)
    assert sensitivity.pooled_covariance((3, 3), *SQUARE) == pytest.approx(0.2222, abs=5e-5)
    final = published.pooled_covariance((3, 3), *SQUARE, at_sizes=False)
    assert final == pytest.approx((1 + 6 / 12 - 1 / math.sqrt(3)) / 4)
    assert final == sensitivity.pooled_covariance((3, 3), *SQUARE, reveal_largest=False)
    assert published.pooled_covariance((3, 3), *SQUARE, "substitute") == pytest.approx(1 / 6)


@pytest.mark.parametrize("n", [3, 4, 6])
def test_proportions(n: int) -> None:
    assert published.proportions(n, "add-remove") == pytest.approx(1 / n)
    assert sensitivity.proportions(n, "add-remove") == pytest.approx(2 / n)
    assert published.proportions(n, "substitute") == sensitivity.proportions(n, "substitute") == pytest.approx(2 / n)
    assert sensitivity.proportions(n, "add-remove", norm=2) == pytest.approx(math.sqrt(2) / n)


def test_histograms() -> None:
    assert sensitivity.histogram("substitute") == 2
    assert sensitivity.histogram("add-remove") == 1
    assert sensitivity.histogram("substitute", norm=2) == pytest.approx(math.sqrt(2))
    assert sensitivity.histogram("add-remove", norm=2) == 1


def test_what_truncation_costs() -> None:
    wide = 1e9  # the interval against the sensitivity of 1
    assert truncated_epsilon(1.0, 1.0, 0.0, wide) == pytest.approx(1.49, abs=5e-3)  # epsilon 1 of plain noise
    assert truncated_epsilon(1e3, 1.0, 0.0, wide) == pytest.approx(2e-3, rel=1e-3)  # epsilon 0.001: it doubles
    assert truncated_epsilon(0.5, 1.0, 0.0, 1.0) == 2.0  # the sensitivity is the whole interval: no extra cost
