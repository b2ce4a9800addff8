"""Publishing cells that exist without a declared universe: only those whose noisy count reaches a threshold.

Which cells exist is a fact about people, so without a universe only occupied cells get noise, and a cell is shown only
if its noisy count is at least tau. **Derivation of delta.** T(k) = P(Z >= k) for the integer noise Z.

*One person more or less.* D' has one person more than D, who has at most m rows, c_1, ..., c_j of them in cells that
are empty in D (j <= m, sum c_i <= m). Unless D' shows one of those, its output is distributed as noise on the common
cells, where the budget's epsilon bounds the ratio. It shows one with probability at most sum T(tau - c_i). A symmetric
law whose probabilities fall away from 0 has a T that is convex on 0, 1, 2, ..., so for tau >= m and given j the sum is
largest at (m - j + 1, 1, ..., 1); as a function of j that is convex, so largest at an end:

    delta_1 = max(T(tau - m), m T(tau - 1)).

In the other direction compare D with the mechanism that also adds noise to the empty cells of D: they differ with
probability at most delta_0 = m T(tau) <= delta_1, and that mechanism is epsilon-DP.

*One person replaced.* The person's old cells may be shown by D alone and the new ones by D' alone; both arguments are
needed at once: delta = delta_1 + delta_0.

The threshold is the smallest tau >= m + 1 with delta at most what was declared. For m = 1 it says: a cell with one
person is shown with probability at most delta.
"""

from __future__ import annotations

import numpy as np

from epsilens.budget import NEIGHBOURS
from epsilens.checks import one_of, probability
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.noise.law import checked_noise


def threshold_delta(noise: Noise, threshold: int, max_rows_per_unit: int = 1, neighbours: str = "add-remove") -> float:
    """The delta of showing occupied cells whose noisy count is at least ``threshold``.

    max(T(tau - m), m T(tau - 1)) for one person more or less, plus m T(tau) for one person replaced, with
    T(k) = P(Z >= k). Symbols: tau is ``threshold``, m is ``max_rows_per_unit``, Z is ``noise``.
    See the module's docstring.
    """
    checked_noise(noise)
    one_of("neighbours", neighbours, NEIGHBOURS)
    m, tau = max_rows_per_unit, threshold
    if tau <= m:
        raise ParameterError(f"must exceed the {m} rows that one person may have", parameter="threshold", got=tau)
    whole, single, empty = noise.sf(np.array([tau - m, tau - 1, tau]) - 1.0)
    one_way = max(float(whole), m * float(single))
    return one_way if neighbours == "add-remove" else one_way + m * float(empty)


def smallest_threshold(noise: Noise, delta: float, max_rows_per_unit: int = 1, neighbours: str = "add-remove") -> int:
    """The smallest threshold above ``max_rows_per_unit`` whose :func:`threshold_delta` is at most ``delta``."""
    if not checked_noise(noise).integer_valued:
        raise ParameterError(
            "a threshold is offered with whole-number noise only", remedy="use `mechanism=discrete-laplace`"
        )
    allowed = probability("delta", delta)
    low = high = max_rows_per_unit + 1
    step = 1
    while threshold_delta(noise, high, max_rows_per_unit, neighbours) > allowed:
        low, high, step = high + 1, high + step, 2 * step
    while low < high:
        middle = (low + high) // 2
        if threshold_delta(noise, middle, max_rows_per_unit, neighbours) <= allowed:
            high = middle
        else:
            low = middle + 1
    return high
