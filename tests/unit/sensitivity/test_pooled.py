"""Sensitivities of pooled statistics."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens import sensitivity
from epsilens.budget import NEIGHBOURS, Neighbours
from epsilens.sensitivity import STATISTICS, verify
from epsilens.sensitivity.pooled import largest_sum_of_squares

SIZES = [(2, 2), (3, 2), (2, 3), (4, 2), (3, 3), (2, 2, 2)]


ONE_VARIABLE = {"lower": -1.0, "upper": 2.0}


TWO_VARIABLES = {"lower": (0.0, -1.0), "upper": (2.0, 2.0)}


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


@pytest.mark.parametrize("size", range(1, 9))
def test_largest_sum_of_squares_of_corner_data(size: int) -> None:
    corners = np.array(list(itertools.product([0.0, 1.0], repeat=size)))
    squares = ((corners - corners.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    assert largest_sum_of_squares(size) == pytest.approx(float(squares.max()), abs=1e-12)
