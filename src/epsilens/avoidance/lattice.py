"""The lattice of levels to which columns can be generalised, and its node of least information loss.

Going up merges classes and never parts them. So whoever is in a class of k stays in one, and a node above one that
suppresses few enough does so too; and the loss of the generalisation alone can only grow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.recoding import Ladder, along, by_combination
from epsilens.errors import ParameterError, counted

Node: TypeAlias = tuple[int, ...]
"""A level of every column."""
LARGEST_LATTICE = 1_000_000
"""Nodes of a lattice that are put in order; more are refused."""
_ROUNDING = 1e-12


def fixed_levels(ladders: Sequence[Ladder], given: Mapping[str, int]) -> Node:
    """The node that is given by the level of some columns; the others stay as they are."""
    known = {ladder.column: ladder for ladder in ladders}
    for name, level in given.items():
        if name not in known:
            raise ParameterError(f"names {name!r}, which is not a quasi-identifier to generalise", parameter="node")
        if not 0 <= level <= known[name].height:
            raise ParameterError(
                f"says level {level} of {name!r}, which has the levels 0 to {known[name].height}", parameter="node"
            )
    return tuple(int(given.get(ladder.column, 0)) for ladder in ladders)


def best_node(histogram: Histogram, ladders: Sequence[Ladder], k: int, max_suppressed: float) -> Node:
    """The node of least information loss of those that suppress at most a share ``max_suppressed`` of the people.

    The loss of a person whose class is published is the mean over quasi-identifiers of (values of the group - 1) /
    (values of the column - 1); that of a suppressed person is 1; the loss of a node is the mean over people. If nobody
    were suppressed it would be G(node), a sum over columns that is known at once and never more than the loss. So nodes
    are tried in the order of G, and the search ends where G has passed the least loss found: what is left cannot be
    better. Where a node suppresses too many, the highest such node on the way up from it is found by bisection, and
    nothing below that is tried. Of equal nodes the one that suppresses fewer, that generalises fewer columns without a
    hierarchy of their own, and comes first.
    """
    search = _Search(tuple(ladders), by_combination(histogram, [x.column for x in ladders]).sum(axis=1), k)
    limit = max_suppressed * search.total + 1e-9
    heights = [ladder.height + 1 for ladder in ladders]
    bounds = search.bounds
    open_nodes = np.ones(heights, dtype=bool)
    best: tuple[float, int, int, Node] | None = None
    for flat in np.argsort(bounds, axis=None, kind="stable"):
        node = tuple(int(level) for level in np.unravel_index(flat, heights))
        if best is not None and bounds[node] > best[0] + _ROUNDING:
            break
        if not open_nodes[node]:
            continue
        suppressed, loss = search.outcome(node)
        if suppressed > limit:
            highest = search.last_above(node, limit)
            open_nodes[tuple(slice(0, level + 1) for level in highest)] = False
            continue
        freely = sum(at > 0 and not ladder.is_given for ladder, at in zip(ladders, node, strict=True))
        found = (round(loss, 12), int(suppressed), freely, node)
        best = found if best is None or found < best else best
    if best is None:  # even one class of everybody is too small
        raise ParameterError(
            f"must not exceed the number of people, got k = {k} for {counted(int(search.total), 'person')}",
            parameter="k",
        )
    return best[3]


@dataclass(frozen=True, eq=False)
class _Search:
    """What every node does to the ``people`` of each combination of values."""

    ladders: tuple[Ladder, ...]
    people: IntArray
    k: int

    def __post_init__(self) -> None:
        nodes = math.prod(ladder.height + 1 for ladder in self.ladders)
        if nodes > LARGEST_LATTICE:
            raise ParameterError(
                f"there are {nodes:,} ways to generalise these columns, more than {LARGEST_LATTICE:,}",
                remedy="name fewer columns, give hierarchies with fewer levels, or fix the levels with `node`",
            )

    @cached_property
    def total(self) -> float:
        """People in all."""
        return float(self.people.sum())

    @cached_property
    def occupied(self) -> IntArray:
        """The combinations that somebody has."""
        return np.flatnonzero(self.people)

    @cached_property
    def weights(self) -> FloatArray:
        """Their people."""
        return as_floats(self.people[self.occupied])

    @cached_property
    def codes(self) -> tuple[IntArray, ...]:
        """Their codes in each column."""
        return tuple(np.unravel_index(self.occupied, [len(ladder.groups[0]) for ladder in self.ladders]))

    @cached_property
    def lost(self) -> list[list[FloatArray]]:
        """By column and level: what the generalisation loses of each combination."""
        return [
            [ladder.losses(at)[code] / len(self.ladders) for at in range(ladder.height + 1)]
            for ladder, code in zip(self.ladders, self.codes, strict=True)
        ]

    @property
    def bounds(self) -> FloatArray:
        """G of every node."""
        total = np.zeros([1] * len(self.ladders))
        for axis, levels in enumerate(self.lost):
            column = np.array([self.weights @ values / self.total for values in levels])
            total = total + along(column, axis, len(self.ladders))
        return total

    def outcome(self, node: Node) -> tuple[float, float]:
        """How many people are suppressed, and the loss."""
        keys = np.ravel_multi_index(
            [ladder.groups[at][code] for ladder, at, code in zip(self.ladders, node, self.codes, strict=True)],
            [len(ladder.labels[at]) for ladder, at in zip(self.ladders, node, strict=True)],
        )
        _, class_of = np.unique(keys, return_inverse=True)
        small = np.bincount(class_of, weights=self.weights)[class_of] < self.k
        mean = np.sum([levels[at] for levels, at in zip(self.lost, node, strict=True)], axis=0)
        return float(self.weights[small].sum()), float(self.weights @ np.where(small, 1.0, mean)) / self.total

    def last_above(self, node: Node, limit: float) -> Node:
        """On the way up from ``node``, all columns in turn, the highest node that still suppresses too many."""
        way = [node]
        while any(at < ladder.height for ladder, at in zip(self.ladders, way[-1], strict=True)):
            for j, ladder in enumerate(self.ladders):
                if way[-1][j] < ladder.height:
                    way.append((*way[-1][:j], way[-1][j] + 1, *way[-1][j + 1 :]))
        low, high = 0, len(way)  # way[low] suppresses too many, way[high] does not, or is beyond the top
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.outcome(way[middle])[0] > limit else (low, middle)
        return way[low]
