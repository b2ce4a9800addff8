"""Cells that live in a database engine. They come to Python on demand; signatures never bring the cells along."""

from __future__ import annotations

import contextlib
import operator
import os
import threading
import uuid
import weakref
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import CodeArray, IntArray, as_floats, distinct_rows
from epsilens.table.count_vectors import STRUCTURAL_ZERO, CountVectors
from epsilens.table.domain import Domain
from epsilens.table.reading.arrow_numbers import numbers_of
from epsilens.table.reading.relations import Book, duckdb_relation, first_row, with_levels
from epsilens.table.reading.sources import interruptible, reading
from epsilens.table.reading.spark import persisted
from epsilens.table.survey_weights import WeightedCells, weighted_cells

CODE_POINT_ORDER = ("duckdb", "pyspark")
"""Engines whose ORDER BY compares UTF-8 bytes, which is the order of code points."""

MOST_QUERIES = 500
"""So many compiled queries are remembered."""
_queries: dict[Hashable, tuple[str, Any]] = {}
_ANY_TABLE = f"epsilens_{uuid.uuid4().hex}"

_one_query_at_a_time = threading.RLock()
"""A DuckDB connection serves one thread at a time, and the workbench has several."""


def _unlocked_after_fork() -> None:
    """A forked process has none of its parent's other threads, so what they held would be held for ever."""
    global _one_query_at_a_time
    _one_query_at_a_time = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlocked_after_fork)


