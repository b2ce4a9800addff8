"""What a cell shows once its counts are published with noise.

A published count is the true count plus noise, rounded half up and clipped at 0. So label k, counted n_k, is *shown*
(its published count is 1 or more) exactly when n_k + noise >= 1/2, with probability a_k = P(noise >= 1/2 - n_k). No law
of ours has an atom at a half, so a_k is the survival function at 1/2 - n_k, for continuous and for integer noise alike.
AnyNoise is independent across labels; a structural zero is never shown.

Everything here is a product or a sum of probabilities, so nothing cancels; a product underflows only below 1e-300.
"""

from __future__ import annotations

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.noise.law import AnyNoise

_FEW_LABELS = 16


def shown_and_hidden(vectors: IntArray, noise: AnyNoise) -> tuple[FloatArray, FloatArray]:
    """(a_k, 1 - a_k) for every label of every vector, each side computed directly from the law."""
    counts, where = distinct_counts(vectors)
    impossible = counts < 0
    shown = np.where(impossible, 0.0, noise.sf(0.5 - counts))
    hidden = np.where(impossible, 1.0, noise.cdf(0.5 - counts))
    return shown[where], hidden[where]


def distinct_counts(vectors: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct counts, and where each entry of ``vectors`` finds its own: a law is evaluated once per count.

    Counts are mostly small, so marking those that occur beats sorting them; a few huge ones are sorted after all.
    """
    lowest, highest = int(vectors.min(initial=0)), int(vectors.max(initial=0))
    if highest - lowest > 4 * vectors.size:
        counts, where = np.unique(vectors, return_inverse=True)
        return counts, where.reshape(vectors.shape)
    occurs = np.zeros(highest - lowest + 1, dtype=bool)
    occurs[vectors - lowest] = True
    return np.flatnonzero(occurs) + lowest, (np.cumsum(occurs) - 1)[vectors - lowest]


def shown_alone(shown: FloatArray, hidden: FloatArray) -> FloatArray:
    """P(label k is the only one shown) = a_k prod_{j != k} (1 - a_j), for every k.

    The product over the others is a running product from the left times one from the right: no division, so a label
    that is certainly shown (1 - a_k = 0) does no harm.
    """
    if hidden.shape[-1] <= _FEW_LABELS:
        return _few_shown_alone(shown, hidden)
    ones = np.ones((*hidden.shape[:-1], 1))
    left = np.cumprod(np.concatenate([ones, hidden[..., :-1]], axis=-1), axis=-1)
    right = np.cumprod(np.concatenate([ones, hidden[..., :0:-1]], axis=-1), axis=-1)[..., ::-1]
    return shown * left * right


def _few_shown_alone(shown: FloatArray, hidden: FloatArray) -> FloatArray:
    """The same products, label by label instead of cell by cell: with few labels that is several times as fast."""
    alone = shown.copy()
    left, right = np.ones(hidden.shape[:-1]), np.ones(hidden.shape[:-1])
    for k in range(hidden.shape[-1]):
        alone[..., k] *= left
        left = left * hidden[..., k]
    for k in reversed(range(hidden.shape[-1])):
        alone[..., k] *= right
        right = right * hidden[..., k]
    return alone


def number_shown(shown: FloatArray, hidden: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P(no label is shown), P(exactly one), P(two or more), by adding one label after the other."""
    none, one, more = np.ones(shown.shape[:-1]), np.zeros(shown.shape[:-1]), np.zeros(shown.shape[:-1])
    for k in range(shown.shape[-1]):
        more = more + one * shown[..., k]
        one = one * hidden[..., k] + none * shown[..., k]
        none = none * hidden[..., k]
    return none, one, more


def zeros_shown(zeros: IntArray, noise: AnyNoise) -> tuple[FloatArray, FloatArray, FloatArray]:
    """:func:`number_shown` for so many labels that nobody has: none, exactly one, two or more of them is shown.

    These numbers are binomial. P(two or more) is the regularised incomplete beta function I_a(2, z - 1), a = P(one of
    them is shown), whose terms are all positive.
    """
    from scipy.special import betainc

    chance, nothing = float(noise.sf(0.5)), float(noise.cdf(0.5))
    one = np.where(zeros > 0, zeros * chance * nothing ** np.maximum(zeros - 1, 0), 0.0)
    more = np.where(zeros > 1, betainc(2.0, np.maximum(zeros - 1, 1), chance), 0.0)
    return as_floats(nothing**zeros), as_floats(one), as_floats(more)
