"""Re-coding as a lever: the same people by fewer quasi-identifiers, coarser levels, or fewer labels.

A coarser table is a different table: it protects by saying less. Its loss is counted on the original cells, by
spreading each merged count evenly over the cells it merges, so that levers and budgets compare on one scale.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epsilens.arrays import CodeArray, FloatArray, IntArray, as_floats
from epsilens.errors import DataError, ParameterError
from epsilens.noise.absolute_error import expected_distance
from epsilens.noise.law import Noise
from epsilens.notebook import one_line
from epsilens.table.count_vectors import LARGEST_MATRIX
from epsilens.table.domain import Domain
from epsilens.table.frequency import FrequencyTable, MemoryStore
from epsilens.table.harm import Harm

LARGEST_IN_MEMORY = 2_000_000
"""With more cells than this, or more counts than a full matrix may have, levers are left to the engine: columns are
dropped, but no levels are merged."""

_FEW_DISTANCES = 1 << 20
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, eq=False)
class Lever:
    """One way to say less, and the table that results."""

    kind: str
    """``drop`` a quasi-identifier, ``coarsen`` its levels, or ``merge`` labels."""
    column: str
    levels_before: int
    levels_after: int
    table: FrequencyTable
    group_of: IntArray | None
    """For every cell of the original table, the cell of the coarser one; None where labels were merged, or where the
    table is too large to bring its cells here."""

    @property
    def name(self) -> str:
        """Short words, without any value of the data."""
        if self.kind == "drop":
            return f"drop {self.column}"
        what = "labels of" if self.kind == "merge" else "levels of"
        return f"{self.kind} {what} {self.column} from {self.levels_before} to {self.levels_after}"

    def __repr__(self) -> str:
        return one_line(self, self.name)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "lever": self.name,
            "kind": self.kind,
            "column": self.column,
            "levels_before": self.levels_before,
            "levels_after": self.levels_after,
            "cells": self.table.n_cells,
        }


def levers(
    table: FrequencyTable, recodings: Mapping[str, Mapping[str, str] | Callable[[str], str]] | None = None
) -> Iterator[Lever]:
    """Every quasi-identifier dropped and coarsened, and the two rarest labels merged.

    ``recodings`` says how a column is coarsened: a mapping from its levels to coarser ones, or a function. Otherwise
    levels that are numbers or bins are merged in neighbouring pairs; of other levels the rarer half become one.
    """
    for name in recodings or {}:
        if name not in table.quasi_identifiers:
            raise ParameterError(f"name {name!r}, which is not a quasi-identifier of this table", parameter="recodings")
    yield from _of_quasi_identifiers(table, recodings or {})
    if table.n_labels > 2:
        yield _merged_labels(table)


def _of_quasi_identifiers(
    table: FrequencyTable, recodings: Mapping[str, Mapping[str, str] | Callable[[str], str]]
) -> Iterator[Lever]:
    if table.n_cells > LARGEST_IN_MEMORY or table.n_cells * table.n_labels > LARGEST_MATRIX:
        for name in table.quasi_identifiers if len(table.quasi_identifiers) > 1 else ():
            levels_before = table.marginal([name]).n_cells
            smaller = table.marginal(q for q in table.quasi_identifiers if q != name)
            yield Lever("drop", name, levels_before, 1, smaller, None)
        return
    domain, codes, vectors = table.store.coded_cells()
    cells, columns = MemoryStore(vectors.dense(), {}), _by_code_point(domain, codes)
    sizes = vectors.sizes
    for name in table.quasi_identifiers:
        levels, places = columns[name]
        people = np.bincount(places, sizes, len(levels)).astype(np.int64).tolist()
        coarser = coarser_levels(name, dict(zip(levels, people, strict=True)), recodings.get(name))
        kept = sorted(set(coarser.values()))
        if 1 < len(kept) < len(levels):
            merged = np.array([kept.index(coarser[level]) for level in levels])
            yield _lever("coarsen", name, table, cells, columns | {name: (kept, merged[places])}, len(levels))
        if len(columns) > 1:
            others = {other: column for other, column in columns.items() if other != name}
            yield _lever("drop", name, table, cells, others, len(levels))


def _by_code_point(domain: Domain, codes: CodeArray) -> dict[str, tuple[list[str], IntArray]]:
    """Every column's levels by code point, and the places of all cells among them."""
    found = {}
    for j, (name, levels) in enumerate(zip(domain.columns, domain.levels, strict=True)):
        rank = np.argsort(np.argsort(np.array(levels, dtype=object), kind="stable"), kind="stable")
        found[name] = sorted(levels), rank[codes[:, j]]
    return found


