"""The universal histogram: counts of all ranges of a tree over an ordered column, released together and made to agree.

The levels of the column, in the order they are declared in, are the leaves. From the root, which is all of them, every
range is split into ``branching`` parts as even as they can be, until each has one level. Each depth of the tree is a
table: everybody is counted once in each, so that a tree with L of them costs L times what its leaves alone cost, and
any range is the sum of few counts.

P3 names it in section 6, after Hay et al. (2010). What is left of the noise of any range is
:func:`epsilens.release.fitting.components.combination_variance`.

Inside a release the ranges of a depth are a column of their own, beside the columns of all depths above it, so that the
tables nest. What is shown has the tree's own column only, and its ranges as levels.

Under add-remove the root is the number of people and has noise too. Under substitute that number is the same for all
neighbours: it is public, and declared.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epsilens.arrays import CodeArray
from epsilens.checks import did_you_mean, whole
from epsilens.errors import ParameterError
from epsilens.release.universe import Universe
from epsilens.table.domain import TOO_MANY_TO_NUMBER, Domain

_BIN = re.compile(r"\[(?P<low>[^,]+), (?P<high>[^,]+)\)")

Range = tuple[int, int]
"""The positions of the first level and of the one after the last."""


@dataclass(frozen=True)
class OrderedTree:
    """A tree over the levels of ``column``, with at most ``branching`` parts of each range."""

    column: str
    branching: int = 2

    def __post_init__(self) -> None:
        parts = whole("branching", self.branching, 2, "a range with one part says the same twice")
        object.__setattr__(self, "branching", parts)

    def over(self, columns: Sequence[str], declared: Mapping[str, Sequence[str]]) -> GrownTree:
        """The tree over the ``declared`` levels of its column, crossed with all other ``columns``."""
        if self.column not in columns:
            raise ParameterError(
                f"names {self.column!r}, which is not released{did_you_mean(self.column, columns)}", parameter="tree"
            )
        levels = declared.get(self.column, ())
        if len(levels) < 2:
            raise ParameterError(
                f"needs the levels of {self.column!r} declared in their order, two or more", parameter="tree"
            )
        beside = math.prod(len(declared.get(name, ())) for name in columns if name != self.column)
        return GrownTree(self, tuple(columns), tuple(levels), beside)


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A tree over known levels, beside the other columns of a release."""

    tree: OrderedTree
    columns: tuple[str, ...]
    levels: tuple[str, ...]
    beside: int = 1
    """How many combinations of levels the other columns have."""

    def __post_init__(self) -> None:
        if self.beside * math.prod(map(len, self.depths)) >= TOO_MANY_TO_NUMBER:
            raise ParameterError(
                f"has too many depths over {len(self.levels):,} levels", parameter="tree", remedy="raise `branching`"
            )
        for depth in self.depths:
            labels = self._labels(depth)
            if len(set(labels)) < len(labels):
                raise ParameterError(
                    f"cannot name the ranges of {self.column!r}: a level reads like a range of others", parameter="tree"
                )

    @property
    def column(self) -> str:
        """The column whose levels are the leaves."""
        return self.tree.column

    @cached_property
    def depths(self) -> list[list[Range]]:
        """The ranges of each depth below the root, coarsest first; the last are the single levels."""
        found, level = [], [(0, len(self.levels))]
        while any(stop - start > 1 for start, stop in level):
            level = [part for start, stop in level for part in self._parts(start, stop)]
            found.append(level)
        return found

    def _parts(self, start: int, stop: int) -> list[Range]:
        parts = min(self.tree.branching, stop - start)
        cuts = [start + (stop - start) * i // parts for i in range(parts + 1)]
        return list(itertools.pairwise(cuts))

    @cached_property
    def _names(self) -> list[str]:
        """The columns of the depths above the leaves."""
        names: list[str] = []
        for depth in self.depths[:-1]:
            name = self._title(depth)
            while name in self.columns:
                name += "'"
            names.append(name)
        return names

    def _title(self, depth: list[Range]) -> str:
        return f"{self.column} in {len(depth)} parts"

    def _labels(self, depth: list[Range]) -> tuple[str, ...]:
        return tuple(range_label(self.levels[start:stop]) for start, stop in depth)

    @property
    def all_columns(self) -> tuple[str, ...]:
        """The columns of the release with those of the depths, coarsest first, before the tree's own."""
        place = self.columns.index(self.column)
        return (*self.columns[:place], *self._names, *self.columns[place:])

    def tables(self, with_root: bool) -> list[tuple[tuple[str, ...], str, tuple[str, ...]]]:
        """Of each table from the root down the columns, the title and the columns that are shown.

        The root has no column of the tree: it is everybody, by the other columns. Without other columns it is released
        only ``with_root``.
        """
        others = tuple(name for name in self.columns if name != self.column)
        found: list[tuple[tuple[str, ...], str, tuple[str, ...]]] = []
        if others or with_root:
            found.append((others, "", others))
        for deepest, depth in enumerate(self.depths):
            hidden = {*self._names[deepest + 1 :], *([self.column] if deepest < len(self._names) else [])}
            kept = tuple(name for name in self.all_columns if name not in hidden)
            title = self.column if deepest == len(self._names) else self._title(depth)
            shown = " x ".join(title if name == self.column else name for name in self.columns)
            found.append((kept, shown, self.columns))
        return found

    def extended(self, universe: Universe) -> Universe:
        """The same cells in the same order, with the columns of the depths."""
        leaf, place = universe.codes[:, universe.domain.axis(self.column)], universe.columns.index(self.column)
        codes: list[CodeArray] = [self._part_of(depth)[leaf] for depth in self.depths[:-1]]
        domain = Domain(
            self.all_columns,
            (
                *universe.levels[:place],
                *(self._labels(depth) for depth in self.depths[:-1]),
                *universe.levels[place:],
            ),
        )
        return Universe(domain, np.column_stack([universe.codes[:, :place], *codes, universe.codes[:, place:]]))

    def _part_of(self, depth: list[Range]) -> CodeArray:
        """The range that each level lies in."""
        return np.repeat(np.arange(len(depth), dtype=np.int32), [stop - start for start, stop in depth])

    def shown(self, universe: Universe) -> Universe:
        """A table of the release as it is published: its deepest ranges as the levels of the tree's column."""
        own = [name for name in universe.columns if name in self._names or name == self.column]
        if not own:
            return universe
        kept = [name for name in universe.columns if name not in own[:-1]]
        axes = list(universe.domain.axes(kept))
        names = tuple(self.column if name == own[-1] else name for name in kept)
        return Universe(Domain(names, tuple(universe.levels[i] for i in axes)), universe.codes[:, axes])

    @property
    def range_labels(self) -> tuple[str, ...]:
        """Every range of every depth, the single levels among them."""
        return tuple(label for depth in self.depths for label in self._labels(depth))

    def to_dict(self) -> dict[str, object]:
        """Plain values for a card."""
        return {"column": self.column, "branching": self.tree.branching, "parts": [len(depth) for depth in self.depths]}


def range_label(levels: Sequence[str]) -> str:
    """What a range of levels is called: bins that adjoin are one bin, other levels read ``first to last``."""
    first, last = levels[0], levels[-1]
    if len(levels) == 1:
        return first
    low, high = _BIN.fullmatch(first), _BIN.fullmatch(last)
    if low and high:
        return f"[{low['low']}, {high['high']})"
    if first.startswith("< ") and high:
        return f"< {high['high']}"
    if low and last.startswith(">= "):
        return f">= {low['low']}"
    return f"{first} to {last}"
