"""A release and everything fitted to it: what they show together.

The published counts of a :class:`Lineage` are the nodes of trees. A root is published as max(0, n + e). Every release
fitted to another splits the other's counts further, by new attributes, by new quasi-identifiers or both, and shares the
gap among the parts (see ``shared_gap``). Given a published count, the releases fitted to it are independent of one
another, and so is what lies below different counts; so probabilities are computed from the leaves up.

Every question comes down to one probability: that *certain counts are all hidden* (published as 0). A node is known by
its level, its true count, whether it must be hidden, and the nodes below it that matter; equal nodes, of whatever cell
or label, are computed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.homogeneity.repeated.shared_gap import SharedGap, child_reach
from epsilens.noise.law import AnyNoise
from epsilens.noise.whole_number_sums import reach

_FREE = 0
"""The number of a node with nothing to hide at it or below it; only its noise matters."""

_MOST_KNOWN = 1 << 24  # numbers kept
_LARGEST_CODE = 1 << 62

_Below: TypeAlias = tuple[int, int, tuple[int, ...]]
"""A level fitted to a node: (level, kappa, the children that matter)."""
_Node: TypeAlias = tuple[int, int, bool, tuple[_Below, ...]]
"""(level, true count, must it be hidden, what is fitted to it)."""

Required: TypeAlias = Mapping[int, frozenset[int]]
"""By level: the labels that must be hidden."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """How a level's counts add up to those of an earlier level."""

    parent: int
    parent_label: IntArray
    """(labels,): the label of the parent of which each label is a part."""
    kappa: IntArray
    """(cells, labels of the parent): how many counts of this level share the gap to the parent's count."""


@dataclass(frozen=True, eq=False)
class Level:
    """One release of a lineage, seen from the cells in which people are."""

    noise: AnyNoise
    vectors: IntArray
    """(cells, labels): the counts of the cell of this release that holds the person's cell."""
    fitted: Fitted | None = None
    """To what it is fitted; the root is not."""