def _lever(
    kind: str,
    column: str,
    table: FrequencyTable,
    cells: MemoryStore,
    columns: Mapping[str, tuple[list[str], IntArray]],
    before: int,
) -> Lever:
    store, group_of = cells.merged(columns)
    # what was declared of the original levels does not hold of coarser ones
    merged = replace(table, store=store, quasi_identifiers=tuple(columns), schema=None, joint=None)
    return Lever(kind, column, before, len(columns[column][0]) if kind == "coarsen" else 1, merged, group_of)


def coarser_levels(
    name: str, people: Mapping[str, int], recoding: Mapping[str, str] | Callable[[str], str] | None = None
) -> dict[str, str]:
    """The coarser level of every level of a column, from the people of each level."""
    levels = sorted(people)
    if callable(recoding):
        return {level: str(recoding(level)) for level in levels}
    if recoding is not None:
        if missing := [level for level in levels if level not in recoding]:
            raise DataError(
                f"the recoding of {name!r} misses {len(missing)} of its {len(levels)} levels",
                remedy="name all of them in `recodings`",
            )
        return {level: str(recoding[level]) for level in levels}
    if all(_NUMBER.search(level) for level in levels):
        ordered = sorted(levels, key=_first_number)
        return {level: ordered[i - i % 2] for i, level in enumerate(ordered)}
    rare = sorted(levels, key=lambda level: (people[level], level))[: (len(levels) + 1) // 2]
    return {level: "(other)" if level in rare else level for level in levels}


def _first_number(level: str) -> tuple[float, str]:
    """Where a bin starts; an open bin below everything comes first, whatever its edge."""
    found = _NUMBER.search(level)
    number = float(found[0]) if found else 0.0
    return (float("-inf") if level.lstrip().startswith("<") else number, level)


def _merged_labels(table: FrequencyTable) -> Lever:
    """The two rarest labels as one, which harms as much as the worse of them."""
    rare = sorted(np.argsort(table.label_totals, kind="stable")[:2].tolist())
    groups = [[k] for k in range(table.n_labels) if k not in rare] + [rare]
    labels = tuple(" or ".join(table.labels[k] for k in group) for group in groups)
    column = " x ".join(table.sensitive)
    weights = [float(table.label_weights[group].max()) for group in groups]
    harmful = {label: weight for label, weight in zip(labels, weights, strict=True) if weight > 0}
    merged = FrequencyTable(
        labels,
        table.store.regrouped(groups),
        table.quasi_identifiers,
        (column,),
        (),
        table.max_rows_per_unit,
        table.dropped_rows,
        harm=Harm({column: harmful}) if harmful else table.harm,
    )
    return Lever("merge", merged.sensitive[0], table.n_labels, len(labels), merged, None)


def spread_error(table: FrequencyTable, lever: Lever | None, noise: Noise) -> float:
    """The expected absolute error of an original count, when only the coarser table is released.

    A merged count N_g of m_g cells is released as N_g + Z and spread evenly, so original count n_i is off by
    E|(N_g + Z) / m_g - n_i| = E|Z - d| / m_g with d = m_g n_i - N_g. Without a lever that is E|Z|.
    Symbols: Z is the rounded ``noise``, g is ``lever.group_of``, the average is over counts of the original table that
    may have people.

    Source: P0 section 5.3, where the loss of a marginal is counted in the same norm.
    Assumes that users spread a merged count evenly, and that noise is not clipped at 0.
    """
    if lever is None:
        return float(expected_distance(noise, np.zeros(1))[0])
    if lever.group_of is None:
        raise ParameterError(
            "the error on the original counts is not known for merged labels, nor for very large tables"
        )
    counts, merged, group_of = table.vectors, lever.table.vectors, lever.group_of
    total, number = 0.0, 0
    for k in range(table.n_labels):
        possible = counts[:, k] >= 0
        some, groups = (counts[:, k], group_of) if possible.all() else (counts[possible, k], group_of[possible])
        size = np.bincount(groups, minlength=len(merged))[groups]
        distance, share = _shares_by_distance(np.abs(size * some - merged[groups, k]), 1.0 / size)
        total += float((expected_distance(noise, distance) * share).sum())
        number += len(some)
    return total / number


def _shares_by_distance(distances: IntArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The different distances, and the sum of the shares of each: there are few, and the law is asked for these."""
    if distances.max(initial=0) < max(_FEW_DISTANCES, 2 * len(distances)):
        sums = np.bincount(distances, shares)
        found = np.flatnonzero(sums)
        return as_floats(found), as_floats(sums[found])
    found, places = np.unique(distances, return_inverse=True)
    return as_floats(found), as_floats(np.bincount(places, shares))
