"""Risks over tables that could have been observed instead, label by label: who is shown as what, rightly and wrongly.

With N_1, ..., N_K the counts of a cell of n people under one of the models of ``expected.py``,

    right_k = E[(N_k / n) 1[only k is shown]],        wrong_k = E[(1 - N_k / n) 1[only k is shown]].

A label that nobody in the cell has is shown with probability a(0) where all others are hidden, and then everybody in
the cell is shown wrongly. Each side is a sum of positive terms of its own (``kernel.py``): a small one is not what two
large ones leave.
"""

from __future__ import annotations

from typing import Any, Protocol, get_args

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats, distinct_and_positions
from epsilens.checks import one_of
from epsilens.homogeneity.local import Match, match_weights, other_weights
from epsilens.homogeneity.models.dirichlet import dirichlet_sizes
from epsilens.homogeneity.models.mixtures import rate_mixture
from epsilens.homogeneity.models.multinomial import FixedSizes, RandomSizes, fixed_sizes, random_sizes
from epsilens.homogeneity.models.sizes import FixedSize, SizeModel, size_nodes, truncated_pmf
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.noise.law import AnyNoise
from epsilens.table.frequency import STRUCTURAL_ZERO


class LabelRisks(Protocol):
    """Cells made ready for any noise, one number per cell and label."""

    def __call__(self, noise: AnyNoise, wrong: bool = False) -> FloatArray:
        """E[m_k 1[only label k is shown]], m_k as the match says; ``wrong``: with 1 - N_k / n instead."""
        ...


def local_labels(vectors: IntArray, match: str) -> LabelRisks:
    """The labels of :func:`epsilens.homogeneity.local`."""
    weights = {False: match_weights(vectors, match), True: other_weights(vectors)}
    return lambda noise, wrong=False: as_floats(weights[wrong] * shown_alone(*shown_and_hidden(vectors, noise)))


def expected_labels(vectors: IntArray, match: str) -> LabelRisks:
    """The labels of :func:`epsilens.homogeneity.expected`."""
    mixed = (vectors > 0).sum(axis=1) > 1
    certain, counts = local_labels(vectors[~mixed], match), np.maximum(vectors[mixed], 0)
    ready = fixed_sizes(counts.sum(axis=1), as_floats(counts), match) if mixed.any() else None

    def labels(noise: AnyNoise, wrong: bool = False) -> FloatArray:
        values = np.empty(vectors.shape)
        values[~mixed] = certain(noise, wrong)
        if ready is not None:
            values[mixed] = _beside_zeros(ready, vectors[mixed], noise, wrong)
        return values

    return labels


def marginal_labels(vectors: IntArray, law: SizeModel, match: str) -> LabelRisks:
    """The labels of :func:`epsilens.homogeneity.marginal`."""
    one_of("match", match, get_args(Match))
    occupied, distinct, position = distinct_proportions(vectors)
    ready = with_random_size(distinct, law, match)

    def labels(noise: AnyNoise, wrong: bool = False) -> FloatArray:
        values = np.zeros(vectors.shape)
        values[occupied] = _beside_zeros(ready, distinct, noise, wrong)[position]
        return values

    return labels


def shrinkage_labels(vectors: IntArray, alpha: FloatArray, match: str) -> LabelRisks:
    """The labels of :func:`epsilens.homogeneity.shrinkage`, in the order of ``alpha``."""
    one_of("match", match, get_args(Match))
    sizes = np.maximum(vectors, 0).sum(axis=1)
    patterns, pattern_of = distinct_and_positions((vectors != STRUCTURAL_ZERO).astype(np.int64))
    parts: list[tuple[Any, Any, Any]] = []
    for i, pattern in enumerate(patterns):
        rows = np.flatnonzero((pattern_of == i) & (sizes > 0))
        if len(rows):
            distinct, where = np.unique(sizes[rows], return_inverse=True)
            possible = np.flatnonzero(pattern)
            parts.append((np.ix_(rows, possible), where, dirichlet_sizes(alpha[possible], distinct, match)))

    def labels(noise: AnyNoise, wrong: bool = False) -> FloatArray:
        values = np.zeros(vectors.shape)
        for places, where, ready in parts:
            values[places] = ready.by_label(noise, wrong)[where]
        return values

    return labels


def generic_labels(
    vectors: IntArray, multiplicities: IntArray, alpha: FloatArray, law: SizeModel, match: str
) -> LabelRisks:
    """The labels of :func:`epsilens.homogeneity.marginal_shrinkage`, one row, for ordered signatures."""
    one_of("match", match, get_args(Match))
    sizes, weights = size_nodes(law)
    chances = weights * truncated_pmf(law, sizes)
    patterns, shares = patterns_of_people(vectors, multiplicities)
    ready = [dirichlet_sizes(alpha[pattern == 1], sizes, match) for pattern in patterns]

    def labels(noise: AnyNoise, wrong: bool = False) -> FloatArray:
        values = np.zeros(patterns.shape)
        for pattern, row, one in zip(patterns, values, ready, strict=True):
            row[pattern == 1] = chances @ one.by_label(noise, wrong)
        return as_floats(shares @ values)[None, :]

    return labels


def distinct_proportions(vectors: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Which cells have people, the distinct vectors of those over their common factors, and the place of each cell.

    Where only proportions matter, vectors that differ by a common factor are computed once.
    """
    occupied = np.flatnonzero(vectors.max(axis=1) > 0)
    factor = np.gcd.reduce(np.maximum(vectors[occupied], 0), axis=1, keepdims=True)
    reduced = np.where(vectors[occupied] > 0, vectors[occupied] // factor, vectors[occupied])
    return occupied, *distinct_and_positions(reduced)


def with_random_size(distinct: IntArray, law: SizeModel, match: str) -> FixedSizes | RandomSizes:
    """Cells with the proportions of these vectors and a size of that law."""
    counts = np.maximum(distinct, 0)
    shares = counts / counts.sum(axis=1, keepdims=True)
    if isinstance(law, FixedSize):
        return fixed_sizes(np.full(len(shares), law.size), law.size * shares, match)
    return random_sizes(shares, rate_mixture(law, match), match)


def patterns_of_people(vectors: IntArray, multiplicities: IntArray) -> tuple[IntArray, FloatArray]:
    """The sets of labels that are possible in some non-empty cell, as 0 and 1, and the share of cells with each."""
    occupied = vectors.max(axis=1) > 0
    patterns, pattern_of = distinct_and_positions((vectors[occupied] != STRUCTURAL_ZERO).astype(np.int64))
    cells = np.bincount(pattern_of, weights=multiplicities[occupied], minlength=len(patterns))
    return patterns, as_floats(cells / cells.sum())


def _beside_zeros(ready: FixedSizes | RandomSizes, vectors: IntArray, noise: AnyNoise, wrong: bool) -> FloatArray:
    """The labels of cells where some labels have nobody: those are hidden, or one of them is all that is shown."""
    labels, none = ready.by_label(noise, wrong)
    empty, shown, hidden = vectors == 0, float(noise.sf(0.5)), float(noise.cdf(0.5))
    zeros = empty.sum(axis=1)
    one_of_them = shown * none * hidden ** np.maximum(zeros - 1, 0)
    return as_floats(np.where(empty, one_of_them[:, None], labels * (hidden**zeros)[:, None]))
