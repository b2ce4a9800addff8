"""Columns and the levels they can take: the one noun for everything that is counted by combinations of levels.

A domain knows names and orders, not people. Cells are rows of *codes*, the positions of their levels, or single
numbers, their *keys*: the codes read as digits to mixed bases, the last column fastest, which is the order of an array
with one axis per column. Whoever counts people carries a domain: ``table.cells.Cells`` (the cells that somebody is in),
``release.tables.universe.Universe`` (those that may be published), ``avoidance.histogram.Histogram`` (all of them),
``avoidance.records.Records`` (people in rows). A structural zero is a rule about columns and levels, so the domain
tells which cells it rules out.

This is also the one home of how a level is written: :func:`level_text`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np

from epsilens.arrays import BoolArray, CodeArray, IntArray
from epsilens.checks import did_you_mean
from epsilens.errors import DataError, ParameterError
from epsilens.notebook import one_line
from epsilens.table.bins import number_text

MAX_CELLS = 20_000_000
"""A larger grid would take gigabytes per release; fewer columns or wider bins make it smaller."""
MISSING = "(missing)"
"""The level of people whose value is missing: null, NaN, blank text or one of the declared missing values."""
TOO_MANY_TO_NUMBER = 2**62
"""From here on the numbers of cells might not fit in 64 bits."""
LARGEST_WHOLE = 1e15
"""Floating-point numbers below are written without decimals if they are whole, from here on as in Python."""


@dataclass(frozen=True)
class Domain:
    """``columns`` and, for each, the ``levels`` it can take, in their order."""

    columns: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.levels):
            raise DataError(f"{len(self.columns)} columns cannot have {len(self.levels)} lists of levels")
        if len(set(self.columns)) != len(self.columns):
            raise ParameterError("each column must be named once")
        for name, found in zip(self.columns, self.levels, strict=True):
            refuse_repeated(name, found)

    @staticmethod
    def of(levels: Mapping[str, Iterable[object]]) -> Domain:
        """The domain of these columns; values such as 39.0 or True become the levels that are read for them."""
        return Domain(tuple(map(str, levels)), tuple(tuple(map(level_text, found)) for found in levels.values()))

    # -- columns and levels -------------------------------------------------------------------------------------------

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many levels each column has."""
        return tuple(map(len, self.levels))

    @cached_property
    def size(self) -> int:
        """How many combinations of levels there are; 1 without columns, which is everybody."""
        return math.prod(self.shape)

    def axis(self, name: str, parameter: str | None = None) -> int:
        """Where a column stands among the columns; ``parameter`` is what names it."""
        if name not in self.columns:
            hint = did_you_mean(str(name), self.columns)
            if parameter is None:
                raise ParameterError(f"there is no column {name!r} here{hint}")
            raise ParameterError(f"names {name!r}, and there is no column of that name here{hint}", parameter=parameter)
        return self.columns.index(name)

    def axes(self, names: Iterable[str], parameter: str | None = None) -> tuple[int, ...]:
        """Where several columns stand."""
        return tuple(self.axis(name, parameter) for name in names)

    def levels_of(self, name: str) -> tuple[str, ...]:
        """The levels of a column."""
        return self.levels[self.axis(name)]

    def position(self, name: str, level: str) -> int:
        """The place of a level among those of its column; -1 where it has none."""
        return self._positions[self.axis(name)].get(level, -1)

    def coded(self, name: str, values: Iterable[str]) -> CodeArray:
        """The places of these levels; -1 where one is not a level of the column."""
        axis = self.axis(name)
        if isinstance(values, tuple) and values == self.levels[axis]:
            return np.arange(len(self.levels[axis]), dtype=np.int32)
        position = self._positions[axis]
        return np.array([position.get(value, -1) for value in values], dtype=np.int32)

    @cached_property
    def _positions(self) -> tuple[dict[str, int], ...]:
        return tuple({level: i for i, level in enumerate(found)} for found in self.levels)

    # -- other domains ------------------------------------------------------------------------------------------------

    def project(self, columns: Iterable[str]) -> Domain:
        """The domain of some of the columns, in the order given."""
        axes = self.axes(columns)
        return Domain(tuple(self.columns[i] for i in axes), tuple(self.levels[i] for i in axes))

    def merge(self, other: Domain) -> Domain:
        """The product of both: these columns, then the other's. A column of both must have the same levels in both."""
        for name in self.columns:
            if name in other.columns and self.levels_of(name) != other.levels_of(name):
                raise ParameterError(f"column {name!r} has other levels in the one domain than in the other")
        new = other.project(name for name in other.columns if name not in self.columns)
        return Domain((*self.columns, *new.columns), (*self.levels, *new.levels))

    # -- cells --------------------------------------------------------------------------------------------------------

    def enumerable_size(self) -> int:
        """:attr:`size`, refused where the cells are too many to be listed."""
        refuse_many_cells(self.size)
        return self.size

    def cells(self) -> CodeArray:
        """The codes (cells, columns) of every combination of levels, in the order of their keys."""
        size = self.enumerable_size()
        if not self.columns:
            return np.zeros((1, 0), dtype=np.int32)
        return np.ascontiguousarray(np.indices(self.shape, dtype=np.int32).reshape(len(self.shape), size).T)

    def keys(self, codes: CodeArray) -> IntArray:
        """One number per cell, in lexicographic order of the cells: its place among all combinations of levels."""
        if self.size >= TOO_MANY_TO_NUMBER:
            raise DataError(
                "the columns have too many combinations of levels to be numbered; use fewer columns or levels"
            )
        keys = np.zeros(len(codes), dtype=np.int64)
        for j, size in enumerate(self.shape):
            keys = keys * size + codes[:, j]
        return keys

    def distinct(self, codes: CodeArray) -> tuple[CodeArray, IntArray]:
        """The distinct cells in lexicographic order, and which of them every row of ``codes`` is."""
        if codes.shape[1] == 0:
            return np.zeros((1, 0), dtype=np.int32), np.zeros(len(codes), dtype=np.int64)
        if self.size < TOO_MANY_TO_NUMBER:
            _, first, group = np.unique(self.keys(codes), return_index=True, return_inverse=True)
        else:
            _, first, group = np.unique(codes, axis=0, return_index=True, return_inverse=True)
        return codes[first], group.reshape(-1).astype(np.int64)

    def order(self, codes: CodeArray) -> IntArray:
        """The order of the cells by their codes, the first column slowest."""
        if self.size < TOO_MANY_TO_NUMBER:
            return np.argsort(self.keys(codes), kind="stable")
        return np.lexsort(codes.T[::-1])

    def matches(self, rule: Mapping[str, Iterable[str]], codes: CodeArray) -> BoolArray:
        """Which cells have, in every column of ``rule``, one of its levels; a structural zero rules these out."""
        found = np.ones(len(codes), dtype=bool)
        for name, levels in rule.items():
            wanted = self.coded(name, levels)
            found &= np.isin(codes[:, self.axis(name)], wanted[wanted >= 0])
        return found

    def text_order(self, codes: CodeArray) -> IntArray:
        """The order of the cells by the code points of their levels, which tells nothing of the order of the data."""
        ranks = []
        for j, found in enumerate(self.levels):
            rank = np.empty(len(found), dtype=np.int32)
            rank[sorted(range(len(found)), key=found.__getitem__)] = np.arange(len(found))
            ranks.append(rank[codes[:, j]])
        return self.order(np.stack(ranks, axis=1)) if ranks else np.arange(len(codes))

    def used(self, codes: CodeArray) -> tuple[Domain, CodeArray]:
        """The domain of the levels that these cells use, in the order of their code points, and their codes there."""
        levels: list[tuple[str, ...]] = []
        columns = []
        for j, found in enumerate(self.levels):
            present = np.flatnonzero(np.bincount(codes[:, j], minlength=len(found)))
            texts = [found[i] for i in present.tolist()]
            ordered = sorted(range(len(texts)), key=texts.__getitem__)
            rank = np.zeros(len(found), dtype=np.int32)
            rank[present[ordered]] = np.arange(len(present), dtype=np.int32)
            levels.append(tuple(map(texts.__getitem__, ordered)))
            columns.append(rank[codes[:, j]])
        matrix = np.stack(columns, axis=1) if columns else np.zeros((len(codes), 0), dtype=np.int32)
        return Domain(self.columns, tuple(levels)), matrix

    def __repr__(self) -> str:
        return one_line(self, str(self))

    def __str__(self) -> str:
        return " x ".join(f"{name}({size})" for name, size in zip(self.columns, self.shape, strict=True))