class Scratch:
    """A temporary DuckDB table or view, or what Spark keeps; it goes when nobody refers to it any more."""

    def __init__(
        self, backend: Any, query: str, schema: Any, kind: str = "TABLE", as_they_are: Collection[str] = ()
    ) -> None:
        if backend.name == "pyspark":  # people are counted once, not once for every query
            self.name, self.rows, release = persisted(backend, query)
            self.relation = backend.table(self.name)
            self._finalizer: Any = weakref.finalize(self, release)
            self._finalizer.atexit = False
            return
        name = f"epsilens_{uuid.uuid4().hex}"
        # DuckDB sums 64-bit integers to 128 bits, which Ibis does not notice: cast to what Ibis believes they are.
        columns = ", ".join(
            f'CAST("{column}" AS BIGINT) AS "{column}"'
            if dtype.is_integer() and column not in as_they_are
            else f'"{column}"'
            for column, dtype in schema.items()
        )
        with _one_query_at_a_time, interruptible():
            made = backend.con.execute(f'CREATE TEMP {kind} "{name}" AS SELECT {columns} FROM ({query})')
            self.rows = int(made.fetchone()[0]) if kind == "TABLE" else 0
        self.name = name
        self.relation = duckdb_relation(backend, name, schema)
        self._finalizer = weakref.finalize(self, _drop, backend, kind, name)
        self._finalizer.atexit = False

    def fetched(self) -> Any:
        """All of a table in DuckDB as an Arrow table."""
        with _one_query_at_a_time, interruptible():
            return self.relation.get_backend().con.sql(f'SELECT * FROM "{self.name}"').to_arrow_table()

    def drop(self) -> None:
        """Drop the table now."""
        self._finalizer()


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

    def vectors(self) -> IntArray:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return _matrix(self._sorted, self.counts)

    def count_vectors(self) -> CountVectors:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return CountVectors.of(self.vectors())

    def counts_in(self, table: Any) -> IntArray:
        """The counts (cells, labels) in an Arrow table with the columns ``counts``."""
        return _matrix(table, self.counts)

    def ordered_signatures(self) -> tuple[CountVectors, IntArray]:
        """See :class:`~epsilens.table.cell_store.CellStore`. Fetches signatures only."""
        grouped = self.relation.group_by(list(self.counts)).aggregate(cells=self.relation.count())
        found = fetched(grouped)
        vectors, cells = distinct_rows(_matrix(found, self.counts), _matrix(found, ["cells"])[:, 0])
        return CountVectors.of(vectors), cells

    def cells(self, limit: int | None) -> dict[str, list[str]]:
        """See :class:`~epsilens.table.cell_store.CellStore`. With a limit only that many cells are fetched."""
        if limit is None or "_fetched" in self.__dict__ or (order := self._engine_order()) is None:
            return {name: values[:limit] for name, values in self._fetched[0].items()}
        wanted = self._decodable(self.relation, ())
        keys = list(self.qids.values())
        return self._named(_in_code_point_order(fetched(wanted.order_by(order(wanted)).limit(limit)), keys))

    def cells_with(self, vectors: CountVectors, limit: int) -> tuple[dict[str, list[str]], CountVectors]:
        """See :class:`~epsilens.table.cell_store.CellStore`. Fetches these cells only."""
        import pyarrow as pa

        wanted = vectors.dense()
        named = pa.table({name: wanted[:, k] for k, name in enumerate(self.counts)})
        found = self._first(with_any_of(self.relation, named), limit)
        return self._named(found.select(list(self.qids.values()))), CountVectors.of(_matrix(found, self.counts))

    def _first(self, cells: Any, limit: int) -> Any:
        """The first of these cells, as an Arrow table."""
        order = self._engine_order()
        wanted = self._decodable(cells, self.counts)
        first = fetched(wanted if order is None else wanted.order_by(order(wanted)).limit(limit))
        return _in_code_point_order(first, list(self.qids.values())).slice(0, limit)

    def coded_cells(self) -> tuple[Domain, CodeArray, IntArray]:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        table = self.__dict__.get("_sorted") or fetched(self._decodable(self.relation, self.counts))
        levels: list[tuple[str, ...]] = []
        codes = np.empty((table.num_rows, len(self.qids)), dtype=np.int32)
        for j, (name, column) in enumerate(self.qids.items()):
            if (book := self.books.get(name)) is not None:  # some of its levels may be in no cell
                seen, codes[:, j] = np.unique(numbers_of(table.column(column)), return_inverse=True)
                levels.append(tuple(book.levels[code] for code in seen.tolist()))
                continue
            found = table.column(column).combine_chunks().dictionary_encode()
            named = found.dictionary.to_pylist()
            levels.append(tuple(sorted(named)))
            place = {level: code for code, level in enumerate(levels[-1])}
            codes[:, j] = np.array([place[level] for level in named], dtype=np.int32)[numbers_of(found.indices)]
        # Engines give cells in any order. Sums over cells must not differ in their last digit from one day to the next.
        domain = Domain(tuple(self.qids), tuple(levels))
        order = domain.order(codes)
        return domain, codes[order], self.counts_in(table)[order]

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
        sums = as_floats(numbers_of(found.column(self.weights)))
        return weighted_cells(_matrix(found, self.counts), sums, _matrix(found, ["cells"])[:, 0], self.label_weights)

    @cached_property
    def _sorted(self) -> Any:
        """All cells as an Arrow table, in the order of their code points; see :meth:`_decodable`."""
        return _in_code_point_order(fetched(self._decodable(self.relation, self.counts)), list(self.qids.values()))

    @cached_property
    def _fetched(self) -> tuple[dict[str, list[str]], IntArray]:
        """All cells with their vectors, sorted here so that the order is the same for every engine."""
        return self._named(self._sorted.select(list(self.qids.values()))), self.vectors()

    def _decodable(self, relation: Any, rest: Sequence[str]) -> Any:
        """Cells with the codes of levels, whose order is theirs, in the place of raw keys, and columns ``rest``."""
        books = {self.qids[name]: book for name, book in self.books.items()}
        others = [column for column in self.qids.values() if column not in books]
        if not books:
            return relation.select(*others, *rest)
        return with_levels(relation, books, [*others, *rest], "code")

    def _named(self, table: Any) -> dict[str, list[str]]:
        """The levels of cells in an Arrow table of what is decodable."""
        found = {}
        for name, column in self.qids.items():
            values = table.column(column).to_pylist()
            found[name] = [self.books[name].levels[code] for code in values] if name in self.books else values
        return found

    def _engine_order(self) -> Callable[[Any], list[Any]] | None:
        """Sort keys of what is decodable that make the engine compare code points; nothing where we know of none."""
        columns = list(self.qids.values())
        engine = self.relation.get_backend().name
        if not columns:
            return None
        if engine in CODE_POINT_ORDER:
            return lambda relation: [relation[column] for column in columns]
        return (lambda relation: [_utf8_bytes(relation[c]) for c in columns]) if engine == "postgres" else None


