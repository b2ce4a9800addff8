"""The rate of Poisson sizes as a Bayesian estimates it: the mean of its posterior."""

from __future__ import annotations

import numpy as np

from epsilens.arrays import FloatArray

_POINTS = 4001
_NEGLIGIBLE = 50.0  # in logs: e^-50 of the highest density


def posterior_mean_rate(people: float, cells: float, truncated: bool) -> float:
    """The posterior mean of the rate of Poisson sizes, given how many people are in how many cells.

    The prior has the density rate^(-1/2), that of Jeffreys for the plain law: a gamma law of shape 1/2 that weighs as
    little as a prior can. Of N cells with n people,

        plain law:            posterior rate^(n - 1/2) e^(-N rate), a gamma law, mean (n + 1/2) / N;
        truncated to n >= 1:  posterior rate^(n - 1/2) (e^rate - 1)^(-N), since the likelihood of one cell of size m is
                              rate^m e^-rate / (1 - e^-rate) / m! = rate^m / (e^rate - 1) / m!.

    In t = log rate the second is e^g with g = (n + 1/2) t - N log(e^rate - 1), concave, so its mean is a ratio of two
    integrals of smooth bells: the trapezium rule between the points where the bell has fallen to e^-50 is exact to
    rounding error. Writing (1 - e^-rate)^-N as a binomial series makes it a mixture of gamma laws, whose mean is

        sum_j w_j (n + 1/2) / (N + j) / sum_j w_j,  w_j = binom(N + j - 1, j) (N + j)^-(n + 1/2),

    which is what the tests compare with.

    Source: P0 section 4.1 (beta by a Bayesian approach, then plugged in)
    """
    if not truncated:
        return (people + 0.5) / cells

    def height(t: FloatArray) -> FloatArray:
        rate = np.exp(t)
        small = np.minimum(rate, 30.0)
        log_excess = np.where(rate > 30.0, rate + np.log1p(-np.exp(-np.maximum(rate, 30.0))), np.log(np.expm1(small)))
        return (people + 0.5) * t - cells * log_excess

    top = _highest((people + 0.5) / cells)
    peak = float(height(np.array(top)))

    def edge(direction: float) -> float:
        step = 1e-6
        while float(height(np.array(top + direction * step))) > peak - _NEGLIGIBLE:
            step *= 1.5
        return top + direction * step

    t = np.linspace(edge(-1.0), edge(1.0), _POINTS)
    weights = np.exp(height(t) - peak)
    return float(weights @ np.exp(t) / weights.sum())


def _highest(mean: float) -> float:
    """Log of the rate at which the density is highest: there rate / (1 - e^-rate) is ``mean``, which is above 1."""
    low, high = -50.0, float(np.log(mean))
    for _ in range(200):
        middle = 0.5 * (low + high)
        rate = float(np.exp(middle))
        low, high = (middle, high) if rate / -np.expm1(-rate) < mean else (low, middle)
    return 0.5 * (low + high)
