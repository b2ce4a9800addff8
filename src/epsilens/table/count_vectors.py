"""Many count vectors in sparse form: for every vector the labels that somebody has, and how many people have them.

Of thousands of labels a cell has a few. A vector is therefore kept as pairs of a label and its count, one vector after
the other (compressed rows); a label without a pair has nobody. What cannot occur is kept too, as a pair whose count is
:data:`STRUCTURAL_ZERO`: that is neither zero nor left out. Memory follows the pairs, not the number of labels.

Measures that do not care which label is which look at *blocks*: vectors with similar numbers of labels as one matrix of
their positive counts, and beside it how many further labels each of them could have and does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import BoolArray, CodeArray, FloatArray, IntArray, distinct_rows
from epsilens.errors import DataError, counted
from epsilens.notebook import one_line

STRUCTURAL_ZERO = -1
"""In a count vector: this label cannot occur in this cell, so it is published as zero and never gets noise."""

LARGEST_MATRIX = 1 << 25
"""As many numbers may a full matrix of count vectors have: 256 MiB of them, and whoever works on it has up to twenty
(measured: what attackers learn who know only some attributes takes 3 GiB for 20 million numbers, structural zeros
among them)."""

FEW_LABELS = 20
"""So few labels are sorted, and added up, as full rows."""

_BLOCK = 1 << 20  # numbers of a block at a time
_EXACT_WIDTHS = 16
_WIDENING = 1.25
_MOST_DIGITS = 62  # each is worth two at least
_LARGEST_NUMBER = 2**62


@dataclass(frozen=True, eq=False)
class Block:
    """Count vectors of similar width as a matrix, without the labels that nobody has."""

    rows: IntArray
    """Which of the vectors these are."""
    vectors: IntArray
    """(rows, width): the positive counts, filled up with :data:`STRUCTURAL_ZERO`, which is never shown."""
    labels: IntArray
    """(rows, width): whose counts these are; 0 where filled up."""
    zeros: IntArray
    """(rows,): how many labels could occur and have nobody."""

    def __repr__(self) -> str:
        return one_line(self, counted(len(self.rows), "vector"))

    def with_a_zero(self) -> Block:
        """The same with one of the labels that nobody has in the last column, where there are any.

        These are all alike, so what happens to one of them happens to each.
        """
        some = self.zeros > 0
        last = np.where(some, 0, STRUCTURAL_ZERO)[:, None]
        vectors = np.asfortranarray(np.concatenate([self.vectors, last], axis=1))
        labels = np.concatenate([self.labels, np.zeros_like(last)], axis=1)
        return Block(self.rows, vectors, labels, self.zeros - some)


@dataclass(frozen=True, eq=False)
class CountVectors:
    """Vector i has ``counts[starts[i]:starts[i + 1]]`` of the labels ``labels[starts[i]:starts[i + 1]]``, ascending."""

    starts: IntArray
    labels: CodeArray
    counts: IntArray
    n_labels: int

    @staticmethod
    def of(matrix: CountVectors | IntArray) -> CountVectors:
        """A full matrix (vectors, labels) in sparse form; what is sparse already as it is."""
        if isinstance(matrix, CountVectors):
            return matrix
        kept = matrix != 0
        starts = np.concatenate([[0], np.cumsum(np.count_nonzero(kept, axis=1))]).astype(np.int64)
        # by the mask itself: the places of all pairs would take more memory, and its first touch more time, than they
        labels = np.broadcast_to(np.arange(matrix.shape[1], dtype=np.int32), matrix.shape)[kept]
        found = CountVectors(starts, labels, matrix[kept].astype(np.int64, copy=False), matrix.shape[1])
        if matrix.size <= LARGEST_MATRIX:
            found.__dict__["_matrix"] = np.asarray(matrix, dtype=np.int64)
        return found

    @staticmethod
    def of_pairs(widths: IntArray, labels: IntArray, counts: IntArray, n_labels: int) -> CountVectors:
        """Vectors with so many pairs each, one after the other; the labels of a vector in any order."""
        starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        keys = np.repeat(np.arange(len(widths)) * n_labels, widths) + labels
        if (keys[1:] <= keys[:-1]).any():
            order = np.argsort(keys)
            labels, counts = labels[order], counts[order]
        return CountVectors(starts, labels.astype(np.int32), counts, n_labels)

    @staticmethod
    def joined(parts: Sequence[CountVectors]) -> CountVectors:
        """The vectors of all parts, one part after the other."""
        ends = np.cumsum([0, *(len(part.counts) for part in parts)])
        starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
        return CountVectors(
            np.concatenate([*starts, ends[-1:]]),
            np.concatenate([part.labels for part in parts]),
            np.concatenate([part.counts for part in parts]),
            parts[0].n_labels,
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        return one_line(self, counted(len(self), "vector"), counted(self.n_labels, "label"))

    @property
    def shape(self) -> tuple[int, int]:
        """What the shape of the full matrix would be."""
        return len(self), self.n_labels

    @cached_property
    def widths(self) -> IntArray:
        """How many pairs each vector has."""
        return np.diff(self.starts)

    @cached_property
    def row_of(self) -> IntArray:
        """For every pair its vector."""
        return np.repeat(np.arange(len(self)), self.widths)

    @cached_property
    def sizes(self) -> IntArray:
        """How many people each vector counts."""
        if (matrix := self._whole) is not None:
            return np.asarray(np.maximum(matrix, 0) @ np.ones(matrix.shape[1], dtype=np.int64), dtype=np.int64)
        return self._sums(np.maximum(self.counts, 0))

    @cached_property
    def positive(self) -> IntArray:
        """How many labels of each vector somebody has."""
        if (matrix := self._whole) is not None:
            return np.asarray(np.count_nonzero(matrix > 0, axis=1), dtype=np.int64)
        return self._sums((self.counts > 0).astype(np.int64))

    @cached_property
    def zeros(self) -> IntArray:
        """How many labels of each vector could occur and have nobody."""
        return self.n_labels - self.widths

    @cached_property
    def largest(self) -> IntArray:
        """The largest count of each vector, 0 where nobody is in it."""
        found = np.zeros(len(self), dtype=np.int64)
        filled = np.flatnonzero(self.widths)
        if len(filled):
            found[filled] = np.maximum(np.maximum.reduceat(self.counts, self.starts[filled]), 0)
        return found

    def label_totals(self, multiplicities: IntArray) -> IntArray:
        """People with each label, where vector i stands ``multiplicities[i]`` times."""
        if (matrix := self._whole) is not None:
            return np.array([np.maximum(column, 0) @ multiplicities for column in matrix.T])
        totals = np.zeros(self.n_labels, dtype=np.int64)
        np.add.at(totals, self.labels, np.maximum(self.counts, 0) * multiplicities[self.row_of])
        return totals

    def dense(self) -> IntArray:
        """The full matrix (vectors, labels); refused where it would not fit."""
        return self._matrix

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.dense(), dtype=dtype)

    @property
    def better_in_full(self) -> bool:
        """Whether a full matrix serves better than pairs: labels are few, and it may be had."""
        return self.n_labels <= FEW_LABELS and len(self) * self.n_labels <= LARGEST_MATRIX

    @property
    def _whole(self) -> IntArray | None:
        """The full matrix where it is at hand, and few labels wide: columns are added up sooner than pairs."""
        return self.__dict__.get("_matrix") if self.n_labels <= FEW_LABELS else None

    @cached_property
    def _matrix(self) -> IntArray:
        if len(self) * self.n_labels > LARGEST_MATRIX:
            raise DataError(
                f"{len(self):,} different cells by {self.n_labels:,} labels are too many for a full matrix, which this "
                f"question needs: it may have {LARGEST_MATRIX:,} numbers",
                remedy="merge rare values of the sensitive attribute or bin it, use fewer or coarser quasi-identifiers",
            )
        matrix = np.zeros(self.shape, dtype=np.int64)
        matrix[self.row_of, self.labels] = self.counts
        return matrix

    def take(self, rows: IntArray | BoolArray) -> CountVectors:
        """Some of the vectors, in the order of ``rows``."""
        chosen = np.flatnonzero(rows) if rows.dtype == np.bool_ else np.asarray(rows, dtype=np.int64)
        widths = self.widths[chosen]
        starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        pairs = np.repeat(self.starts[chosen] - starts[:-1], widths) + np.arange(starts[-1])
        return CountVectors(starts, self.labels[pairs], self.counts[pairs], self.n_labels)

    def part(self, start: int, length: int) -> CountVectors:
        """At most ``length`` of the vectors, from ``start`` on: nothing is copied, or counted again."""
        some = slice(start, start + length)
        ends = self.starts[start : start + length + 1]
        pairs = slice(ends[0], ends[-1])
        found = CountVectors(ends - ends[0], self.labels[pairs], self.counts[pairs], self.n_labels)
        found.__dict__["sizes"] = self.sizes[some]
        if (matrix := self._whole) is not None:
            found.__dict__["_matrix"] = matrix[some]
        return found

    def distinct(self, weights: IntArray) -> tuple[CountVectors, IntArray]:
        """The distinct vectors, in the order of their full rows, and the total weight of each."""
        places = self._places()
        totals = np.zeros(len(self), dtype=np.int64)
        np.add.at(totals, places, weights)
        kept, rows = self._firsts(places)
        return self.take(rows), totals[kept]

    def distinct_but_for_labels(self, weights: IntArray) -> tuple[CountVectors, IntArray]:
        """The distinct vectors in descending order, see :meth:`in_descending_order`, and the total weight of each."""
        if (matrix := self._whole) is None:
            return self.in_descending_order().distinct(weights)
        descending = np.negative(matrix)
        descending.sort(axis=1)
        rows, totals = distinct_rows(np.negative(descending, out=descending), weights)
        return CountVectors.of(rows), totals

    def distinct_and_positions(self) -> tuple[CountVectors, IntArray]:
        """The distinct vectors, and for every vector which of them it is."""
        places = self._places()
        kept, rows = self._firsts(places)
        number = np.zeros(len(self), dtype=np.int64)
        number[kept] = np.arange(len(kept))
        return self.take(rows), number[places]

    def sizes_and_patterns(self) -> tuple[CountVectors, IntArray]:
        """One vector of each size and set of possible labels, and for every vector which of them it is like."""
        never = self.counts < 0
        pattern = np.zeros(len(self), dtype=np.int64)
        if never.any():
            starts = np.concatenate([[0], np.cumsum(self.widths - self.positive)]).astype(np.int64)
            listed = CountVectors(starts, self.labels[never], self.counts[never], self.n_labels)
            pattern = listed.distinct_and_positions()[1]
        _, ranks = np.unique(self.sizes, return_inverse=True)
        _, first, kind_of = np.unique(
            pattern * (len(self) + 1) + ranks.reshape(-1), return_index=True, return_inverse=True
        )
        return self.take(first), kind_of.reshape(-1).astype(np.int64)

    def places_of(self, others: CountVectors) -> IntArray:
        """For each of the other vectors which of these it is (one of them, where several are equal); -1 where none."""
        distinct, positions = CountVectors.joined([self, others]).distinct_and_positions()
        place = np.full(len(distinct), -1, dtype=np.int64)
        place[positions[: len(self)]] = np.arange(len(self))
        return place[positions[len(self) :]]

    def _firsts(self, places: IntArray) -> tuple[IntArray, IntArray]:
        """The places that are taken, and a vector that has each."""
        row_at = np.full(len(self), -1, dtype=np.int64)
        row_at[places] = np.arange(len(self))
        kept = np.flatnonzero(row_at >= 0)
        return kept, row_at[kept]

    def _places(self) -> IntArray:
        """Where each vector comes in the order of full rows; equal vectors have the same place.

        Pairs are compared one after the other, and whoever has a place alone is done. Of two vectors that differ first
        in a pair, a smaller label means people (or an impossibility) where the other has nobody: so a pair with people
        counts (K - label) before the count itself, an impossible one -(K - label), and the end of a vector 0.
        """
        if (packed := self._packed()) is not None:
            order = np.argsort(packed)
            ordered = packed[order]
            first = np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(self)]
            places = np.empty(len(self), dtype=np.int64)
            places[order] = np.maximum.accumulate(np.where(first, np.arange(len(self)), 0))
            return places
        place = np.zeros(len(self), dtype=np.int64)
        tokens = self._tokens()
        active = np.arange(len(self))
        step = 0
        while len(active) > 1:
            goes_on = self.widths[active] > step
            token = np.zeros(len(active), dtype=np.int64)
            token[goes_on] = tokens[self.starts[active[goes_on]] + step]
            order = np.lexsort((token, place[active])) if step else np.argsort(token, kind="stable")
            active, token, base = active[order], token[order], place[active][order]
            other = base[1:] != base[:-1]
            group = np.concatenate([[True], other])
            part = np.concatenate([[True], other | (token[1:] != token[:-1])])
            index = np.arange(len(active))
            part_starts = np.maximum.accumulate(np.where(part, index, 0))
            place[active] = base + part_starts - np.maximum.accumulate(np.where(group, index, 0))
            alone = part & np.concatenate([part[1:], [True]])
            active = active[~alone & (token != 0)]
            step += 1
        return place

    def _packed(self) -> IntArray | None:
        """Every vector as one whole number, in the order of full rows; None where these would be too large.

        The digits are the counts, those of the first label the highest; the impossible is the digit below 0.
        """
        if self.n_labels > _MOST_DIGITS:
            return None
        largest = np.zeros(self.n_labels, dtype=np.int64)
        np.maximum.at(largest, self.labels, self.counts)
        values = [1]
        for count in largest[:0:-1].tolist():
            values.append(values[-1] * (count + 2))
        if values[-1] * (int(largest[0]) + 2) > _LARGEST_NUMBER:
            return None
        return self._sums(self.counts * np.array(values[::-1])[self.labels])

    def _tokens(self) -> IntArray:
        counts, base = self.counts, int(self.counts.max(initial=0)) + 1
        if base > 2**62 // max(self.n_labels, 1):
            found, ranks = np.unique(counts, return_inverse=True)
            counts, base = np.where(counts < 0, counts, ranks.reshape(-1)), len(found) + 1
        before = self.n_labels - self.labels.astype(np.int64)
        return np.where(counts < 0, -before, before * base + counts)

    def in_descending_order(self, weights: FloatArray | None = None) -> CountVectors:
        """Each vector sorted among labels of equal weight, the heaviest labels first; without weights all are equal.

        In a full row these would be the positive counts in descending order, then zeros, then the impossible.
        """
        if weights is None or (weights == weights[0]).all():
            return self._sorted_in_classes(np.zeros(self.n_labels, dtype=np.int64), np.array([0, self.n_labels]))
        levels, of_label = np.unique(-weights, return_inverse=True)
        sizes = np.bincount(of_label.reshape(-1), minlength=len(levels))
        return self._sorted_in_classes(of_label.reshape(-1), np.concatenate([[0], np.cumsum(sizes)]))

    def _sorted_in_classes(self, class_of: IntArray, ends: IntArray) -> CountVectors:
        """Labels of class c take the places from ``ends[c]`` up to ``ends[c + 1]``."""
        base = int(self.counts.max(initial=0)) + 2
        counts, back = self.counts, None
        if base > 2**62 // len(ends):
            back, ranks = np.unique(np.maximum(counts, 0), return_inverse=True)
            counts, base = np.where(counts < 0, counts, ranks.reshape(-1)), len(back) + 2
        several = len(ends) > 2
        keys = base - 2 - counts  # an impossible one comes last
        keys = keys + class_of[self.labels] * base if several else keys
        labels, sorted_counts = np.empty_like(self.labels), np.empty_like(self.counts)
        for _, pairs in self._by_width():
            ordered = np.sort(keys[pairs], axis=1)
            classes = ordered // base if several else np.zeros_like(ordered)
            found = base - 2 - (ordered - classes * base)
            sorted_counts[pairs] = found
            index = np.broadcast_to(np.arange(pairs.shape[1]), pairs.shape)
            first, behind = index, pairs.shape[1] - index
            if several:
                new = np.concatenate([np.ones((len(pairs), 1), dtype=bool), classes[:, 1:] != classes[:, :-1]], axis=1)
                first = index - np.maximum.accumulate(np.where(new, index, 0), axis=1)
                end = np.concatenate([new[:, 1:], np.ones((len(pairs), 1), dtype=bool)], axis=1)
                nearest = np.minimum.accumulate(np.where(end, index, pairs.shape[1])[:, ::-1], axis=1)[:, ::-1]
                behind = nearest - index + 1
            labels[pairs] = np.where(found < 0, ends[classes + 1] - behind, ends[classes] + first)
        if back is not None:
            sorted_counts = np.where(sorted_counts < 0, sorted_counts, back[np.maximum(sorted_counts, 0)])
        return CountVectors(self.starts, labels, sorted_counts, self.n_labels)

    def regrouped(self, groups: Sequence[Sequence[int]]) -> CountVectors:
        """Labels merged: label g is the sum of the labels ``groups[g]``, impossible only where all of them are."""
        group_of = np.full(self.n_labels, -1, dtype=np.int64)
        for g, members in enumerate(groups):
            group_of[list(members)] = g
        parts = np.bincount(group_of[group_of >= 0], minlength=len(groups))
        kept = group_of[self.labels] >= 0
        keys = self.row_of[kept] * len(groups) + group_of[self.labels[kept]]
        return _merged(keys, self.counts[kept], lambda key: parts[key % len(groups)], len(self), len(groups))

    def summed_by(self, group_of: IntArray, n_groups: int) -> CountVectors:
        """Vectors added up: vector g is the sum of those of group g, impossible where a label is so in all of them."""
        parts = np.bincount(group_of, minlength=n_groups)
        keys = group_of[self.row_of] * self.n_labels + self.labels
        return _merged(keys, self.counts, lambda key: parts[key // self.n_labels], n_groups, self.n_labels)

    def blocks(self, most: int = _BLOCK) -> Iterator[Block]:
        """All vectors as matrices of about ``most`` numbers, each of vectors with similar numbers of positive counts.

        Few positive counts are never filled up, many by a quarter at most.
        """
        people = self.counts > 0
        if people.all():
            labels, counts, starts = self.labels, self.counts, self.starts
        else:
            labels, counts = self.labels[people], self.counts[people]
            starts = np.concatenate([[0], np.cumsum(self.positive)]).astype(np.int64)
        widths = np.diff(starts)
        order = np.argsort(widths, kind="stable")
        ordered = widths[order]
        first = 0
        while first < len(order):
            narrow = int(ordered[first])
            wide = narrow if narrow <= _EXACT_WIDTHS else int(narrow * _WIDENING)
            end = int(np.searchsorted(ordered, wide, side="right"))
            wide = max(int(ordered[end - 1]), 1)
            end = min(end, first + max(1, most // wide))
            rows = order[first:end]
            index = np.arange(wide)[:, None]
            there = index < widths[rows]
            pairs = np.where(there, starts[rows] + index, 0)
            if len(counts):
                vectors = np.where(there, counts[pairs], np.int64(STRUCTURAL_ZERO))
                names = np.where(there, labels[pairs], 0).astype(np.int64)
            else:
                vectors, names = np.full(there.shape, np.int64(STRUCTURAL_ZERO)), np.zeros(there.shape, dtype=np.int64)
            yield Block(rows, vectors.T, names.T, self.zeros[rows])
            first = end

    def _sums(self, values: IntArray) -> IntArray:
        """Values of pairs added up by vector, exactly."""
        totals = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(values, dtype=np.int64)])
        sums: IntArray = totals[self.starts[1:]] - totals[self.starts[:-1]]
        return sums

    def _by_width(self) -> Iterator[tuple[IntArray, IntArray]]:
        """(vectors, their pairs as a matrix) for every number of pairs that occurs, a part at a time."""
        order = np.argsort(self.widths, kind="stable")
        ordered = self.widths[order]
        ends = np.concatenate([np.flatnonzero(np.diff(ordered)) + 1, [len(ordered)]])
        first = 0
        for end in ends.tolist():
            width = int(ordered[first]) if first < end else 0
            step = max(1, _BLOCK // max(width, 1))
            for start in range(first, end, step) if width else ():
                rows = order[start : min(start + step, end)]
                yield rows, self.starts[rows][:, None] + np.arange(width)
            first = end


def over_blocks(vectors: CountVectors, values: Callable[[Block], FloatArray]) -> FloatArray:
    """One number per vector, from a function that gives those of a block."""
    found = np.empty(len(vectors))
    for block in vectors.blocks():
        found[block.rows] = values(block)
    return found


def _merged(
    keys: IntArray, counts: IntArray, parts_of: Callable[[IntArray], IntArray], rows: int, n_labels: int
) -> CountVectors:
    """Vectors from pairs with ``key = row * n_labels + label``; those of the same key add up.

    ``parts_of`` says how many counts are merged in a key, so that what is impossible in all of them remains so.
    """
    order = np.argsort(keys, kind="stable")
    sorted_keys, sorted_counts = keys[order], counts[order]
    firsts = np.flatnonzero(np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]])) if len(keys) else order
    found = sorted_keys[firsts]
    totals = np.add.reduceat(np.maximum(sorted_counts, 0), firsts) if len(firsts) else sorted_counts
    impossible = np.add.reduceat((sorted_counts < 0).astype(np.int64), firsts) if len(firsts) else sorted_counts
    totals = np.where(impossible == parts_of(found), np.int64(STRUCTURAL_ZERO), totals)
    kept = totals != 0
    found, totals = found[kept], totals[kept]
    starts = np.searchsorted(found // n_labels, np.arange(rows + 1)).astype(np.int64)
    return CountVectors(starts, (found % n_labels).astype(np.int32), totals.astype(np.int64), n_labels)
