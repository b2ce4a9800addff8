"""Few groups of people come to Python at once, and make a table in memory: nothing more is asked of DuckDB.

From other engines, which may be elsewhere, signatures alone come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epsilens.arrays import IntArray
from epsilens.table.cell_store import MemoryStore, groups_of
from epsilens.table.reading.arrow_numbers import levels_and_codes, numbers_of
from epsilens.table.reading.people import People, internal_names
from epsilens.table.reading.scratch import fetched

MOST_GROUPS = 20_000
MOST_COUNTS = 1 << 20
"""So many counts may the table have: cells by labels."""


@dataclass(frozen=True, eq=False)
class FewPeople:
    """Groups with people in them: by column the levels in the order of code points, and each group's among them."""

    known: dict[str, tuple[tuple[str, ...], IntArray]]
    learnt: list[tuple[tuple[str, ...], IntArray]]
    people: IntArray

    def labels(self) -> set[tuple[str, ...]]:
        """The sensitive values that occur together."""
        return set(self._labels[0])

    @cached_property
    def _labels(self) -> tuple[list[tuple[str, ...]], IntArray]:
        """The sensitive values that occur together, and which of these each group has."""
        label_of, members = groups_of([(len(levels), codes) for levels, codes in self.learnt], len(self.people))
        return list(zip(*(_named(column, members) for column in self.learnt), strict=True)), label_of

    def store(self, values: Sequence[tuple[str, ...]]) -> MemoryStore | None:
        """The cells with the counts of the labels ``values``; nothing where these are too many."""
        columns = [(len(levels), codes) for levels, codes in self.known.values()]
        cell_of, members = groups_of(columns, len(self.people))
        if len(members) * len(values) > MOST_COUNTS:
            return None
        labels, label_of = self._labels
        place = {label: k for k, label in enumerate(values)}
        column_of = np.array([place[label] for label in labels], dtype=np.int64)
        matrix = np.zeros((len(members), len(values)), dtype=np.int64)
        np.add.at(matrix, (cell_of, column_of[label_of]), self.people)
        return MemoryStore(matrix, {name: _named(column, members) for name, column in self.known.items()})


def _named(column: tuple[tuple[str, ...], IntArray], groups: IntArray) -> list[str]:
    """The levels that some groups have in a column."""
    levels, codes = column
    return [levels[code] for code in codes[groups].tolist()]


def few_people(people: People) -> FewPeople | None:
    """People whose groups by level are few; nothing where rules about cells or weights are matched in the engine."""
    groups = people.scratch
    if groups is None or groups.scratch is None or groups.books or groups.cells is not None:
        return None
    if groups.scratch.relation.get_backend().name != "duckdb":
        return None
    if people.levelled is not None or people.weighted or people.schema.impossible or groups.scratch.rows > MOST_GROUPS:
        return None
    table = groups.scratch.fetched() if groups.relation is groups.scratch.relation else fetched(groups.relation)
    counts = numbers_of(table.column("people")).astype(np.int64)
    some = np.flatnonzero(counts > 0)
    columns = {}
    for internal in internal_names(people.schema):
        levels, codes = levels_and_codes(table.column(internal))
        columns[internal] = levels, codes[some]
    known = {name: columns[f"q{i}"] for i, name in enumerate(people.schema.qid_columns)}
    return FewPeople(known, [columns[f"s{j}"] for j in range(len(people.schema.sensitive_columns))], counts[some])
