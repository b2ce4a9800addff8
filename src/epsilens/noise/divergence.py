"""The hockey-stick divergence: the exact delta of a pair of output laws.

delta(epsilon) = sum over outputs of max(0, P(o) - e^epsilon Q(o)): the least delta for which P(S) <= e^epsilon Q(S) +
delta for every set S of outputs.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.noise.law import Noise, checked_noise
from epsilens.noise.published import CountNoise, tail_reach

Distribution: TypeAlias = Mapping[Hashable, float]
"""Outputs and their probabilities."""

_TIE = 1e-12  # log ratios that differ by rounding error only are equal
_FINE = 64  # lattice points per person, for noise that is published unrounded


def hockey_stick(p: Distribution, q: Distribution, epsilon: float) -> float:
    """delta(epsilon) of two laws on the same outputs.

    sum_o max(0, P(o) - e^epsilon Q(o)). Symbols: P is ``p``, Q is ``q``.

    Source: P2 Definition 2.
    """
    factor = math.exp(epsilon)
    return math.fsum(max(0.0, mass - factor * q.get(output, 0.0)) for output, mass in p.items())


def noise_delta(noise: Noise, epsilon: float, moved: int, rounded: bool = True) -> float:
    """The exact delta of additive noise when ``moved`` counts (1 or 2) differ by one between neighbours.

    The privacy loss of a pair of counts is the sum of two independent losses, so the hockey stick of the pair is an
    average over one count of the hockey stick of the other at a shifted epsilon, and sorting by loss gives all of
    these at once. Continuous noise that is published unrounded is put on a lattice of 1/64 person, which comes
    arbitrarily close from below, unless the law knows a closed form. From the law's largest loss on its delta is 0,
    however far its probabilities underflow.
    """
    checked_noise(noise)
    if noise.largest_loss(moved) <= epsilon * (1.0 + 1e-12):
        return 0.0
    if not rounded and (known := noise.known_delta(epsilon, moved)) is not None:
        return known
    if (rounded or noise.integer_valued) and noise.geometric_rate is not None:
        return _geometric_delta(noise, epsilon, moved)
    steps = 1 if rounded or noise.integer_valued else _FINE
    pair = _shifted_laws(noise, steps)
    if moved == 1:
        return float(_one_count(*pair, np.array([epsilon]))[0])
    # one count falls and the other rises; the law is symmetric, so both tell the same
    return independent_delta(pair, pair, epsilon)


def independent_delta(
    first: tuple[FloatArray, FloatArray], second: tuple[FloatArray, FloatArray], epsilon: float
) -> float:
    """delta(epsilon) of two independent outputs, each given by its log probabilities under P and under Q."""
    log_p, log_q = second
    seen = np.isfinite(log_p)
    mass, loss = np.exp(log_p[seen]), log_p[seen] - log_q[seen]
    certain = np.isinf(loss)  # outputs that only P can give
    inner = _one_count(*first, epsilon - loss[~certain])
    return float(min(1.0, mass[~certain] @ inner + mass[certain].sum()))


def _geometric_delta(noise: Noise, epsilon: float, moved: int) -> float:
    """The delta of whole-number noise with a geometric rate: four outputs, or their pairs, however wide it is.

    Its loss is the same at all outputs below the count, and at all above the count with one person more; the two in
    between have their own.
    """
    middle = CountNoise(noise).logpmf([0.0, 1.0])
    log_p = as_floats([noise.logsf(0.5), *middle, noise.logsf(1.5)])
    log_q = log_p[::-1]
    if moved == 2:
        log_p, log_q = np.add.outer(log_p, log_p).ravel(), np.add.outer(log_q, log_q).ravel()
    log_p, log_q = log_p[np.isfinite(log_p)], log_q[np.isfinite(log_p)]
    over = log_p - log_q > epsilon + _TIE
    return float(-(np.exp(log_p[over]) @ np.expm1(epsilon - (log_p - log_q)[over])))


def _shifted_laws(noise: Noise, steps: int) -> tuple[FloatArray, FloatArray]:
    """Log probabilities of the lattice points under a count and under the count with one person more."""
    reach = steps * (tail_reach(noise) + 1)
    points = np.arange(-reach, reach + 1.0)
    if steps == 1:
        law = CountNoise(noise)
        return law.logpmf(points), law.logpmf(points - 1.0)
    half = 0.5 / steps
    lattice = points / steps

    def log_mass(x: FloatArray) -> FloatArray:
        near, far = noise.sf(np.abs(x) - half), noise.sf(np.abs(x) + half)
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(near - far, 0.0))

    return log_mass(lattice), log_mass(lattice - 1.0)


def _one_count(log_p: FloatArray, log_q: FloatArray, epsilons: FloatArray) -> FloatArray:
    """Sum max(0, P - e^epsilon Q) for many epsilons: with points sorted by loss, two cumulative sums."""
    seen = np.isfinite(log_p)
    loss = log_p[seen] - log_q[seen]
    order = np.argsort(-loss, kind="stable")
    p = np.append(0.0, np.cumsum(np.exp(log_p[seen])[order]))
    q = np.append(0.0, np.cumsum(np.exp(log_q[seen])[order]))
    above = np.searchsorted(-loss[order], -(epsilons + _TIE), side="left")
    with np.errstate(over="ignore", invalid="ignore"):
        gap = p[above] - np.where(q[above] > 0, np.exp(epsilons) * q[above], 0.0)
    return as_floats(np.clip(gap, 0.0, 1.0))