def refuse_many_cells(size: int) -> None:
    """Refuse a universe too large to be listed cell by cell."""
    if size > MAX_CELLS:
        raise ParameterError(
            f"the universe has {size:,} cells, more than {MAX_CELLS:,}",
            remedy="use fewer columns, or fewer levels (wider bins)",
        )


def refuse_repeated(column: str, levels: Sequence[str]) -> None:
    """Refuse levels of a column that are not distinct."""
    if len(set(levels)) != len(levels):
        raise ParameterError(f"the universe of {column!r} lists a value twice")


def encoded(values: Sequence[str]) -> tuple[tuple[str, ...], CodeArray]:
    """The distinct values in order of appearance, and the position of each value among them."""
    distinct = tuple(dict.fromkeys(values))
    if len(distinct) == len(values):
        return distinct, np.arange(len(distinct), dtype=np.int32)
    position = dict(zip(distinct, range(len(distinct)), strict=True))
    return distinct, np.fromiter(map(position.__getitem__, values), np.int32, len(values))


def sorted_codes(values: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """The distinct values by code point, and the position of each value among them."""
    found, codes = encoded(values)
    order = sorted(range(len(found)), key=found.__getitem__)
    rank = np.empty(len(found), dtype=np.int64)
    rank[order] = np.arange(len(found))
    return tuple(found[i] for i in order), rank[codes]


def natural_order(values: Iterable[str]) -> list[str]:
    """The distinct values: numbers, and bins by their lower ends, in numeric order, anything else by code point."""
    distinct = sorted(set(values))
    keys = [_leading_number(value) for value in distinct]
    if any(key is None for key in keys):
        return distinct
    return [value for _, value in sorted(zip(keys, distinct, strict=True), key=lambda pair: (pair[0], pair[1]))]


def _leading_number(text: str) -> float | None:
    """12 of ``12``, 20 of ``[20, 25)``; an open bin below everything sorts first."""
    stripped = text.lstrip("[(>= ")
    if stripped.startswith("<"):
        return -math.inf
    try:
        return float(stripped.split(",")[0].rstrip(")]"))
    except ValueError:
        return None


def level_text(value: object) -> str:
    """One level as the engine writes it: booleans in lower case, whole numbers without decimals, missing as such."""
    if isinstance(value, np.bool_ | np.number):  # as in the values of a data frame's column
        value = value.item()
    if isinstance(value, bool):
        return str(value).lower()
    if _is_missing(value):
        return MISSING
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_WHOLE:
        return str(int(value))
    if isinstance(value, Decimal):
        return number_text(value)
    return str(value).strip()


def levels_given(value: object) -> tuple[str, ...]:
    """One level or several, as texts."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return tuple(level_text(item) for item in value)
    return (level_text(value),)


def _is_missing(value: object) -> bool:
    """None, NaN, and what pandas has in their place, which cannot be compared."""
    if isinstance(value, float | Decimal):
        return math.isnan(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")
