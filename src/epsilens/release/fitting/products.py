"""Any marginals of a complete product of levels, fitted by their components.

They fall apart into uncorrelated components, one for each set A of columns: the table summed over the other columns,
less its own lower marginals (centred along every axis of A). A table q that contains A shows that component with
variance proportional to sigma_q^2 N_(q - A), where N counts the levels of the columns summed over. So the best estimate
averages the tables with weights inverse to that, and

    y_q = sum over A within q of component_A / N_(q - A),
    Var = sum over A within q of v_A prod_{i in A} (1 - 1 / n_i) / N_(q - A)^2,
    1 / v_A = sum over q that contain A of 1 / (sigma_q^2 N_(q - A)).

**Weights.** The noise of cell j of table t enters cell c of table q by the columns in which the two agree: with
omega_(t, A) the weight of t in component A, and D the columns that both tables have, by

    sum over A within D of omega_(t, A) / N_(q - A) prod_{i in A} ([c and j agree in i] - 1 / n_i),

so that all counts of a table are alike.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.release.fitting.fit import Alike
from epsilens.release.universe import Universe


@dataclass(frozen=True, eq=False)
class ProductFit:
    """Marginals of a complete product, whose noise has these ``spreads`` (variances, up to a common factor)."""

    universes: Sequence[Universe]
    spreads: Sequence[float]

    @cached_property
    def _size(self) -> dict[str, int]:
        """How many levels each column has."""
        return {name: n for part in self.universes for name, n in zip(part.columns, part.sizes, strict=True)}

    @cached_property
    def _sets(self) -> list[frozenset[str]]:
        return [frozenset(universe.columns) for universe in self.universes]

    @cached_property
    def _shares(self) -> dict[frozenset[str], tuple[dict[int, float], float]]:
        """For each component the weight omega of every table that shows it, and its variance."""
        least = min(self.spreads)  # only ratios matter, and those do not overflow
        found = {}
        for wanted in _subsets(self._sets):
            precision = {
                t: least / spread / self._levels(members - wanted)
                for t, (members, spread) in enumerate(zip(self._sets, self.spreads, strict=True))
                if wanted <= members
            }
            total = sum(precision.values())
            found[wanted] = {t: part / total for t, part in precision.items()}, least / total
        return found

    def fitted(self, noisy: Sequence[FloatArray]) -> list[FloatArray]:
        """The tables that agree and are nearest to ``noisy``, each (..., cells)."""
        columns = list(self._size)
        lead = np.shape(noisy[0])[:-1]
        # Axes in one common order, with columns that a table does not have as axes of length 1.
        tensors = [_tensor(universe, as_floats(t), columns) for universe, t in zip(self.universes, noisy, strict=True)]
        components: dict[frozenset[str], FloatArray] = {}
        for wanted, (shares, _) in self._shares.items():
            average = np.zeros(())
            for t, share in shares.items():
                away = tuple(len(lead) + i for i, name in enumerate(columns) if name in self._sets[t] - wanted)
                average = average + share * tensors[t].sum(axis=away, keepdims=True)
            for axis, name in enumerate(columns):
                if name in wanted:
                    average = average - average.mean(axis=len(lead) + axis, keepdims=True)
            components[wanted] = as_floats(average)
        counts = []
        for universe, members in zip(self.universes, self._sets, strict=True):
            total = np.zeros((*lead, *(self._size[name] if name in members else 1 for name in columns)))
            for wanted, component in components.items():
                if wanted <= members:
                    total = total + component / self._levels(members - wanted)
            order = [columns.index(name) for name in universe.columns]
            absent = [i for i, name in enumerate(columns) if name not in members]
            axes = [*range(len(lead)), *(len(lead) + i for i in (*order, *absent))]
            counts.append(as_floats(total.transpose(axes).reshape((*lead, universe.n_cells))))
        return counts

    @cached_property
    def variances(self) -> list[FloatArray]:
        """The variance of each fitted count."""
        found = []
        for universe, members in zip(self.universes, self._sets, strict=True):
            variance = 0.0
            for wanted, (_, spread) in self._shares.items():
                if wanted <= members:
                    centred = float(np.prod([1.0 - 1.0 / self._size[name] for name in wanted]))
                    variance += spread * centred / self._levels(members - wanted) ** 2
            found.append(np.full(universe.n_cells, variance))
        return found

    def kinds(self) -> int:
        """One for each table."""
        return len(self.universes)

    def alike(self) -> Iterator[Alike]:
        """What the counts of each table are made of."""
        for q, universe in enumerate(self.universes):
            made = [self._made_of(q, t) for t in range(len(self.universes))]
            yield Alike(q, np.arange(universe.n_cells), tuple(w for w, _ in made), tuple(n for _, n in made))

    def _made_of(self, q: int, t: int) -> tuple[FloatArray, FloatArray]:
        """The weights of the noise of table ``t`` in a count of table ``q``, and how many cells have each."""
        both = sorted(self._sets[q] & self._sets[t])
        weights, times = np.zeros((2,) * len(both)), np.ones((2,) * len(both))
        for chosen in itertools.product((0, 1), repeat=len(both)):
            wanted = frozenset(name for name, there in zip(both, chosen, strict=True) if there)
            weights[chosen] = self._shares[wanted][0][t] / self._levels(self._sets[q] - wanted)
        for axis, name in enumerate(both):  # from (column not in A, column in A) to (cells differ, cells agree)
            n = self._size[name]
            out, inside = np.take(weights, 0, axis), np.take(weights, 1, axis)
            weights = np.stack([out - inside / n, out + inside * (1.0 - 1.0 / n)], axis)
            shape = np.ones(len(both), dtype=int)
            shape[axis] = 2
            times = times * np.array([n - 1.0, 1.0]).reshape(shape)
        return as_floats(weights).reshape(-1), as_floats(times * self._levels(self._sets[t] - set(both))).reshape(-1)

    def _levels(self, names: frozenset[str]) -> float:
        return float(np.prod([float(self._size[name]) for name in names]))


def _tensor(universe: Universe, table: FloatArray, columns: Sequence[str]) -> FloatArray:
    """The table with an axis for each of ``columns``, of length 1 where it does not have the column."""
    lead = table.shape[:-1]
    order = np.argsort([columns.index(name) for name in universe.columns])
    shape = [universe.sizes[universe.columns.index(name)] if name in universe.columns else 1 for name in columns]
    axes = [*range(len(lead)), *(len(lead) + int(i) for i in order)]
    return as_floats(table.reshape((*lead, *universe.sizes)).transpose(axes).reshape((*lead, *shape)))


def _subsets(sets: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Every subset of some of the sets, small ones first."""
    found = {
        frozenset(part)
        for members in sets
        for length in range(len(members) + 1)
        for part in itertools.combinations(sorted(members), length)
    }
    return sorted(found, key=lambda part: (len(part), sorted(part)))
