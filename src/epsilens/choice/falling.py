"""Where a risk falls as the budget grows: more noise can make cells in which people differ look homogeneous (P0-9)."""

from __future__ import annotations

from collections.abc import Sequence

SEEN = 1e-4
"""A smaller fall is not seen in four decimals."""


def largest_fall(risks: Sequence[float]) -> tuple[int, int] | None:
    """Between which two budgets, the smaller first, a risk falls furthest without rising between; None: it never does.

    ``risks`` are in the order of their budgets. A fall that four decimals would not show does not count.
    """
    best: tuple[float, int, int] | None = None
    start = 0
    for end in range(1, len(risks)):
        if risks[end] > risks[end - 1]:
            start = end
        elif (fall := risks[start] - risks[end]) >= SEEN and (best is None or fall > best[0]):
            best = (fall, start, end)
    return None if best is None else best[1:]
