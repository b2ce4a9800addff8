"""How far noise takes a count, or a sum of counts, from the truth on average: E|Z|, for any law.

One count: everything follows from the overshoot E max(0, -x - Z), which is a sum of tails. Sums of counts: from the
characteristic function of the noise on a lattice. All terms are positive: nothing cancels.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from functools import lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.noise.law import Noise, checked_noise, spread_of
from epsilens.noise.published import overshoot_moments

_CHUNK = 4_000_000  # numbers per block
_LONGEST_SUM = 4_000  # beyond, the next term of the central limit theorem, kurtosis / (24 m), is below 1e-4
_LATTICE = 300.0  # standard deviation, in steps of the lattice, of noise that is wider than that
_ROUNDING_IS_LOST = 30.0  # standard deviation beyond which rounding adds less than 1e-4 of the variance
_BEYOND = 2.0 * math.exp(-40.0)  # of the law, left out on both sides


def expected_absolute_error(noise: Noise, rounded: bool = True) -> float:
    """E|Z|, the expected absolute error of a count that is not clipped."""
    checked_noise(noise)
    return 2.0 * float(overshoot_moments(noise, np.zeros(1), rounded)[0][0])


def expected_distance(noise: Noise, shifts: npt.ArrayLike) -> FloatArray:
    """E|Z - d| for each whole number d of ``shifts``, Z being the rounded noise.

    E|Z - d| = |d| + 2 E max(0, Z - |d|), the law being symmetric.
    """
    distance = np.abs(as_floats(shifts))
    return as_floats(distance + 2.0 * overshoot_moments(noise, distance, rounded=True)[0])


def absolute_sum(noise: Noise, terms: int, rounded: bool = True) -> float:
    """E|Z_1 + ... + Z_m|, the expected absolute error of a sum of ``terms`` noisy counts.

    For noise on a lattice of step h it is (h / pi) int_0^pi (1 - phi(t)^m) / (1 - cos t) dt with phi the characteristic
    function of one count's noise in steps, since |k| is that integral of 1 - cos(k t). Published whole numbers have
    h = 1. Noise that is wide, or not rounded, is put on a lattice of 1/300 of its standard deviation, unless the law
    knows a closed form.

    Source: P0 section 5.3, footnote 8, for the expectation of its distance.
    Assumes independent draws. Beyond 4,000 terms the sum is taken to be normal, to 1e-4 of its value; rounding is
    left out where it changes less than that.
    """
    if terms == 1:
        return expected_absolute_error(noise, rounded)
    spread = spread_of(noise)
    as_it_is = not noise.integer_valued and (not rounded or spread > _ROUNDING_IS_LOST)
    if as_it_is and (known := noise.known_absolute_sum(terms)) is not None:
        return known
    if terms > _LONGEST_SUM:
        return math.sqrt(2.0 * terms / math.pi) * spread
    step = 1.0
    if as_it_is or spread > _LATTICE:
        step = spread / _LATTICE
        if noise.integer_valued:
            step = 2.0 * round(0.5 * step) + 1.0  # an odd step keeps whole numbers off the bounds between steps
    weights, lost, sine = _characteristic(cast("Hashable", noise), step)
    # 1 - phi^m from 1 - phi: where that is small, through logarithms, so that nothing cancels
    near = -np.expm1(terms * np.log1p(-np.minimum(lost, 0.5)))
    total = weights @ (np.where(lost < 0.5, near, 1.0 - (1.0 - lost) ** terms) / (2.0 * sine**2))
    return step * float(total) / math.pi


@lru_cache(maxsize=64)
def _characteristic(noise: Any, step: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Quadrature weights on (0, pi), 1 - phi(t) and sin(t / 2), for the noise rounded to multiples of ``step``.

    Panels shrink towards 0, as far as the powers of phi fall there. 1 - phi(t) is 4 times the sum over k > 0 of
    P(k) sin^2(k t / 2): positive terms only.
    """
    spread = math.sqrt(noise.variance) / step
    k = np.arange(1.0, math.ceil((noise.reach(_BEYOND) + 1.0) / step) + 1.0)
    k = k[noise.sf((k - 0.5) * step) > 0.5 * _BEYOND]  # the reach is a whole number, and noise may be far narrower
    mass = noise.pmf(k) if step == 1.0 else noise.sf((k - 0.5) * step) - noise.sf((k + 0.5) * step)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    narrow = min(1.0, 0.5 / (math.sqrt(_LONGEST_SUM) * max(spread, 0.1)))
    edges = np.concatenate([[0.0], np.geomspace(narrow, math.pi, 40)])
    half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
    t = (middle[:, None] + half[:, None] * nodes).ravel()
    lost = np.zeros(len(t))
    block = max(1, _CHUNK // len(t))
    for start in range(0, len(k), block):
        part = slice(start, start + block)
        lost += 4.0 * (np.sin(0.5 * np.outer(t, k[part])) ** 2) @ mass[part]
    return (half[:, None] * weights).ravel(), lost, np.sin(0.5 * t)
