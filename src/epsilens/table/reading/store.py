"""Cells that live in a database engine. They come to Python on demand; signatures never bring the cells along."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import CodeArray, IntArray, distinct_rows
from epsilens.table.count_vectors import STRUCTURAL_ZERO, CountVectors
from epsilens.table.domain import Domain
from epsilens.table.reading.arrow_numbers import levels_and_codes, numbers_of
from epsilens.table.reading.keys import Key
from epsilens.table.reading.relations import Book, in_code_points, with_levels, with_levels_of_codes
from epsilens.table.reading.scratch import Scratch, fetched
from epsilens.table.reading.weights import sums_in
from epsilens.table.survey_weights import WeightedCells, weighted_cells

CODE_POINT_ORDER = ("duckdb", "pyspark")
"""Engines whose ORDER BY compares UTF-8 bytes, which is the order of code points."""


@dataclass(frozen=True, eq=False)
class EngineStore:
    """A relation with one row per cell: quasi-identifiers, and a count column per label.

    ``qids`` maps the names people use to the relation's columns. ``scratch`` keeps the temporary table alive, if any.
    ``weights`` is the column with the sum of the survey weights of each cell's people, where they have any, and
    ``label_weights`` those of all people with each label.
    """

    relation: Any
    qids: dict[str, str]
    counts: tuple[str, ...]
    scratch: Scratch | None = None
    weights: str | None = None
    label_weights: tuple[float, ...] | None = None
    books: Mapping[str, Book] = field(default_factory=dict)
    """The codebooks of quasi-identifiers whose columns hold raw keys instead of levels."""
    alone: Mapping[str, Key] = field(default_factory=dict)
    """How the raw keys of others become levels, which are as distinct as they."""

    def vectors(self) -> IntArray:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return _matrix(self._sorted, self.counts)

    def count_vectors(self) -> CountVectors:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return CountVectors.of(self.vectors())

    def counts_in(self, table: Any) -> IntArray:
        """The counts (cells, labels) in an Arrow table with the columns ``counts``."""
        return _matrix(table, self.counts)

    def sparse_counts_in(self, table: Any, cells: IntArray) -> CountVectors:
        """The counts in some rows of an Arrow table with the columns ``counts``."""
        return CountVectors.of(self.counts_in(table)[cells])

    def ordered_signatures(self) -> tuple[CountVectors, IntArray]:
        """See :class:`~epsilens.table.cell_store.CellStore`. Fetches signatures only."""
        grouped = self.relation.group_by(list(self.counts)).aggregate(cells=self.relation.count())
        found = fetched(grouped)
        vectors, cells = distinct_rows(_matrix(found, self.counts), _matrix(found, ["cells"])[:, 0])
        return CountVectors.of(vectors), cells

    def cells(self, limit: int | None) -> dict[str, list[str]]:
        """See :class:`~epsilens.table.cell_store.CellStore`. With a limit only that many cells are fetched."""
        if limit is None or "_fetched" in self.__dict__ or self._engine_order() is None:
            return {name: values[:limit] for name, values in self._fetched[0].items()}
        return self._named(self._first(self.relation, limit, ()))

    def cells_with(self, vectors: CountVectors, limit: int) -> tuple[dict[str, list[str]], CountVectors]:
        """See :class:`~epsilens.table.cell_store.CellStore`. Fetches these cells only."""
        import pyarrow as pa

        wanted = vectors.dense()
        named = pa.table({name: wanted[:, k] for k, name in enumerate(self.counts)})
        found = self._first(with_any_of(self.relation, named), limit, self.counts)
        return self._named(found), CountVectors.of(_matrix(found, self.counts))

    def _first(self, cells: Any, limit: int, rest: Sequence[str]) -> Any:
        """The first of these cells with columns ``rest``, as an Arrow table. Fetches these only, by level."""
        wanted, order = self._decodable(cells, rest), self._engine_order()
        if order is not None:
            wanted = wanted.order_by(order(wanted)).limit(limit)
        books = {self.qids[name]: book for name, book in self.books.items()}
        found = fetched(with_levels_of_codes(wanted, books))
        return _in_code_point_order(found, list(self.qids.values())).slice(0, limit)

    def coded_cells(self) -> tuple[Domain, CodeArray, CountVectors]:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        table = self.__dict__.get("_sorted") or fetched(self._decodable(self.relation, self.counts))
        levels: list[tuple[str, ...]] = []
        codes = np.empty((table.num_rows, len(self.qids)), dtype=np.int32)
        for j, (name, column) in enumerate(self.qids.items()):
            if (book := self.books.get(name)) is not None:  # some of its levels may be in no cell
                seen, codes[:, j] = np.unique(numbers_of(table.column(column)), return_inverse=True)
                levels.append(tuple(book.levels[code] for code in seen.tolist()))
                continue
            named, codes[:, j] = levels_and_codes(table.column(column))
            levels.append(named)
        # Engines give cells in any order. Sums over cells must not differ in their last digit from one day to the next.
        domain = Domain(tuple(self.qids), tuple(levels))
        order = domain.order(codes)
        return domain, codes[order], self.sparse_counts_in(table, order)

    def marginal(self, columns: Sequence[str]) -> EngineStore:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        sums = {c: _sum_of_rows(self.relation[c]) for c in self.counts}
        if self.weights is not None:
            sums[self.weights] = self.relation[self.weights].sum()
        keys = {name: self.qids[name] for name in columns}
        grouped = self.relation.group_by(list(keys.values())) if keys else self.relation
        books = {name: book for name, book in self.books.items() if name in keys}
        return replace(self, relation=grouped.aggregate(**sums), qids=keys, books=books)

    def marginal_signatures(self, columns: Sequence[str]) -> tuple[IntArray, IntArray, IntArray]:
        """See :class:`~epsilens.table.cell_store.CellStore`. One pass over the cells; fetches kinds of cells only."""
        keys = [self.qids[name] for name in columns]
        sums = {c: _sum_of_rows(self.relation[c]) for c in self.counts}
        parts = {f"parts{k}": (self.relation[c] != STRUCTURAL_ZERO).sum() for k, c in enumerate(self.counts)}
        cells = (self.relation.group_by(keys) if keys else self.relation).aggregate(**sums, **parts)
        kinds = [*self.counts, *parts]
        found = fetched(cells.group_by(kinds).aggregate(cells=cells.count()))
        rows, times = distinct_rows(_matrix(found, kinds), _matrix(found, ["cells"])[:, 0])
        return rows[:, : len(sums)], rows[:, len(sums) :], times

    def regrouped(self, groups: Sequence[Sequence[int]]) -> EngineStore:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        merged = {
            f"g{g}": _sum_of_columns([self.relation[self.counts[k]] for k in members])
            for g, members in enumerate(groups)
        }
        keys = {name: self.relation[column] for name, column in self.qids.items()}
        internal = {name: f"q{i}" for i, name in enumerate(keys)}
        if self.weights is not None:
            merged[self.weights] = self.relation[self.weights]
        relation = self.relation.select(**{internal[name]: column for name, column in keys.items()}, **merged)
        # Count columns keep their usual names, so that regrouping a regrouped store works.
        relation = relation.rename({f"c{g}": f"g{g}" for g in range(len(groups))})
        counts = tuple(f"c{g}" for g in range(len(groups)))
        labels = self.label_weights
        sums = None if labels is None else tuple(sum(labels[k] for k in members) for members in groups)
        return replace(self, relation=relation, qids=internal, counts=counts, label_weights=sums)

    def weighted_cells(self) -> WeightedCells | None:
        """See :class:`~epsilens.table.cell_store.CellStore`. Fetches distinct pairs only."""
        if self.weights is None:
            return None
        keys = [*self.counts, self.weights]
        found = fetched(self.relation.group_by(keys).aggregate(cells=self.relation.count()))
        sums = sums_in(found, self.weights)
        return weighted_cells(_matrix(found, self.counts), sums, _matrix(found, ["cells"])[:, 0], self.label_weights)

    @cached_property
    def _sorted(self) -> Any:
        """All cells as an Arrow table, in the order of their code points; see :meth:`_decodable`."""
        return _in_code_point_order(fetched(self._decodable(self.relation, self.counts)), list(self.qids.values()))

    @cached_property
    def _fetched(self) -> tuple[dict[str, list[str]], IntArray]:
        """All cells with their vectors, sorted here so that the order is the same for every engine."""
        return self._named(self._sorted, coded=True), self.vectors()

    def _decodable(self, relation: Any, rest: Sequence[str]) -> Any:
        """Cells with levels, or their codes, whose order is theirs, in the place of raw keys, and columns ``rest``."""
        new = {c: self.alone[name].level(relation[c]) for name, c in self.qids.items() if name in self.alone}
        relation = relation.mutate(**new) if new else relation
        books = {self.qids[name]: book for name, book in self.books.items()}
        others = [column for column in self.qids.values() if column not in books]
        if not books:
            return relation.select(*others, *rest)
        return with_levels(relation, books, [*others, *rest], "code")

    def _named(self, table: Any, coded: bool = False) -> dict[str, list[str]]:
        """The levels of the cells in an Arrow table, which may have the codes of some instead."""
        found = {}
        for name, column in self.qids.items():
            values = table.column(column).to_pylist()
            coded_here = coded and name in self.books
            found[name] = [self.books[name].levels[code] for code in values] if coded_here else values
        return found

    def _engine_order(self) -> Callable[[Any], list[Any]] | None:
        """Sort keys of what is decodable that make the engine compare code points; nothing where we know of none."""
        columns = list(self.qids.values())
        engine = self.relation.get_backend().name
        if not columns:
            return None
        if engine in CODE_POINT_ORDER:
            return lambda relation: [relation[column] for column in columns]
        return (lambda relation: [in_code_points(relation[c]) for c in columns]) if engine == "postgres" else None


MOST_SPELT_OUT = 4_000
"""So many values may a condition list; more of them are joined."""


def with_any_of(relation: Any, wanted: Any) -> Any:
    """The rows of a relation that agree with some row of the Arrow table ``wanted`` in all columns of it.

    Few are spelt out as a condition, for which nothing must be written anywhere. Many would take DuckDB longer to parse
    than to find, so there they are joined; elsewhere our sessions cannot write, or cannot write lists. So there numbers
    of a row are compared as one text.
    """
    import ibis
    import pyarrow as pa

    columns = [wanted.column(name).combine_chunks() for name in wanted.column_names]
    values = sum(len(pa.compute.list_flatten(c)) if pa.types.is_list(c.type) else len(c) for c in columns)
    if values > MOST_SPELT_OUT and relation.get_backend().name == "duckdb":
        return relation.semi_join(ibis.memtable(wanted), wanted.column_names)
    if len(columns) > 1 and relation.get_backend().name != "duckdb":
        texts = [",".join(map(str, row.values())) for row in wanted.to_pylist()]
        keys = [relation[name].cast("string") for name in wanted.column_names]
        written = _balanced(lambda left, right: left + ibis.literal(",") + right, keys)
        return relation.filter(written.isin(texts) if texts else ibis.literal(False))
    own = {name: relation[name] for name in wanted.column_names}
    conditions = [
        _balanced(operator.and_, [own[name] == ibis.literal(value, own[name].type()) for name, value in row.items()])
        for row in wanted.to_pylist()
    ]
    return relation.filter(_balanced(operator.or_, conditions) if conditions else ibis.literal(False))


def _in_code_point_order(table: Any, keys: Sequence[str]) -> Any:
    import pyarrow.compute as pc

    # Arrow compares UTF-8 bytes, and these sort like code points.
    return table.take(pc.sort_indices(table, [(key, "ascending") for key in keys])) if keys else table


def _matrix(table: Any, columns: Sequence[str]) -> IntArray:
    """Columns of an Arrow table as an int64 matrix; rows are compared column by column, so each stays in one piece."""
    matrix = np.empty((table.num_rows, len(columns)), dtype=np.int64, order="F")
    for j, name in enumerate(columns):
        matrix[:, j] = numbers_of(table.column(name))
    return matrix


def _sum_of_rows(count: Any) -> Any:
    """The total of a count column within a group, structurally zero only where every row is."""
    import ibis

    impossible = ibis.literal(STRUCTURAL_ZERO, "int64")
    return (count.max() == STRUCTURAL_ZERO).ifelse(impossible, count.sum(where=count > 0).fill_null(0))


def _sum_of_columns(counts: Sequence[Any]) -> Any:
    """The total of several count columns within a cell, structurally zero only where all of them are."""
    import ibis

    if len(counts) == 1:
        return counts[0]
    total = _balanced(operator.add, [(count > 0).ifelse(count, 0) for count in counts])
    return (ibis.greatest(*counts) == STRUCTURAL_ZERO).ifelse(ibis.literal(STRUCTURAL_ZERO, "int64"), total)


def _balanced(combine: Callable[[Any, Any], Any], terms: Sequence[Any]) -> Any:
    """Terms combined as a shallow tree: a chain of a thousand would exhaust the compiler's recursion."""
    if len(terms) == 1:
        return terms[0]
    middle = len(terms) // 2
    return combine(_balanced(combine, terms[:middle]), _balanced(combine, terms[middle:]))
