"""People in groups: what was counted, by raw key with codebooks or by level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from epsilens.table.reading.codebooks import Codebook
from epsilens.table.reading.keys import Key
from epsilens.table.reading.relations import with_levels
from epsilens.table.reading.scratch import Scratch, materialised

Label: TypeAlias = tuple[str, ...]
"""The level of each sensitive column."""


@dataclass(frozen=True, eq=False)
class Cells:
    """A relation of raw keys ``q<i>`` with their ``rows`` and, as ``c<k>``, those of them with ``labels[k]``."""

    relation: Any
    scratch: Scratch | None
    labels: tuple[Label, ...]
    books: Mapping[str, Codebook]
    """The levels of the sensitive columns, and how many rows have each; levels that several labels share repeat."""
    totals: Mapping[Label, int] = field(default_factory=dict)
    """How many rows have each label, where cells are kept."""
    alone: Mapping[str, Key] = field(default_factory=dict)
    """The quasi-identifiers that are known to need no codebook; see :class:`Groups`."""
    asked: Any = None
    """Where cells are not kept, the rows that they are made of."""

    @classmethod
    def of(cls, relation: Any, scratch: Scratch, labels: Sequence[Label], sensitive: Sequence[str]) -> Cells:
        """Cells with what their rows add up to."""
        import ibis

        sums = relation.aggregate(rows=ibis.array([relation[f"c{k}"].sum() for k in range(len(labels))]))
        levels = {
            name: ibis.literal([label[j] for label in labels], "array<string>").unnest()
            for j, name in enumerate(sensitive)
        }
        by_label, kept = materialised(sums.select(rows=sums.rows.unnest(), **levels))
        books = {name: Codebook(by_label.select("rows", level=by_label[name]), kept) for name in sensitive}
        totals = {tuple(row[name] for name in sensitive): row["rows"] for row in by_label.to_pyarrow().to_pylist()}
        return cls(relation, scratch, tuple(labels), books, totals)

    def by_label(self) -> Any:
        """The same people in groups by cell and label."""
        import ibis

        rest = [name for name in self.relation.columns if name.startswith("q")]
        branches = []
        for k, label in enumerate(self.labels):
            levels = {name: ibis.literal(level, "string") for name, level in zip(self.books, label, strict=True)}
            here = self.relation.filter(self.relation[f"c{k}"] > 0)
            branches.append(here.select(*rest, **levels, rows=here[f"c{k}"], people=here[f"c{k}"]))
        return branches[0].union(*branches[1:]) if len(branches) > 1 else branches[0]


@dataclass(frozen=True, eq=False)
class Groups:
    """``keyed`` has a column per key with its internal name, ``rows``, ``people`` and what else was added up.

    The keys of columns with a codebook, or in ``alone``, are raw, each of another level; the others are levels
    themselves.
    """

    relation: Any
    """``keyed``; None where that is made of cells."""
    keys: tuple[str, ...]
    books: Mapping[str, Codebook] = field(default_factory=dict)
    scratch: Scratch | None = None
    cells: Cells | None = None
    """The same people by cell alone, where they were counted so."""
    every_row: int | None = None
    """All rows of the scan, where some were dropped for a missing value."""
    alone: Mapping[str, Key] = field(default_factory=dict)
    """Columns of raw keys that need no codebook: each key is a value (none is missing), and the level is that value."""

    @cached_property
    def keyed(self) -> Any:
        """The groups."""
        return self.relation if self.cells is None else self.cells.by_label()

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

    def drop(self) -> None:
        """Drop the temporary table now rather than when nobody refers to it any more, unless it may still be in use."""
        if self.scratch is not None and self.cells is None:
            self.scratch.drop()
