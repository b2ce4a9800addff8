"""One label alone among many, for many count vectors that have most of their labels in common.

Every risk of a cell is a sum of products over its labels: with a factor s_k for "label k is it" and a factor h_k for
"label k is not in the way",

    one = sum over k of s_k prod_{j != k} h_j,         none = prod_j h_j.

For the local risk the factors are probabilities; for expected, marginal and guessed risks they are functions on a grid
of *points*, and the risk is a weighted sum of ``one`` over them. Labels enter through their count (and how much they
harm) alone. So two labels joined, (one, none) = (one_1 none_2 + none_1 one_2, none_1 none_2), are computed once for all
vectors that have both, three likewise, and so on: the distinct beginnings of all vectors form a tree, their distinct
ends form another, and a vector is one beginning joined with one end. Half a million vectors of eight labels have about
a fifth as many beginnings of three labels and ends of five. All is sums and products of the same sign as the factors:
nothing cancels.

Many equal counts (5,000 labels that one person has each) are one symbol with a number of ``times`` t: t s h^(t - 1)
and h^t. So the work follows the distinct counts of a vector, never its labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats

Values: TypeAlias = np.ndarray[Any, np.dtype[Any]]
"""One value, or one row of values at points, per symbol: real or complex."""

IMPOSSIBLE = -1
"""A structural zero, or a place that is not a label at all: never shown, never in the way."""

_FEW_LABELS = 16
_NUMBERS_MARKED = 1 << 24  # keys up to which marking those that occur beats sorting them
_TABLE = 1 << 17  # doubles of a tree's values that are held at a time: they stay within a processor's cache
_ROWS = 1 << 17  # doubles of joined rows that are held at a time, for the same reason


@dataclass(frozen=True, eq=False)
class Symbols:
    """The distinct (count, harm, times) of the labels of some vectors, and where each vector has which."""

    counts: IntArray
    """:data:`IMPOSSIBLE` for what is never shown."""
    harm: FloatArray
    times: IntArray
    places: IntArray
    """(vectors, symbols of each, the largest count first): positions in the above."""

    def factors(self, single: Values, hidden: Values) -> tuple[Values, Values]:
        """From values by symbol for a single label to those for all the labels that a symbol stands for."""
        impossible = self.counts == IMPOSSIBLE
        several = np.flatnonzero((self.times > 1) & ~impossible)
        one, none = single.copy(), hidden.copy()
        if len(several):
            t = self.times[several].reshape(-1, *[1] * (single.ndim - 1))
            one[several] = t * single[several] * hidden[several] ** (t - 1)
            none[several] = hidden[several] ** t
        one[impossible], none[impossible] = 0.0, 1.0
        return one, none


def symbols_of(vectors: IntArray, zeros: IntArray | None = None, weights: FloatArray | None = None) -> Symbols:
    """The symbols of count vectors (vectors, labels).

    ``zeros``: how many further labels of each vector nobody has; ``weights`` of labels, (labels,) or as ``vectors``,
    are kept as ``harm``. With more than a few labels equal ones are gathered, which needs them side by side.
    """
    heavy = np.ones(1) if weights is None else np.unique(np.append(weights, 0.0))
    counts, places = numbered(vectors)
    if weights is None and vectors.shape[1] <= _FEW_LABELS:  # a count is a symbol
        own_counts, own_harm, own_times = counts, np.ones(len(counts)), np.ones(len(counts), dtype=np.int64)
    else:
        keys = len(counts) - 1 - places  # so that the largest count sorts first
        if weights is not None:
            keys += len(counts) * np.searchsorted(heavy, np.broadcast_to(weights, vectors.shape))
        times = np.ones((1, 1), dtype=np.int64)
        if vectors.shape[1] > _FEW_LABELS:
            keys, times = _runs(np.sort(keys, axis=1))
        most = int(times.max(initial=1)) + 1
        pairs, places = numbered(keys * most + times)
        symbols, own_times = pairs // most, pairs % most
        own_counts = np.where(own_times > 0, counts[len(counts) - 1 - symbols % max(len(counts), 1)], IMPOSSIBLE)
        own_harm = heavy[symbols // max(len(counts), 1)]
    if zeros is not None:
        distinct, where = numbered(zeros[:, None])
        places = np.concatenate([places, len(own_counts) + where], axis=1)
        own_counts = np.append(own_counts, np.where(distinct > 0, 0, IMPOSSIBLE))
        own_harm, own_times = np.append(own_harm, np.zeros(len(distinct))), np.append(own_times, distinct)
    return Symbols(own_counts, own_harm, own_times, places)


def _runs(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Sorted rows of keys as (key, times) of their runs, filled up with what occurs 0 times."""
    rows = len(keys)
    begins = np.ones(keys.shape, dtype=bool)
    begins[:, 1:] = keys[:, 1:] != keys[:, :-1]
    run = np.cumsum(begins, axis=1) - 1
    longest = int(run[:, -1].max(initial=0)) + 1
    flat = (np.arange(rows)[:, None] * longest + run).ravel()
    times = np.bincount(flat, minlength=rows * longest).reshape(rows, longest)
    found = np.zeros(rows * longest, dtype=np.int64)
    found[flat] = keys.ravel()
    return found.reshape(rows, longest), times


