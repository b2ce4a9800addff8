"""What the columns of a source are like: their names, types and how many values they have, never a value itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MOST_VALUES_COUNTED = 50_000_000
"""Above so many values in all, distinct ones are counted approximately (within a few per cent)."""


@dataclass(frozen=True)
class Column:
    """One column of a source."""

    name: str
    kind: str
    """What its values are: ``whole numbers``, ``numbers``, ``text``, or what the source calls their type."""
    distinct: int
    """How many values there are, missing ones not counted."""
    missing: int
    """How many rows have none."""

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers, in a file as text or not."""
        return self.kind in ("whole numbers", "numbers")


@dataclass(frozen=True)
class Structure:
    """How many rows, and which columns."""

    rows: int
    columns: tuple[Column, ...]
    exact: bool = True
    """Whether distinct values were counted exactly."""

    def column(self, name: str) -> Column | None:
        """The column of that name, if there is one."""
        return next((column for column in self.columns if column.name == name), None)


def structure_of(source: Any, table: str | None = None, missing_values: Sequence[str] = ()) -> Structure:
    """The structure of a file, a database table or a data frame; see ``read_table`` for the sources.

    ``missing_values`` are texts that mean missing.
    """
    from epsilens.table.reading.structure import read_structure

    return read_structure(source, table, tuple(missing_values))


def first_rows(source: Any, table: str | None = None, rows: int = 5) -> dict[str, list[str]]:
    """The first rows as texts, by column: people's own data, for somebody who asks to see them."""
    from epsilens.table.reading.structure import read_first_rows

    return read_first_rows(source, table, rows)


def levels_of(source: Any, column: str, table: str | None = None, most: int = 1_000) -> list[str]:
    """The values of a column, sorted, at most so many: people's own data, for somebody who asks to see them."""
    from epsilens.table.reading.structure import read_levels

    return read_levels(source, column, table, most)
