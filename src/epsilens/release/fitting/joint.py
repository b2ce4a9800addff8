"""Tables that overlap, fitted by the cells of their common universe: least squares, and non-negative least squares.

Every table q of a release is A_q x, the sums of cells x of the universe over the columns it leaves out. A structural
zero is a cell that x does not have, so it stays 0 in every table. With noise variances s_q^2 the nearest tables that
agree minimise F(x) = sum over q of |A_q x - y_q|^2 / (2 s_q^2).

**Least squares.** The tables that agree are the column space of the stacked A; its basis U are the eigenvectors of A A'
to eigenvalues above 0, which do not depend on the noise. With E the standard errors, the fit is U c with c the least
squares solution of E^-1 U c = E^-1 y: by normal equations where errors are about even, and elsewhere by an orthogonal
factorisation that bears very unequal ones. (A table with more than :data:`WIDEST_RATIO` times the least variance is
weighted as if it had no more.) The fit is a matrix times y, whose rows are the weights of each count: exact, but cubic
in the number of counts, hence :data:`MAX_COUNTS`.

**Non-negative.** The same with x >= 0. Let B = E^-1 A and z = E^-1 y. A few rounds of proportional fitting, then
accelerated projected gradients with a step of its own for each cell (the row sums of B' B bound it from above, because
no entry is negative) and restarts. Whatever x is reached, its tables agree and are not negative. How far they are from
the best ones is bounded by the duality gap: with r = B x - z and any u with B'(r + u) >= 0,

    |B x - B best|^2 <= 2 (F(x) - F(best)) <= 2 r'B x + |u|^2 + 2 u'B x.

u charges every cell at which the gradient B'r is below 0 to the count it belongs to that is smallest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.release.fitting.fit import Alike
from epsilens.release.universe import Universe

MAX_COUNTS = 2_000
"""Counts of all tables together, for least squares over a universe with structural zeros."""
MAX_JOINT_CELLS = 100_000
"""Cells of the common universe, for non-negative fits."""
MOST_STEPS = 3_000
PROPORTIONAL_ROUNDS = 5
WIDEST_RATIO = 1e10
"""Of two variances, for least squares over a universe with structural zeros."""
EVEN_ERRORS = 100.0
"""Ratio of standard errors up to which the normal equations lose no digit that matters."""
NEAR = 0.1
"""Standard errors from the best fit, over all counts together, at which a non-negative one is near enough."""


def common_universe(joint: Universe, universes: Sequence[Universe]) -> Universe:
    """The cells of all columns that some table has."""
    wanted = {name for universe in universes for name in universe.columns}
    return joint.marginal(tuple(name for name in joint.columns if name in wanted))[0]


@dataclass(frozen=True, eq=False)
class JointFit:
    """Least squares over the cells of the ``joint`` universe; the noise of the tables has ``spreads`` (variances)."""

    joint: Universe
    universes: Sequence[Universe]
    spreads: Sequence[float]

    @cached_property
    def _sizes(self) -> list[int]:
        return [universe.n_cells for universe in self.universes]

    @cached_property
    def _basis(self) -> FloatArray:
        """U: an orthonormal basis of the tables that agree."""
        from scipy import sparse

        groups, starts = _groups(self.joint, self.universes), np.cumsum([0, *self._sizes])
        rows = np.concatenate([group + start for group, start in zip(groups, starts, strict=False)])
        cells = np.tile(np.arange(self.joint.n_cells), len(groups))
        sums = sparse.csr_matrix((np.ones(len(rows)), (rows, cells)), shape=(starts[-1], self.joint.n_cells))
        values, vectors = np.linalg.eigh((sums @ sums.T).toarray())
        # Counts of cells: an eigenvalue that is not 0 is far above what rounding leaves of one that is.
        return as_floats(vectors[:, values > 10.0 * len(values) * np.finfo(float).eps * values[-1]])

    @cached_property
    def _projection(self) -> FloatArray:
        """The matrix from all noisy counts to all fitted ones."""
        from scipy import linalg

        basis, least = self._basis, min(self.spreads)
        errors = np.repeat(np.sqrt([min(spread / least, WIDEST_RATIO) for spread in self.spreads]), self._sizes)
        if np.ptp(errors) == 0.0:
            return as_floats(basis @ basis.T)
        if errors.max() <= EVEN_ERRORS * errors.min():  # then the normal equations, which are much quicker, will do
            weighted = (basis / errors[:, None] ** 2).T
            return as_floats(basis @ linalg.solve(weighted @ basis, weighted, assume_a="pos"))
        # Rows with the smallest errors first: with pivoting, rounding then stays small next to every single row.
        order = np.argsort(errors, kind="stable")
        q, r, pivot = linalg.qr((basis / errors[:, None])[order], mode="economic", pivoting=True)
        solution = np.empty((basis.shape[1], len(errors)))
        solution[np.ix_(pivot, order)] = linalg.solve_triangular(r, q.T)
        return as_floats(basis @ (solution / errors))

    def fitted(self, noisy: Sequence[FloatArray]) -> list[FloatArray]:
        """The tables that agree and are nearest to ``noisy``, each (..., cells).

        Tables that agree are their own fit. So only what is left of ``noisy`` beside the plain projection is fitted,
        and what is left then once more: rounding is relative to the noise, not to the counts.
        """
        given = np.concatenate([as_floats(table) for table in noisy], axis=-1)
        fit = (given @ self._basis) @ self._basis.T
        for _ in range(2):
            fit = fit + (given - fit) @ self._projection.T
        return self._split(as_floats(fit))

    @cached_property
    def variances(self) -> list[FloatArray]:
        """The variance of each fitted count: the sum of the squared weights times the variances."""
        return self._split(as_floats(self._projection**2 @ np.repeat(as_floats(list(self.spreads)), self._sizes)))

    @cached_property
    def _alike(self) -> list[tuple[int, list[int]]]:
        """For each kind its table and its counts, by their places among all: those with the same sorted weights."""
        table = np.repeat(np.arange(len(self._sizes)), self._sizes)
        sizes = np.abs(self._projection)
        ordered = np.concatenate([np.sort(part, axis=1) for part in self._split(sizes)], axis=1)
        kinds: dict[tuple[int, bytes], list[int]] = {}
        for place, key in enumerate(np.round(ordered, 10)):
            kinds.setdefault((int(table[place]), key.tobytes()), []).append(place)
        return [(number, places) for (number, _), places in kinds.items()]

    def kinds(self) -> int:
        """How many different rows of weights there are."""
        return len(self._alike)

    def alike(self) -> Iterator[Alike]:
        """What the counts of each kind are made of."""
        starts = np.cumsum([0, *self._sizes])
        for table, places in self._alike:
            weights = self._split(self._projection[places[0]])
            ones = tuple(np.ones(len(part)) for part in weights)
            yield Alike(table, np.array(places) - starts[table], tuple(weights), ones)

    def _split(self, stacked: FloatArray) -> list[FloatArray]:
        return [as_floats(part) for part in np.split(stacked, np.cumsum(self._sizes)[:-1], axis=-1)]


def non_negative_fit(
    joint: Universe, universes: Sequence[Universe], noisy: Sequence[FloatArray], variances: Sequence[float]
) -> tuple[list[FloatArray], float]:
    """Tables that agree, without a negative count, nearest to ``noisy``; and how far off they may be.

    The second is in standard errors, over all counts together: at most :data:`NEAR`, unless it took too many steps.
    """
    problem = _Problem(_groups(joint, universes), [as_floats(table) for table in noisy], np.sqrt(variances))
    cells = problem.proportional()
    ahead, momentum = cells, 1.0
    for step in range(MOST_STEPS):
        slope = problem.gradient(ahead)
        moved = as_floats(np.maximum(ahead - slope / problem.steepness, 0.0))
        if float(slope @ (moved - cells)) > 0.0:  # the momentum leads uphill: start afresh from here
            momentum = 1.0
        faster = 0.5 * (1.0 + float(np.sqrt(1.0 + 4.0 * momentum**2)))
        ahead = as_floats(moved + (momentum - 1.0) / faster * (moved - cells))
        cells, momentum = moved, faster
        if step % 20 == 19 and problem.distance(cells) <= NEAR:
            break
    return problem.tables(cells), problem.distance(cells)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Non-negative least squares: the count of each table that every cell adds to, the noisy tables, their errors."""

    groups: Sequence[IntArray]
    noisy: Sequence[FloatArray]
    errors: FloatArray

    def tables(self, cells: FloatArray) -> list[FloatArray]:
        """A_q x for every table."""
        pairs = zip(self.groups, self.noisy, strict=True)
        return [as_floats(np.bincount(group, weights=cells, minlength=len(table))) for group, table in pairs]

    def gradient(self, cells: FloatArray) -> FloatArray:
        """B' (B x - z)."""
        parts = zip(self.tables(cells), self.noisy, self.errors, self.groups, strict=True)
        return as_floats(sum(((fit - given) / error**2)[group] for fit, given, error, group in parts))

    @cached_property
    def steepness(self) -> FloatArray:
        """The row sums of B' B."""
        parts = zip(self.groups, self.noisy, self.errors, strict=True)
        return as_floats(sum((np.bincount(g, minlength=len(table)) / e**2)[g] for g, table, e in parts))

    def proportional(self) -> FloatArray:
        """Cells that come near the tables, clipped at 0, by scaling them to each table in turn."""
        cells = np.ones(len(self.groups[0]))
        for _ in range(PROPORTIONAL_ROUNDS):
            for group, table in zip(self.groups, self.noisy, strict=True):
                sums = np.bincount(group, weights=cells, minlength=len(table))
                cells = cells * (np.maximum(table, 0.0) / np.where(sums > 0.0, sums, 1.0))[group]
        return as_floats(cells)

    def distance(self, cells: FloatArray) -> float:
        """How far at most the tables of these cells are from the best ones, in standard errors."""
        slope, fits = self.gradient(cells), [t / e for t, e in zip(self.tables(cells), self.errors, strict=True)]
        smallest = np.argmin([fit[group] for fit, group in zip(fits, self.groups, strict=True)], axis=0)
        gap = float(slope @ cells)
        for q, (fit, group) in enumerate(zip(fits, self.groups, strict=True)):
            charged, mine = np.zeros(len(fit)), smallest == q
            np.maximum.at(charged, group[mine], np.maximum(-slope[mine], 0.0) * self.errors[q])
            gap += float(0.5 * charged @ charged + charged @ fit)
        return float(np.sqrt(2.0 * max(gap, 0.0)))


def _groups(joint: Universe, universes: Sequence[Universe]) -> list[IntArray]:
    """For each table, the count that every cell of the universe adds to."""
    return [
        universe.positions(joint.codes[:, [joint.columns.index(name) for name in universe.columns]])
        for universe in universes
    ]
