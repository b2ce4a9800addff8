"""Risks cell by cell: the riskiest cells of a table, and all of them for a file.

Cells that have the same counts have the same risk, so risks are computed once per signature. The riskiest cells are
found by their signatures too, and only they come to Python; a million cells are written column by column.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.errors import counted
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.noise.law import AnyNoise
from epsilens.notebook import one_line
from epsilens.table.cells import cell_names
from epsilens.table.count_vectors import CountVectors
from epsilens.table.frequency import FrequencyTable


@dataclass(frozen=True, eq=False)
class RiskyCell:
    """One cell: true data of people."""

    key: tuple[str, ...]
    """Its quasi-identifiers."""
    size: int
    counts: tuple[tuple[str, int], ...]
    """The labels that occur in it, with their counts."""
    risks: tuple[dict[str, float], ...]
    """By measure, one for each noise."""
    shown: str | None = None
    """The harmful value that the cell would most likely show rightly; None where nobody in it has a harmful one."""

    def __repr__(self) -> str:
        return one_line(self, counted(len(self.risks), "noise"))


@dataclass(frozen=True, eq=False)
class RiskyCells:
    """The riskiest cells of one sensitive attribute, the riskiest first."""

    sensitive: str
    quasi_identifiers: tuple[str, ...]
    measures: tuple[str, ...]
    """Those that have a risk for every cell; the first of them ranks."""
    noises: tuple[dict[str, Any], ...]
    """What the noises are called: their mechanism and budget."""
    ranked_by: int
    """Which of the noises ranks."""
    cells: tuple[RiskyCell, ...]

    def __repr__(self) -> str:
        return one_line(self, self.sensitive, counted(len(self.cells), "cell"))

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain values for JSON, one dictionary per cell."""
        return [
            {
                "sensitive": self.sensitive,
                "cell": dict(zip(self.quasi_identifiers, cell.key, strict=True)),
                "size": cell.size,
                "counts": dict(cell.counts),
                "shown": cell.shown,
                "budgets": [noise | {"risks": risks} for noise, risks in zip(self.noises, cell.risks, strict=True)],
            }
            for cell in self.cells
        ]


def riskiest_cells(
    table: FrequencyTable,
    sensitive: str,
    prepared: Mapping[str, PreparedMeasure],
    noises: Sequence[tuple[dict[str, Any], AnyNoise]],
    ranked_by: int,
    most: int,
) -> RiskyCells:
    """The ``most`` riskiest cells by the first measure at the noise number ``ranked_by``; each noise with its name.

    Of equal risks the larger cell comes first: more people share it.
    """
    vectors, multiplicities = table.sparse_signatures(ordered=True)
    occupied = vectors.sizes > 0
    vectors, multiplicities = vectors.take(occupied), multiplicities[occupied]
    risks = [{name: ready.risks_of(vectors, noise) for name, ready in prepared.items()} for _, noise in noises]
    sizes = vectors.sizes
    ranking = next(iter(risks[ranked_by].values())).round(12)
    order = np.lexsort((np.arange(len(vectors)), -sizes, -ranking))
    needed = order[: int(np.searchsorted(np.cumsum(multiplicities[order]), most)) + 1]
    wanted = vectors.take(needed)
    keys, found = _cells_of(table, wanted, multiplicities[needed], most)
    counts, shown = _present(table.labels, wanted), likeliest_shown(table, wanted)
    cells = [
        RiskyCell(
            key=key,
            size=int(sizes[needed[kind]]),
            counts=counts[kind],
            risks=tuple({name: float(values[needed[kind]]) for name, values in by_name.items()} for by_name in risks),
            shown=shown[kind],
        )
        for key, kind in zip(keys, found.tolist(), strict=True)
    ]
    names = table.quasi_identifiers or ("cell",)
    return RiskyCells(sensitive, names, tuple(prepared), tuple(name for name, _ in noises), ranked_by, tuple(cells))


