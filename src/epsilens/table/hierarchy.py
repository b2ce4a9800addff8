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
from epsilens.table.reading import levels as column_levels
from epsilens.table.reading.sources import Source, opened_source, reading
from epsilens.table.reading.store import Scratch, materialised
from epsilens.table.schema import MISSING

Codes: TypeAlias = Literal["unique", "within-parent"]
"""Whether a group's code says which group it is on its own, or only together with the codes of the groups above."""


@dataclass(frozen=True, eq=False)
class Situations:
    """The distinct situations of cells (a group and a kind of people in it), and how many cells are in each.

    ``counts`` (situations x levels, lowest first): people of that kind in the group and in each group above it.
    ``siblings``: the number of other groups with the same parent. ``cells``: how many cells share the situation.
    """

    counts: IntArray
    siblings: IntArray
    cells: IntArray

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
    def of(counts: npt.ArrayLike, siblings: npt.ArrayLike, cells: npt.ArrayLike | None = None) -> Situations:
        """From arrays in any order; equal situations are put together."""
        matrix = np.atleast_2d(np.asarray(counts, dtype=np.int64))
        beside = np.asarray(siblings, dtype=np.int64)
        number = np.ones(len(matrix), dtype=np.int64) if cells is None else np.asarray(cells, dtype=np.int64)
        rows, totals = distinct_rows(np.column_stack([matrix, beside]), number)
        return Situations(rows[:, :-1], rows[:, -1], totals)

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
    scratch: Scratch | None = None

    @staticmethod
    def read(
        source: Any,
        levels: Sequence[str],
        characteristics: Sequence[str],
        table: str | None = None,
        count: str | None = None,
        codes: Codes = "unique",
    ) -> Hierarchy:
        """The hierarchy of the people in ``source``: anything that :func:`read_table` reads.

        ``levels`` names the columns of the groups, lowest first (block, block group, tract, ...), ``characteristics``
        those that make people alike; ``count`` the count column of a ready-made count table.
        ``codes="within-parent"`` is for codes that repeat in different parents, such as block 1001 of each tract.
        """
        one_of("codes", codes, get_args(Codes))
        names, kinds = tuple(levels), tuple(characteristics)
        if not names or not kinds:
            raise ParameterError("a hierarchy needs at least one level and one characteristic")
        if len({*names, *kinds, count}) < len(names) + len(kinds) + 1:
            raise ParameterError("a column can have one role only: a level, a characteristic, or the count")
        with opened_source(source, [*names, *kinds, *([count] if count else [])], table) as opened:
            relation, scratch = _grouped(opened, names, kinds, count)
        hierarchy = Hierarchy(names, kinds, relation, opened.place, scratch)
        with reading(opened.place):
            hierarchy._refuse_gaps(count)
            if codes == "unique":
                hierarchy._refuse_unnested()
        return hierarchy

    def situations(self, rare: int | None = None, highest: int = 1_000) -> Situations:
        """The distinct situations, found in the engine.

        ``rare`` leaves out cells with more people than that. Counts above ``highest`` are given as ``highest``: a
        count that large makes no difference to a person's risk, and there would be too many situations without a lid.
        """
        if rare is not None and rare < 1:
            raise ParameterError(f"rare must be >= 1, got {rare}; nobody is in an empty cell")
        if highest < (rare or 1):
            raise ParameterError(f"highest must be at least {rare or 1}, got {highest}")
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
        matrix = np.column_stack([_whole(fetched, name) for name in (*columns, "cells")])
        if not len(matrix):
            who = "nobody" if rare is None else f"nobody in a cell of at most {rare}"
            raise DataError(f"there is {who} in {self.place} to protect")
        return Situations.of(matrix[:, :-2], matrix[:, -2], matrix[:, -1])

    def group_counts(self, kind: Mapping[str, str]) -> GroupCounts:
        """The counts of one kind of people, a value per characteristic, in all groups of the lowest level."""
        for name in kind:
            if name not in self.characteristics:
                raise ParameterError(f"{name!r} is not a characteristic{did_you_mean(name, self.characteristics)}")
        if missing := [name for name in self.characteristics if name not in kind]:
            raise ParameterError(f"a kind of people needs a value for every characteristic; {missing[0]!r} has none")
        alike = self.relation.people > 0
        for j, name in enumerate(self.characteristics):
            alike &= self.relation[f"c{j}"] == str(kind[name])
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

    def _refuse_gaps(self, count: str | None) -> None:
        facts = {
            f"g{i}": self.relation.rows.sum(where=self.relation[f"g{i}"] == MISSING) for i in range(len(self.levels))
        }
        row = self.relation.aggregate(rows=self.relation.rows.sum(), bad=self.relation.bad.sum(), **facts)
        found = {name: int(value or 0) for name, value in row.to_pyarrow().to_pylist()[0].items()}
        if not found["rows"]:
            raise DataError(f"{self.place} has no records")
        if found["bad"]:
            raise DataError(
                f"counts in column {count!r} must be whole numbers >= 0; {found['bad']} of {found['rows']} are not"
            )
        for i, name in enumerate(self.levels):
            if gaps := found[f"g{i}"]:
                raise DataError(
                    f"level {name!r} is missing in {gaps} rows; every person must be in a group of every level"
                )

    def _refuse_unnested(self) -> None:
        """Each code of a level must have one parent; names the first parent that shares a child with another."""
        for level, (lower, upper) in enumerate(zip(self.levels[:-1], self.levels[1:], strict=True)):
            child, parent = f"g{level}", f"g{level + 1}"
            pairs = self.relation.select(child, parent).distinct()
            shared = pairs.group_by(child).aggregate(n=pairs.count(), first=pairs[parent].min())
            shared = shared.filter(shared.n > 1)
            facts = shared.aggregate(children=shared.count(), first=shared["first"].min()).to_pyarrow().to_pylist()[0]
            if facts["children"]:
                raise DataError(
                    f"{lower!r} is not nested in {upper!r}: {facts['children']} of its groups lie in several parents, "
                    f"the first of these {facts['first']!r}; list the levels from lowest to highest, or, if codes "
                    "repeat in different parents, say codes='within-parent'"
                )

    def __repr__(self) -> str:
        return one_line(self, f"{' < '.join(self.levels)}; by {listed(self.characteristics)}")


def _grouped(
    source: Source, names: Sequence[str], kinds: Sequence[str], count: str | None
) -> tuple[Any, Scratch | None]:
    """People by group and kind, from one scan."""
    return source.read_by(lambda readable: materialised(_grouping(readable, names, kinds, count)))


def _grouping(source: Source, names: Sequence[str], kinds: Sequence[str], count: str | None) -> Any:
    import ibis

    columns = {f"g{i}": column_levels.level(source.column(name), None, ()) for i, name in enumerate(names)}
    columns |= {f"c{j}": column_levels.level(source.column(name), None, ()) for j, name in enumerate(kinds)}
    if count is None:
        weight, bad = ibis.literal(1, "int64"), ibis.literal(0, "int64")
    else:
        weight, problems = column_levels.counted(source.column(count))
        bad = ibis.literal(0, "int64")
        for flag in problems.values():
            bad = bad + flag.ifelse(1, 0)
    rows = source.relation.select(**columns, weight=weight, bad=bad)
    return rows.group_by(list(columns)).aggregate(people=rows.weight.sum(), rows=rows.count(), bad=rows.bad.sum())


def _whole(table: Any, name: str) -> IntArray:
    return np.asarray(table[name].to_pylist(), dtype=np.int64)
