"""Cells of many labels in a database engine: for each the list of the labels that somebody has, with their counts.

A column per label is what engines are worst at: five thousand of them take minutes and gigabytes, though a cell has
people in a few. So a cell has one column with a list of whole numbers, one per label that occurs, which holds the label
and its count; cells with equal lists have equal count vectors. Lists, not cells, come to Python, and they are the
sparse form of count vectors as they stand.

What a number says is plain arithmetic, the same in every engine: :data:`PAIR` times the code of the label, and the
count plus 1; so 0 stands for what cannot occur. Codes number the labels that people have, in the engine's own order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import IntArray
from epsilens.table.cell_store import MemoryStore, RegroupedStore
from epsilens.table.count_vectors import CountVectors
from epsilens.table.reading import levels
from epsilens.table.reading.arrow_numbers import numbers_of
from epsilens.table.reading.scratch import Scratch, fetched, materialised
from epsilens.table.reading.store import EngineStore, with_any_of
from epsilens.table.reading.weights import sums_in
from epsilens.table.survey_weights import WeightedCells, weighted_cells

PAIR_BITS = 50
PAIR = 1 << PAIR_BITS
"""A label has fewer people than that; the code of a label takes the remaining 13 bits of a whole number."""


@dataclass(frozen=True, eq=False)
class ListedCells:
    """Cells ``q<i>`` with the list ``pairs`` of each, and the code of every label."""

    relation: Any
    scratch: Scratch | None
    code_of: IntArray


def listed_cells(
    peopled: Any,
    n_qids: int,
    values: Sequence[tuple[str, ...]],
    impossible: Sequence[tuple[Mapping[str, Sequence[str]], Sequence[int]]] = (),
    internal: Mapping[str, str] | None = None,
) -> ListedCells | None:
    """The cells of ``peopled`` (columns ``q<i>``, ``s<j>``, ``people``) with the counts of the labels ``values``.

    ``impossible`` are rules: in cells that have these levels (``internal`` names the columns) these labels cannot be.
    Nothing where a label has so many people that its count does not fit beside its code.
    """
    import ibis

    keys, sensitive = [f"q{i}" for i in range(n_qids)], [f"s{j}" for j in range(len(values[0]))]
    totals = peopled.group_by(sensitive).aggregate(everybody=peopled.people.cast("float64").sum())
    book, book_scratch = materialised(totals.mutate(code=ibis.row_number().over(order_by=sensitive).cast("int64")))
    rows = fetched(book).to_pylist()
    if any(row["everybody"] >= PAIR - 1 for row in rows):
        return None
    code_of = _codes(values, {tuple(row[key] for key in sensitive): row["code"] for row in rows})
    coded = peopled.inner_join(book, sensitive)
    cells = coded.group_by(keys).aggregate(pairs=(coded.code * PAIR + (_whole(coded.people) + 1)).collect().sort())
    if marks := _marks(cells, impossible, code_of, internal or {}):
        pairs = cells.pairs
        for mark in marks:
            pairs = pairs.concat(mark)
        cells = cells.mutate(pairs=pairs.sort())
    relation, scratch = materialised(cells, as_they_are=keys)
    if book_scratch is not None:
        book_scratch.drop()
    return ListedCells(relation, scratch, code_of)


def _codes(values: Sequence[tuple[str, ...]], known: Mapping[tuple[str, ...], int]) -> IntArray:
    """The code of each label: the engine's, and further ones for labels that nobody has."""
    spare = max(known.values(), default=-1)
    found = np.empty(len(values), dtype=np.int64)
    for k, parts in enumerate(values):
        if (code := known.get(parts)) is None:
            spare += 1
            code = spare
        found[k] = code
    return found


def _marks(
    cells: Any,
    impossible: Sequence[tuple[Mapping[str, Sequence[str]], Sequence[int]]],
    code_of: IntArray,
    internal: Mapping[str, str],
) -> list[Any]:
    """Lists of what cannot occur in a cell; a label that several rules name is in one of them only."""
    import ibis

    rules_of: dict[int, tuple[int, ...]] = {}
    for i, (_, labels) in enumerate(impossible):
        for label in labels:
            rules_of[label] = (*rules_of.get(label, ()), i)
    marks = []
    for rules in dict.fromkeys(rules_of.values()):
        numbers = [int(code_of[label]) * PAIR for label, named in rules_of.items() if named == rules]
        known = [impossible[i][0] for i in rules]
        conditions = [levels.matches(cells, internal, rule) if rule else ibis.literal(True) for rule in known]
        anywhere = conditions[0]
        for condition in conditions[1:]:
            anywhere |= condition
        listed = ibis.literal(numbers, "array<int64>")
        marks.append(anywhere.ifelse(listed, listed[:0]))  # an empty list as such has no type in PostgreSQL
    return marks


