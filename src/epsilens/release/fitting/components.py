"""Noisy proportions and histograms made to add up again. All of it is post-processing and costs no privacy.

Shares of a total are rescaled (:func:`rescaled`) or moved to the nearest vector that is non-negative and adds up
(:func:`projected_to_simplex`).

Counts on a **tree** of categories (a universal histogram: leaves, pairs of leaves, ..., the total) are noisy at every
node, so children do not add up to their parent. :func:`consistent_counts` gives the least-squares estimate that does,
for any tree and any noise variances, in two passes:

* upwards, a node's own noisy count and the sum of its children's estimates are averaged with weights inverse to their
  variances; the result z has variance v with 1/v = 1/own + 1/(sum of the children's v);
* downwards, what a node's final count and the sum of its children's z differ by is shared among the children in
  proportion to their v.

With equal variances on a complete tree this is the estimate of Hay et al. (2010). :func:`combination_variance` gives
the variance that is left, for any linear combination of leaves.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import positive, whole
from epsilens.errors import ParameterError


def rescaled(values: npt.ArrayLike, total: float = 1.0) -> FloatArray:
    """Non-negative ``values`` (..., categories) divided by their sum, times ``total``.

    Where all values are 0 they say nothing about the shares, and every category gets the same.

    Source: P3 section 6 (the rescaling approach).
    Assumes: values are bounded below by 0 already, by truncation or clamping; the total is public.
    """
    shares = _finite(values)
    if np.any(shares < 0.0):
        raise ParameterError("rescaling needs values >= 0, got a negative one; clamp them, or project to the simplex")
    sums = shares.sum(axis=-1, keepdims=True)
    empty = sums == 0.0
    even = np.full_like(shares, 1.0 / shares.shape[-1])
    return as_floats(positive("total", total) * np.where(empty, even, shares / np.where(empty, 1.0, sums)))


def projected_to_simplex(values: npt.ArrayLike, total: float = 1.0) -> FloatArray:
    """The vector nearest to ``values`` (..., categories) that is non-negative and adds up to ``total``.

    It is max(values - tau, 0) with tau such that the sum is right: with values sorted downwards, tau is the largest
    (sum of the first k - total) / k over k (Duchi et al. 2008).

    Source: P3 section 6 (an alternative to its rescaling).
    Assumes: the total is public.
    """
    points = _finite(values)
    downwards = -np.sort(-points, axis=-1)
    size = np.arange(1, points.shape[-1] + 1)
    tau = ((np.cumsum(downwards, axis=-1) - positive("total", total)) / size).max(axis=-1, keepdims=True)
    return as_floats(np.maximum(points - tau, 0.0))


@dataclass(frozen=True)
class Tree:
    """A tree of categories: ``parents[v]`` is the parent of node v, -1 for the root; its leaves are the categories."""

    parents: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "parents", tuple(whole("a parent", parent, -1, "the root has -1") for parent in self.parents)
        )
        roots = [v for v, parent in enumerate(self.parents) if parent == -1]
        if len(roots) != 1:
            raise ParameterError(f"a tree must have one root (a parent of -1), got {len(roots)}")
        if max(self.parents) >= len(self.parents):
            raise ParameterError(
                f"must be node numbers below {len(self.parents)}, or -1 for the root", parameter="parents"
            )
        if len(self.downwards) != len(self.parents):
            raise ParameterError("every node of a tree must lead to its root, got a cycle; check the parents")

    @staticmethod
    def over(leaves: int, branching: int = 2) -> Tree:
        """The balanced tree over ``leaves`` ordered categories with at most ``branching`` children a node.

        Complete where ``leaves`` is a power of ``branching``; elsewhere ranges split as evenly as they can. Nodes are
        numbered level by level from the root.
        """
        leaves = whole("leaves", leaves, 1, "a tree needs a category")
        branching = whole("branching", branching, 2, "a node with one child says the same twice")
        parents, level = [-1], [(0, leaves, 0)]
        while level:
            below = []
            for start, stop, node in level:
                parts = min(branching, stop - start)
                if parts < 2:
                    continue
                cuts = [start + (stop - start) * i // parts for i in range(parts + 1)]
                for low, high in itertools.pairwise(cuts):
                    below.append((low, high, len(parents)))
                    parents.append(node)
            level = below
        return Tree(tuple(parents))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of every node."""
        found: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(node)
        return tuple(map(tuple, found))

    @cached_property
    def root(self) -> int:
        """The node without a parent."""
        return self.parents.index(-1)

    @cached_property
    def downwards(self) -> tuple[int, ...]:
        """All nodes, parents before children."""
        order = [self.root]
        for node in order:  # grows while it is read
            order.extend(self.children[node])
        return tuple(order)

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The nodes without children, from left to right: children in order of their numbers."""
        found, waiting = [], [self.root]
        while waiting:
            node = waiting.pop()
            if self.children[node]:
                waiting.extend(reversed(self.children[node]))
            else:
                found.append(node)
        return tuple(found)

    @cached_property
    def levels(self) -> int:
        """The number of nodes on the longest way from the root to a leaf."""
        depth = dict.fromkeys(self.downwards, 1)
        for node in self.downwards:
            for child in self.children[node]:
                depth[child] = depth[node] + 1
        return max(depth.values())

    def totals(self, leaf_values: npt.ArrayLike) -> FloatArray:
        """``leaf_values`` (..., leaves) summed to every node (..., nodes)."""
        values = as_floats(leaf_values)
        if values.shape[-1:] != (len(self.leaves),):
            raise ParameterError(
                f"a tree with {len(self.leaves)} leaves needs as many values, got shape {values.shape}"
            )
        sums = np.zeros((*values.shape[:-1], len(self.parents)))
        sums[..., list(self.leaves)] = values
        for node in reversed(self.downwards):
            if self.parents[node] >= 0:
                sums[..., self.parents[node]] += sums[..., node]
        return sums


def consistent_counts(tree: Tree, noisy: npt.ArrayLike, variances: npt.ArrayLike = 1.0) -> FloatArray:
    """The least-squares counts (..., nodes) given ``noisy`` (..., nodes): every parent is the sum of its children.

    ``variances`` holds the noise variance of each node, or one for all; 0 says that a count is exact (a public total),
    infinity that it was not measured (its noisy value is then ignored). Among unbiased linear estimates this one has
    the smallest variance for every linear combination; it may be negative.

    Source: P3 section 6 (the universal histogram of Hay et al. 2010), here for any tree and variances.
    Assumes: the nodes' noises are independent, with the given variances up to a common factor.
    """
    own, given = _node_variances(tree, variances), as_floats(noisy)
    if given.shape[-1:] != (len(tree.parents),):
        raise ParameterError(f"a tree with {len(tree.parents)} nodes needs as many counts, got shape {given.shape}")
    values = _finite(np.where(np.isinf(own), 0.0, given))
    upward, spread = values.copy(), upward_variances(tree, own)
    for node in reversed(tree.downwards):
        children = list(tree.children[node])
        if children:
            below = spread[children].sum()
            weight = _weight_of_own(own[node], below)
            upward[..., node] = weight * values[..., node] + (1.0 - weight) * upward[..., children].sum(axis=-1)
    final = upward.copy()
    for node in tree.downwards:
        children = list(tree.children[node])
        if children:
            missing = final[..., node] - upward[..., children].sum(axis=-1)
            final[..., children] = upward[..., children] + missing[..., None] * _portions(spread[children])
    return final


def upward_variances(tree: Tree, variances: npt.ArrayLike = 1.0) -> FloatArray:
    """The variance v of each node's count from its own subtree alone: 1/v = 1/own + 1/(sum of the children's v).

    On a complete tree with branching k and equal variances s^2, a node with l levels below and including itself has
    v = s^2 k^(l - 1) (k - 1) / (k^l - 1); at the root this is the variance of the consistent total.

    Source: P3 section 6 (Hay et al. 2010, whose weights these are).
    Assumes: as for :func:`consistent_counts`.
    """
    own = _node_variances(tree, variances)
    spread = own.copy()
    for node in reversed(tree.downwards):
        children = list(tree.children[node])
        if children:
            if np.isinf(spread[children]).sum() > 1:
                raise ParameterError("two children of one node were neither measured nor inferable; measure one more")
            below = spread[children].sum()
            if np.isinf(own[node]) or np.isinf(below):
                spread[node] = min(own[node], below)
            else:
                spread[node] *= _weight_of_own(own[node], below)
    if np.isinf(spread[tree.root]):
        raise ParameterError("some leaf was neither measured nor inferable from what was; measure it, or a node above")
    return spread


def combination_variance(tree: Tree, leaf_weights: npt.ArrayLike, variances: npt.ArrayLike = 1.0) -> float:
    """The exact variance of sum of w_i times the consistent count of leaf i, in one pass upwards.

    Below a node with final count x, the combination is alpha x plus a part that does not depend on x. With v the
    children's :func:`upward_variances` and V their sum, alpha = sum of alpha_c v_c / V, and the independent part gains
    sum of alpha_c^2 v_c - (sum of alpha_c v_c)^2 / V. At the root: alpha^2 v_root + the independent part.

    Source: P3 section 6 (generalised least squares on a tree; Hay et al. 2010 give bounds for equal variances).
    Assumes: as for :func:`consistent_counts`, and ``variances`` are the true ones.
    """
    weights = _finite(leaf_weights)
    if weights.shape != (len(tree.leaves),):
        raise ParameterError(f"a tree with {len(tree.leaves)} leaves needs as many weights, got {weights.size}")
    spread = upward_variances(tree, variances)
    alpha, independent = np.zeros(len(spread)), np.zeros(len(spread))
    alpha[list(tree.leaves)] = weights
    for node in reversed(tree.downwards):
        children = list(tree.children[node])
        if children:
            portions = _portions(spread[children])
            alpha[node] = float(alpha[children] @ portions)
            # sum of v (alpha_c - alpha)^2 is the same gain without cancellation; an unmeasured child has its alpha
            known = np.where(np.isinf(spread[children]), 0.0, spread[children])
            gain = float(known @ (alpha[children] - alpha[node]) ** 2)
            independent[node] = independent[children].sum() + gain
    return float(alpha[tree.root] ** 2 * spread[tree.root] + independent[tree.root])


def range_variance(tree: Tree, first: int, last: int, variances: npt.ArrayLike = 1.0) -> float:
    """:func:`combination_variance` of the sum of leaves ``first`` to ``last``, both included, counted from 0."""
    return combination_variance(tree, _range_weights(tree, first, last), variances)


def covering_variance(tree: Tree, first: int, last: int, variances: npt.ArrayLike = 1.0) -> float:
    """The variance of the same sum without consistency: the fewest noisy nodes that cover the range, added up.

    Source: P3 section 6 (the plain tree estimate of Hay et al. 2010).
    Assumes: as for :func:`consistent_counts`.
    """
    own = _node_variances(tree, variances)
    wanted = tree.totals(_range_weights(tree, first, last))
    available = tree.totals(np.ones(len(tree.leaves)))
    total, waiting = 0.0, [tree.root]
    while waiting:
        node = waiting.pop()
        if wanted[node] == available[node]:
            total += float(own[node])
        elif wanted[node] > 0:
            waiting.extend(tree.children[node])
    return total


def _range_weights(tree: Tree, first: int, last: int) -> FloatArray:
    if not 0 <= first <= last < len(tree.leaves):
        raise ParameterError(f"a range must lie within leaves 0 to {len(tree.leaves) - 1}, got {first} to {last}")
    weights = np.zeros(len(tree.leaves))
    weights[first : last + 1] = 1.0
    return weights


def _weight_of_own(own: float, below: float) -> float:
    """The weight of a node's own count against the sum of its children's: inverse to the variances."""
    if np.isinf(own):
        return 0.0
    if np.isinf(below) or own == 0.0:
        return 1.0
    return float(1.0 / (1.0 + own / below)) if below > 0.0 else 0.0


def _portions(spread: FloatArray) -> FloatArray:
    """Each child's share of a difference: by variance; all to an unmeasured child, evenly where all are exact."""
    total = spread.sum()
    if np.isinf(total):
        return np.isinf(spread).astype(np.float64)
    return as_floats(spread / total) if total > 0.0 else np.full(spread.shape, 1.0 / spread.size)


def _node_variances(tree: Tree, variances: npt.ArrayLike) -> FloatArray:
    own = as_floats(variances)
    if own.shape not in ((), (len(tree.parents),)):
        raise ParameterError(f"a tree with {len(tree.parents)} nodes needs one variance or as many, got {own.size}")
    if np.isnan(own).any() or (own < 0.0).any():
        raise ParameterError(
            "must be >= 0 (infinity for a node that was not measured), got one that is not", parameter="variances"
        )
    return np.array(np.broadcast_to(own, (len(tree.parents),)))


def _finite(values: npt.ArrayLike | Sequence[float]) -> FloatArray:
    numbers = as_floats(values)
    if numbers.ndim == 0 or numbers.shape[-1] == 0:
        raise ParameterError("at least one category is needed, got none")
    if not np.isfinite(numbers).all():
        raise ParameterError("noisy values must be finite, got NaN or infinity")
    return numbers
