"""Logarithms of count laws that keep their digits however large the counts are.

n log m - m - log n! is a difference of numbers of the size n log n: at a count of 10^9 six digits of it are left, at
10^15 none. Both laws are therefore written with the deviance and the error of Stirling's formula, neither of which is
larger than the answer:

D(n, m) = n log(n / m) + m - n  and  S(n) = log n! - (n + 1/2) log n + n - log(2 pi) / 2.
"""

from __future__ import annotations

import math

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.lazy import LaterModule

special = LaterModule("scipy.special")

_HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)
_NEAR = 0.05
_TERMS = 14


def log_poisson(n: FloatArray, mean: float) -> FloatArray:
    """Log of e^-m m^n / n! = -S(n) - D(n, m) - log(2 pi n) / 2, or -m at n = 0; m is ``mean``."""
    counts = np.maximum(n, 1.0)
    found = -stirling_error(counts) - deviance(counts, mean) - 0.5 * np.log(counts) - _HALF_LOG_TWO_PI
    return _on_counts(n, found, -mean)


def log_negative_binomial(n: FloatArray, mean: float, size: float) -> FloatArray:
    """Log of Gamma(n + r) / (Gamma(r) n!) q^r (1 - q)^n with q = r / (r + m); m is ``mean``, r is ``size``.

    S(N) - S(r) - S(n) - D(r, N q) - D(n, N (1 - q)) + log(r / (2 pi N n)) / 2 with N = n + r; r log q at n = 0.
    """
    r, m = size, mean
    counts = np.maximum(n, 1.0)
    total = counts + r
    errors = stirling_error(total) - stirling_error(as_floats(r)) - stirling_error(counts)
    excess = (counts - m) * (r / (r + m))  # n - N (1 - q), and r - N q with the other sign
    spread = deviance(as_floats(r), total * (r / (r + m)), -excess)
    spread = spread + deviance(counts, total * (m / (r + m)), excess)
    # the binomial probability of r among N, times r / N: the last draw is a success
    found = errors - spread + 0.5 * (math.log(r) - np.log(total) - np.log(counts)) - _HALF_LOG_TWO_PI
    return _on_counts(n, found, -r * math.log1p(m / r))


def _on_counts(n: FloatArray, found: FloatArray, at_zero: float) -> FloatArray:
    return as_floats(np.where(n > 0, found, np.where(n == 0, at_zero, -np.inf)))


def deviance(n: FloatArray, mean: float | FloatArray, difference: FloatArray | None = None) -> FloatArray:
    """The deviance n log(n / m) + m - n >= 0, for n, m > 0.

    Close to m it is m times the series of (1 + u) log(1 + u) - u with u = (n - m) / m.
    ``difference`` is n - m, where it is known better than by subtraction.
    """
    m = as_floats(mean)
    gap = n - m if difference is None else difference
    with np.errstate(over="ignore"):  # a mean so small that nothing is near it
        u = gap / m
    near = np.abs(u) < _NEAR
    close = np.where(near, u, 0.0)
    series, power = np.zeros_like(close), close * close
    for k in range(2, _TERMS + 1):
        series = series + power / (k * (k - 1.0))
        power = -power * close
    return as_floats(np.where(near, m * series, n * (np.log(n) - np.log(m)) - gap))


def stirling_error(n: FloatArray) -> FloatArray:
    """Log n! less Stirling's formula, for n > 0: the series 1 / 12 n - 1 / 360 n^3 + ... from 16 on."""
    large = n >= 16.0
    x = np.where(large, n, 16.0)
    inverse = (1.0 / x) ** 2
    series = (
        1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse * (1.0 / 1680.0 - inverse / 1188.0)))
    ) / x
    small = np.where(large, 1.0, n)
    direct = special.gammaln(small + 1.0) - (small + 0.5) * np.log(small) + small - _HALF_LOG_TWO_PI
    return as_floats(np.where(large, series, direct))
