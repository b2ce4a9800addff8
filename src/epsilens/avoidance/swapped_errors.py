"""How far randomised swapping takes counts from the truth on average, exactly.

Cells of a group (those that share everything but the swapped columns) lose and gain people independently, so the
expected absolute error of a count is a sum over what may come and go. Everything that is added up is positive.
"""

from __future__ import annotations

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance.binomial import at_most, more_than

_LONGEST = 200_000_000  # numbers that are added up, before simulation is quicker
_MOST_CELLS = 40_000
_MOST_PAIRS = 2_000


def moved_cells_errors(groups: FloatArray, keep: float) -> FloatArray | None:
    """E|X_i - x_i| where every cell moves as a whole; None where there are too many cells.

    With S the people that come from other cells, X_i - x_i is S if the cell stays and S - x_i if it leaves. So
    E|X_i - x_i| = gamma E S + (1 - gamma) (E S - x_i + 2 E(x_i - S)^+), E S = u (sum_j x_j - x_i). Only what is smaller
    than x_i adds to the last term: E(x_i - S)^+ = (1 - u)^m sum_{s < x_i} (x_i - s) P(S' = s), where S' is what comes
    from cells smaller than x_i and m is how many others are not smaller. Going through a group from small to large,
    the law of S' grows by one cell at a time. Symbols: ``groups`` are the counts, one group per row, gamma is ``keep``,
    u = (1 - gamma) / (n_Q - 1).

    Source: P2 Eq. (4), for what Figure 2 averages over releases.
    """
    levels = groups.shape[1]
    occupied = groups > 0
    if occupied.sum() > _MOST_CELLS or (occupied.sum(axis=1) * groups.max(axis=1)).sum() > _LONGEST:
        return None
    away = (1.0 - keep) / (levels - 1)
    comes = away * (groups.sum(axis=1, keepdims=True) - groups)
    short = np.zeros(groups.shape)  # E(x - S)^+
    for row in np.flatnonzero(occupied.any(axis=1)):
        sizes, many = np.unique(groups[row][occupied[row]].astype(np.int64), return_counts=True)
        law = np.zeros(sizes[-1])
        law[0] = 1.0
        not_smaller, found = int(many.sum()), np.zeros(len(sizes))
        for i, (size, cells) in enumerate(zip(sizes, many, strict=True)):
            missing = np.arange(size, 0.0, -1.0)
            found[i] = (1.0 - away) ** (not_smaller - 1) * (missing @ law[:size])
            not_smaller -= int(cells)
            for _ in range(cells if size < len(law) else 0):
                law[size:] = (1.0 - away) * law[size:] + away * law[:-size]
                law[:size] *= 1.0 - away
        short[row, occupied[row]] = found[np.searchsorted(sizes, groups[row][occupied[row]])]
    return as_floats(comes + (1.0 - keep) * (2.0 * short - groups))


def moved_rows_errors(groups: FloatArray, keep: float) -> FloatArray | None:
    """E|X_i - x_i| where every person moves alone; None where there are too many different counts.

    X_i - x_i = C - L with the comers C ~ Bin(sum_j x_j - x_i, u) and the leavers L ~ Bin(x_i, 1 - gamma), which are
    independent: E|C - L| = E C - E L + 2 E(L - C)^+. Since (l - c)^+ is the number of t with c <= t < l, the last is
    sum_t P(C <= t) P(L > t), over all t below x_i. Symbols as in :func:`moved_cells_errors`.

    Source: P2 Algorithm 4, for what Figure 2 averages over releases.
    """
    levels = groups.shape[1]
    away = (1.0 - keep) / (levels - 1)
    others = groups.sum(axis=1, keepdims=True) - groups
    pairs, back = np.unique(np.column_stack([groups.ravel(), others.ravel()]), axis=0, return_inverse=True)
    if len(pairs) > _MOST_PAIRS or pairs[:, 0].sum() > _LONGEST:
        return None
    short = np.zeros(len(pairs))
    for i, (own, rest) in enumerate(pairs):
        if own > 0:
            passed = np.arange(own)
            short[i] = at_most(passed, rest, away) @ more_than(passed, own, 1.0 - keep)
    missing = short[back.ravel()].reshape(groups.shape)
    return as_floats(away * others - (1.0 - keep) * groups + 2.0 * missing)
