"""Full-domain recoding: every value of a column is replaced by its group on one level of the column's hierarchy.

The levels of all columns form a lattice. Going up merges groups and never parts them, so that the people in small
classes only become fewer and the information lost only grows: that is what lets a search leave most nodes out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.records import span_text
from epsilens.avoidance.value_tree import GeneralisationHierarchy
from epsilens.notebook import brief

ANY = "*"
"""The value that stands for all values of a column without a hierarchy of its own."""


@dataclass(frozen=True, eq=False)
class Ladder:
    """The levels to which one column can be generalised.

    ``groups[l][c]`` is the group of code c on level l (0: its own value), ``labels[l]`` the names of the groups, and
    ``is_given`` whether a hierarchy was given for it.
    """

    column: str
    groups: tuple[IntArray, ...]
    labels: tuple[tuple[str, ...], ...]
    is_given: bool

    __repr__ = brief

    @staticmethod
    def of(
        column: str, levels: Sequence[str], ordered: bool = False, hierarchy: GeneralisationHierarchy | None = None
    ) -> Ladder:
        """That of a ``hierarchy``; without one neighbours of an ordered column are merged by twos, fours, ...

        A column without order and hierarchy has its values and, above them, any value. Groups of a hierarchy whose
        leaves lie at different depths are those of its layers, counted from the deepest.
        """
        if hierarchy is not None:
            return _of_tree(column, levels, hierarchy)
        own = np.arange(len(levels), dtype=np.int64)
        groups, labels = [own], [tuple(levels)]
        if ordered:
            width = 2
            while width < 2 * len(levels):
                starts = range(0, len(levels), width)
                groups.append(own // width)
                labels.append(tuple(span_text(levels[i], levels[min(i + width, len(levels)) - 1]) for i in starts))
                width *= 2
        elif len(levels) > 1:
            groups.append(np.zeros(len(levels), dtype=np.int64))
            labels.append((ANY,))
        return Ladder(column, tuple(groups), tuple(labels), False)

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.groups) - 1

    def sizes(self, level: int) -> IntArray:
        """How many values each group of a level has."""
        return np.bincount(self.groups[level], minlength=len(self.labels[level])).astype(np.int64)

    def losses(self, level: int) -> FloatArray:
        """What the generalisation of each code loses: (values of its group - 1) / (values of the column - 1)."""
        n = len(self.groups[0])
        return as_floats((self.sizes(level)[self.groups[level]] - 1) / max(n - 1, 1))


def _of_tree(column: str, levels: Sequence[str], tree: GeneralisationHierarchy) -> Ladder:
    leaves = tree.leaf_positions(levels, column)
    groups: list[IntArray] = []
    labels: list[tuple[str, ...]] = []
    for layer in tree.ancestors[::-1]:
        nodes, group = np.unique(layer[leaves], return_inverse=True)
        if groups and len(nodes) == len(labels[-1]):  # the layers differ in values that the data do not have
            continue
        groups.append(group.ravel().astype(np.int64))
        labels.append(tuple(tree.nodes[int(node)] for node in nodes))
    return Ladder(column, tuple(groups), tuple(labels), True)


@dataclass(frozen=True, eq=False)
class Recoded:
    """A histogram whose quasi-identifiers are generalised to one level each, without the classes below ``k`` people.

    ``levels`` is the level of every quasi-identifier, in the order of ``ladders``. What is published has a cell for
    every class and combination of the other attributes.
    """

    histogram: Histogram
    ladders: tuple[Ladder, ...]
    levels: tuple[int, ...]
    k: int

    __repr__ = brief

    @cached_property
    def class_of(self) -> IntArray:
        """The class of every combination of quasi-identifiers, as (combinations,)."""
        parts = np.meshgrid(*(ladder.groups[at] for ladder, at in self._steps()), indexing="ij")
        return np.ravel_multi_index([part.ravel() for part in parts], self.class_shape)

    @property
    def class_shape(self) -> tuple[int, ...]:
        """The number of groups of every quasi-identifier."""
        return tuple(len(ladder.labels[at]) for ladder, at in self._steps())

    def _steps(self) -> Iterator[tuple[Ladder, int]]:
        return zip(self.ladders, self.levels, strict=True)

    @cached_property
    def members(self) -> IntArray:
        """People by class and combination of the other attributes; suppressed classes included."""
        counts = by_combination(self.histogram, [ladder.column for ladder in self.ladders])
        table = np.zeros((math.prod(self.class_shape), counts.shape[1]), dtype=np.int64)
        np.add.at(table, self.class_of, counts)
        return table

    @cached_property
    def class_sizes(self) -> IntArray:
        """People per class, those without anybody included."""
        return np.asarray(self.members.sum(axis=1), dtype=np.int64)

    @property
    def sizes(self) -> IntArray:
        """People per published class."""
        return self.class_sizes[self.class_sizes >= max(self.k, 1)]

    @property
    def n_classes(self) -> int:
        """Number of published classes."""
        return len(self.sizes)

    @property
    def suppressed(self) -> int:
        """People who are left out because their class is smaller than ``k``."""
        return int(self.class_sizes[self.class_sizes < self.k].sum())

    @property
    def loss(self) -> float:
        """The information lost, between 0 and 1; see :func:`~epsilens.avoidance.lattice.best_node`."""
        people = as_floats(by_combination(self.histogram, [x.column for x in self.ladders]).sum(axis=1))
        shape = tuple(len(ladder.groups[0]) for ladder in self.ladders)
        grid = sum(along(ladder.losses(at), axis, len(shape)) for axis, (ladder, at) in enumerate(self._steps())) / len(
            shape
        )
        kept = self.class_sizes[self.class_of] >= self.k
        return float(people @ np.where(kept, np.broadcast_to(grid, shape).ravel(), 1.0) / people.sum())

    def labels(self, position: int) -> tuple[str, ...]:
        """The generalised value of every class in one quasi-identifier."""
        ladder, at = self.ladders[position], self.levels[position]
        codes = np.unravel_index(np.arange(len(self.class_sizes)), self.class_shape)[position]
        return tuple(ladder.labels[at][int(code)] for code in codes)

    def rows(self) -> list[dict[str, str | int]]:
        """One line per published class and combination of the other columns with people, with its ``count``."""
        published = np.where((self.class_sizes >= max(self.k, 1))[:, None], self.members, 0)
        names = [ladder.column for ladder in self.ladders]
        texts = [self.labels(position) for position in range(len(names))]
        others = [name for name in self.histogram.attributes if name not in names]
        shape = tuple(self.histogram.counts.shape[axis] for axis in self.histogram.axes(others))
        lines = []
        for c, o in zip(*np.nonzero(published), strict=True):
            codes = np.unravel_index(int(o), shape) if others else ()
            lines.append(
                {name: text[int(c)] for name, text in zip(names, texts, strict=True)}
                | {
                    name: self.histogram.levels[self.histogram.axis(name)][int(code)]
                    for name, code in zip(others, codes, strict=True)
                }
                | {"count": int(published[c, o])}
            )
        return lines

    # -- back into the original space ----------------------------------------------------------------------------------

    def reconstruction_law(self) -> tuple[FloatArray, FloatArray]:
        """The mean and variance of the counts that are drawn from the classes again.

        Each of the m people of a class with the same other attributes is put into one of its |c| combinations, all
        alike: m / |c| and m (1 - 1/|c|) / |c|.

        Source: P2 Algorithm 5.
        """
        members = np.where((self.class_sizes >= self.k)[:, None], self.members, 0)
        room = np.bincount(self.class_of, minlength=len(self.class_sizes))[self.class_of][:, None]
        mean = members[self.class_of] / room
        return self._on_grid(mean), self._on_grid(mean * (1.0 - 1.0 / room))

    def reconstructed_counts(self, rng: np.random.Generator) -> FloatArray:
        """Counts on the original grid, drawn from the classes: every combination of a class is as likely."""
        members = np.where((self.class_sizes >= self.k)[:, None], self.members, 0)
        order = np.argsort(self.class_of, kind="stable")
        starts = np.searchsorted(self.class_of[order], np.arange(len(self.class_sizes) + 1))
        drawn = np.zeros((len(self.class_of), members.shape[1]))
        classes, others = np.nonzero(members)
        people = members[classes, others]
        owner = np.repeat(classes, people)
        place = starts[owner] + (rng.random(len(owner)) * (starts[owner + 1] - starts[owner])).astype(np.int64)
        np.add.at(drawn, (order[place], np.repeat(others, people)), 1.0)
        return self._on_grid(drawn)

    def _on_grid(self, values: FloatArray) -> FloatArray:
        """(combinations of quasi-identifiers, others) in the histogram's own order of attributes."""
        axes = self.histogram.axes([ladder.column for ladder in self.ladders])
        others = [axis for axis in range(self.histogram.counts.ndim) if axis not in axes]
        grid = values.reshape([self.histogram.counts.shape[axis] for axis in (*axes, *others)])
        return grid.transpose(np.argsort([*axes, *others]))


def by_combination(histogram: Histogram, names: Sequence[str]) -> IntArray:
    """Counts as (combinations of some attributes, combinations of the others)."""
    axes = histogram.axes(names)
    moved = np.moveaxis(np.asarray(histogram.counts), axes, range(len(axes))).astype(np.int64)
    return moved.reshape(math.prod(moved.shape[: len(axes)]), -1)


def along(values: FloatArray, axis: int, ndim: int) -> FloatArray:
    """Values of one axis in the shape that spreads them over a grid of ``ndim`` axes."""
    return values.reshape([-1 if other == axis else 1 for other in range(ndim)])
