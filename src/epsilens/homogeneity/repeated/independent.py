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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.errors import ParameterError
from epsilens.homogeneity.repeated.attributes import only_group_shown
from epsilens.homogeneity.repeated.fitted import Lineage
from epsilens.homogeneity.repeated.nodes import Required
from epsilens.homogeneity.shown import shown_and_hidden
from epsilens.noise.law import AnyNoise

_MOST_TERMS = 20_000
_LARGEST_BATCH = 1 << 20
"""Cells that terms are about."""


@dataclass(frozen=True, eq=False)
class Slab:
    """Labels of a release, and for every cell how much is given away when no others are shown."""

    labels: frozenset[int]
    weights: FloatArray


Slabs: TypeAlias = Mapping[str, Sequence[Slab]]
"""By the name of the release; their weights add up to 0 or 1 whatever is shown."""


class Independent(Protocol):
    """A part that is independent of all others: one release, or several whose noises depend on one another."""

    def escapes(self, several: Sequence[Slabs]) -> list[FloatArray]:
        """P(none of its releases gives anything away), per cell; for several choices of what would be given away."""
        ...


def caught(parts: Sequence[Independent], slabs: Slabs) -> FloatArray:
    """P(at least one of the parts gives something away), per cell."""
    return each_caught(parts, [slabs])[0]


def each_caught(parts: Sequence[Independent], several: Sequence[Slabs]) -> list[FloatArray]:
    """:func:`caught` for several choices, which share most of the work."""
    escapes = zip(*(part.escapes(several) for part in parts), strict=True)
    return [np.clip(1.0 - math.prod(escape), 0.0, 1.0) for escape in escapes]


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

    def escapes(self, several: Sequence[Slabs]) -> list[FloatArray]:
        """See :class:`Independent`; the labels are independent, so no term needs to be subtracted from another."""
        found = []
        for slabs in several:
            given_away = np.zeros(len(self.rows))
            for slab in slabs.get(self.name, ()):
                given_away += slab.weights * only_group_shown(self._hidden, [sorted(slab.labels)])[self.rows, 0]
            found.append(1.0 - given_away)
        return found


@dataclass(frozen=True, eq=False)
class OfCoarserCells:
    """A part, asked about cells of which its own are parts: what is known of it need not be found anew."""

    part: Independent
    examples: IntArray
    """(coarser cells,): one of the part's cells in each; releases that are asked tell no others apart."""
    n_cells: int
    """How many the part has."""

    def escapes(self, several: Sequence[Slabs]) -> list[FloatArray]:
        """See :class:`Independent`."""
        finer = [{name: [self._finer(slab) for slab in some] for name, some in slabs.items()} for slabs in several]
        return [escape[self.examples] for escape in self.part.escapes(finer)]

    def _finer(self, slab: Slab) -> Slab:
        weights = np.zeros(self.n_cells)
        weights[self.examples] = slab.weights
        return Slab(slab.labels, weights)