@dataclass(frozen=True, eq=False, kw_only=True)
class ListedStore(EngineStore):
    """A relation with one row per cell: quasi-identifiers, and the list of its labels with their counts."""

    code_of: IntArray
    """The code of each label."""
    impossible: bool = False
    """Whether some label cannot occur in some cell."""

    def vectors(self) -> IntArray:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return self.count_vectors().dense()

    def count_vectors(self) -> CountVectors:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return self._decoded(self._sorted)

    def counts_in(self, table: Any) -> IntArray:
        """The counts (cells, labels) in an Arrow table with the column ``pairs``."""
        return self._decoded(table).dense()

    def sparse_counts_in(self, table: Any, cells: IntArray) -> CountVectors:
        """The counts in some rows of an Arrow table with the column ``pairs``."""
        return self._decoded(table).take(cells)

    def ordered_signatures(self) -> tuple[CountVectors, IntArray]:
        """See :class:`~epsilens.table.cell_store.CellStore`. Fetches signatures only."""
        return self._signatures

    @cached_property
    def _signatures(self) -> tuple[CountVectors, IntArray]:
        found = fetched(self.relation.group_by("pairs").aggregate(cells=self.relation.count()))
        return self._decoded(found).distinct(_numbers(found, "cells"))

    def cells_with(self, vectors: CountVectors, limit: int) -> tuple[dict[str, list[str]], CountVectors]:
        """See :class:`~epsilens.table.cell_store.CellStore`. Fetches these cells only."""
        import pyarrow as pa

        found = self._first(with_any_of(self.relation, pa.table({"pairs": self._encoded(vectors)})), limit, self.counts)
        return self._named(found), self._decoded(found)

    def marginal(self, columns: Sequence[str]) -> ListedStore:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        import ibis

        keys = {name: self.qids[name] for name in columns}
        kept = list(keys.values())
        each = self.relation.select(*kept, pair=self.relation.pairs.unnest())
        each = each.select(*kept, code=each.pair >> PAIR_BITS, people=(each.pair & (PAIR - 1)) - 1)
        sums = {"people": each.people.sum(where=each.people > 0).fill_null(0)}
        if self.impossible:
            sums["never"] = (each.people < 0).ifelse(1, 0).sum()
        summed = each.group_by([*kept, "code"]).aggregate(**sums)
        if self.impossible:
            cells = self.relation.group_by(kept).aggregate(cells=self.relation.count()) if kept else None
            whole = (
                summed.join(cells, kept)
                if cells is not None
                else summed.cross_join(self.relation.aggregate(cells=self.relation.count()))
            )
            summed = whole.mutate(people=(whole.never == whole.cells).ifelse(ibis.literal(-1, "int64"), whole.people))
            summed = summed.filter(summed.people != 0)
        pair = summed.code * PAIR + (_whole(summed.people) + 1)
        grouped = (summed.group_by(kept) if kept else summed).aggregate(pairs=pair.collect().sort())
        if self.weights is not None:
            relation = self.relation
            total = relation[self.weights].sum()
            sums_of = (relation.group_by(kept) if kept else relation).aggregate(**{self.weights: total})
            grouped = grouped.join(sums_of, kept) if kept else grouped.cross_join(sums_of)
        books = {name: book for name, book in self.books.items() if name in keys}
        return replace(self, relation=grouped, qids=keys, books=books)

    def marginal_signatures(self, columns: Sequence[str]) -> tuple[IntArray, IntArray, IntArray]:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return MemoryStore(self.vectors(), self.cells(None)).marginal_signatures(columns)

    def regrouped(self, groups: Sequence[Sequence[int]]) -> RegroupedStore:  # type: ignore[override]
        """See :class:`~epsilens.table.cell_store.CellStore`. The engine is not asked."""
        return RegroupedStore(self, tuple(tuple(members) for members in groups))

    def weighted_cells(self) -> WeightedCells | None:
        """See :class:`~epsilens.table.cell_store.CellStore`. Fetches distinct pairs only."""
        if self.weights is None:
            return None
        found = fetched(self.relation.group_by(["pairs", self.weights]).aggregate(cells=self.relation.count()))
        sums = sums_in(found, self.weights)
        return weighted_cells(self._decoded(found).dense(), sums, _numbers(found, "cells"), self.label_weights)

    def _decoded(self, table: Any) -> CountVectors:
        """The column ``pairs`` of an Arrow table as count vectors."""
        import pyarrow.compute as pc

        column = table.column("pairs").combine_chunks()
        lengths = np.asarray(numbers_of(pc.list_value_length(column)), dtype=np.int64)
        numbers = numbers_of(column.flatten()).astype(np.int64, copy=False)
        label_of = np.zeros(int(self.code_of.max()) + 1, dtype=np.int64)
        label_of[self.code_of] = np.arange(len(self.code_of))
        labels, counts = label_of[numbers >> PAIR_BITS], (numbers & (PAIR - 1)) - 1
        return CountVectors.of_pairs(lengths, labels, counts, len(self.code_of))

    def _encoded(self, vectors: CountVectors) -> Any:
        """Count vectors as lists, the inverse of :meth:`_decoded`."""
        import pyarrow as pa

        numbers = self.code_of[vectors.labels] * PAIR + (vectors.counts + 1)
        order = np.lexsort((numbers, vectors.row_of))
        return pa.LargeListArray.from_arrays(pa.array(vectors.starts), pa.array(numbers[order], pa.int64()))


def _whole(column: Any) -> Any:
    """A sum as a whole number of 64 bits.

    Engines make sums wider than Ibis believes, which leaves out a plain cast as needless.
    """
    return column.cast("decimal(38, 0)").cast("int64")


def _numbers(table: Any, column: str) -> IntArray:
    found: IntArray = numbers_of(table.column(column)).astype(np.int64)
    return found
