"""Tails of binomial laws: how many of some people are sampled, stay or leave.

By the regularised incomplete beta function, which SciPy's special functions have: its statistics, which hold the law
itself, take longer to import than a small table takes to compare.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.lazy import LaterModule

special = LaterModule("scipy.special")


def at_most(k: npt.ArrayLike, n: npt.ArrayLike, share: float) -> FloatArray:
    """P(X <= k) for X ~ Bin(n, share) and k >= 0, which is I_{1 - share}(n - k, k + 1) for k < n."""
    k, n = as_floats(k), as_floats(n)
    return as_floats(np.where(k < n, special.betainc(np.maximum(n - k, 1.0), k + 1.0, 1.0 - share), 1.0))


def more_than(k: npt.ArrayLike, n: npt.ArrayLike, share: float) -> FloatArray:
    """P(X > k) for X ~ Bin(n, share) and k >= 0, which is I_share(k + 1, n - k) for k < n."""
    k, n = as_floats(k), as_floats(n)
    return as_floats(np.where(k < n, special.betainc(k + 1.0, np.maximum(n - k, 1.0), share), 0.0))
