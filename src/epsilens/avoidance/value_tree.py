"""Generalisation hierarchies: a tree over the values of a categorical attribute.

Leaves are numbered in depth-first order, so that everything below a node is an interval of leaves and the smallest node
above a set of values is found from its first and last leaf alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import IntArray
from epsilens.errors import DataError, ParameterError
from epsilens.notebook import brief

DEEPEST = 1_000
"""Steps from a value to the root: every value carries its whole way, so a chain of 100,000 would fill the memory."""


@dataclass(frozen=True, eq=False)
class GeneralisationHierarchy:
    """A tree with one root. ``ancestors[d, leaf]`` is the node at depth d above a leaf; a leaf stands for itself below.

    ``leaves`` are the attribute's values in depth-first order, ``nodes`` the names of all nodes.
    """

    leaves: tuple[str, ...]
    nodes: tuple[str, ...]
    ancestors: IntArray

    __repr__ = brief

    @staticmethod
    def from_parents(parents: Mapping[str, str], column: str = "the column") -> GeneralisationHierarchy:
        """From ``{child: parent}``; the one node that is nobody's child is the root.

        A node whose way up ends nowhere, or runs in a circle, is an orphan, and refused.
        """
        links = {str(child): str(parent) for child, parent in parents.items()}
        if not links:
            raise ParameterError(f"the hierarchy of {column!r} is empty; write {{child: parent, ...}}")
        tops = {parent for parent in links.values() if parent not in links}
        reached = _roots(links, column)
        if (circling := sum(root is None for root in reached.values())) > 0:
            raise DataError(f"the hierarchy of {column!r} has {circling} orphans: their parents run in a circle")
        if len(tops) > 1:
            main = max(tops, key=lambda top: sum(root == top for root in reached.values()))
            orphans = sum(root != main for root in reached.values()) + len(tops) - 1
            raise DataError(
                f"the hierarchy of {column!r} has {orphans} orphans: they do not reach its root; "
                f"it has {len(tops)} roots and must have one"
            )
        children: dict[str, list[str]] = {}
        for child, parent in links.items():
            children.setdefault(parent, []).append(child)
        root = next(iter(tops))
        paths = _paths(root, children)
        names = tuple(dict.fromkeys(node for path in paths for node in path))
        number = {node: i for i, node in enumerate(names)}
        depth = max(len(path) for path in paths)
        padded = [[number[node] for node in (*path, *[path[-1]] * (depth - len(path)))] for path in paths]
        return GeneralisationHierarchy(
            tuple(path[-1] for path in paths), names, np.array(padded, dtype=np.int64).T.copy()
        )

    def leaf_positions(self, levels: Sequence[str], column: str) -> IntArray:
        """The leaf of each level of the data; a level that is not a leaf is an orphan."""
        position = {leaf: i for i, leaf in enumerate(self.leaves)}
        if orphans := sum(level not in position for level in levels):
            raise DataError(
                f"the hierarchy of {column!r} has no place for {orphans} of the {len(levels)} values in the data; "
                "give each of these orphans a parent"
            )
        return np.array([position[level] for level in levels], dtype=np.int64)

    def common_depth(self, first: IntArray, last: IntArray) -> IntArray:
        """The depth of the smallest node that has both leaves below it."""
        return np.asarray((self.ancestors[:, first] == self.ancestors[:, last]).sum(axis=0) - 1, dtype=np.int64)

    def node_of(self, first: int, last: int) -> str:
        """The name of that node."""
        depth = int(self.common_depth(np.array([first]), np.array([last]))[0])
        return self.nodes[int(self.ancestors[depth, first])]


def _roots(links: Mapping[str, str], column: str) -> dict[str, str | None]:
    """The top of the way up from every node, None where it runs in a circle; refused where the way is too long."""
    found: dict[str, tuple[str | None, int]] = {}
    for start in links:
        way, node = [start], links[start]
        passed = {start}
        while node in links and node not in found and node not in passed:
            way.append(node)
            passed.add(node)
            node = links[node]
        root, depth = (None, 0) if node in passed else found.get(node, (node, 0))
        for step in reversed(way):
            depth += 1
            found.setdefault(step, (root, depth))
    deepest = max((depth for root, depth in found.values() if root is not None), default=0)
    if deepest > DEEPEST:
        raise DataError(f"the hierarchy of {column!r} has {deepest + 1} levels; it may have at most {DEEPEST + 1}")
    return {node: found[node][0] for node in links}


def _paths(root: str, children: Mapping[str, list[str]]) -> list[tuple[str, ...]]:
    """The way from the root to every leaf, in depth-first order."""
    paths: list[tuple[str, ...]] = []
    stack: list[tuple[str, ...]] = [(root,)]
    while stack:
        path = stack.pop()
        below = children.get(path[-1])
        if below:
            stack.extend((*path, child) for child in reversed(below))
        else:
            paths.append(path)
    return paths
