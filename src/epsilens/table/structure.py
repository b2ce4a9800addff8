"""What the columns of a source are like, what its first rows are, and which values a column has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epsilens.table.column_facts import Structure
from epsilens.table.reading.structure import read_first_rows, read_levels, read_structure


def structure_of(source: Any, table: str | None = None, missing_values: Sequence[str] = ()) -> Structure:
    """The structure of a file, a database table or a data frame; see ``read_table`` for the sources.

    ``missing_values`` are texts that mean missing.
    """
    return read_structure(source, table, tuple(missing_values))


def first_rows(source: Any, table: str | None = None, rows: int = 5) -> dict[str, list[str]]:
    """The first rows as texts, by column: people's own data, for somebody who asks to see them."""
    return read_first_rows(source, table, rows)


def levels_of(source: Any, column: str, table: str | None = None, most: int = 1_000) -> list[str]:
    """The values of a column, sorted, at most so many: people's own data, for somebody who asks to see them."""
    return read_levels(source, column, table, most)
