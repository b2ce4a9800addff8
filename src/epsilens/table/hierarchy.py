"""A hierarchy of groups, lowest level first, and how many people of each kind are in each group.

Read from microdata through the same engine as every table. Risk depends on a person only through the counts of people
like them in their group and in the groups above, and the number of sibling groups: the person's *situation*. The
engine groups records into counts and counts into distinct situations, so that only those come to Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from epsilens.arrays import IntArray, distinct_rows
from epsilens.checks import did_you_mean, one_of
from epsilens.errors import DataError, ParameterError
from epsilens.notebook import brief, listed, one_line
from epsilens.table.bins import BinSpec
from epsilens.table.conditions import Where
from epsilens.table.domain import level_text
from epsilens.table.gaps import Gaps
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.grouped import Groups
from epsilens.table.reading.hierarchies import read_groups

Codes: TypeAlias = Literal["unique", "within-parent"]
"""Whether a group's code says which group it is on its own, or only together with the codes of the groups above."""
HIGHEST = 1_000
"""Counts above this are all alike to an adversary, unless somebody asks for more."""


@dataclass(frozen=True, eq=False)
class Situations:
    """The distinct situations of cells (a group and a kind of people in it), and how many cells are in each.

    ``counts`` (situations x levels, lowest first): people of that kind in the group and in each group above it.
    ``siblings``: the number of other groups with the same parent. ``cells``: how many cells share the situation.
    """

    counts: IntArray
    siblings: IntArray
    cells: IntArray
    max_rows_per_unit: int = 1
    """How many rows one person may have contributed."""

    __repr__ = brief

    def __post_init__(self) -> None:
        if self.counts.ndim != 2 or not len(self.counts) == len(self.siblings) == len(self.cells):
            raise DataError("situations need one row of counts, one number of siblings and one number of cells each")
        if self.counts.shape[1] == 0 or (self.counts[:, 0] < 1).any():
            raise DataError("situations are those of people, so the lowest level's count must be >= 1")
        falls = (np.diff(self.counts, axis=1) < 0).any(axis=0)
        if falls.any():
            level = int(np.argmax(falls))
            rows = int((np.diff(self.counts, axis=1)[:, level] < 0).sum())
            raise DataError(
                f"a group cannot count more people than its parent: at level {level} it does in {rows} situations; "
                "correct the confidential counts"
            )

    @staticmethod
    def of(
        counts: npt.ArrayLike,
        siblings: npt.ArrayLike,
        cells: npt.ArrayLike | None = None,
        max_rows_per_unit: int = 1,
    ) -> Situations:
        """From arrays in any order; equal situations are put together."""
        matrix = np.atleast_2d(np.asarray(counts, dtype=np.int64))
        beside = np.asarray(siblings, dtype=np.int64)
        number = np.ones(len(matrix), dtype=np.int64) if cells is None else np.asarray(cells, dtype=np.int64)
        rows, totals = distinct_rows(np.column_stack([matrix, beside]), number)
        return Situations(rows[:, :-1], rows[:, -1], totals, max_rows_per_unit)

    @property
    def n_people(self) -> int:
        """Everybody in all cells."""
        return int(self.cells @ self.counts[:, 0])


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """One kind of people in every group: counts and names of the lowest level, and each level's parents' positions.

    This is what ``posterior.tree`` and ``posterior.expected_tree`` take.
    """

    leaf_counts: IntArray
    leaf_names: tuple[str, ...]
    parents: tuple[IntArray, ...]

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """People counted by group, at every level, and by characteristics.

    ``levels`` are the names of the columns, lowest first. The relation has one row per group and kind of people: group
    columns ``g<l>``, characteristics ``c<j>``, and ``people``.
    """

    levels: tuple[str, ...]
    characteristics: tuple[str, ...]
    relation: Any
    place: str
    scratch: Groups | None = None
    max_rows_per_unit: int = 1
    """How many rows one person may have contributed. Risks of a hierarchy are those of one row."""
    dropped_rows: int = 0

    @staticmethod
    def read(
        source: Any,
        levels: Sequence[str],
        characteristics: Sequence[str],
        table: str | None = None,
        count: str | None = None,
        codes: Codes = "unique",
        bins: Mapping[str, BinSpec] | None = None,
        unit: str | None = None,
        max_rows_per_unit: int = 1,
        missing: Gaps = "level",
        missing_values: Sequence[str] = (),
        row_salt: str | None = None,
        where: Where = (),
        copies: Mapping[str, str] | None = None,
    ) -> Hierarchy:
        """The hierarchy of the people in ``source``: anything that :func:`read_table` reads.

        ``levels`` names the columns of the groups, lowest first (block, block group, tract, ...), ``characteristics``
        those that make people alike; ``count`` the count column of a ready-made count table.
        ``codes="within-parent"`` is for codes that repeat in different parents, such as block 1001 of each tract.

        ``bins``, ``unit``, ``max_rows_per_unit``, ``missing``, ``missing_values``, ``where`` and ``copies`` are those
        of a :class:`~epsilens.table.schema.Schema`, ``row_salt`` that of :func:`read_table`. Nobody may be in no group,
        so a missing code of a level is refused unless ``missing`` drops its row.
        """
        one_of("codes", codes, get_args(Codes))
        people = read_groups(
            source,
            levels,
            characteristics,
            table,
            count,
            codes == "unique",
            row_salt,
            bins=bins or {},
            unit=unit,
            max_rows_per_unit=max_rows_per_unit,
            missing=missing,
            missing_values=missing_values,
            where=where,
            copies=copies or {},
        )
        return Hierarchy(
            tuple(levels),
            tuple(characteristics),
            people.relation,
            people.place,
            people.scratch,
            people.max_rows_per_unit,
            people.dropped_rows,
        )

    def situations(self, rare: int | None = None, highest: int = HIGHEST) -> Situations:
        """The distinct situations, found in the engine.

        ``rare`` leaves out cells with more people than that. Counts above ``highest`` are given as ``highest``: a
        count that large makes no difference to a person's risk, and there would be too many situations without a lid.
        """
        if rare is not None and rare < 1:
            raise ParameterError("must be >= 1", parameter="rare", got=rare, remedy="nobody is in an empty cell")
        if highest < (rare or 1):
            raise ParameterError(f"must be at least {rare or 1}", parameter="highest", got=highest)
        kinds = [f"c{j}" for j in range(len(self.characteristics))]
        peopled = self.relation.filter(self.relation.people > 0)
        keys = [self._path(level) for level in range(len(self.levels))]
        above = {
            f"n{level}": peopled.people.sum().over(group_by=[*keys[level], *kinds]).cast("int64")
            for level in range(1, len(keys))
        }
        counted = peopled.mutate(n0=peopled.people.cast("int64"), **above)
        if len(keys) > 1:
            groups = self.relation.select(keys[0]).distinct()
            families = groups.group_by(keys[1]).aggregate(siblings=groups.count() - 1)
            joined = counted.inner_join(families, keys[1])
        else:
            joined = counted.mutate(siblings=0)
        columns = [*(f"n{level}" for level in range(len(keys))), "siblings"]
        if rare is not None:
            joined = joined.filter(joined.n0 <= rare)
        lid = {name: (joined[name] > highest).ifelse(highest, joined[name]) for name in columns[:-1]}
        joined = joined.select(**lid, siblings=joined.siblings)
        summary = joined.group_by(columns).aggregate(cells=joined.count())
        with reading(self.place):
            fetched = summary.to_pyarrow()
        matrix = np.column_stack([_numbers(fetched, name) for name in (*columns, "cells")])
        if not len(matrix):
            who = "nobody" if rare is None else f"nobody in a cell of at most {rare}"
            raise DataError(f"there is {who} in {self.place} to protect")
        return Situations.of(matrix[:, :-2], matrix[:, -2], matrix[:, -1], self.max_rows_per_unit)

    def group_counts(self, kind: Mapping[str, object]) -> GroupCounts:
        """The counts of one kind of people, a value per characteristic, in all groups of the lowest level."""
        for name in kind:
            if name not in self.characteristics:
                raise ParameterError(f"{name!r} is not a characteristic{did_you_mean(name, self.characteristics)}")
        if missing := [name for name in self.characteristics if name not in kind]:
            raise ParameterError(f"a kind of people needs a value for every characteristic; {missing[0]!r} has none")
        alike = self.relation.people > 0
        for j, name in enumerate(self.characteristics):
            alike &= self.relation[f"c{j}"] == level_text(kind[name])
        path = self._path(0)
        counted = self.relation.group_by(path).aggregate(n=self.relation.people.sum(where=alike).fill_null(0))
        with reading(self.place):
            rows = counted.to_pyarrow().to_pylist()
        rows.sort(key=lambda row: tuple(row[name] for name in reversed(path)))
        if not sum(int(row["n"]) for row in rows):
            raise DataError("nobody in the data is of that kind; check the values of the characteristics")
        parents: list[IntArray] = []
        groups = [tuple(row[name] for name in path) for row in rows]
        leaves = groups
        for _ in self.levels[1:]:
            upper = sorted({group[1:] for group in groups}, key=lambda group: group[::-1])
            position = {group: i for i, group in enumerate(upper)}
            parents.append(np.asarray([position[group[1:]] for group in groups], dtype=np.int64))
            groups = upper
        counts = np.asarray([int(row["n"]) for row in rows], dtype=np.int64)
        return GroupCounts(counts, tuple(str(leaf[0]) for leaf in leaves), tuple(parents))

    def _path(self, level: int) -> list[str]:
        """The columns that name a group of this level: its own code and those of the groups above."""
        return [f"g{upper}" for upper in range(level, len(self.levels))]

    def __repr__(self) -> str:
        return one_line(self, f"{' < '.join(self.levels)}; by {listed(self.characteristics)}")


def _numbers(table: Any, name: str) -> IntArray:
    return np.asarray(table[name].to_pylist(), dtype=np.int64)
