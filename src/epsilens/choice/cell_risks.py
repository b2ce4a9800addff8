"""Risks cell by cell: the riskiest cells of a table, and all of them for a file.

Cells that have the same counts have the same risk, so risks are computed once per signature. The riskiest cells are
found by their signatures too, and only they come to Python; a million cells are written column by column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, IntArray, distinct_and_positions
from epsilens.errors import counted
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.noise.law import AnyNoise
from epsilens.notebook import one_line
from epsilens.table.cells import cell_names
from epsilens.table.frequency import FrequencyTable

_MOST_LOOKED_UP = 200  # signatures that an engine is asked for one by one; beyond, all cells are looked through


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
    vectors, multiplicities = table.signatures(ordered=True)
    occupied = vectors.max(axis=1) > 0
    vectors, multiplicities = vectors[occupied], multiplicities[occupied]
    risks = [{name: ready.risks_of(vectors, noise) for name, ready in prepared.items()} for _, noise in noises]
    sizes = np.maximum(vectors, 0).sum(axis=1)
    shown = likeliest_shown(table, vectors)
    ranking = next(iter(risks[ranked_by].values())).round(12)
    order = np.lexsort((np.arange(len(vectors)), -sizes, -ranking))
    needed = order[: int(np.searchsorted(np.cumsum(multiplicities[order]), most)) + 1]
    keys, found = _cells_of(table, vectors[needed], multiplicities[needed], most)
    cells = [
        RiskyCell(
            key=key,
            size=int(sizes[kind]),
            counts=_present(table.labels, vectors[kind]),
            risks=tuple({name: float(values[kind]) for name, values in by_measure.items()} for by_measure in risks),
            shown=shown[kind],
        )
        for key, kind in zip(keys, needed[found].tolist(), strict=True)
    ]
    names = table.quasi_identifiers or ("cell",)
    return RiskyCells(sensitive, names, tuple(prepared), tuple(name for name, _ in noises), ranked_by, tuple(cells))


def _cells_of(
    table: FrequencyTable, wanted: IntArray, multiplicities: IntArray, most: int
) -> tuple[list[tuple[str, ...]], IntArray]:
    """Keys of the first ``most`` cells that have the wanted vectors, in the order of those; and which one each has."""
    few = len(wanted) <= _MOST_LOOKED_UP and bool(table.quasi_identifiers)
    if few:
        last = most - int(multiplicities[:-1].sum())  # of the last vector only so many cells are shown
        parts = [] if len(wanted) == 1 else [table.cells_with(wanted[:-1], int(multiplicities[:-1].sum()))]
        parts.append(table.cells_with(wanted[-1:], min(last, int(multiplicities[-1]))))
        columns = [[value for names, _ in parts for value in names[name]] for name in table.quasi_identifiers]
        rows = np.concatenate([vectors for _, vectors in parts])
    else:
        _, columns = cell_names(table)
        rows = table.vectors
    which = _position_among(wanted, rows)
    hits = np.flatnonzero(which >= 0)
    chosen = hits[np.argsort(which[hits], kind="stable")][:most]
    return [tuple(column[i] for column in columns) for i in chosen.tolist()], which[chosen]


def _position_among(wanted: IntArray, rows: IntArray) -> IntArray:
    """For each row which of the ``wanted`` it is, -1 where none."""
    distinct, positions = distinct_and_positions(np.concatenate([wanted, rows]))
    place = np.full(len(distinct), -1, dtype=np.int64)
    place[positions[: len(wanted)]] = np.arange(len(wanted))
    return place[positions[len(wanted) :]]


def likeliest_shown(table: FrequencyTable, vectors: IntArray) -> list[str | None]:
    """For every count vector the harmful value that it would most likely show alone, of those that somebody has.

    P(only k is shown) = a_k / (1 - a_k) prod_j (1 - a_j), where a_k is P(k is shown), grows with the count of k under
    every noise: so it is the commonest harmful value of the cell, of equal ones the one that weighs more.
    """
    held = np.where(table.label_weights > 0, vectors, 0)
    heaviest = np.argsort(-table.label_weights, kind="stable")
    place = heaviest[held[:, heaviest].argmax(axis=1)]
    return [table.labels[k] if held[i, k] > 0 else None for i, k in enumerate(place.tolist())]


def _present(labels: Sequence[str], vector: IntArray) -> tuple[tuple[str, int], ...]:
    return tuple((label, int(count)) for label, count in zip(labels, vector.tolist(), strict=True) if count > 0)


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
    distinct, kind_of = distinct_and_positions(table.vectors)
    occupied = np.flatnonzero((distinct.max(axis=1) > 0)[kind_of])
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
    kinds = tuple("; ".join(f"{label}={n}" for label, n in _present(table.labels, row)) for row in distinct)
    sizes = np.maximum(distinct, 0).sum(axis=1)[kind_of[occupied]]
    shown = tuple(likeliest_shown(table, distinct))
    return CellRows(sensitive, keys, sizes, kinds, kind_of[occupied], risks, shown)
