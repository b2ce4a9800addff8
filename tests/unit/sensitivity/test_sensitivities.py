"""Closed forms: brute force, random data sets, bounds, monotonicity, bad input."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens import sensitivity
from epsilens.budget import NEIGHBOURS, Neighbours, count_sensitivity
from epsilens.errors import ParameterError
from epsilens.sensitivity import STATISTICS, verify
from epsilens.sensitivity.pooled import largest_sum_of_squares

SIZES = [(2, 2), (3, 2), (2, 3), (4, 2), (3, 3), (2, 2, 2)]
ONE_VARIABLE = {"lower": -1.0, "upper": 2.0}
TWO_VARIABLES = {"lower": (0.0, -1.0), "upper": (2.0, 2.0)}


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize("n", [3, 4, 5, 6])
@pytest.mark.parametrize(
    ("statistic", "arguments"),
    [
        ("proportion", {}),
        ("proportions", {"norm": 1}),
        ("proportions", {"norm": 2}),
        ("histogram", {"norm": 1}),
        ("histogram", {"norm": 2}),
        ("count", {}),
        ("mean", ONE_VARIABLE),
        ("variance", ONE_VARIABLE),
        ("covariance", TWO_VARIABLES),
    ],
)
def test_ungrouped_formulas_are_attained(
    statistic: str, arguments: dict[str, Any], n: int, neighbours: Neighbours
) -> None:
    found = verify(statistic, neighbours, n=n, **arguments)
    assert found.safe
    assert found.attained, found


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize("sizes", [*SIZES, (3,), (5,)], ids=str)
@pytest.mark.parametrize(
    ("statistic", "bounds"), [("pooled_variance", ONE_VARIABLE), ("pooled_covariance", TWO_VARIABLES)]
)
def test_pooled_formulas_are_attained(
    statistic: str, bounds: dict[str, Any], sizes: tuple[int, ...], neighbours: Neighbours
) -> None:
    found = verify(statistic, neighbours, sizes=sizes, **bounds)
    assert found.safe
    assert found.attained, found


@pytest.mark.parametrize("sizes", [*SIZES, (4,)], ids=str)
@pytest.mark.parametrize(
    ("statistic", "bounds"), [("pooled_variance", ONE_VARIABLE), ("pooled_covariance", TWO_VARIABLES)]
)
def test_records_that_change_group_are_attained(statistic: str, bounds: dict[str, Any], sizes: tuple[int, ...]) -> None:
    found = verify(statistic, "substitute", sizes=sizes, may_change_group=True, **bounds)
    assert found.attained, found
    stay = STATISTICS[statistic](sizes, neighbours="substitute", **bounds)
    assert found.formula > stay if len(sizes) > 1 else found.formula == stay


# formula - brute force on the unit interval, for what is safe but not attained
GAPS = [
    ("pooled_variance", "substitute", (2, 2), {"reveal_largest": False}, 0.25),
    ("pooled_variance", "substitute", (3, 3), {"reveal_largest": False}, 1 / 12),
    ("pooled_variance", "substitute", (3, 3), {"reveal_largest": False, "may_change_group": True}, 1 / 16),
    ("pooled_variance", "add-remove", (3, 2), {"reveal_largest": False}, 1 / 9),
    ("pooled_variance", "add-remove", (2, 2), {"published": True}, 0.125),
    ("pooled_variance", "add-remove", (2, 2, 2), {"published": True}, 5 / 24 - 1 / 6),
    ("pooled_covariance", "substitute", (2, 2, 2), {"reveal_largest": False, "may_change_group": True}, 5 / 18),
    (
        "pooled_covariance",
        "add-remove",
        (3, 2),
        {"reveal_largest": False},
        (1 + 5 / 8 - 1 / math.sqrt(2)) / 3 - 11 / 36,
    ),
    ("pooled_covariance", "add-remove", (3, 3), {"published": True}, 1 / 144),
    ("pooled_covariance", "add-remove", (3, 3), {"published": True, "at_sizes": False}, 0.00844021048),
]


@pytest.mark.parametrize(("statistic", "neighbours", "sizes", "options", "gap"), GAPS, ids=str)
def test_gaps_of_values_that_are_safe_but_not_attained(
    statistic: str, neighbours: Neighbours, sizes: tuple[int, ...], options: dict[str, Any], gap: float
) -> None:
    bounds = {"lower": 0, "upper": 1} if statistic == "pooled_variance" else {"lower": (0, 0), "upper": (1, 1)}
    found = verify(statistic, neighbours, sizes=sizes, **bounds, **options)
    assert found.safe
    assert not found.attained
    assert found.gap == pytest.approx(gap, abs=1e-9)


unit = st.floats(0, 1)
group_sizes = st.lists(st.integers(2, 9), min_size=1, max_size=4).filter(lambda sizes: sum(sizes) - len(sizes) >= 2)


def pooled(groups: list[np.ndarray]) -> float:
    """Pooled covariance from its definition; rows are records (x, y)."""
    total = sum(np.sum((g[:, 0] - g[:, 0].mean()) * (g[:, 1] - g[:, 1].mean())) for g in groups)
    return float(total / sum(len(g) - 1 for g in groups))


@settings(max_examples=300, deadline=None)
@given(sizes=group_sizes, seed=st.integers(0, 2**32 - 1), corners=st.booleans(), variance=st.booleans())
def test_no_random_data_set_moves_further(sizes: list[int], seed: int, corners: bool, variance: bool) -> None:
    rng = np.random.default_rng(seed)

    def records(n: int) -> np.ndarray:
        drawn = rng.integers(0, 2, (n, 2)).astype(float) if corners else rng.beta(0.4, 0.4, (n, 2))
        if variance:
            drawn[:, 1] = drawn[:, 0]
        return drawn

    groups = [records(size) for size in sizes]
    one = (0, 1) if variance else ((0, 0), (1, 1))
    function: Callable[..., float] = sensitivity.pooled_variance if variance else sensitivity.pooled_covariance
    here, a, b = pooled(groups), int(rng.integers(len(sizes))), int(rng.integers(len(sizes)))
    fewer = [group[1:] if j == a else group for j, group in enumerate(groups)]
    stayed = [np.vstack([group, records(1)]) if j == a else group for j, group in enumerate(fewer)]
    moved = [np.vstack([group, records(1)]) if j == b else group for j, group in enumerate(fewer)]
    for neighbours, change, other in (
        ("add-remove", False, fewer),
        ("substitute", False, stayed),
        ("substitute", True, moved),
    ):
        exact = function(sizes, *one, neighbours, may_change_group=change)
        hidden = function(sizes, *one, neighbours, may_change_group=change, reveal_largest=False)
        assert abs(here - pooled(other)) <= exact + 1e-12
        assert exact <= hidden + 1e-15
    if len(sizes) == 1:
        plain: Callable[..., float] = sensitivity.variance if variance else sensitivity.covariance
        for neighbours in NEIGHBOURS:
            assert function(sizes, *one, neighbours) == pytest.approx(plain(sizes[0], *one, neighbours), rel=1e-14)


@settings(max_examples=200, deadline=None)
@given(counts=st.lists(st.integers(0, 12), min_size=2, max_size=6).filter(lambda h: sum(h) >= 2), data=st.data())
def test_proportions_of_random_histograms(counts: list[int], data: st.DataObject) -> None:
    histogram = np.array(counts)
    n = int(histogram.sum())
    j = data.draw(st.sampled_from(np.flatnonzero(histogram).tolist()))
    fewer = histogram - np.eye(len(counts), dtype=int)[j]
    change = np.abs(histogram / n - fewer / (n - 1))
    assert change.sum() == pytest.approx(2 * (n - histogram[j]) / (n * (n - 1)), abs=1e-14)
    assert change.sum() <= sensitivity.proportions(n) + 1e-14
    assert np.sqrt((change**2).sum()) <= sensitivity.proportions(n, norm=2) + 1e-14


def test_print_protects_proportions_half_as_much_under_add_remove() -> None:
    for n in (3, 4, 6):
        found = verify("proportions", "add-remove", published=True, n=n)
        assert not found.safe
        assert found.formula == pytest.approx(1 / n)
        assert found.brute_force == pytest.approx(2 / n)


@given(groups=st.integers(1, 60), extra=st.integers(0, 200))
def test_values_that_hide_the_sizes_fall_as_n_grows(groups: int, extra: int) -> None:
    # so that a public lower bound of n may stand for n
    sizes = (2 + extra + (groups == 1), *[2] * (groups - 1))
    more = (sizes[0] + 1, *sizes[1:])
    for neighbours in NEIGHBOURS:
        for change in (False, True):
            options = {"may_change_group": change, "reveal_largest": False}
            assert sensitivity.pooled_variance(more, 0, 1, neighbours, **options) < sensitivity.pooled_variance(
                sizes, 0, 1, neighbours, **options
            )
            assert sensitivity.pooled_covariance(more, (0, 0), (1, 1), neighbours, **options) < (
                sensitivity.pooled_covariance(sizes, (0, 0), (1, 1), neighbours, **options)
            )


def test_exact_values_may_grow_with_a_group_so_lower_bounds_of_sizes_do_not_replace_them() -> None:
    small, grown = (2, 2, 2, 2, 2), (3, 2, 2, 2, 2)
    assert sensitivity.pooled_variance(grown, 0, 1) > sensitivity.pooled_variance(small, 0, 1)
    assert sensitivity.pooled_variance(small, 0, 1, reveal_largest=False) > sensitivity.pooled_variance(grown, 0, 1)


@given(width=st.floats(1e-3, 1e3), shift=st.floats(-100, 100), n=st.integers(3, 10**9))
def test_scaling_and_shifting(width: float, shift: float, n: int) -> None:
    real = (shift + width) - shift
    for neighbours in NEIGHBOURS:
        assert sensitivity.mean(n, shift, shift + width, neighbours) == pytest.approx(real / n)
        assert sensitivity.variance(n, shift, shift + width, neighbours) == pytest.approx(real**2 / n)
        cov = sensitivity.covariance(n, (shift, 0), (shift + width, 2), neighbours)
        assert cov == pytest.approx(2 * real / n)


def test_counts_have_one_home() -> None:
    for neighbours in NEIGHBOURS:
        for norm in (1, 2):
            assert sensitivity.histogram(neighbours, norm, 3) == count_sensitivity(neighbours, norm, 3)
        assert sensitivity.count(neighbours, 4) == 4.0


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize("norm", [1, 2])
def test_tree_of_counts_against_enumeration(neighbours: Neighbours, norm: int) -> None:
    # three levels over four leaves: total, two pairs, four leaves
    design = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1], *np.eye(4)])
    steps = np.eye(4) if neighbours == "add-remove" else (np.eye(4)[:, None] - np.eye(4)[None]).reshape(-1, 4)
    largest = max(np.linalg.norm(design @ step, norm) for step in steps)
    assert sensitivity.histogram_tree(3, neighbours, norm) == pytest.approx(largest)  # type: ignore[arg-type]


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
    (lambda: sensitivity.count(max_rows_per_unit=0), r"rows per person must be >= 1"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


def test_arrays_will_do_for_sizes_and_bounds() -> None:
    sizes = np.array([3, 3])
    value = sensitivity.pooled_covariance(sizes, np.zeros(2), np.ones(2))  # type: ignore[arg-type]
    assert value == pytest.approx(2 / 9)


@pytest.mark.parametrize("size", range(1, 9))
def test_largest_sum_of_squares_of_corner_data(size: int) -> None:
    corners = np.array(list(itertools.product([0.0, 1.0], repeat=size)))
    squares = ((corners - corners.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    assert largest_sum_of_squares(size) == pytest.approx(float(squares.max()), abs=1e-12)
