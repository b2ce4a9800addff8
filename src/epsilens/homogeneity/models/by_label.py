"""Risks over tables that could have been observed instead, label by label: who is shown as what, rightly and wrongly.

With N_1, ..., N_K the counts of a cell of n people under one of the models of ``expected.py``,

    right_k = E[(N_k / n) 1[only k is shown]],        wrong_k = E[(1 - N_k / n) 1[only k is shown]].

A label that nobody in the cell has is shown with probability a(0) where all others are hidden, and then everybody in
the cell is shown wrongly. Each side is a sum of positive terms of its own (``kernel.py``): a small one is not what two
large ones leave.
"""

from __future__ import annotations

from typing import Protocol, get_args

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats, distinct_and_positions
from epsilens.checks import one_of
from epsilens.homogeneity.local import Match, match_weights, other_weights
from epsilens.homogeneity.models.dirichlet import DirichletSizes, dirichlet_sizes
from epsilens.homogeneity.models.mixtures import rate_mixture
from epsilens.homogeneity.models.multinomial import FixedSizes, RandomSizes, fixed_sizes, random_sizes
from epsilens.homogeneity.models.sizes import FixedSize, SizeModel, size_nodes, truncated_pmf
from epsilens.homogeneity.products import numbered
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.noise.law import AnyNoise
from epsilens.table.count_vectors import STRUCTURAL_ZERO, CountVectors


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
    parts = [
        (np.ix_(rows, possible), where, ready)
        for rows, where, possible, ready in shrinkage_parts(vectors, alpha, match)
    ]

    def labels(noise: AnyNoise, wrong: bool = False) -> FloatArray:
        values = np.zeros(vectors.shape)
        for places, where, ready in parts:
            values[places] = ready.by_label(noise, wrong)[where]
        return values

    return labels


def shrinkage_parts(
    vectors: CountVectors | IntArray, alpha: FloatArray, match: str
) -> list[tuple[IntArray, IntArray, IntArray, DirichletSizes]]:
    """Non-empty cells with the same labels possible: which, where each finds its size, the labels, and the risks."""
    counts = CountVectors.of(vectors)
    patterns, pattern_of = patterns_of(counts)
    parts = []
    for i, possible in enumerate(patterns):
        rows = np.flatnonzero((pattern_of == i) & (counts.sizes > 0))
        if len(rows):
            distinct, where = numbered(counts.sizes[rows])
            parts.append((rows, where, possible, dirichlet_sizes(alpha[possible], distinct, match)))
    return parts


def generic_labels(
    vectors: CountVectors | IntArray, multiplicities: IntArray, alpha: FloatArray, law: SizeModel, match: str
) -> LabelRisks:
    """The labels of :func:`epsilens.homogeneity.marginal_shrinkage`, one row, for ordered signatures."""
    one_of("match", match, get_args(Match))
    sizes, weights = size_nodes(law)
    chances = weights * truncated_pmf(law, sizes)
    patterns, shares = patterns_of_people(vectors, multiplicities)
    ready = [dirichlet_sizes(alpha[possible], sizes, match) for possible in patterns]

    def labels(noise: AnyNoise, wrong: bool = False) -> FloatArray:
        values = np.zeros((len(patterns), len(alpha)))
        for possible, row, one in zip(patterns, values, ready, strict=True):
            row[possible] = chances @ one.by_label(noise, wrong)
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


def with_random_size(
    distinct: IntArray, law: SizeModel, match: str, weights: FloatArray | None = None
) -> FixedSizes | RandomSizes:
    """Cells with the proportions of these vectors and a size of that law; ``weights`` of labels, 1 by default."""
    counts = np.maximum(distinct, 0)
    shares = counts / counts.sum(axis=1, keepdims=True)
    if isinstance(law, FixedSize):
        return fixed_sizes(np.full(len(shares), law.size), law.size * shares, match, weights)
    return random_sizes(shares, rate_mixture(law, match), match, weights)


def patterns_of(vectors: CountVectors | IntArray) -> tuple[list[IntArray], IntArray]:
    """The distinct sets of labels that are possible in some vector, and for every vector which of them it has."""
    counts = CountVectors.of(vectors)
    impossible = np.flatnonzero(counts.counts == STRUCTURAL_ZERO)
    if not len(impossible):
        return [np.arange(counts.n_labels)][: len(counts)], np.zeros(len(counts), dtype=np.int64)
    widths = np.bincount(counts.row_of[impossible], minlength=len(counts))
    ones = np.ones(len(impossible), dtype=np.int64)
    listed = CountVectors.of_pairs(widths, counts.labels[impossible].astype(np.int64), ones, counts.n_labels)
    distinct, pattern_of = listed.distinct_and_positions()
    every = np.arange(counts.n_labels)
    bounds = zip(distinct.starts[:-1].tolist(), distinct.starts[1:].tolist(), strict=True)
    return [np.delete(every, distinct.labels[start:end]) for start, end in bounds], pattern_of


def patterns_of_people(vectors: CountVectors | IntArray, multiplicities: IntArray) -> tuple[list[IntArray], FloatArray]:
    """The sets of labels that are possible in some non-empty cell, and the share of cells with each."""
    counts = CountVectors.of(vectors)
    occupied = np.flatnonzero(counts.sizes > 0)
    patterns, pattern_of = patterns_of(counts.take(occupied))
    cells = np.bincount(pattern_of, weights=multiplicities[occupied], minlength=len(patterns))
    return patterns, as_floats(cells / cells.sum())


def _beside_zeros(ready: FixedSizes | RandomSizes, vectors: IntArray, noise: AnyNoise, wrong: bool) -> FloatArray:
    """The labels of cells where some labels have nobody: those are hidden, or one of them is all that is shown."""
    labels, none = ready.by_label(noise, wrong)
    empty, shown, hidden = vectors == 0, float(noise.sf(0.5)), float(noise.cdf(0.5))
    zeros = empty.sum(axis=1)
    one_of_them = shown * none * hidden ** np.maximum(zeros - 1, 0)
    return as_floats(np.where(empty, one_of_them[:, None], labels * (hidden**zeros)[:, None]))
