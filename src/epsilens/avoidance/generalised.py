"""What k-anonymity publishes, and how a data set in the original space is drawn from it again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.records import Column, Records, span_text
from epsilens.avoidance.value_tree import GeneralisationHierarchy
from epsilens.lazy import LaterModule
from epsilens.notebook import brief

special = LaterModule("scipy.special")

_CHUNK = 2_000_000  # combinations that are multiplied out at once
_NEVER = 1e-20


@dataclass(frozen=True, eq=False)
class Generalised:
    """Records in classes: ``class_of`` each row, and the generalised value of each class in each of ``columns``.

    A row stands for ``weights`` people. An ordered column is generalised to the interval of the values present, a
    categorical one to their set, one with a hierarchy to the smallest node above them.
    """

    records: Records
    columns: tuple[str, ...]
    class_of: IntArray
    weights: IntArray
    hierarchies: Mapping[str, GeneralisationHierarchy]

    __repr__ = brief

    @cached_property
    def sizes(self) -> IntArray:
        """People per class."""
        return np.bincount(self.class_of, weights=self.weights).astype(np.int64)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.sizes)

    @property
    def average_size(self) -> float:
        """People per class, on average."""
        return float(self.sizes.mean())

    @cached_property
    def _found(self) -> dict[tuple[str, str], Any]:
        """Intervals and sets of columns, which every data set that is drawn asks for."""
        return {}

    def interval(self, name: str) -> tuple[FloatArray, FloatArray]:
        """The smallest and largest value of each class in an ordered column."""
        if ("interval", name) not in self._found:
            self._found["interval", name] = self._interval(name)
        found: tuple[FloatArray, FloatArray] = self._found["interval", name]
        return found

    def _interval(self, name: str) -> tuple[FloatArray, FloatArray]:
        values = self.records.columns[name].positions[self.records.columns[name].codes]
        order = np.argsort(self.class_of, kind="stable")
        starts = np.searchsorted(self.class_of[order], np.arange(self.n_classes))
        return np.minimum.reduceat(values[order], starts), np.maximum.reduceat(values[order], starts)

    def sets(self, name: str) -> tuple[IntArray, IntArray]:
        """The codes that each class admits in a categorical column, class after class, and where each class starts."""
        if ("sets", name) not in self._found:
            self._found["sets", name] = self._sets(name)
        found: tuple[IntArray, IntArray] = self._found["sets", name]
        return found

    def _sets(self, name: str) -> tuple[IntArray, IntArray]:
        column = self.records.columns[name]
        n_levels = len(column.levels)
        if name in self.hierarchies:
            present = self._below_common_node(name, column)
            owner, codes = np.nonzero(present)
        else:
            pairs = np.unique(self.class_of * n_levels + column.codes)
            owner, codes = pairs // n_levels, pairs % n_levels
        return codes, np.searchsorted(owner, np.arange(self.n_classes + 1))

    def _below_common_node(self, name: str, column: Column) -> np.ndarray:
        tree = self.hierarchies[name]
        leaf_of_level = tree.leaf_positions(column.levels, name)
        leaves = leaf_of_level[column.codes]
        first = np.full(self.n_classes, np.iinfo(np.int64).max)
        last = np.zeros(self.n_classes, dtype=np.int64)
        np.minimum.at(first, self.class_of, leaves)
        np.maximum.at(last, self.class_of, leaves)
        depth = tree.common_depth(first, last)
        node = tree.ancestors[depth, first]
        return np.asarray(tree.ancestors[depth][:, leaf_of_level] == node[:, None])

    def is_interval(self, name: str) -> bool:
        """Whether a column is generalised to intervals."""
        return self.records.columns[name].numbers is not None and name not in self.hierarchies

    def labels(self, name: str) -> list[str]:
        """The generalised value of each class as text: ``20-29``, ``[20, 40)``, ``{a, b}`` or the name of a node."""
        column = self.records.columns[name]
        if self.is_interval(name):
            low, high = self.interval(name)
            if column.has_own_numbers:
                return [f"{a:g}" if a == b else f"{a:g}-{b:g}" for a, b in zip(low, high, strict=True)]
            ends = (np.searchsorted(column.positions, end) for end in (low, high))
            return [span_text(column.levels[a], column.levels[b]) for a, b in zip(*ends, strict=True)]
        codes, starts = self.sets(name)
        members = [codes[starts[c] : starts[c + 1]] for c in range(self.n_classes)]
        if name in self.hierarchies:
            tree = self.hierarchies[name]
            leaves = tree.leaf_positions(column.levels, name)
            return [tree.node_of(int(leaves[m].min()), int(leaves[m].max())) for m in members]
        return [
            column.levels[m[0]] if len(m) == 1 else "{" + ", ".join(column.levels[c] for c in m) + "}" for m in members
        ]

    def rows(self) -> list[dict[str, str | int]]:
        """One line per class and combination of the other columns, with its ``count``: the anonymous table."""
        others = [name for name in self.records.columns if name not in self.columns]
        texts = {name: self.labels(name) for name in self.columns}
        codes = np.column_stack([self.class_of, *(self.records.columns[name].codes for name in others)])
        lines, inverse = np.unique(codes, axis=0, return_inverse=True)
        people = np.bincount(inverse.ravel(), weights=self.weights).astype(np.int64)
        return [
            {name: texts[name][line[0]] for name in self.columns}
            | {name: self.records.columns[name].levels[line[j]] for j, name in enumerate(others, start=1)}
            | {"count": int(count)}
            for line, count in zip(lines, people, strict=True)
        ]

    # -- Algorithm 5: back into the original space ---------------------------------------------------------------------

    def reconstructed(self, rng: np.random.Generator) -> Records:
        """A data set in the original space: one row per person, generalised values drawn at random.

        A category is drawn uniformly from the class's set; a number from N((a + b) / 2, (b - a) / 4), rounded to the
        nearest whole number >= 0, where [a, b] is the class's interval.

        Source: P2 Algorithm 5.
        """
        person = np.repeat(np.arange(len(self.class_of)), self.weights)
        of = self.class_of[person]
        built = {}
        for name, column in self.records.columns.items():
            if name not in self.columns:
                built[name] = Column(column.codes[person], column.levels, column.numbers)
            elif self.is_interval(name):
                low, high = self.interval(name)
                drawn = rng.normal(0.5 * (low + high)[of], 0.25 * (high - low)[of])
                built[name] = Column.numeric(name, np.maximum(np.floor(drawn + 0.5), 0.0))
            else:
                built[name] = Column(self._drawn_codes(name, of, rng), column.levels)
        return Records(built, self.records.quasi_identifiers)

    def reconstructed_counts(self, histogram: Histogram, rng: np.random.Generator) -> FloatArray:
        """The counts of :meth:`reconstructed` on the universe of ``histogram``; ordered levels lie at 0, 1, ..."""
        person = np.repeat(np.arange(len(self.class_of)), self.weights)
        of = self.class_of[person]
        codes = []
        for axis, name in enumerate(histogram.attributes):
            if name not in self.columns:
                codes.append(self.records.columns[name].codes[person])
            elif self.is_interval(name):
                low, high = self.interval(name)
                drawn = np.floor(rng.normal(0.5 * (low + high)[of], 0.25 * (high - low)[of]) + 0.5)
                codes.append(np.clip(drawn, 0, histogram.counts.shape[axis] - 1).astype(np.int32))
            else:
                codes.append(self._drawn_codes(name, of, rng))
        flat = np.ravel_multi_index(codes, histogram.counts.shape)
        return np.bincount(flat, minlength=histogram.n_cells).reshape(histogram.counts.shape).astype(np.float64)

    def _drawn_codes(self, name: str, of: IntArray, rng: np.random.Generator) -> np.ndarray:
        codes, starts = self.sets(name)
        length = np.diff(starts)[of]
        return codes[starts[of] + (rng.random(len(of)) * length).astype(np.int64)].astype(np.int32)

    def reconstruction_law(self, histogram: Histogram) -> tuple[FloatArray, FloatArray]:
        """The exact mean and variance of :meth:`reconstructed_counts`, given the classes.

        A person of class c lands in cell q with probability d_c(q), a product over columns, independently of the
        others; so with m_co people of class c and other attributes o the mean is sum_c m_co d_c(q) and the variance
        sum_c m_co d_c(q) (1 - d_c(q)).
        """
        shape = histogram.counts.shape
        axes = histogram.axes(self.columns)
        other_axes = [axis for axis in range(len(shape)) if axis not in axes]
        other_shape = tuple(shape[axis] for axis in other_axes)
        other_codes = [self.records.columns[histogram.attributes[axis]].codes for axis in other_axes]
        other = np.ravel_multi_index(other_codes, other_shape) if other_axes else np.zeros(len(self.class_of), np.int64)
        n_other = math.prod(other_shape)
        members = np.zeros((self.n_classes, n_other))
        np.add.at(members, (self.class_of, other), self.weights)
        tables = [self._draw_probabilities(name, shape[axis]) for name, axis in zip(self.columns, axes, strict=True)]
        lengths = tuple(shape[axis] for axis in axes)
        mean, variance = np.zeros((math.prod(lengths), n_other)), np.zeros((math.prod(lengths), n_other))
        for of, cells, lands in _landings(tables, lengths):
            for other_value in range(n_other):
                people = members[of, other_value] * lands
                mean[:, other_value] += np.bincount(cells, people, minlength=len(mean))
                variance[:, other_value] += np.bincount(cells, people * (1.0 - lands), minlength=len(mean))
        order = np.argsort([*axes, *other_axes])
        grid = (*(shape[axis] for axis in axes), *other_shape)
        return mean.reshape(grid).transpose(order), variance.reshape(grid).transpose(order)

    def _draw_probabilities(self, name: str, n_levels: int) -> FloatArray:
        """P(a person of the class is given the code), classes x codes."""
        if self.is_interval(name):
            low, high = self.interval(name)
            centre, spread = 0.5 * (low + high), 0.25 * (high - low)
            edges = np.append(np.arange(n_levels - 1) + 0.5, np.inf)  # what falls outside is put at the ends
            gap = edges[None, :] - centre[:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                below = np.where(spread[:, None] > 0, special.ndtr(gap / spread[:, None]), gap > 0)
            return np.diff(below, axis=1, prepend=0.0)
        codes, starts = self.sets(name)
        table = np.zeros((self.n_classes, n_levels))
        owner = np.repeat(np.arange(self.n_classes), np.diff(starts))
        table[owner, codes] = 1.0 / np.diff(starts)[owner]
        return table


def _landings(
    tables: Sequence[FloatArray], lengths: tuple[int, ...]
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Which combinations a person of each class may be given, and how likely each is; some classes at a time.

    A class admits few values of a column, so that only those are multiplied out; what is less likely than 1e-20 adds
    nothing to a sum of numbers of people.
    """
    n_classes = len(tables[0])
    admitted = [np.count_nonzero(table > _NEVER, axis=1) for table in tables]
    sizes = np.cumsum(np.prod(admitted, axis=0, dtype=np.float64))
    start = 0
    while start < n_classes:
        before = sizes[start - 1] if start else 0.0
        stop = max(start + 1, int(np.searchsorted(sizes, before + _CHUNK, side="right")))
        of = np.arange(start, stop)
        cells, lands = np.zeros(len(of), dtype=np.int64), np.ones(len(of))
        for table, length in zip(tables, lengths, strict=True):
            owner, values = np.nonzero(table[start:stop] > _NEVER)
            many = np.bincount(owner, minlength=stop - start)
            first = np.cumsum(many) - many
            times = many[of - start]
            own = np.repeat(np.arange(len(of)), times)
            at = first[of - start][own] + np.arange(len(own)) - np.repeat(np.cumsum(times) - times, times)
            lands = lands[own] * table[of[own], values[at]]
            cells, of = cells[own] * length + values[at], of[own]
        yield of, cells, lands
        start = stop
