"""Sensitivities as P3 prints them, where that differs from the right value. To reproduce, not to protect."""

from __future__ import annotations

import math
from collections.abc import Sequence

from epsilens.budget import Neighbours, count_sensitivity
from epsilens.sensitivity import pooled
from epsilens.sensitivity.inputs import Pair, group_sizes, sample_size, squared_width, two_widths


def proportions(n: int, neighbours: Neighbours = "add-remove") -> float:
    """The printed l1 sensitivity of a vector of proportions: 2 / n under substitute, 1 / n under add-remove.

    Source: P3 section 1 (p), as printed.
    Assumes nothing that would make the second value right: it protects half as much as it says (P3-c).
    """
    return count_sensitivity(neighbours, 1) / sample_size(n, neighbours, 1, "a proportion")


def pooled_variance(
    sizes: Sequence[int],
    lower: float,
    upper: float,
    neighbours: Neighbours = "add-remove",
    reveal_largest: bool = True,
) -> float:
    """The printed sensitivity of a pooled variance: for n = 2J under add-remove (c1 - c0)^2 (n - 1) / (n (n - 2)).

    Elsewhere it is :func:`epsilens.sensitivity.pooled_variance`, or with ``reveal_largest=False`` its printed
    approximation (c1 - c0)^2 / (n - J).

    Source: P3 section 4, as printed.
    Assumes a replaced record stays in its group (P3-a). Safe, and at n = 2J larger than needed (P3-b).
    """
    checked = group_sizes(sizes, neighbours, "a pooled variance")
    n = sum(checked)
    if neighbours == "add-remove" and n == 2 * len(checked):
        return squared_width(lower, upper) * (n - 1) / (n * (n - 2))
    if not reveal_largest:
        return squared_width(lower, upper) / (n - len(checked))
    return pooled.pooled_variance(checked, lower, upper, neighbours)


def pooled_covariance(
    sizes: Sequence[int], lower: Pair, upper: Pair, neighbours: Neighbours = "add-remove", at_sizes: bool = True
) -> float:
    """The printed sensitivity of a pooled covariance: under add-remove the largest value over groups of Eq. (5).

    Eq. (5) is (c11 - c10)(c21 - c20) (1 - 1/n_1 + (n - n_1) / (4 (n - 1 - J))) / (n - J), taken at the group n_1 where
    it is largest. With ``at_sizes=False`` the final printed form, at the real number n_1 = 2 sqrt(n - 1 - J). Under
    substitute print and :func:`epsilens.sensitivity.pooled_covariance` agree; its form without sizes has n - J alone.

    Source: P3 Eq. (5), as printed.
    Assumes a replaced record stays in its group (P3-a). Safe, and larger than needed with odd group sizes (P3-e).
    """
    checked = group_sizes(sizes, neighbours, "a pooled covariance")
    first, second = two_widths(lower, upper)
    n, groups = sum(checked), len(checked)
    if neighbours == "substitute":
        return (
            pooled.pooled_covariance(checked, lower, upper, neighbours) if at_sizes else first * second / (n - groups)
        )
    rest = n - 1 - groups
    if at_sizes:
        factor = max(1.0 - 1.0 / size + (n - size) / (4.0 * rest) for size in checked)
    else:
        factor = 1.0 + n / (4.0 * rest) - 1.0 / math.sqrt(rest)
    return first * second * factor / (n - groups)
