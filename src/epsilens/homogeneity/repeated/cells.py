"""Which cell of a coarser table holds a cell of a finer one, and one table of the people of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from epsilens.arrays import IntArray
from epsilens.checks import did_you_mean
from epsilens.errors import ParameterError
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable, MemoryStore, checked_table


def finest_of(tables: Sequence[FrequencyTable]) -> FrequencyTable:
    """The table whose quasi-identifiers include those of all others."""
    finest = max(tables, key=lambda table: len(table.quasi_identifiers))
    for table in tables:
        for name in table.quasi_identifiers:
            if name not in finest.quasi_identifiers:
                hint = did_you_mean(name, finest.quasi_identifiers)
                raise ParameterError(
                    f"releases of one cohort must be nested, but {name!r} is not a quasi-identifier of the finest"
                    f"{hint}",
                    remedy="give disjoint people a different `cohort`",
                )
    return finest


def rows_of(fine: FrequencyTable, coarse: FrequencyTable) -> IntArray:
    """For every cell of ``fine`` the row of ``coarse`` that contains it; both must count the same people."""
    if fine is coarse:
        return np.arange(fine.n_cells)
    rows = _positions(fine, coarse)
    if len(rows) == fine.n_cells and (rows >= 0).all():
        people = np.bincount(rows, weights=fine.counts.sum(axis=1), minlength=coarse.n_cells)
        if np.array_equal(people, coarse.counts.sum(axis=1)):
            return rows
    raise ParameterError(
        f"releases of one cohort must be about the same people in the same cells (or finer ones), got tables of "
        f"{coarse.n_cells} and {fine.n_cells} cells that do not agree",
        remedy="give disjoint people a different `cohort`",
    )


def holding_rows(part: FrequencyTable, whole: FrequencyTable) -> IntArray:
    """For every cell of ``part`` the row of ``whole`` that contains it; ``whole`` counts other people as well."""
    rows = _positions(part, whole)
    if len(rows) == part.n_cells and (rows >= 0).all():
        people = np.bincount(rows, weights=part.counts.sum(axis=1), minlength=whole.n_cells)
        if (people <= whole.counts.sum(axis=1)).all():
            return rows
    raise ParameterError("a table of several cohorts must count the people of each of them")


_KNOWN: WeakKeyDictionary[FrequencyTable, WeakKeyDictionary[FrequencyTable, IntArray]] = WeakKeyDictionary()
"""Positions of one table's cells in another, as long as both are there: every release is asked for them again."""


def _positions(fine: FrequencyTable, coarse: FrequencyTable) -> IntArray:
    """For every cell of ``fine`` the row of ``coarse`` that contains it, -1 where none does."""
    known = _KNOWN.setdefault(fine, WeakKeyDictionary())
    if coarse not in known:
        known[coarse] = _found_positions(fine, coarse)
        known[coarse].flags.writeable = False
    return known[coarse]


def _found_positions(fine: FrequencyTable, coarse: FrequencyTable) -> IntArray:
    names = coarse.quasi_identifiers
    if not names and not fine.quasi_identifiers:
        return np.arange(fine.n_cells) if fine.n_cells == coarse.n_cells else np.empty(0, dtype=np.int64)
    if not names and coarse.n_cells == 1:
        return np.zeros(fine.n_cells, dtype=np.int64)
    columns = coarse.cells()
    position = {key: i for i, key in enumerate(zip(*(columns[name] for name in names), strict=True))}
    columns = fine.cells()
    keys = zip(*(columns[name] for name in names), strict=True)
    return np.array([position.get(key, -1) for key in keys], dtype=np.int64)


def together(parts: Mapping[str, FrequencyTable]) -> tuple[FrequencyTable, dict[str, FrequencyTable]]:
    """One table of disjoint people, and the table of each with the labels of all.

    A label that no part lists is not published. A combination that cannot occur in one part may occur in another.
    """
    given: object = parts
    if not isinstance(given, Mapping):
        checked_table(given, "parts")
        raise ParameterError("must be tables by the names of cohorts, not one table", parameter="parts")
    if not parts:
        raise ParameterError("must hold the table of at least one cohort", parameter="parts")
    tables = [checked_table(table, "parts") for table in parts.values()]
    first = tables[0]
    if not first.quasi_identifiers:
        raise ParameterError("must have named cells", parameter="parts", remedy="give `cells` to the tables")
    for table in tables[1:]:
        if (table.quasi_identifiers, table.sensitive) != (first.quasi_identifiers, first.sensitive):
            raise ParameterError("must have the same quasi-identifiers and attributes, in one order", parameter="parts")
    aligned = dict(zip(parts, with_common_labels(tables), strict=True))
    columns = [table.cells() for table in aligned.values()]
    keys = [list(zip(*(found[name] for name in first.quasi_identifiers), strict=True)) for found in columns]
    cells = sorted(set().union(*keys))
    position = {key: i for i, key in enumerate(cells)}
    labels = next(iter(aligned.values()))
    counts = np.full((len(cells), labels.n_labels), STRUCTURAL_ZERO, dtype=np.int64)
    for table, its_keys in zip(aligned.values(), keys, strict=True):
        rows = np.array([position[key] for key in its_keys], dtype=np.int64)
        here = counts[rows]  # the cells of one table differ from one another
        either = np.maximum(here, 0) + np.maximum(table.vectors, 0)
        counts[rows] = np.where((here < 0) & (table.vectors < 0), STRUCTURAL_ZERO, either)
    whole = replace(
        labels,
        store=MemoryStore(counts, {name: [key[j] for key in cells] for j, name in enumerate(first.quasi_identifiers)}),
        max_rows_per_unit=max(table.max_rows_per_unit for table in tables),
        dropped_rows=sum(table.dropped_rows for table in tables),
        schema=None,
        row_salt=None,
    )
    return whole, aligned


def with_common_labels(tables: Sequence[FrequencyTable]) -> list[FrequencyTable]:
    """The tables with the labels of all of them, sorted; where a table does not list one, nobody has it."""
    every = sorted(set().union(*(table.label_values for table in tables)))
    named = {values: label for table in tables for values, label in zip(table.label_values, table.labels, strict=True)}
    aligned = []
    for table in tables:
        if table.label_values == tuple(every):
            aligned.append(table)
            continue
        counts = np.zeros((table.n_cells, len(every)), dtype=np.int64)
        counts[:, [every.index(values) for values in table.label_values]] = table.vectors
        store = MemoryStore(counts, table.cells())
        labels = tuple(named[values] for values in every)
        aligned.append(replace(table, labels=labels, label_values=tuple(every), store=store))
    return aligned
