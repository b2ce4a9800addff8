"""Measures over blocks of sparse count vectors: what a kernel computes for a matrix, for vectors of many labels.

A kernel sees the positive counts of some vectors and how many further labels nobody has (``Block``). Value by value the
labels that nobody has matter too: whoever is shown with one of them is shown wrongly. They are all alike in a vector,
so one of them stands for all, in a last column of its own, and a label's share is counted by where it is *not* listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.homogeneity.products import shared_products, symbols_of
from epsilens.homogeneity.shown import shown_alone
from epsilens.noise.law import AnyNoise
from epsilens.table.count_vectors import Block, CountVectors
from epsilens.table.harm import harm_differs

FEW_LABELS = 16
"""So many labels are a matrix as they are; beyond them measures that share much between vectors see blocks too."""

Risks: TypeAlias = Callable[[AnyNoise], FloatArray]
BlockRisks: TypeAlias = Callable[[IntArray, FloatArray | None, IntArray | None], Risks]
"""From counts (rows, width), weights of labels (width,), (rows, width) or None, and zeros (rows,) to risks (rows,)."""
BlockValues: TypeAlias = Callable[[AnyNoise], tuple[FloatArray, FloatArray]]
"""Of a block with a zero: P(label k is shown and a random member has it), and has it not, each (rows, width)."""


def ready_risks(vectors: CountVectors, weights: FloatArray | None, prepare: BlockRisks) -> Risks:
    """One risk per vector for any noise: of few labels as one matrix, which shares most, else block by block."""
    if vectors.n_labels <= FEW_LABELS:
        return prepare(vectors.dense(), weights if harm_differs(weights) else None, None)
    return blockwise_risks(vectors, weights, prepare)


def blockwise_risks(vectors: CountVectors, weights: FloatArray | None, prepare: BlockRisks) -> Risks:
    """One risk per vector for any noise, made ready block by block; a vector without people has risk 0."""
    parts = [
        (block.rows, prepare(block.vectors, weights[block.labels] if harm_differs(weights) else None, block.zeros))
        for block in _with_people(vectors)
    ]

    def risks(noise: AnyNoise) -> FloatArray:
        values = np.zeros(len(vectors))
        for rows, ready in parts:
            values[rows] = ready(noise)
        return values

    return risks


class BlockwiseValues:
    """Who is shown as what, label by label, for sparse count vectors and any noise.

    Called with a noise it gives two full matrices (vectors, labels); sums of them need no such matrices.
    """

    def __init__(self, vectors: CountVectors, prepare: Callable[[Block], BlockValues]) -> None:
        self._vectors = vectors
        # The last column is that of a label that nobody has, so it is not among the counts above 0.
        with_a_zero = (block.with_a_zero() for block in _with_people(vectors))
        self._blocks = [(block, prepare(block)) for block in with_a_zero]

    def __call__(self, noise: AnyNoise) -> tuple[FloatArray, FloatArray]:
        """(right, wrong), each (vectors, labels)."""
        possible = self._vectors.dense() == 0
        right, wrong = np.zeros(possible.shape), np.zeros(possible.shape)
        for block, values in self._blocks:
            theirs, others = values(noise)
            wrong[block.rows] = np.where(possible[block.rows], others[:, -1:], 0.0)
            rows, places = np.nonzero(block.vectors > 0)
            labels = block.labels[rows, places]
            right[block.rows[rows], labels] = theirs[rows, places]
            wrong[block.rows[rows], labels] = others[rows, places]
        return right, wrong

    def sums(self, noise: AnyNoise, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """By label, right and wrong added up over vectors, each as often as it weighs."""
        right, wrong = np.zeros(self._vectors.n_labels), np.zeros(self._vectors.n_labels)
        of_a_zero = np.zeros(len(self._vectors))
        for block, values in self._blocks:
            theirs, others = values(noise)
            there, own = block.vectors > 0, weights[block.rows, None]
            labels = block.labels[there]
            right += np.bincount(labels, (own * theirs)[there], len(right))
            wrong += np.bincount(labels, (own * others)[there], len(wrong))
            of_a_zero[block.rows] = weights[block.rows] * others[:, -1]
        return right, wrong + self._where_not_listed(of_a_zero)

    def wrong_of_labels(self, noise: AnyNoise, weights: FloatArray) -> FloatArray:
        """By vector, wrong added up over labels, each as often as it weighs."""
        found = np.zeros(len(self._vectors))
        listed = np.bincount(self._vectors.row_of, weights[self._vectors.labels], len(self._vectors))
        absent = np.where(self._vectors.zeros > 0, np.maximum(weights.sum() - listed, 0.0), 0.0)
        for block, values in self._blocks:
            others = values(noise)[1]
            own = np.where(block.vectors > 0, weights[block.labels], 0.0)
            found[block.rows] = (own * others).sum(axis=1) + absent[block.rows] * others[:, -1]
        return found

    def _where_not_listed(self, values: FloatArray) -> FloatArray:
        """For each label the sum over the vectors that could have it and have not.

        That is the sum over all vectors less those that list the label. Where these are more than half of it the others
        are added up directly, so that no more than a digit is lost.
        """
        vectors, total = self._vectors, float(values.sum())
        listed = np.bincount(vectors.labels, values[vectors.row_of], vectors.n_labels)
        found = as_floats(total - listed)
        order, starts = self._by_label
        for label in np.flatnonzero(listed > 0.5 * total).tolist():
            others = values.copy()
            others[vectors.row_of[order[starts[label] : starts[label + 1]]]] = 0.0
            found[label] = others.sum()
        return found

    @cached_property
    def _by_label(self) -> tuple[IntArray, IntArray]:
        order = np.argsort(self._vectors.labels, kind="stable")
        return order, np.searchsorted(self._vectors.labels[order], np.arange(self._vectors.n_labels + 1))


@dataclass(frozen=True, eq=False)
class _Half:
    """Some labels next to one another: the distinct counts of them, and which of these each vector has."""

    labels: slice
    places: IntArray
    """(halves, labels of them): where the table of counts has each count."""
    people: IntArray
    """(halves, labels of them)."""
    where: IntArray
    """Per vector: its half."""

    @staticmethod
    def of(labels: slice, where: IntArray, places: IntArray, counts: IntArray) -> _Half:
        """Those of vectors with ``places`` in ``counts``."""
        some = np.empty(int(where.max(initial=-1)) + 1, dtype=np.int64)
        some[where] = np.arange(len(where))  # any vector that has the half
        own = places[some, labels]
        return _Half(labels, own, np.maximum(counts[own], 0), where)

    @cached_property
    def sizes(self) -> IntArray:
        """People in each half."""
        return np.asarray(self.people.sum(axis=1), dtype=np.int64)

    @cached_property
    def others(self) -> IntArray:
        """(halves, labels of them): people in the half with other labels."""
        return self.sizes[:, None] - self.people

    @cached_property
    def size_of(self) -> FloatArray:
        """Per vector: people in its half."""
        return as_floats(self.sizes)[self.where]

    def by_half(self, values: FloatArray) -> FloatArray:
        """Values of vectors added up over those that have each half."""
        return as_floats(np.bincount(self.where, values, len(self.places)))


class FewLabelsValues:
    """Who is shown as what, label by label, where vectors have few labels and are halves that many of them share.

    Label k is the only one shown where it is the only one of its half, e_k = a_k prod_{j != k} h_j over that half, and
    nobody of the other half is, H = prod h_j over that one: both are found once per distinct half. Sums over vectors v
    need no more of a vector than its halves either:

        sum_v w_v n_k P(only k) = sum over halves of n_k e_k [sum over the v that have it of w_v H(v's other half)],

    and likewise for those who have other labels, in the same half or in the other one. Nothing is subtracted.
    """

    def __init__(self, vectors: CountVectors) -> None:
        shared = shared_products(symbols_of(vectors.dense()))
        self._counts, places = shared.symbols.counts, shared.symbols.places
        middle = 1 + len(shared.beginnings.levels)
        first = _Half.of(slice(0, middle), shared.beginning, places, self._counts)
        second = _Half.of(slice(middle, None), shared.end, places, self._counts)
        self._pairs = ((first, second), (second, first))
        self._sizes = as_floats(np.maximum(vectors.sizes, 1))
        self._shape = vectors.shape

    def __call__(self, noise: AnyNoise) -> tuple[FloatArray, FloatArray]:
        """(right, wrong), each (vectors, labels)."""
        right, wrong = np.empty(self._shape), np.empty(self._shape)
        for half, other, alone, nobody in self._of_halves(noise):
            chances = alone[half.where] * (nobody[other.where] / self._sizes)[:, None]
            right[:, half.labels] = chances * half.people[half.where]
            wrong[:, half.labels] = chances * (half.others[half.where] + other.size_of[:, None])
        return right, wrong

    def sums(self, noise: AnyNoise, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """By label, right and wrong added up over vectors, each as often as it weighs."""
        right, wrong = np.empty(self._shape[1]), np.empty(self._shape[1])
        own = weights / self._sizes
        for half, other, alone, nobody in self._of_halves(noise):
            beside = own * nobody[other.where]
            cells, people = half.by_half(beside), half.by_half(beside * other.size_of)
            # no matrix products: a library that shares them among threads waits for cores that others use
            right[half.labels] = np.einsum("i,ij,ij->j", cells, alone, half.people)
            wrong[half.labels] = np.einsum("i,ij,ij->j", cells, alone, half.others) + np.einsum(
                "i,ij->j", people, alone
            )
        return right, wrong

    def wrong_of_labels(self, noise: AnyNoise, weights: FloatArray) -> FloatArray:
        """By vector, wrong added up over labels, each as often as it weighs."""
        found = np.zeros(self._shape[0])
        for half, other, alone, nobody in self._of_halves(noise):
            within, beyond = (alone * half.others) @ weights[half.labels], alone @ weights[half.labels]
            found += nobody[other.where] * (within[half.where] + beyond[half.where] * other.size_of)
        return found / self._sizes

    def _of_halves(self, noise: AnyNoise) -> Iterator[tuple[_Half, _Half, FloatArray, FloatArray]]:
        """Each half with the other one, P(label k is the only one shown of the half), P(nobody of the other one is)."""
        impossible = self._counts < 0
        shown = np.where(impossible, 0.0, noise.sf(0.5 - self._counts))
        hidden = np.where(impossible, 1.0, noise.cdf(0.5 - self._counts))
        for half, other in self._pairs:
            alone = shown_alone(shown[half.places], hidden[half.places])
            yield half, other, alone, hidden[other.places].prod(axis=1)


class SharedValues:
    """Who is shown as what, label by label, where many vectors share it: kinds of them are evaluated, not vectors."""

    def __init__(self, kind_of: IntArray, values: BlockValues) -> None:
        """``values`` are those of the kinds, two matrices (kinds, labels); ``kind_of`` has one number per vector."""
        self._kind_of, self._values = kind_of, values

    def __call__(self, noise: AnyNoise) -> tuple[FloatArray, FloatArray]:
        """(right, wrong), each (vectors, labels)."""
        right, wrong = self._values(noise)
        return right[self._kind_of], wrong[self._kind_of]

    def sums(self, noise: AnyNoise, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """By label, right and wrong added up over vectors, each as often as it weighs."""
        right, wrong = self._values(noise)
        of_kinds = np.bincount(self._kind_of, weights, len(right))
        return as_floats(of_kinds @ right), as_floats(of_kinds @ wrong)

    def wrong_of_labels(self, noise: AnyNoise, weights: FloatArray) -> FloatArray:
        """By vector, wrong added up over labels, each as often as it weighs."""
        return as_floats(self._values(noise)[1] @ weights)[self._kind_of]


Summed: TypeAlias = BlockwiseValues | FewLabelsValues | SharedValues
"""Whatever gives sums over vectors or labels without full matrices."""


def _with_people(vectors: CountVectors) -> Iterator[Block]:
    """The blocks in which somebody is: vectors without people are in one of their own."""
    return (block for block in vectors.blocks() if block.vectors.max() > 0)


def hidden_zeros(zeros: IntArray, noise: AnyNoise) -> FloatArray:
    """P(no label without people is shown), for cells with so many of them."""
    return as_floats(float(noise.cdf(0.5)) ** zeros)