def numbered(keys: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct keys in ascending order, and the number of each: marked where they lie close, else sorted."""
    if not keys.size:
        return np.zeros(0, dtype=np.int64), np.zeros(keys.shape, dtype=np.int64)
    lowest, highest = int(keys.min()), int(keys.max())
    if highest - lowest > max(4 * keys.size, min(64 * keys.size, _NUMBERS_MARKED)):
        distinct, where = np.unique(keys, return_inverse=True)
        return distinct, where.reshape(keys.shape)
    shifted = keys - lowest
    occurs = np.zeros(highest - lowest + 1, dtype=bool)
    occurs[shifted] = True
    found = np.flatnonzero(occurs)
    number = np.empty(len(occurs), dtype=np.int64)
    number[found] = np.arange(len(found))
    return found + lowest, number[shifted]


@dataclass(frozen=True, eq=False)
class Tree:
    """Distinct sequences of symbols, level by level: each is one of the level before and a further symbol."""

    first: IntArray
    """The symbols that sequences start with."""
    levels: tuple[tuple[IntArray, IntArray], ...]
    """Per further level: (position in the level before, symbol)."""

    @property
    def nodes(self) -> int:
        """How many sequences the largest level has."""
        return max([len(self.first), *(len(parent) for parent, _ in self.levels)])

    def values(self, one: Values, none: Values) -> tuple[Values, Values]:
        """``one`` and ``none`` of every sequence of the last level, from those of the symbols."""
        ones, nones = one[self.first], none[self.first]
        for parent, symbol in self.levels:
            more = one.take(symbol, axis=0)
            without = none.take(symbol, axis=0)
            nones = nones.take(parent, axis=0)
            more *= nones
            nones *= without
            ones = ones.take(parent, axis=0)
            ones *= without
            ones += more
        return ones, nones


@dataclass(frozen=True, eq=False)
class SharedProducts:
    """Vectors as a beginning and an end each, both of which they share with others."""

    symbols: Symbols
    beginnings: Tree
    ends: Tree | None
    """None where vectors have a single symbol."""
    beginning: IntArray
    end: IntArray
    """Per vector: which of either."""

    def one(self, single: FloatArray, hidden: FloatArray) -> FloatArray:
        """``one`` of every vector, from one value per symbol (of a single label)."""
        factors = self.symbols.factors(single, hidden)
        ones, nones = self.beginnings.values(*factors)
        if self.ends is None:
            return as_floats(ones[self.beginning])
        end_ones, end_nones = self.ends.values(*factors)
        result = ones[self.beginning]
        result *= end_nones[self.end]
        rest = nones[self.beginning]
        rest *= end_ones[self.end]
        result += rest
        return as_floats(result)

    def totals(self, single: Values, hidden: Values, weights: FloatArray) -> FloatArray:
        """Sum over points of weights times the real part of ``one``, per vector; values are (symbols, points)."""
        result = np.zeros(len(self.beginning))
        most = max(1, self.beginnings.nodes, 0 if self.ends is None else self.ends.nodes)
        step = max(8, _TABLE // most)
        for start in range(0, len(weights), step):
            part = slice(start, start + step)
            factors = self.symbols.factors(single[:, part], hidden[:, part])
            ones, nones = self.beginnings.values(*factors)
            ones *= weights[part]
            if self.ends is None:
                result += ones.real.sum(axis=1)[self.beginning]
                continue
            nones *= weights[part]
            end_ones, end_nones = self.ends.values(*factors)
            self._add_joined(_as_doubles(ones), _as_doubles(end_nones.conj()), result)
            self._add_joined(_as_doubles(nones), _as_doubles(end_ones.conj()), result)
        return result

    def _add_joined(self, begun: FloatArray, ended: FloatArray, result: FloatArray) -> None:
        """Add to ``result`` the inner product of each vector's two halves."""
        rows = max(1, _ROWS // begun.shape[1])
        left, right = np.empty((rows, begun.shape[1])), np.empty((rows, begun.shape[1]))
        for start in range(0, len(result), rows):
            part = slice(start, start + rows)
            one = left[: len(result[part])]
            other = right[: len(one)]
            np.take(begun, self.beginning[part], axis=0, out=one, mode="clip")
            np.take(ended, self.end[part], axis=0, out=other, mode="clip")
            result[part] += np.einsum("ij,ij->i", one, other)


def _as_doubles(values: Values) -> FloatArray:
    """Complex numbers as pairs of doubles; Re(x y) is then the inner product of x and the conjugate of y."""
    return np.asarray(values.view(np.float64) if values.dtype == np.complex128 else values, dtype=np.float64)


def shared_products(symbols: Symbols) -> SharedProducts:
    """Beginnings grow from the first symbol on and ends from the last one back, always those that are fewer so far."""
    places = symbols.places
    width, number = places.shape[1], len(symbols.counts)
    first, beginning = numbered(places[:, 0])
    begun: list[tuple[IntArray, IntArray]] = []
    if width == 1:
        return SharedProducts(symbols, Tree(first, ()), None, beginning, np.zeros(len(places), dtype=np.int64))
    last, end = numbered(places[:, width - 1])
    ended: list[tuple[IntArray, IntArray]] = []
    sizes = [len(first), len(last)]
    at, until = 1, width - 1
    while at < until:
        if sizes[0] <= sizes[1]:
            distinct, beginning = numbered(beginning * number + places[:, at])
            begun.append((distinct // number, distinct % number))
            at, sizes[0] = at + 1, len(distinct)
        else:
            until -= 1
            distinct, end = numbered(end * number + places[:, until])
            ended.append((distinct // number, distinct % number))
            sizes[1] = len(distinct)
    return SharedProducts(symbols, Tree(first, tuple(begun)), Tree(last, tuple(ended)), beginning, end)