class Lineage:
    """A root, level 0, and the levels fitted to it or to one another, each after the one it is fitted to."""

    def __init__(self, levels: Sequence[Level]) -> None:
        parts = [level.vectors for level in levels] + [level.fitted.kappa for level in levels if level.fitted]
        first, cell = _kinds([column for part in parts for column in part.T])
        self.kind_of_cell: IntArray = cell
        """Cells with equal counts on all levels are of one kind."""
        self.n_kinds = len(first)
        self._levels = [_chosen(level, first) for level in levels]
        self._below: list[list[tuple[int, Fitted]]] = [[] for _ in levels]
        self._gaps: dict[tuple[int, int], SharedGap] = {}
        self._reach = [reach(levels[0].noise)]
        for i, level in enumerate(self._levels):
            if level.fitted:
                self._below[level.fitted.parent].append((i, level.fitted))
                parent_reach = self._reach[level.fitted.parent]
                kappas = np.unique(level.fitted.kappa[level.fitted.kappa > 0]).tolist()
                self._gaps.update({(i, k): SharedGap(level.noise, k, parent_reach) for k in kappas})
                self._reach.append(max((child_reach(level.noise, k, parent_reach) for k in kappas), default=1))
        self._parts = self._all_parts()
        self._numbers: dict[_Node, int] = {}
        self._nodes: list[_Node] = []
        self._weights: dict[int, FloatArray] = {}
        self._known_numbers: dict[tuple[int, int, frozenset[tuple[int, frozenset[int]]]], IntArray] = {}

    def _all_parts(self) -> list[list[dict[int, frozenset[int]]]]:
        """[level][label] -> which labels of each level are parts of it, itself included."""
        parts: list[list[dict[int, frozenset[int]]]] = [[] for _ in self._levels]
        for level in range(len(self._levels) - 1, -1, -1):
            for label in range(self._levels[level].vectors.shape[1]):
                found = {level: frozenset({label})}
                for below, fitted in self._below[level]:
                    for part in np.flatnonzero(fitted.parent_label == label).tolist():
                        for i, labels in parts[below][part].items():
                            found[i] = found.get(i, frozenset()) | labels
                parts[level].append(found)
        return parts

    def hidden(self, questions: Sequence[tuple[Required, IntArray]]) -> list[FloatArray]:
        """P(the labels ``required[level]`` are hidden on every level named), for some kinds of cells; per question.

        With w_v(q) = [q = 0 or v need not be hidden] prod over the levels fitted to v of E(prod_k w_k(Q_k) | q), over
        the children k of v on the level, published as Q_k: the product over roots of E w(Q).

        Source: P0 section 4.3.
        Assumes what ``shared_gap`` assumes, with the gap shared among all parts of a count that the fitted table lists
        and does not declare impossible, in all its cells.
        Departs from print (P0-11): there the constraint is mentioned and its effect is not computed.
        """
        roots = [self._numbered_roots(required, kinds) for required, kinds in questions]
        self._weigh(number for found in roots for number in np.unique(found).tolist())
        mass = as_floats(self._levels[0].noise.pmf(np.arange(-self._reach[0], self._reach[0] + 1.0)))
        answers = []
        for found in roots:
            numbers, back = np.unique(found, return_inverse=True)
            each = [1.0 if number == _FREE else mass @ self._weights[number] for number in numbers.tolist()]
            answers.append(np.minimum(np.array(each)[back.reshape(found.shape)].prod(axis=0), 1.0))
        return answers

    def _numbered_roots(self, required: Required, kinds: IntArray) -> IntArray:
        """(root labels, kinds): the numbers of the roots."""
        labels = range(self._levels[0].vectors.shape[1])
        if len(labels) == 1:  # every question is a new one: no use to number the kinds that it is not about
            return self._numbered(0, 0, required, kinds)[None, :]
        return np.stack([self._numbered_everywhere(0, label, required)[kinds] for label in labels])

    def _numbered_everywhere(self, level: int, label: int, required: Required) -> IntArray:
        """:meth:`_numbered` for all kinds of cells: most questions differ in few labels only."""
        parts = self._parts[level][label]
        here = {i: labels & parts[i] for i, labels in required.items() if i in parts and labels & parts[i]}
        if not here:
            return np.full(self.n_kinds, _FREE, dtype=np.int64)
        key = (level, label, frozenset(here.items()))
        if key not in self._known_numbers:
            if len(self._known_numbers) * self.n_kinds > _MOST_KNOWN:
                self._known_numbers.clear()
            self._known_numbers[key] = self._numbered(level, label, here, np.arange(self.n_kinds))
        return self._known_numbers[key]

    def _numbered(self, level: int, label: int, required: Required, kinds: IntArray) -> IntArray:
        """The number of the node of one label on one level, for some kinds of cells."""
        must_hide = label in required.get(level, ())
        counts = self._levels[level].vectors[kinds, label]
        columns = [np.minimum(counts, self._reach[level] + 1)]  # a count out of the noise's reach is never clipped
        fitted_levels: list[tuple[int, int]] = []
        for below, fitted in self._below[level]:
            parts = sorted(self._parts[level][label].get(below, ()))
            numbers = [self._numbered_everywhere(below, part, required)[kinds] for part in parts]
            if any(column.any() for column in numbers):
                fitted_levels.append((below, len(parts)))
                columns += [fitted.kappa[kinds, label], *np.sort(numbers, axis=0)]
        if not must_hide and not fitted_levels:
            return np.full(len(kinds), _FREE, dtype=np.int64)
        first, back = _kinds(columns)
        rows = np.stack([column[first] for column in columns], axis=1)
        found = [self._number(level, must_hide, fitted_levels, row) for row in rows.tolist()]
        return np.array(found, dtype=np.int64)[back]

    def _number(self, level: int, must_hide: bool, fitted_levels: list[tuple[int, int]], row: list[int]) -> int:
        count, place = row[0], 1
        below: list[_Below] = []
        for child_level, parts in fitted_levels:
            sorted_numbers = row[place + 1 : place + 1 + parts]
            children = tuple(sorted_numbers[sorted_numbers.count(_FREE) :])  # it is the lowest
            if children:
                below.append((child_level, row[place], children))
            place += 1 + parts
        if count < 0 or not (must_hide or below):  # what cannot occur is never shown, nor is any part of it
            return _FREE
        node = (level, count, must_hide, tuple(below))
        if node not in self._numbers:
            self._nodes.append(node)
            self._numbers[node] = len(self._nodes)
        return self._numbers[node]

    def _weigh(self, numbers: Iterable[int]) -> None:
        """Compute the weights of nodes and of all nodes below them, level by level, what shares a gap law together."""
        needed: list[set[int]] = [set() for _ in self._levels]
        waiting = set(numbers) - {_FREE}
        while waiting:
            number = waiting.pop()
            if number not in self._weights:
                level, _, _, below = self._nodes[number - 1]
                needed[level].add(number)
                waiting.update(child for _, _, children in below for child in children)
        for level in range(len(self._levels) - 1, -1, -1):
            questions = {below for number in needed[level] for below in self._nodes[number - 1][3]}
            answers = self._answers(questions)
            for number in needed[level]:
                self._weights[number] = self._weight(self._nodes[number - 1], answers)

    def _answers(self, questions: set[_Below]) -> dict[_Below, FloatArray]:
        """E(prod of the weights of children | q) for q - n from minus to plus the reach of the level above."""
        answers = {}
        for level, kappa in {(level, kappa) for level, kappa, _ in questions}:
            children = sorted(c for at, among, c in questions if (at, among) == (level, kappa))
            weights = {child: self._weights[child] for question in children for child in question}
            for question, answer in zip(children, self._gaps[level, kappa].expected(children, weights), strict=True):
                answers[level, kappa, question] = answer
        return answers

    def _weight(self, node: _Node, answers: Mapping[_Below, FloatArray]) -> FloatArray:
        """w_v(max(0, n_v + z)) for z from -reach to reach of the level."""
        level, count, must_hide, fitted_levels = node
        far = self._reach[level]
        before_clipping = np.arange(-far, far + 1)
        weight = np.ones(2 * far + 1)
        for below in fitted_levels:
            weight *= answers[below][np.maximum(before_clipping, -count) + far]
        if must_hide:
            weight[before_clipping > -count] = 0.0
        return weight


def _chosen(level: Level, rows: IntArray) -> Level:
    """The level seen from some cells only."""
    fitted = level.fitted
    if fitted is not None:
        fitted = Fitted(fitted.parent, fitted.parent_label, fitted.kappa[rows])
    return Level(level.noise, level.vectors[rows], fitted)


def _kinds(columns: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """The first of each kind of equal rows, kinds in lexicographic order, and for every row of which kind it is.

    A row is written as one number with a digit per column. To sort numbers takes a fraction of what rows take.
    """
    code = np.zeros(len(columns[0]), dtype=np.int64)
    most = 1
    for column in columns:
        lowest = int(column.min(initial=0))
        digits = int(column.max(initial=0)) - lowest + 1
        if most * digits > _LARGEST_CODE:
            numbers, code = np.unique(code, return_inverse=True)
            most = len(numbers)
        code = code * digits + (column - lowest)
        most *= digits
    _, first, kind = np.unique(code, return_index=True, return_inverse=True)
    return first, kind.reshape(-1)
