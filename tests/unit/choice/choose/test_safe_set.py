from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from epsilens.arrays import FloatArray
from epsilens.choice.choose.safe_set import end_of_lowest_stretch, scan_safe_set


def dense(
    f: Callable[[float], float], low: float, high: float, ceiling: float, size: int = 200_001
) -> list[tuple[float, float]]:
    """Safe runs of a dense log grid."""
    x = np.linspace(math.log(low), math.log(high), size)
    safe = np.array([f(math.exp(v)) <= ceiling for v in x])
    edge = np.flatnonzero(np.diff(np.r_[False, safe, False].astype(int)))
    return [(math.exp(x[a]), math.exp(x[b - 1])) for a, b in zip(edge[::2], edge[1::2], strict=True)]


def wave(b: float) -> float:
    return 0.5 + 0.3 * math.sin(5.0 * math.log(b))


def test_every_interval_of_a_wave_is_found_to_the_last_digits() -> None:
    scan = scan_safe_set(wave, 0.4, 1e-2, 1e2, slope=1.5)
    truth = dense(wave, 1e-2, 1e2, 0.4)
    assert len(scan.intervals) == len(truth) > 5
    for found, (low, high) in zip(scan.intervals, truth, strict=True):
        assert found.low == pytest.approx(low, rel=1e-4)
        assert found.high == pytest.approx(high, rel=1e-4)
        if found.low > 1e-2:
            assert wave(found.low) <= 0.4
            assert wave(found.low) == pytest.approx(0.4, abs=1e-13)
        if found.high < 1e2:
            assert wave(found.high) <= 0.4
            assert wave(found.high) == pytest.approx(0.4, abs=1e-13)


def needle(b: float) -> float:
    """Below the ceiling but for a spike two hundredths wide on the log axis: no grid of 20 a decade sees it."""
    return 0.2 + max(0.0, 0.2 - 20.0 * abs(math.log(b) - 0.333))


def test_a_known_slope_finds_a_needle_and_says_what_may_hide() -> None:
    scan = scan_safe_set(needle, 0.3, 1e-1, 1e1, slope=20.0)
    assert len(scan.intervals) == 2
    assert scan.intervals[0].high == pytest.approx(math.exp(0.333 - 0.1 / 20.0), rel=1e-9)
    assert scan.intervals[1].low == pytest.approx(math.exp(0.333 + 0.1 / 20.0), rel=1e-9)
    assert scan.undetected is not None
    assert scan.undetected < 20.0 * 2e-5
    assert scan_safe_set(needle, 0.3, 1e-1, 1e1, slope=None).undetected is None


def test_nothing_safe_and_everything_safe() -> None:
    assert scan_safe_set(wave, 0.1, 1e-2, 1e2, 1.5).intervals == ()
    (whole,) = scan_safe_set(wave, 0.9, 1e-2, 1e2, 1.5).intervals
    assert (whole.low, whole.high) == pytest.approx((1e-2, 1e2))


def test_the_lowest_point_is_refined() -> None:
    def bowl(b: float) -> float:
        return 0.3 + 0.1 * math.log(b / 0.7) ** 2

    budget, risk = scan_safe_set(bowl, 0.2, 1e-2, 1e2, slope=2.0).lowest_point
    assert budget == pytest.approx(0.7, rel=1e-4)
    assert risk == pytest.approx(0.3, abs=1e-9)


def test_scanned_points_are_sorted_and_progress_is_told() -> None:
    told: list[int] = []
    scan = scan_safe_set(wave, 0.4, 1e-2, 1e2, 1.5, told.append)
    budgets: FloatArray = scan.budgets
    assert (np.diff(budgets) > 0).all()
    assert sum(told) > 80


def test_no_minimum_is_looked_for_where_the_risk_goes_on_falling() -> None:
    """Rising risks have their least value beyond the lower end; evaluations there cost the most."""

    def looked_at(risk: Callable[[float], float], beyond: tuple[float, float]) -> int:
        told: list[int] = []
        scan = scan_safe_set(risk, 0.5, 1e-2, 1e2, None, told.append, beyond)
        assert scan.lowest_point[1] == pytest.approx(min(risk(b) for b in (1e-2, 1e2)))
        return sum(told)

    for risk in (rising, lambda b: 1.0 - rising(b)):
        assert looked_at(risk, (0.0, 0.0)) < looked_at(risk, (math.inf, math.inf)) - 10
    inner = scan_safe_set(wave, 0.2, 1e-2, 1e2, None, None, (0.0, 0.0)).lowest_point[1]
    assert inner == pytest.approx(0.2, abs=1e-9)