def materialised(expression: Any, as_they_are: Collection[str] = ()) -> tuple[Any, Scratch | None]:
    """The expression's result, kept: by DuckDB as a temporary table, by Spark in memory and on its disk.

    Elsewhere, where we may not write, the expression. Columns ``as_they_are`` keep their types: they are keys and no
    sums.
    """
    return _kept(expression, "TABLE", as_they_are)


def materialised_again(
    form: Hashable, backend: Any, build: Callable[[], Any], as_they_are: Collection[str] = (), of: Scratch | None = None
) -> tuple[Any, Scratch | None]:
    """What :func:`materialised` makes of an expression that is built and compiled once for all of the same ``form``.

    That takes Ibis several times as long as DuckDB takes to count a small table. The form must decide the query, but
    for the name of the table that it is asked ``of``; None is no form at all.
    """
    if form is None or backend.name != "duckdb":
        return materialised(build(), as_they_are)
    query, schema = _compiled_again(form, backend, build, of)
    scratch = Scratch(backend, query, schema, "TABLE", as_they_are)
    return scratch.relation, scratch


def first_row_again(form: Hashable, of: Scratch, build: Callable[[], Any]) -> dict[str, Any]:
    """The first row of what is asked of a temporary table, built and compiled once as :func:`materialised_again`."""
    backend = of.relation.get_backend()
    if backend.name != "duckdb":
        return first_row(build())
    query, schema = _compiled_again(form, backend, build, of)
    with _one_query_at_a_time, interruptible():
        return dict(zip(schema, backend.con.execute(query).fetchall()[0], strict=True))


def _compiled_again(form: Hashable, backend: Any, build: Callable[[], Any], of: Scratch | None) -> tuple[str, Any]:
    """The query of an expression, of a table whose name may differ, and its schema."""
    known, name = _queries.get(form), "" if of is None else of.name
    if known is None:
        expression = build()
        query = backend.compile(expression)
        known = query.replace(name, _ANY_TABLE) if name else query, expression.schema()
        if len(_queries) >= MOST_QUERIES:
            _queries.clear()
        _queries[form] = known
    return known[0].replace(_ANY_TABLE, name), known[1]


def staged(expression: Any, as_they_are: Collection[str] = ()) -> tuple[Any, Scratch | None]:
    """On DuckDB the expression as a view, elsewhere the expression itself.

    Ibis merges a selection from a selection into one, repeating an inner column wherever the outer one names it. A view
    is a wall to that, so that DuckDB trims and parses a text once per row (measured: less than half of the time).
    """
    return _kept(expression, "VIEW", as_they_are)


def _kept(expression: Any, kind: str, as_they_are: Collection[str] = ()) -> tuple[Any, Scratch | None]:
    backend = expression.get_backend()
    if not (backend.name == "duckdb" or (backend.name == "pyspark" and kind == "TABLE")):
        return expression, None
    scratch = Scratch(backend, backend.compile(expression), expression.schema(), kind, as_they_are)
    return scratch.relation, scratch


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


def _drop(backend: Any, kind: str, name: str) -> None:
    with contextlib.suppress(Exception), _one_query_at_a_time:
        backend.con.execute(f'DROP {kind} IF EXISTS "{name}"')


def fetched(expression: Any) -> Any:
    """The expression's result as an Arrow table."""
    with _one_query_at_a_time, reading("the table"):
        return expression.to_pyarrow()


def _in_code_point_order(table: Any, keys: Sequence[str]) -> Any:
    import pyarrow.compute as pc

    # Arrow compares UTF-8 bytes, and these sort like code points.
    return table.take(pc.sort_indices(table, [(key, "ascending") for key in keys])) if keys else table


def _matrix(table: Any, columns: Sequence[str]) -> IntArray:
    """Columns of an Arrow table as an int64 matrix."""
    matrix = np.empty((table.num_rows, len(columns)), dtype=np.int64)
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


def _utf8_bytes(column: Any) -> Any:
    """PostgreSQL's UTF-8 bytes of a text, whose order does not depend on the database's collation."""
    import ibis

    def convert_to(text, encoding):  # type: ignore[no-untyped-def]
        """The text's bytes in an encoding."""

    return ibis.udf.scalar.builtin(convert_to, signature=(("string", "string"), "binary"))(column, "UTF8")
