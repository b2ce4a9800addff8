"""What the columns of a source are like: their names, types and how many values they have, never a value itself."""

from __future__ import annotations

from dataclasses import dataclass

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