def _cells_of(
    table: FrequencyTable, wanted: CountVectors, multiplicities: IntArray, most: int
) -> tuple[list[tuple[str, ...]], IntArray]:
    """Keys of the first ``most`` cells that have the wanted vectors, in the order of those; and which one each has."""
    if table.quasi_identifiers:
        before = int(multiplicities[:-1].sum())
        last = min(most - before, int(multiplicities[-1]))  # of the last vector only so many cells are shown
        end = np.arange(len(wanted)) == len(wanted) - 1
        parts = [table.sparse_cells_with(wanted.take(~end), before)] if before else []
        parts.append(table.sparse_cells_with(wanted.take(end), last))
        columns = [[value for names, _ in parts for value in names[name]] for name in table.quasi_identifiers]
        rows = CountVectors.joined([vectors for _, vectors in parts])
    else:
        _, columns = cell_names(table)
        rows = table.count_vectors
    which = wanted.places_of(rows)
    hits = np.flatnonzero(which >= 0)
    chosen = hits[np.argsort(which[hits], kind="stable")][:most]
    return [tuple(column[i] for column in columns) for i in chosen.tolist()], which[chosen]


def likeliest_shown(table: FrequencyTable, given: CountVectors | IntArray) -> list[str | None]:
    """For every count vector the harmful value that it would most likely show alone, of those that somebody has.

    P(only k is shown) = a_k / (1 - a_k) prod_j (1 - a_j), where a_k is P(k is shown), grows with the count of k under
    every noise: so it is the commonest harmful value of the cell, of equal ones the one that weighs more.
    """
    vectors, weights = CountVectors.of(given), table.label_weights
    pairs = np.flatnonzero((vectors.counts > 0) & (weights[vectors.labels] > 0))
    labels, rows = vectors.labels[pairs], vectors.row_of[pairs]
    order = np.lexsort((labels, -weights[labels], -vectors.counts[pairs], rows))
    found, first = np.unique(rows[order], return_index=True)
    shown: list[str | None] = [None] * len(vectors)
    for row, label in zip(found.tolist(), labels[order][first].tolist(), strict=True):
        shown[row] = table.labels[label]
    return shown


def _present(labels: Sequence[str], vectors: CountVectors) -> list[tuple[tuple[str, int], ...]]:
    """The labels that somebody has, with their counts, for every vector."""
    places, counts, starts = vectors.labels.tolist(), vectors.counts.tolist(), vectors.starts.tolist()
    return [
        tuple((labels[places[i]], counts[i]) for i in range(start, end) if counts[i] > 0)
        for start, end in itertools.pairwise(starts)
    ]


@dataclass(frozen=True, eq=False)
class CellRows:
    """All non-empty cells of one sensitive attribute as columns: true data of people."""

    sensitive: str
    keys: dict[str, list[str]]
    sizes: IntArray
    kinds: tuple[str, ...]
    """The distinct contents of cells in words, such as ``A=2; P=1``."""
    kind_of: IntArray
    """Which of them each cell has."""
    risks: dict[str, FloatArray]
    """One column per measure and noise, by a name that says both."""
    shown: tuple[str | None, ...] = ()
    """For each of the kinds the harmful value that it would most likely show rightly."""

    def __repr__(self) -> str:
        return one_line(self, self.sensitive, counted(len(self.sizes), "cell"), counted(len(self.risks), "risk"))


def cell_rows(
    table: FrequencyTable, sensitive: str, prepared: Mapping[str, PreparedMeasure], noises: Mapping[str, AnyNoise]
) -> CellRows:
    """Every non-empty cell with its size, its counts and every risk; ``noises`` by what to call them."""
    names, columns = cell_names(table)
    distinct, kind_of = table.count_vectors.distinct_and_positions()
    occupied = np.flatnonzero((distinct.sizes > 0)[kind_of])
    risks = {
        f"{measure} {said}": ready.risks_of(distinct, noise)[kind_of[occupied]]
        for said, noise in noises.items()
        for measure, ready in prepared.items()
    }
    everyone = len(occupied) == len(kind_of)
    keys = {
        name: column if everyone else [column[i] for i in occupied.tolist()]
        for name, column in zip(names, columns, strict=True)
    }
    kinds = tuple("; ".join(f"{label}={n}" for label, n in found) for found in _present(table.labels, distinct))
    sizes = distinct.sizes[kind_of[occupied]]
    shown = tuple(likeliest_shown(table, distinct))
    return CellRows(sensitive, keys, sizes, kinds, kind_of[occupied], risks, shown)
