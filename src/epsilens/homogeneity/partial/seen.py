"""What somebody sees who knows only some quasi-identifiers: the risks of cells of marginals, in either form of counts.

The risk of a cell is always the chance that a single label is shown, and somebody has it,

    risk = sum over the labels k that somebody has of w_k a_k prod_{j != k} (1 - a_j),

w_k being what label k weighs, and a_k the chance that it is shown, which depends on what is published: the marginal
itself, or a finer table whose counts are added up, before or after they were raised to 0. A full matrix has the product
over all labels as it stands. Pairs leave out the labels that nobody has. As many counts add up to each of these as to
any other of the cell, so each is hidden with the same chance h_0, and z of them with h_0^z:

    risk = h_0^z sum over pairs k of w_k a_k prod_{j != k, j a pair} (1 - a_j).

The sum over pairs is that of :class:`~epsilens.homogeneity.single_labels.SingleLabels`, which needs no more of a count
than how likely it is shown: whatever has a law of its own (a count with its number of draws, say) gets a number, and
the number takes the place of the count.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.homogeneity.local import ready_local
from epsilens.homogeneity.partial.added_up import AddedUpCounts, added_up_risks, clipped_hidden, clipped_risks
from epsilens.homogeneity.single_labels import SingleLabels, WeighedLabels
from epsilens.noise.law import AnyNoise, Noise
from epsilens.notebook import brief
from epsilens.table.count_vectors import CountVectors
from epsilens.table.harm import harm_differs
from epsilens.table.marginal_counts import FullCounts, MarginalCounts, PairCounts


class SeenCells(ABC):
    """Cells of marginals made ready for any noise; labels harm as much as they weigh."""

    __repr__ = brief

    @staticmethod
    def of(counts: MarginalCounts, weights: FloatArray) -> SeenCells:
        """Those with these counts, in the form that they have."""
        if isinstance(counts, PairCounts):
            return _SeenAsPairs(counts, weights)
        assert isinstance(counts, FullCounts)
        return _SeenInFull(counts, weights)

    @property
    @abstractmethod
    def published(self) -> Callable[[AnyNoise], FloatArray]:
        """The risk of each cell where the marginal itself is published: :func:`~epsilens.homogeneity.local.local`."""

    @abstractmethod
    def added_up(self, noise: Noise) -> FloatArray:
        """:func:`~epsilens.homogeneity.partial.added_up.added_up_risks`."""

    @abstractmethod
    def clipped(self, noise: AnyNoise, which: int) -> FloatArray:
        """:func:`~epsilens.homogeneity.partial.added_up.clipped_risks`.

        ``which`` of the counts' values are those of :func:`~epsilens.homogeneity.partial.added_up.log_hidden`.
        """


class _SeenInFull(SeenCells):
    """Full matrices."""

    def __init__(self, counts: FullCounts, weights: FloatArray) -> None:
        self._counts, self._weights = counts, weights

    @cached_property
    def published(self) -> Callable[[AnyNoise], FloatArray]:
        return ready_local(self._counts.sparse, weights=self._weights)

    @cached_property
    def _sums(self) -> AddedUpCounts:
        return AddedUpCounts.of(self._counts.vectors, self._counts.parts)

    def added_up(self, noise: Noise) -> FloatArray:
        return added_up_risks(self._counts.vectors, self._sums, noise, weights=self._weights)

    def clipped(self, noise: AnyNoise, which: int) -> FloatArray:
        assert self._counts.values is not None
        hidden = clipped_hidden(self._counts.values[which], self._counts.parts, noise)
        return clipped_risks(self._counts.vectors, hidden, weights=self._weights)


class _SeenAsPairs(SeenCells):
    """Pairs, numbered by what has a law of its own."""

    def __init__(self, counts: PairCounts, weights: FloatArray) -> None:
        self._counts, self._weights = counts, weights

    @cached_property
    def published(self) -> Callable[[AnyNoise], FloatArray]:
        return ready_local(self._counts.vectors, weights=self._weights)

    @cached_property
    def _sums(self) -> AddedUpCounts:
        """Those of the pairs, and after them those of a label that nobody has, in each cell."""
        counts, parts = self._counts.each, self._counts.parts
        return AddedUpCounts.of(
            np.concatenate([counts, np.zeros(len(parts), dtype=np.int64)]),
            np.concatenate([parts[self._counts.vectors.row_of], parts]),
        )

    @cached_property
    def _single(self) -> SingleLabels:
        return self._numbered(self._sums.where[: len(self._counts.each)])

    @cached_property
    def _single_clipped(self) -> SingleLabels:
        return self._numbered(np.arange(len(self._counts.each)))

    def _numbered(self, numbers: IntArray) -> SingleLabels:
        """Which label is shown alone, made ready for any chances of pairs with these numbers."""
        vectors, weights = self._counts.vectors, self._weights
        numbered = CountVectors(vectors.starts, vectors.labels, numbers + 1, vectors.n_labels)  # 0 would be nobody
        differs = harm_differs(weights)
        return SingleLabels(numbered, [WeighedLabels(lambda block: weights[block.labels] if differs else None)])

    def added_up(self, noise: Noise) -> FloatArray:
        shown, hidden = self._sums.shown_and_hidden(noise)
        own, nobody = self._single.counts - 1, self._sums.where[len(self._counts.each) :]
        return as_floats(self._single.of_chances(shown[own], hidden[own], shown[nobody], hidden[nobody])[0])

    def clipped(self, noise: AnyNoise, which: int) -> FloatArray:
        assert self._counts.values is not None
        parts = self._counts.parts
        hidden = clipped_hidden(self._counts.values[which], parts[self._counts.vectors.row_of], noise)
        nobody = clipped_hidden(np.zeros(len(parts)), parts, noise)
        sides = (-np.expm1(hidden), np.exp(hidden), -np.expm1(nobody), np.exp(nobody))
        return as_floats(self._single_clipped.of_chances(*sides)[0])
