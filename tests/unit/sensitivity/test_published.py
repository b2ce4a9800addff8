"""What print says, and by how much it differs."""

from __future__ import annotations

import math
from typing import Any

import pytest

from epsilens.budget import Neighbours
from epsilens.sensitivity import verify

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


def test_print_protects_proportions_half_as_much_under_add_remove() -> None:
    for n in (3, 4, 6):
        found = verify("proportions", "add-remove", published=True, n=n)
        assert not found.safe
        assert found.formula == pytest.approx(1 / n)
        assert found.brute_force == pytest.approx(2 / n)
