"""People in groups: what was counted, by raw key with codebooks or by level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from epsilens.table.reading.codebooks import Codebook
from epsilens.table.reading.keys import Key
from epsilens.table.reading.relations import with_levels
from epsilens.table.reading.scratch import Scratch


@dataclass(frozen=True, eq=False)
class Cells:
    """A relation of raw keys ``q<i>`` with ``rows`` and, as ``c<k>``, those of them with ``labels[k]``."""

    relation: Any
    scratch: Scratch | None
    labels: tuple[tuple[str, ...], ...]
    books: dict[str, Codebook]
    """The codebooks of the sensitive columns."""
    alone: Mapping[str, Key] = field(default_factory=dict)
    """The quasi-identifiers that are known to need none; see :class:`Groups`."""
    asked: Any = None
    """Where cells are not kept, the rows that they are made of."""


@dataclass(frozen=True, eq=False)
class Groups:
    """``keyed`` has a column per key with its internal name, ``rows``, ``people`` and what else was added up.

    The keys of columns with a codebook, or in ``alone``, are raw, each of another level; the others are levels
    themselves.
    """

    keyed: Any
    keys: tuple[str, ...]
    books: Mapping[str, Codebook] = field(default_factory=dict)
    scratch: Scratch | None = None
    cells: Cells | None = None
    """The same people by cell alone, where they were counted so; then ``keyed`` is made of these."""
    every_row: int | None = None
    """All rows of the scan, where some were dropped for a missing value."""
    alone: Mapping[str, Key] = field(default_factory=dict)
    """Columns of raw keys that need no codebook: each key is a value (none is missing), and the level is that value."""

    @property
    def totals(self) -> Any:
        """A relation with all ``rows`` and ``people``, and what else was added up; sensitive keys need not be in it."""
        if self.cells is None:
            return self.keyed
        found = self.cells.relation if self.cells.asked is None else self.cells.asked
        return found.mutate(people=found.rows)

    def book_of(self, column: str) -> Codebook | None:
        """The levels of a column with how many rows have each."""
        found = self.books.get(column)
        return self.cells.books.get(column) if found is None and self.cells is not None else found

    def levels_of(self, column: str) -> Any:
        """A relation with every ``level`` of a column once, where that is not what the groups have already."""
        if (book := self.book_of(column)) is not None:
            return book.relation
        if (key := self.alone.get(column)) is None:
            return None
        each = self.totals.select(column).distinct()
        return each.select(level=key.level(each[column]))

    @cached_property
    def named(self) -> Any:
        """The same groups by level."""
        return self.levelled(self.keys)

    def levelled(self, columns: Sequence[str], coded: bool = False) -> Any:
        """The same groups with the levels, or the codes, of some columns in the place of their keys."""
        books = {name: book for name, book in self.books.items() if name in columns}
        new = {name: key.level(self.keyed[name]) for name, key in self.alone.items() if name in columns}
        keyed = self.keyed.mutate(**new) if new else self.keyed
        if not books:
            return keyed
        rest = [name for name in keyed.columns if name not in books]
        return with_levels(keyed, books, rest, "code" if coded else "level")

    def where(self, condition: Any) -> Groups:
        """The groups for which a condition on ``keyed`` holds."""
        return replace(self, keyed=self.keyed.filter(condition))

    def drop(self) -> None:
        """Drop the temporary table now rather than when nobody refers to it any more, unless it may still be in use."""
        if self.scratch is not None and self.cells is None:
            self.scratch.drop()
