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

_OUTSIDE = 1e-30  # what a law may have beyond its bins: the first and the last of them hold it
_TIE = 1e-12  # log ratios that differ by rounding error only are equal
_FINE = 2048  # bins per size of the law, for noise that is published unrounded
_CENTRE = 10.0  # so far from 0, in sizes, bins are that fine; further out each is a hundredth wider than the last
_WIDE = 2e4  # rounding changes the delta of wider noise by the order of 1 / size^2
_LARGE = 600.0  # beyond this e^epsilon is not multiplied by a probability that may be as small as it is large


def hockey_stick(p: Distribution, q: Distribution, epsilon: float) -> float:
    """delta(epsilon) of two laws on the same outputs.

    sum_o max(0, P(o) - e^epsilon Q(o)). Symbols: P is ``p``, Q is ``q``.

    Source: P2 Definition 2.
    """
    factor = math.exp(min(epsilon, _LARGE))

    def excess(mass: float, other: float) -> float:
        if other == 0.0 or mass == 0.0:
            return mass
        if epsilon <= _LARGE:
            return max(0.0, mass - factor * other)
        return mass * max(0.0, -math.expm1(min(0.0, epsilon + math.log(other) - math.log(mass))))

    return math.fsum(excess(mass, q.get(output, 0.0)) for output, mass in p.items())


def noise_delta(noise: Noise, epsilon: float, moved: int, rounded: bool = True) -> float:
    """The delta of additive noise when ``moved`` counts (1 or 2) differ by one between neighbours.

    The privacy loss of a pair of counts is the sum of two independent losses, so the hockey stick of the pair is an
    average over one count of the hockey stick of the other at a shifted epsilon, and sorting by loss gives all of
    these at once. That is exact for counts that are whole numbers. Continuous noise that is published unrounded has an
    exact delta where its law knows one in closed form, as Laplace and Gaussian laws do; of another law it is a bound
    from above, by a thousandth or so: its values are put into bins, and each bin gets the largest loss in it. (Bins
    with their own probabilities would be one more step of post-processing, and err to the unsafe side.) From the law's
    largest loss on its delta is 0, however far its probabilities underflow.

    Rounding is post-processing, so the delta of what is rounded is a bound from above: it is taken where the noise is
    so wide that rounding changes it by some 1e-9 of itself, and a list would be long.
    """
    checked_noise(noise)
    if noise.largest_loss(moved) <= epsilon * (1.0 + 1e-12):
        return 0.0
    whole = rounded or noise.integer_valued
    if whole and noise.geometric_rate is not None:
        return _geometric_delta(noise, epsilon, moved)
    as_it_is = not rounded or noise.integer_valued or noise.size > _WIDE
    if as_it_is and (known := noise.known_delta(epsilon, moved)) is not None:
        return known
    pair = _shifted_laws(noise) if whole else _binned_laws(noise)
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


def _shifted_laws(noise: Noise) -> tuple[FloatArray, FloatArray]:
    """Log probabilities of the whole numbers under a count and under the count with one person more."""
    reach = tail_reach(noise) + 1
    points = np.arange(-reach, reach + 1.0)
    law = CountNoise(noise)
    return law.logpmf(points), law.logpmf(points - 1.0)


def _binned_laws(noise: Noise) -> tuple[FloatArray, FloatArray]:
    """Log probabilities of bins under a count, and those less the largest loss in each bin; so delta comes from above.

    Assumes that the loss, log f(x) / f(x - 1), rises or falls within a bin; bins meet at 0 and 1, where a law may have
    a kink.
    """
    further = math.ceil(math.log(max(noise.reach(_OUTSIDE) / (_CENTRE * noise.size), 2.0)) / math.log(1.01))
    outwards = _CENTRE * noise.size * 1.01 ** np.arange(further + 1.0)
    side = np.append(np.linspace(0.0, _CENTRE, int(_FINE * _CENTRE) + 1)[:-1] * noise.size, outwards)
    around = np.append(-side, side)
    edges = np.unique(np.append(around, around + 1.0))
    below, above = noise.cdf(edges), noise.sf(edges)
    inside = np.where(edges[1:] > 0, above[:-1] - above[1:], below[1:] - below[:-1])
    with np.errstate(divide="ignore"):
        log_p = np.log(np.concatenate([below[:1], np.maximum(inside, 0.0), above[-1:]]))
    loss = noise.logdensity(edges) - noise.logdensity(edges - 1.0)
    largest = np.concatenate([[noise.largest_loss()], np.maximum(loss[1:], loss[:-1]), loss[-1:]])
    return log_p, log_p - np.minimum(largest, noise.largest_loss())


def _one_count(log_p: FloatArray, log_q: FloatArray, epsilons: FloatArray) -> FloatArray:
    """Sum max(0, P - e^epsilon Q) for many epsilons: with points sorted by loss, two cumulative sums."""
    seen = np.isfinite(log_p)
    loss = log_p[seen] - log_q[seen]
    order = np.argsort(-loss, kind="stable")
    p = np.append(0.0, np.cumsum(np.exp(log_p[seen])[order]))
    q = np.append(0.0, np.cumsum(np.exp(log_q[seen])[order]))
    above = np.searchsorted(-loss[order], -(epsilons + _TIE), side="left")
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        product = np.where(epsilons > _LARGE, np.exp(epsilons + np.log(q[above])), np.exp(epsilons) * q[above])
        gap = p[above] - np.where(q[above] > 0, product, 0.0)
    return as_floats(np.clip(gap, 0.0, 1.0))