@dataclass(frozen=True, eq=False)
class IndependentLineage:
    """A release and those fitted to it; ``names`` are those of the lineage's levels."""

    names: tuple[str, ...]
    n_labels: tuple[int, ...]
    lineage: Lineage

    def escapes(self, several: Sequence[Slabs]) -> list[FloatArray]:
        """P(no release of the lineage shows a slab alone): the product above, multiplied out.

        Every term misses at most what :meth:`Lineage.hidden` leaves out, so that all together miss at most 1e-16 times
        prod over releases of (1 + 2 sum_s |w_s|): 3 per release where one slab is looked for.

        Source: P0 section 4.3.
        Assumes what :meth:`Lineage.hidden` assumes.
        Departs from print (P0-11): there the constraint is mentioned and its effect is not computed.
        """
        found = [np.ones(len(self.lineage.kind_of_cell)) for _ in several]
        batch: list[_Term] = []
        size = 0
        for escape, slabs in zip(found, several, strict=True):
            cells = _cells_with(slab for name in self.names for slab in slabs.get(name, ()))
            escape[cells] = 0.0
            for term in self._terms(slabs, escape, cells):
                batch.append(term)
                size += len(term.cells)
                # many terms at a time, since they share most of their work; but of large tables not too many
                if size > _LARGEST_BATCH:
                    self._add(batch)
                    batch.clear()
                    size = 0
        self._add(batch)
        return [np.clip(escape, 0.0, 1.0) for escape in found]

    def _add(self, terms: Sequence[_Term]) -> None:
        """Add some terms to what they are terms of."""
        kind_of_cell = self.lineage.kind_of_cell
        questions = [(term.required, self._kinds_of(term.cells)) for term in terms]
        by_kind = np.zeros(self.lineage.n_kinds)
        for term, (_, kinds), hidden in zip(terms, questions, self.lineage.hidden(questions), strict=True):
            by_kind[kinds] = hidden
            term.total[term.cells] += term.weights * by_kind[kind_of_cell[term.cells]]

    def _kinds_of(self, cells: IntArray) -> IntArray:
        """The kinds of some cells, without sorting these."""
        there = np.zeros(self.lineage.n_kinds, dtype=bool)
        there[self.lineage.kind_of_cell[cells]] = True
        return np.flatnonzero(there)

    def _terms(self, slabs: Slabs, total: FloatArray, cells: IntArray) -> Iterator[_Term]:
        """The terms of the product for some cells, whose sum is ``total``."""
        speaking = [level for level, name in enumerate(self.names) if slabs.get(name)]
        number = math.prod(2 + len(slabs[self.names[level]]) for level in speaking)
        if number > _MOST_TERMS:
            raise ParameterError(
                f"what {len(speaking)} releases fitted to one another show together would take {number} terms, at most "
                f"{_MOST_TERMS} are computed",
                remedy="leave out releases, or merge values",
            )
        merged = {level: _merged(slabs[self.names[level]], cells) for level in speaking}
        for weights, required in self._products(speaking, merged, np.ones(len(cells)), {}):
            there = weights != 0
            yield _Term(total, required, cells[there], weights[there])

    def _products(
        self,
        levels: list[int],
        slabs: Mapping[int, Mapping[frozenset[int], FloatArray]],
        weight: FloatArray,
        required: Required,
    ) -> Iterator[tuple[FloatArray, Required]]:
        """What begins with ``weight`` and ``required`` and differs in what is taken from ``levels``."""
        if not weight.any():
            return
        if not levels:
            yield weight, required
            return
        level, *others = levels
        everything = frozenset(range(self.n_labels[level]))
        yield from self._products(others, slabs, weight, required)
        nothing_shown = sum(slabs[level].values(), np.zeros(len(weight)))
        yield from self._products(others, slabs, weight * nothing_shown, {**required, level: everything})
        for labels, weights in slabs[level].items():
            yield from self._products(others, slabs, -weight * weights, {**required, level: everything - labels})


@dataclass(frozen=True, eq=False)
class _Term:
    """A term of a product: in some cells so many times the probability that what is required is hidden."""

    total: FloatArray
    """The sum of all terms, per cell."""
    required: Required
    cells: IntArray
    weights: FloatArray


def _cells_with(slabs: Iterable[Slab]) -> IntArray:
    """The cells in which some slab counts."""
    counts = [slab.weights != 0 for slab in slabs]
    return np.flatnonzero(np.any(counts, axis=0)) if counts else np.empty(0, dtype=np.int64)


def _merged(slabs: Sequence[Slab], cells: IntArray) -> dict[frozenset[int], FloatArray]:
    """Equal slabs counted once, with their weights in some cells added up; one without labels is never shown."""
    merged: dict[frozenset[int], FloatArray] = {}
    for slab in slabs:
        if slab.labels:
            weights = slab.weights[cells]
            merged[slab.labels] = merged[slab.labels] + weights if slab.labels in merged else weights
    return merged
