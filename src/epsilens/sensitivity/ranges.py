"""The values a statistic can take at all, given public bounds on the records: what a release may be clamped to."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.sensitivity.inputs import Pair, group_sizes, sample_size, squared_width, two_widths, width
from epsilens.sensitivity.pooled import largest_sum_of_squares


def proportion_range() -> tuple[float, float]:
    """[0, 1], of every share."""
    return 0.0, 1.0


def mean_range(lower: float, upper: float) -> tuple[float, float]:
    """[c0, c1]: a mean lies where its records do."""
    width(lower, upper)
    return float(lower), float(upper)


def variance_range(n: int, lower: float, upper: float) -> tuple[float, float]:
    """[0, (c1 - c0)^2 M(n) / (n - 1)], M as in :func:`epsilens.sensitivity.pooled.largest_sum_of_squares`.

    Source: P3 section 2 (Shiffler and Harsha 1980).
    Assumes public bounds and a public n; M(n) / (n - 1) falls, or stays, as n grows, so a lower bound of n will do.
    """
    size = sample_size(n, "substitute", 2, "a variance")
    return 0.0, squared_width(lower, upper) * largest_sum_of_squares(size) / (size - 1)


def covariance_range(n: int, lower: Pair, upper: Pair) -> tuple[float, float]:
    """Plus or minus (c11 - c10)(c21 - c20) M(n) / (n - 1).

    Source: P3 section 5 (by the Cauchy-Schwarz inequality).
    Assumes public bounds and a public n or lower bound of it, as for :func:`variance_range`.
    """
    size = sample_size(n, "substitute", 2, "a covariance")
    first, second = two_widths(lower, upper)
    extreme = first * second * largest_sum_of_squares(size) / (size - 1)
    return -extreme, extreme


def pooled_variance_range(sizes: Sequence[int], lower: float, upper: float) -> tuple[float, float]:
    """[0, (c1 - c0)^2 sum of M(n_j) / (n - J)].

    Source: P3 section 4.
    Assumes public bounds and public sizes.
    """
    return 0.0, squared_width(lower, upper) * _pooled_extreme(group_sizes(sizes, "substitute", "a pooled variance"))


def pooled_covariance_range(sizes: Sequence[int], lower: Pair, upper: Pair) -> tuple[float, float]:
    """Plus or minus (c11 - c10)(c21 - c20) sum of M(n_j) / (n - J).

    Source: P3 section 5.
    Assumes public bounds and public sizes.
    """
    first, second = two_widths(lower, upper)
    extreme = first * second * _pooled_extreme(group_sizes(sizes, "substitute", "a pooled covariance"))
    return -extreme, extreme


def _pooled_extreme(sizes: tuple[int, ...]) -> float:
    return sum(largest_sum_of_squares(size) for size in sizes) / (sum(sizes) - len(sizes))
