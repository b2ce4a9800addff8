"""Independent parts of what is published, and how probably one of them gives something away.

An attacker looks for releases that show one *slab* alone: some label of it and no other. The slab of a value is the
labels that carry it; that of several values at once, one per attribute, the labels that carry them all. With
O(s) = [nothing outside s is shown] and A = [nothing is shown], "s is shown alone" is O(s) - A, and what a release gives
away is a sum of such differences with weights. Over the releases of a part, whose noises may depend on one another,

    [no release gives anything away] = prod over releases of (1 + A sum_s w_s - sum_s w_s O(s)),

and multiplied out every term asks for certain counts to be hidden.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Protocol, TypeAlias

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray
from epsilens.errors import ParameterError
from epsilens.homogeneity.repeated.attributes import only_group_shown
from epsilens.homogeneity.repeated.fitted import Lineage, Required
from epsilens.homogeneity.shown import shown_and_hidden
from epsilens.noise.law import AnyNoise

_MOST_TERMS = 20_000
_LARGEST_BATCH = 1 << 23


@dataclass(frozen=True, eq=False)
class Slab:
    """Labels of a release, and for every cell how much is given away when no others are shown."""

    labels: frozenset[int]
    weights: FloatArray


Slabs: TypeAlias = Mapping[str, Sequence[Slab]]
"""By the name of the release; their weights add up to 0 or 1 whatever is shown."""


class Independent(Protocol):
    """A part that is independent of all others: one release, or several whose noises depend on one another."""

    def escape(self, slabs: Slabs) -> FloatArray:
        """P(none of its releases gives anything away), per cell."""
        ...


def caught(parts: Sequence[Independent], slabs: Slabs) -> FloatArray:
    """P(at least one of the parts gives something away), per cell."""
    escape = math.prod(part.escape(slabs) for part in parts)
    return np.clip(1.0 - escape, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class IndependentRelease:
    """A release that is fitted to nothing and to which nothing is fitted."""

    name: str
    noise: AnyNoise
    vectors: IntArray
    """(cells of the release, labels)."""
    rows: IntArray
    """(cells,): the cell of the release that holds each cell of people."""

    @cached_property
    def _hidden(self) -> FloatArray:
        return shown_and_hidden(self.vectors, self.noise)[1]

    def escape(self, slabs: Slabs) -> FloatArray:
        """See :class:`Independent`; the labels are independent, so no term needs to be subtracted from another."""
        given_away = np.zeros(len(self.rows))
        for slab in slabs.get(self.name, ()):
            given_away += slab.weights * only_group_shown(self._hidden, [sorted(slab.labels)])[self.rows, 0]
        return 1.0 - given_away


@dataclass(frozen=True, eq=False)
class IndependentLineage:
    """A release and those fitted to it; ``names`` are those of the lineage's levels."""

    names: tuple[str, ...]
    n_labels: tuple[int, ...]
    lineage: Lineage

    def escape(self, slabs: Slabs) -> FloatArray:
        """P(no release of the lineage shows a slab alone): the product above, multiplied out.

        Source: P0 section 4.3.
        Assumes what :meth:`Lineage.hidden` assumes.
        Departs from print (P0-11): there the constraint is mentioned and its effect is not computed.
        """
        speaking = [level for level, name in enumerate(self.names) if slabs.get(name)]
        terms = math.prod(2 + len(slabs[self.names[level]]) for level in speaking)
        if terms > _MOST_TERMS:
            raise ParameterError(
                f"what {len(speaking)} releases fitted to one another show together would take {terms} terms, at most "
                f"{_MOST_TERMS} are computed",
                remedy="leave out releases, or merge values",
            )
        merged = {level: _merged(slabs[self.names[level]]) for level in speaking}
        kind_of_cell = self.lineage.kind_of_cell
        answer = np.zeros(len(kind_of_cell))
        by_kind = np.zeros(self.lineage.n_kinds)
        terms_left = self._terms(speaking, merged, np.ones(len(answer)), {})
        # many terms at a time, since they share most of their work; but of large tables not too many
        while batch := list(islice(terms_left, max(1, _LARGEST_BATCH // len(answer)))):
            questions = [(required, self._kinds_of(weight != 0)) for weight, required in batch]
            for (weight, _), (_, kinds), hidden in zip(batch, questions, self.lineage.hidden(questions), strict=True):
                by_kind[kinds] = hidden
                answer += weight * by_kind[kind_of_cell]
        return np.clip(answer, 0.0, 1.0)

    def _kinds_of(self, cells: BoolArray) -> IntArray:
        """The kinds of some cells, without sorting these."""
        there = np.zeros(self.lineage.n_kinds, dtype=bool)
        there[self.lineage.kind_of_cell[cells]] = True
        return np.flatnonzero(there)

    def _terms(
        self,
        levels: list[int],
        slabs: Mapping[int, Mapping[frozenset[int], FloatArray]],
        weight: FloatArray,
        required: Required,
    ) -> Iterator[tuple[FloatArray, Required]]:
        """The terms that begin with ``weight`` and ``required`` and differ in what they take from ``levels``."""
        if not weight.any():
            return
        if not levels:
            yield weight, required
            return
        level, *others = levels
        everything = frozenset(range(self.n_labels[level]))
        yield from self._terms(others, slabs, weight, required)
        nothing_shown = sum(slabs[level].values(), np.zeros(len(weight)))
        yield from self._terms(others, slabs, weight * nothing_shown, {**required, level: everything})
        for labels, weights in slabs[level].items():
            yield from self._terms(others, slabs, -weight * weights, {**required, level: everything - labels})


def _merged(slabs: Sequence[Slab]) -> dict[frozenset[int], FloatArray]:
    """Equal slabs counted once, with their weights added up; a slab without labels is never shown."""
    merged: dict[frozenset[int], FloatArray] = {}
    for slab in slabs:
        if slab.labels:
            merged[slab.labels] = merged.get(slab.labels, np.zeros(len(slab.weights))) + slab.weights
    return merged
