"""Laplace transforms of published counts under noise with geometric tails, in closed form.

A published count is M = max(0, n + Z), Z the noise, rounded. Rounded Laplace noise and discrete Laplace noise have
P(Z = d) = p_1 e^(-r (|d| - 1)) for every whole d but 0, and p_0 at 0: so E[e^(-s M)] and E[M e^(-s M)] are sums of
geometric series. With q = e^-s, z = e^-(r + s) and N = n - 1

    E[e^(-s M)]   = P(M = 0) + p_1 sum over m = 1 .. N of e^(-r (N - m)) q^m   + p_0 q^n + p_1 q^(n+1) / (1 - z)
    E[M e^(-s M)] =            p_1 sum over m = 1 .. N of e^(-r (N - m)) m q^m + n p_0 q^n
                               + p_1 q^(n+1) ((n + 1) / (1 - z) + z / (1 - z)^2),

where p_0 is there for n >= 1 only. With t = |s - r| the sums that are left are, the larger of both powers in front,

    s >= r:  e^(-r N) sum over m = 1 .. N of (1, m) e^(-t m)
    s <  r:  e^(-s N) sum over j = 0 .. N - 1 of (1, N - j) e^(-t j).

All terms are positive, and each sum is computed without a difference of near numbers: with y = 1 - e^-t

    sum over j = 0 .. N - 1 of e^(-t j) = (1 - e^(-N t)) / y
    H(N, t) = sum over m = 1 .. N of m e^(-t m) = e^-t (1 - e^(-N t) (1 + N y)) / y^2,

the last one, where N t is below 1/2, as the series N^2 sum over k of (-N t)^k / k! S_{k+1}(N) / N^(k+2) with the sums
of powers S_p(N) = 1^p + ... + N^p by Faulhaber's formula.
"""

from __future__ import annotations

import math

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.noise.law import AnyNoise

_SERIES_BELOW = 0.5  # of N t
_TERMS = 16  # 0.5^16 / 16! is below 1e-18
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)  # B_2, B_4, ...


def geometric_transforms(
    counts: IntArray, s: FloatArray, noise: AnyNoise, rate: float
) -> tuple[FloatArray, FloatArray]:
    """E[e^(-s M)] and E[M e^(-s M)] for every count >= 0 (rows) and every s > 0 (columns); r is ``rate``."""
    n, columns = as_floats(counts)[:, None], s[None, :]
    centre, beside = as_floats(noise.pmf([0.0, 1.0])).tolist()
    below, below_slope = _below(n, columns, rate)
    at = np.where(n >= 1, centre, 0.0) * np.exp(-columns * n)
    rest = -np.expm1(-(rate + columns))
    above = beside * np.exp(-columns * (n + 1.0)) / rest
    hidden = as_floats(noise.cdf(0.5 - n))
    transform = hidden + beside * below + at + above
    slope = beside * below_slope + n * at + above * (n + 1.0 + np.exp(-(rate + columns)) / rest)
    return as_floats(transform), as_floats(slope)


def _below(n: FloatArray, s: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
    """The sums over m = 1 .. n - 1 of e^(-r (n - 1 - m)) e^(-s m), and of m times that."""
    terms, t = np.maximum(n - 1.0, 0.0), np.abs(s - rate)
    front = np.exp(-np.minimum(s, rate) * terms)
    plain = _plain_sum(terms, t)
    later = s >= rate
    whole = front * np.where(later, np.exp(-t), 1.0) * plain
    weighted = np.where(later, _weighted_sum(terms, t), terms * plain - _weighted_sum(np.maximum(terms - 1.0, 0.0), t))
    return as_floats(whole), as_floats(front * weighted)


def _plain_sum(terms: FloatArray, t: FloatArray) -> FloatArray:
    """The sum over j = 0 .. N - 1 of e^(-t j)."""
    y = -np.expm1(-t)
    return as_floats(np.where(y > 0, -np.expm1(-terms * t) / np.where(y > 0, y, 1.0), terms))


def _weighted_sum(terms: FloatArray, t: FloatArray) -> FloatArray:
    """H(N, t)."""
    product, y = terms * t, -np.expm1(-t)
    long = product >= _SERIES_BELOW
    safe = np.where(long, y, 1.0)
    closed = np.exp(-t) * (1.0 - np.exp(-product) * (1.0 + terms * y)) / safe / safe
    return as_floats(np.where(long, closed, _series(terms, np.where(long, 0.0, product))))


def _series(terms: FloatArray, product: FloatArray) -> FloatArray:
    """H(N, t) for small N t, from the highest power down."""
    number = np.maximum(terms, 1.0)
    found = np.zeros(np.broadcast_shapes(terms.shape, product.shape))
    for k in range(_TERMS - 1, -1, -1):
        found = _power_sum(k + 1, number) - product / (k + 1.0) * found
    return as_floats(np.where(terms > 0, terms * terms * found, 0.0))


def _power_sum(power: int, number: FloatArray) -> FloatArray:
    """(1^p + ... + N^p) / N^(p+1)."""
    found = 1.0 / (power + 1.0) + 0.5 / number
    for j, bernoulli in enumerate(_BERNOULLI[: power // 2], start=1):
        factor = math.factorial(power) / math.factorial(power + 1 - 2 * j) / math.factorial(2 * j)
        found = found + bernoulli * factor * number ** (-2.0 * j)
    return as_floats(found)
