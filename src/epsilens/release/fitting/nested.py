"""Tables that nest (the levels of a hierarchy), fitted in two passes, level by level.

Every cell of a table is the sum of its family in the next finer one. Upwards, a cell's own noisy count and the sum of
its family's estimates are averaged with weights a and b = 1 - a inverse to their variances; the result z has variance s
with 1 / s = 1 / own + 1 / (sum of the family's s). Downwards, what a cell's final count and the sum S of its family's z
differ by is shared among them in proportion to their s: final = z + p (final of the parent - S), p = s / (sum of s).
The coarsest table learns only from below. (``components.py`` has the same for a single tree with any variances.)

**Variances.** A count has s (1 - p) + p^2 V with V its parent's final variance, because the contrast within a family is
uncorrelated with its total.

**Weights.** With c_0, ..., c_m the cells from the coarsest table down to a count c_m, and P_k the product of p over
c_(k + 1), ..., c_m, the final count is the sum over k of P_k z of c_k, less the sum over k < m of P_k S of c_k. Each z
is a times the own count plus b times the sum of the family's z, which spreads these coefficients downwards.

Counts are alike where their families, their parents' families, and so on, have the same shapes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.release.fitting.fit import Alike
from epsilens.release.universe import Universe


@dataclass(frozen=True, eq=False)
class NestedFit:
    """Tables that nest, ``order`` from the coarsest to the finest; their noise has ``spreads`` (variances > 0)."""

    universes: Sequence[Universe]
    spreads: Sequence[float]
    order: Sequence[int]

    @cached_property
    def _parents(self) -> list[IntArray]:
        """For each table but the coarsest, the cell of the next coarser one that every cell adds to."""
        pairs = itertools.pairwise(self.order)
        return [self.universes[fine].marginal(self.universes[coarse].columns)[1] for coarse, fine in pairs]

    @cached_property
    def _upward(self) -> tuple[list[FloatArray], list[FloatArray], list[FloatArray], list[FloatArray]]:
        """By level, a, b and s of every cell, and p of every cell but those of the coarsest table."""
        sizes = [self.universes[i].n_cells for i in self.order]
        spread = np.full(sizes[-1], float(self.spreads[self.order[-1]]))
        own, below, spreads = [np.ones(sizes[-1])], [np.zeros(sizes[-1])], [spread]
        portions: list[FloatArray] = []
        for depth in range(len(sizes) - 2, -1, -1):
            parent, variance = self._parents[depth], float(self.spreads[self.order[depth]])
            family = np.bincount(parent, weights=spreads[0], minlength=sizes[depth])
            portions.insert(0, as_floats(spreads[0] / family[parent]))
            own.insert(0, as_floats(1.0 / (1.0 + variance / family)))
            below.insert(0, as_floats(1.0 / (1.0 + family / variance)))  # not 1 - a, which may lose all its digits
            spreads.insert(0, as_floats(variance * own[0]))
        return own, below, spreads, portions

    def fitted(self, noisy: Sequence[FloatArray]) -> list[FloatArray]:
        """The tables that agree and are nearest to ``noisy``, each (..., cells)."""
        own, below, _, portions = self._upward
        upward = [as_floats(noisy[i]) for i in self.order]
        sums: list[FloatArray] = []
        for depth in range(len(upward) - 2, -1, -1):
            sums.insert(0, _sums(upward[depth + 1], self._parents[depth], len(own[depth])))
            upward[depth] = own[depth] * upward[depth] + below[depth] * sums[0]
        final = [upward[0]]
        for depth, parent in enumerate(self._parents):
            missing = (final[depth] - sums[depth])[..., parent]
            final.append(as_floats(upward[depth + 1] + portions[depth] * missing))
        return self._as_given(final)

    @cached_property
    def variances(self) -> list[FloatArray]:
        """The variance of each fitted count."""
        _, _, spreads, portions = self._upward
        left = [spreads[0]]
        for depth, parent in enumerate(self._parents):
            s, p = spreads[depth + 1], portions[depth]
            left.append(as_floats(s * (1.0 - p) + p**2 * left[-1][parent]))
        return self._as_given(left)

    @cached_property
    def _kinds(self) -> list[IntArray]:
        """By level, the number of the kind of every cell: the shape of what is below, and the kind of the parent."""
        shapes = [np.zeros(self.universes[self.order[-1]].n_cells, dtype=np.int64)]
        for parent in reversed(self._parents):
            by_family = np.lexsort((shapes[0], parent))
            families = np.split(shapes[0][by_family], np.cumsum(np.bincount(parent))[:-1])
            number: dict[bytes, int] = {}
            shapes.insert(0, np.array([number.setdefault(f.tobytes(), len(number)) for f in families]))
        kinds = [shapes[0]]
        for depth, parent in enumerate(self._parents):
            pairs = np.stack([kinds[depth][parent], shapes[depth + 1]], axis=1)
            kinds.append(np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1))
        return kinds

    def kinds(self) -> int:
        """How many shapes of families there are, over all levels."""
        return sum(int(kind.max()) + 1 for kind in self._kinds)

    def alike(self) -> Iterator[Alike]:
        """What the counts of each kind are made of."""
        for depth, kind in enumerate(self._kinds):
            for cells in np.split(np.argsort(kind, kind="stable"), np.cumsum(np.bincount(kind))[:-1]):
                weights = self._as_given(self._made_of(depth, int(cells[0])))
                yield Alike(self.order[depth], cells, tuple(weights), tuple(np.ones(len(w)) for w in weights))

    def _made_of(self, depth: int, cell: int) -> list[FloatArray]:
        """By level, the weight of every noisy count in the fitted count of this cell."""
        own, below, _, portions = self._upward
        path, passed = [cell], [1.0]
        for above in range(depth - 1, -1, -1):
            passed.insert(0, passed[0] * float(portions[above][path[0]]))
            path.insert(0, int(self._parents[above][path[0]]))
        entering = np.zeros(len(own[0]))  # the coefficient of every cell's z
        entering[path[0]] = passed[0]
        weights = [as_floats(entering * own[0])]
        for level, parent in enumerate(self._parents):
            entering = (entering * below[level])[parent]
            if level < depth:
                entering[parent == path[level]] -= passed[level]
                entering[path[level + 1]] += passed[level + 1]
            weights.append(as_floats(entering * own[level + 1]))
        return weights

    def _as_given(self, levels: Sequence[FloatArray]) -> list[FloatArray]:
        """From the order of the levels to that of the tables."""
        return [levels[list(self.order).index(i)] for i in range(len(levels))]


def _sums(values: FloatArray, parent: IntArray, size: int) -> FloatArray:
    """``values`` (..., cells) added up to their parents."""
    if values.ndim == 1:
        return as_floats(np.bincount(parent, weights=values, minlength=size))
    from scipy import sparse

    cells = np.arange(len(parent))
    adding = sparse.csr_matrix((np.ones(len(parent)), (parent, cells)), shape=(size, len(parent)))
    flat = values.reshape(-1, len(parent))
    return as_floats((adding @ flat.T).T.reshape((*values.shape[:-1], size)))
