"""Long sums over whole numbers, shortened without losing digits.

Thresholding adds up probabilities over every count that a cell may publish. With epsilon = 1 that is a few dozen
counts, with epsilon = 10^-6 some seventy million. But the summand is smooth: every law of ours is analytic on either
side of 0, so as a function of the published count m it has a kink at the true counts and nowhere else. Between two
kinks a long run of whole numbers is cut into panels about as long as the noise is wide, and each panel is replaced by
:data:`NODES` of its whole numbers with weights that make the sum *exact for every polynomial of degree below NODES*
(the discrete cousin of Gauss-Legendre quadrature; whole nodes, because an integer-valued law lives on no others).

Error: the summands are products of at most K tails e^(-t / b) or Phi(t / sigma), whose Chebyshev coefficients on a
panel of two scales fall below 1e-16 before degree NODES; what remains is the cut tail, :data:`TAIL`, and rounding. The
tests compare with the full sum: the difference stays below 1e-12. Runs shorter than a panel are simply summed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.errors import ParameterError
from epsilens.noise.law import AnyNoise, reach_of

NODES = 28
TAIL = 1e-16
"""Probability left out at either end of a law."""

_LONGEST_DIRECT_SUM = 4096
_FURTHEST = 2**53
# Midpoint Euler-Maclaurin: sum over a run = integral + sum over r of _MIDPOINT[r] [f^(2r+1)](end) - (start), unit steps
_MIDPOINT = (-1.0 / 24.0, 7.0 / 5760.0, -31.0 / 967680.0, 127.0 / 154828800.0)


@dataclass(frozen=True, eq=False)
class WholeNumberSum:
    """``points`` and ``weights``: the sum of f over a range is close to weights @ f(points)."""

    points: FloatArray
    weights: FloatArray


def reach(noise: AnyNoise) -> int:
    """The smallest distance T with P(Z > T) and P(Z < -T) at most :data:`TAIL`, Z being the published noise."""
    far = reach_of(noise, 2.0 * TAIL)
    if far > _FURTHEST:
        raise ParameterError("the noise reaches further than numbers count one by one", remedy="take a larger budget")
    return max(far, 1)


def width(noise: AnyNoise, labels: int = 2) -> float:
    """How long a panel may be: about two scales of the noise, less where many labels multiply their tails."""
    return max(1.0, math.sqrt(noise.variance / 2.0) * min(2.0, 16.0 / labels))


def whole_numbers(start: int, stop: int, kinks: Iterable[int], panel: float, graded: bool = False) -> WholeNumberSum:
    """A sum over start, start + 1, ..., stop - 1 of a function with kinks at ``kinks``.

    ``graded`` lets panels grow no faster than their distance from 0, for summands with a factor e^(-s m) of any s.
    """
    points: list[FloatArray] = []
    weights: list[FloatArray] = []
    cuts = sorted({kink for kink in kinks if start <= kink < stop})
    begins = [start, *(cut + 1 for cut in cuts)]
    ends = [*cuts, stop]
    for begin, end in zip(begins, ends, strict=True):
        position = begin
        while position < end:
            longest = min(panel, max(position, 1)) if graded else panel
            pieces = max(1, math.ceil((end - position) / max(longest, 2 * NODES)))
            length = _familiar(min(end - position, math.ceil((end - position) / pieces)))
            nodes, node_weights = _panel(length)
            points.append(position + nodes)
            weights.append(node_weights)
            position += length
        if end < stop:  # the kink itself
            points.append(np.array([float(end)]))
            weights.append(np.ones(1))
    if not points:
        return WholeNumberSum(np.empty(0), np.empty(0))
    return WholeNumberSum(np.concatenate(points), np.concatenate(weights))


def _familiar(length: int) -> int:
    """``length`` cut to five binary digits: few distinct panels, so that their weights are found once and kept."""
    spare = max(length.bit_length() - 5, 0) if length > 2 * NODES else 0
    return length >> spare << spare


@lru_cache(maxsize=4096)
def _panel(length: int) -> tuple[FloatArray, FloatArray]:
    """Nodes among 0, ..., length - 1 and weights exact for polynomials of degree below NODES."""
    if length <= 2 * NODES:
        return np.arange(length, dtype=np.float64), np.ones(length)
    gauss, _ = np.polynomial.legendre.leggauss(NODES)
    nodes = np.rint(0.5 * (gauss + 1.0) * length - 0.5)
    # beside short panels rounding may collide at the ends, where Gauss nodes crowd: push outward from each end
    half = NODES // 2
    left = np.maximum.accumulate(nodes[:half] - np.arange(half)) + np.arange(half)
    left = np.maximum(left, np.arange(half, dtype=np.float64))
    nodes = np.concatenate([left, (length - 1 - left)[::-1]])
    scaled = (2.0 * nodes + 1.0) / length - 1.0
    basis = np.polynomial.legendre.legvander(scaled, NODES - 1)
    weights = np.linalg.solve(basis.T, _legendre_sums(length))
    return as_floats(nodes), as_floats(weights)


def _legendre_sums(length: int) -> FloatArray:
    """Sums of the Legendre polynomials of degree 0, ..., NODES - 1 over the midpoints of ``length`` equal parts."""
    if length <= _LONGEST_DIRECT_SUM:
        midpoints = (2.0 * np.arange(length) + 1.0) / length - 1.0
        return np.asarray(np.polynomial.legendre.legvander(midpoints, NODES - 1).sum(axis=0))
    sums = np.zeros(NODES)
    sums[0] = length
    for degree in range(2, NODES, 2):  # odd degrees cancel
        derivative = np.polynomial.legendre.Legendre.basis(degree)
        for r, factor in enumerate(_MIDPOINT):
            derivative = derivative.deriv(1 if r == 0 else 2)
            slope = 2.0 / length  # d x / d m
            sums[degree] += factor * slope ** (2 * r + 1) * float(derivative(1.0) - derivative(-1.0))
    return sums


def distinct_positive(vectors: IntArray) -> list[int]:
    """The distinct counts of some vectors, structural zeros left out."""
    counts = np.unique(vectors)
    return [int(count) for count in counts[counts >= 0]]
