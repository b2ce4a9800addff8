"""Counts adjusted so that children add up to a parent published before.

The curator publishes the parent's count P = max(0, n + e_0), adds noise e_k to each of its kappa children and shares
the gap evenly, the least squares adjustment for equal variances: child k becomes n_k + e_k + D / kappa with
D = P - sum over j of (n_j + e_j); then it is rounded half up and clipped at 0. All noise is rounded to whole numbers
first, so the whole law is a finite sum: given D = d child k is shown when e_k >= t_k(d), and
P(some set of children is shown, D = d) is a coefficient of a product of truncated generating functions, found by FFT.
Rounding and clipping come last, so the counts finally printed may miss the parent by a few units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import fft

from epsilens.errors import ParameterError
from epsilens.homogeneity.whole_number_sums import TAIL, reach
from epsilens.noise.law import FloatArray, Noise, as_floats
from epsilens.table.frequency import IntArray

ComplexArray = npt.NDArray[np.complex128]

_LARGEST_TABLE = 1 << 25
_LARGEST_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False)
class BlockLaw:
    """What a parent and its children show, one row per block; the last axis is (parent hidden, parent shown)."""

    none: FloatArray
    """(blocks, 2): no child is shown."""
    within: FloatArray
    """(blocks, groups, 2): every child shown, if any, belongs to the group."""
    parent: FloatArray
    """(blocks, 2): the parent alone."""


def block_law(children: IntArray, groups: Sequence[Sequence[int]], noise: Noise, parent_noise: Noise) -> BlockLaw:
    """The joint law of a published parent and its adjusted children (blocks, children), exact.

    none = sum over d of P(every e_k < t_k(d), D = d); within a group likewise with the group's children left free;
    t_k(d) = ceil(1/2 - n_k - d / kappa). kappa counts the children that can occur: structural zeros get neither noise
    nor a share of the gap.

    Source: P0 section 4.3.
    Assumption: independent noise rounded half up; the parent is published rounded and clipped; equal variances of the
    children.
    Departs from print (P0-11): there the constraint is mentioned and its effect is not computed.
    """
    distinct, back = np.unique(children, axis=0, return_inverse=True)
    rows = [_one_block(row, groups, noise, parent_noise) for row in distinct]
    none, within, parent = (np.stack(parts)[back.reshape(-1)] for parts in zip(*rows, strict=True))
    return BlockLaw(as_floats(none), as_floats(within), as_floats(parent))


def _one_block(
    counts: IntArray, groups: Sequence[Sequence[int]], noise: Noise, parent_noise: Noise
) -> tuple[FloatArray, FloatArray, FloatArray]:
    possible = np.flatnonzero(counts >= 0)
    if len(possible) == 0:
        return np.array([1.0, 0.0]), np.tile([1.0, 0.0], (len(groups), 1)), np.array([1.0, 0.0])
    kappa, total = len(possible), int(counts[possible].sum())
    far = reach(noise)
    lowest_parent, parent_mass = _clipped_parent(total, parent_noise)
    far_parent = max(-lowest_parent, lowest_parent + len(parent_mass) - 1)
    size = fft.next_fast_len(2 * (kappa * far + far_parent) + 2, real=True)
    if 2 * (far + 1) * (size // 2 + 1) > _LARGEST_TABLE:
        raise ParameterError(
            f"the sum constraint is computed exactly for noise that reaches less far than {far} with {kappa} children; "
            "use larger budgets, or simulate"
        )
    frequency = 2.0 * np.pi * np.arange(size // 2 + 1) / size
    steps = np.arange(-far, far + 1.0)
    terms = noise.pmf(steps)[:, None] * np.exp(-1j * steps[:, None] * frequency)
    below: ComplexArray = np.concatenate([np.zeros((1, len(frequency))), np.cumsum(terms, axis=0)])
    weight = np.full(len(frequency), 2.0 / size)
    weight[0] /= 2.0
    if size % 2 == 0:
        weight[-1] /= 2.0
    steps_parent = lowest_parent + np.arange(len(parent_mass))
    parent_terms = parent_mass[:, None] * np.exp(1j * steps_parent[:, None] * frequency)
    shown = steps_parent >= 1 - total
    parents = np.stack([parent_terms[~shown].sum(axis=0), parent_terms[shown].sum(axis=0)], axis=1)
    gaps = _likely_gaps(below[-1] ** kappa, parents.sum(axis=1), kappa * far + far_parent, size)
    patterns = [set(), *({int(k) for k in group} for group in groups)]
    sums = np.zeros((len(patterns), 2))
    rows_at_a_time = max(1, _LARGEST_CHUNK // len(frequency))
    for first in range(0, len(gaps), rows_at_a_time):
        d = gaps[first : first + rows_at_a_time]
        # e_k >= 1/2 - n_k - d / kappa, in whole numbers
        thresholds = [-((2 * d + 2 * kappa * int(counts[k]) - kappa) // (2 * kappa)) for k in possible]
        truncated = [below[np.clip(t + far, 0, 2 * far + 1)] for t in thresholds]
        turn = np.exp(-1j * d[:, None] * frequency) * weight
        for i, free in enumerate(patterns):
            law = turn
            for k, cut in zip(possible, truncated, strict=True):
                law = law * (below[-1] if int(k) in free else cut)
            sums[i] += (law.sum(axis=0) @ parents).real
    sums = np.clip(sums, 0.0, 1.0)
    parent = np.array([parent_mass[~shown].sum(), parent_mass[shown].sum()])
    return sums[0], sums[1:], parent


def _clipped_parent(total: int, noise: Noise) -> tuple[int, FloatArray]:
    """The law of max(0, n + e_0) - n: its lowest value and its probabilities."""
    far = reach(noise)
    lowest = max(-total, -far)
    mass = noise.pmf(np.arange(lowest, far + 1.0))
    mass[0] = float(noise.cdf(lowest + 0.5))
    return lowest, mass


def _likely_gaps(children: ComplexArray, parent: ComplexArray, furthest: int, size: int) -> IntArray:
    """The gaps D between parent and children that have any probability to speak of."""
    law = np.maximum(fft.irfft(np.conj(parent) * np.conj(children), size), 0.0)
    gaps = np.arange(-furthest, furthest + 1)
    mass = law[gaps % size]
    likely = np.flatnonzero(mass > TAIL)
    return np.asarray(gaps[likely[0] : likely[-1] + 1], dtype=np.int64)
