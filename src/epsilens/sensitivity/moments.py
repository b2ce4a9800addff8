"""Global sensitivities of the mean, the variance and the covariance of one sample."""

from __future__ import annotations

from epsilens.budget import Neighbours
from epsilens.sensitivity.inputs import Pair, sample_size, squared_width, two_widths, width


def mean(n: int, lower: float, upper: float, neighbours: Neighbours = "add-remove") -> float:
    """How far a sample mean can move: delta = (c1 - c0) / n.

    c0 and c1 are ``lower`` and ``upper``. Attained by one record at a bound and all others at the opposite one.

    Source: P3 section 1.
    Assumes public bounds on every record; n is public, under add-remove the size of the larger neighbour or a public
    lower bound of it (P3-d).
    """
    return width(lower, upper) / sample_size(n, neighbours, 1, "a mean")


def variance(n: int, lower: float, upper: float, neighbours: Neighbours = "add-remove") -> float:
    """How far a sample variance (denominator n - 1) can move: delta = (c1 - c0)^2 / n.

    With m the mean of the other n - 1 records, replacing x by x' changes the variance by
    ((x - m)^2 - (x' - m)^2) / n, and removing x by (x - m)^2 / n - s'^2 / (n - 1) with s'^2 the variance left.

    Source: P3 Eq. (1) and section 2.
    Assumes public bounds on every record; n is public, under add-remove the size of the larger neighbour or a public
    lower bound of it (P3-d).
    """
    return squared_width(lower, upper) / sample_size(n, neighbours, 2, "a variance")


def covariance(n: int, lower: Pair, upper: Pair, neighbours: Neighbours = "add-remove") -> float:
    """How far a sample covariance (denominator n - 1) can move: delta = (c11 - c10) (c21 - c20) / n.

    [c10, c11] bounds the first variable, [c20, c21] the second: ``lower`` and ``upper`` hold one number for each. The
    covariance is linear in each single value, so the worst case is a corner: one record opposite to all others.

    Source: P3 Eqs. (2) and (3).
    Assumes public bounds on every record; n is public, under add-remove the size of the larger neighbour or a public
    lower bound of it (P3-d).
    """
    first, second = two_widths(lower, upper)
    return first * second / sample_size(n, neighbours, 2, "a covariance")
