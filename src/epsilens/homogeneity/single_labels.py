"""P(a cell shows a single label), weighed by which label it is, for many count vectors and any noise.

A block of count vectors is worked through label by label, all vectors at once. After some labels let N be the
probability that none of them is shown, and S the sum over them of f_k P(only k is shown). A further label that is shown
with probability a and hidden with probability h makes of them

    S h + N f a        and        N h.

These are sums and products of probabilities: no division, nothing cancels. Labels that nobody has are all alike; z of
them start with N = h_0^z and S = F a_0 h_0^(z - 1), F being the sum of their f.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from epsilens.arrays import CodeArray, FloatArray, IntArray, as_floats
from epsilens.homogeneity.shown import distinct_counts, shown_alone
from epsilens.noise.law import AnyNoise
from epsilens.table.count_vectors import Block, CountVectors

_FEW_ROWS = 64

LabelFactors: TypeAlias = Callable[[Block], FloatArray | None]
"""f_k of the positive counts of a block (rows, width); None where it is 1."""
ZeroFactors: TypeAlias = Callable[[Block], FloatArray | IntArray]
"""F, the sum of f over the labels of each vector that nobody has (rows,)."""


@dataclass(frozen=True, eq=False)
class WeighedLabels:
    """One way to weigh the label that a cell shows alone."""

    people: LabelFactors
    nobody: ZeroFactors | None = None


@dataclass(frozen=True, eq=False)
class _ReadyBlock:
    rows: IntArray
    codes: CodeArray  # (width, rows)
    zeros: IntArray
    factors: list[FloatArray | None]  # each (width, rows)
    nobody: list[FloatArray | IntArray | None]


_OfZeros: TypeAlias = Callable[[_ReadyBlock], tuple[FloatArray, FloatArray]]


class SingleLabels:
    """Count vectors made ready for any noise: sums of f_k P(only k is shown), one row for each way to weigh."""

    def __init__(self, vectors: CountVectors, ways: Sequence[WeighedLabels]) -> None:
        self._size, self._ways = len(vectors), len(ways)
        self.counts = distinct_counts(vectors.counts[vectors.counts > 0])[0]
        """The positive counts that occur, each once."""
        self._blocks = [_ready(block, self.counts, ways) for block in vectors.blocks()]

    def __call__(self, noise: AnyNoise) -> FloatArray:
        """(ways, vectors)."""
        chance, nothing = float(noise.sf(0.5)), float(noise.cdf(0.5))
        return self._summed(
            as_floats(noise.sf(0.5 - self.counts)),
            as_floats(noise.cdf(0.5 - self.counts)),
            lambda block: powers_of_zeros(block.zeros, chance, nothing),
        )

    def of_chances(self, shown: FloatArray, hidden: FloatArray, chance: FloatArray, nothing: FloatArray) -> FloatArray:
        """(ways, vectors) where a label is shown, and hidden, with the chances that its count has among ``counts``.

        So counts with laws of their own may be numbered, and their numbers take the place of counts. ``chance`` and
        ``nothing`` are the same two of a label that nobody has, by vector.
        """
        return self._summed(
            shown, hidden, lambda block: powers_of_zeros(block.zeros, chance[block.rows], nothing[block.rows])
        )

    def _summed(self, shown: FloatArray, hidden: FloatArray, of_zeros: _OfZeros) -> FloatArray:
        values = np.empty((self._ways, self._size))
        shown, hidden = np.concatenate([[0.0], shown]), np.concatenate([[1.0], hidden])
        for block in self._blocks:
            values[:, block.rows] = _sums(block, shown, hidden, *of_zeros(block))
        return values


def _ready(block: Block, counts: IntArray, ways: Sequence[WeighedLabels]) -> _ReadyBlock:
    columns = block.vectors.T
    codes = np.where(columns > 0, np.searchsorted(counts, columns) + 1, 0).astype(np.int32)
    found = [way.people(block) for way in ways]
    factors = [None if one is None else np.ascontiguousarray(one.T) for one in found]
    return _ReadyBlock(
        block.rows, codes, block.zeros, factors, [None if way.nobody is None else way.nobody(block) for way in ways]
    )


def powers_of_zeros(
    zeros: IntArray, chance: FloatArray | float, nothing: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """h_0^z and, where z > 0, a_0 h_0^(z - 1): none of z labels that nobody has is shown, and a certain one alone."""
    return as_floats(nothing**zeros), np.where(zeros > 0, chance * nothing ** np.maximum(zeros - 1, 0), 0.0)


def _sums(
    block: _ReadyBlock, shown: FloatArray, hidden: FloatArray, none: FloatArray, one_of_zeros: FloatArray
) -> FloatArray:
    sums = np.zeros((len(block.factors), len(block.rows)))
    for total, factor in zip(sums, block.nobody, strict=True):
        if factor is not None:
            total += factor * one_of_zeros
    if len(block.rows) < _FEW_ROWS < len(block.codes):
        return _sums_of_few(block, shown, hidden, none, sums)
    for k, codes in enumerate(block.codes):
        h = hidden[codes]
        alone = shown[codes]
        alone *= none
        for total, factors in zip(sums, block.factors, strict=True):
            total *= h
            total += alone if factors is None else alone * factors[k]
        none *= h
    return sums


def _sums_of_few(
    block: _ReadyBlock, shown: FloatArray, hidden: FloatArray, none: FloatArray, sums: FloatArray
) -> FloatArray:
    """The same for few wide vectors, each of them at once."""
    h = hidden[block.codes.T]
    alone = shown_alone(shown[block.codes.T], h) * none[:, None]
    sums *= h.prod(axis=1)
    for total, factors in zip(sums, block.factors, strict=True):
        total += alone.sum(axis=1) if factors is None else (alone * factors.T).sum(axis=1)
    return sums