def rising(b: float) -> float:
    return b / (1.0 + b)


def test_the_end_of_the_lowest_stretch_is_the_last_safe_budget() -> None:
    """A risk that falls, rises, and falls again: safe from 0.1 to 1 and from 10 on, at a ceiling of 1/2."""

    def risk(budget: float) -> float:
        x = math.log10(budget)
        return 0.5 + 0.2 * x * (1 - x) * (x + 1)

    looked_at: list[float] = []

    def seen(budget: float) -> float:
        looked_at.append(budget)
        return risk(budget)

    grid = [0.02, 0.05, 0.3, 0.7, 3.0, 40.0]
    found = end_of_lowest_stretch(seen, 0.5, grid)
    assert found is not None
    assert found == pytest.approx(1.0, abs=1e-12)
    assert risk(found) <= 0.5
    assert 40.0 not in looked_at  # what lies beyond the lowest stretch is not its business
    assert end_of_lowest_stretch(risk, 0.5, grid, exact=False) == 0.7
    assert end_of_lowest_stretch(risk, 0.5, [0.2, 0.5]) == 0.5  # safe to the end of what was looked at
    assert end_of_lowest_stretch(risk, 0.01, [0.2, 0.5, 3.0]) is None


def two_bumps(b: float) -> float:
    """It rises, falls, rises and falls: four crossings, the narrow bump between two budgets of the first grid."""
    x = math.log(b)
    return 0.2 + 0.2 * math.exp(-(((x + 2.0) / 0.8) ** 2)) + 0.12 * math.exp(-(((x - 1.333) / 0.03) ** 2))


def test_a_known_bend_finds_all_crossings_with_few_looks() -> None:
    bend = 0.12 * 2.0 / 0.03**2 + 1.0
    slope = 0.12 * 0.86 / 0.03 + 0.3
    for ceiling in (0.3, 0.25, 0.21, 0.319):
        looks: dict[float | None, int] = {}
        for known in (bend, None):
            told: list[int] = []
            scan = scan_safe_set(two_bumps, ceiling, 1e-2, 1e2, slope, told.append, bend=known)
            truth = dense(two_bumps, 1e-2, 1e2, ceiling, 20_001)
            assert [(i.low, i.high) for i in scan.intervals] == [pytest.approx(pair, rel=2e-3) for pair in truth]
            looks[known] = sum(told)
        assert looks[bend] < 0.6 * looks[None]
        assert looks[bend] <= 700


def test_what_touches_the_ceiling_is_told_to_the_square_of_the_gap() -> None:
    """A maximum just below the ceiling: nothing is missed, and what may hide is far below what a slope would leave."""

    def touching(b: float) -> float:
        return 0.3 - 0.1 * math.log(b / 1.234) ** 2

    first = scan_safe_set(touching, 0.3, 0.5, 3.0, 0.3)
    second = scan_safe_set(touching, 0.3, 0.5, 3.0, 0.3, bend=0.25)
    assert first.undetected is not None
    assert second.undetected is not None
    assert second.undetected <= 0.25 * 2e-5**2 < first.undetected
    assert len(second.budgets) < len(first.budgets)


def test_budgets_of_a_round_are_looked_at_together_and_each_once() -> None:
    rounds: list[int] = []
    single: list[float] = []

    def many(budgets: list[float]) -> FloatArray:
        rounds.append(len(budgets))
        return np.array([wave(b) for b in budgets])

    def one(budget: float) -> float:
        single.append(budget)
        return wave(budget)

    scan = scan_safe_set(one, 0.4, 1e-2, 1e2, 1.5, bend=7.5, many=many)  # type: ignore[arg-type]
    assert scan.intervals == scan_safe_set(wave, 0.4, 1e-2, 1e2, 1.5, bend=7.5).intervals
    assert rounds[0] == 81
    assert len(rounds) < 10
    assert len(set(single)) == len(single)


def test_bounds_may_be_per_unit_of_another_axis_and_closer_in_places() -> None:
    half = scan_safe_set(wave, 0.4, 1e-2, 1e2, 3.0, bend=30.0, place=lambda b: 0.5 * math.log(b))
    whole = scan_safe_set(wave, 0.4, 1e-2, 1e2, 1.5, bend=7.5)
    assert half.intervals == whole.intervals
    told: list[int] = []
    without: list[int] = []
    flat = scan_safe_set(rising, 0.9999, 1e-2, 1e2, 0.25, told.append, nearby=lambda x: (min(0.25, math.exp(-x)), None))
    assert scan_safe_set(rising, 0.9999, 1e-2, 1e2, 0.25, without.append).intervals == flat.intervals
    assert sum(told) < sum(without)
