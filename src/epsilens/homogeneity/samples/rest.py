"""The law of those who are not in the sample: what label has somebody of a cell who was not asked?

Label shares of a cell are Dirichlet(alpha) a priori, fitted to all cells of the sample, and the sampled people of the
cell have updated them: its rest is Dirichlet-multinomial with parameters a_k = alpha_k + n_k, over the labels that are
possible there.
"""

from __future__ import annotations

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.homogeneity.models.sizes import stirling_error
from epsilens.lazy import LaterModule
from epsilens.table.frequency import STRUCTURAL_ZERO

special = LaterModule("scipy.special")

_LARGE = 1e6


def posterior_parameters(vectors: IntArray, alpha: FloatArray) -> FloatArray:
    """a_k = alpha_k + n_k, 0 for a label that cannot occur in the cell."""
    return np.where(vectors == STRUCTURAL_ZERO, 0.0, alpha + np.maximum(vectors, 0))


def predictive_shares(vectors: IntArray, alpha: FloatArray) -> FloatArray:
    """P(somebody of the cell who is not in the sample has label k) = (alpha_k + n_k) / (alpha_0 + n).

    The mean of the Dirichlet posterior, and by exchangeability the same for everybody of the rest, however many they
    are. alpha_0 is the sum over the labels that are possible in the cell; where none is, nobody can be in it.

    Assumes that labels of a cell are exchangeable, sampled or not, with Dirichlet(``alpha``) shares.
    """
    own = posterior_parameters(vectors, alpha)
    total = own.sum(axis=1, keepdims=True)
    return as_floats(own / np.where(total > 0, total, 1.0))


def nobody_has(vectors: IntArray, alpha: FloatArray, rest: FloatArray) -> FloatArray:
    """P(none of the R people of the rest has label k), for cells (rows) with ``rest`` R, and every label k.

    The share theta_k of label k is Beta(a_k, A - a_k), A the sum of the a_j, so it is

        E[(1 - theta_k)^R] = Gamma(A) Gamma(A - a_k + R) / (Gamma(A - a_k) Gamma(A + R)),

    which also stands for an R that is not a whole number, as estimates of it are. In logs: with g(x) = log Gamma(x + R)
    - log Gamma(x) it is g(A - a_k) - g(A), both large where R is; from 1e6 on they are written with Stirling's formula,
    whose large parts cancel on paper. Where no other label is possible, A - a_k = 0, and the rest has label k if there
    is any.

    Assumes what :func:`predictive_shares` assumes.
    """
    own = posterior_parameters(vectors, alpha)
    total = own.sum(axis=1, keepdims=True)
    others = np.maximum(total - own, 0.0)
    left = rest[:, None]
    safe = np.where(others > 0, others, 1.0)
    logs = np.minimum(_log_gamma_step(safe, np.maximum(total, safe), left), 0.0)
    chances = np.where(others > 0, np.exp(logs), (left == 0).astype(np.float64))
    return as_floats(np.where(own > 0, chances, 1.0))


def _log_gamma_step(others: FloatArray, total: FloatArray, rest: FloatArray) -> FloatArray:
    """Log [Gamma(others + R) / Gamma(total + R)] - log [Gamma(others) / Gamma(total)]."""
    return _log_ratio(others + rest, total - others) - _log_ratio(others, total - others)


def _log_ratio(start: FloatArray, step: FloatArray) -> FloatArray:
    """Log [Gamma(start) / Gamma(start + step)] for start > 0 and step >= 0.

    Directly, as log Beta(start, step) - log Gamma(step), where start is small; by Stirling's formula where it is large.
    """
    x, y = np.broadcast_arrays(start, step)
    small = np.minimum(x, _LARGE)
    direct = special.gammaln(small) - special.gammaln(small + y)
    z = np.maximum(x, _LARGE)
    far = -(z + y - 0.5) * np.log1p(y / z) - y * np.log(z) + y + stirling_error(z) - stirling_error(z + y)
    return as_floats(np.where(x > _LARGE, far, direct))
