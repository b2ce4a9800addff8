"""Cells that live in a database engine. They come to Python on demand; signatures never bring the cells along."""

from __future__ import annotations

import contextlib
import operator
import os
import threading
import uuid
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import CodeArray, IntArray, as_floats, distinct_rows
from epsilens.table.domain import Domain
from epsilens.table.frequency import STRUCTURAL_ZERO
from epsilens.table.reading.arrow_numbers import numbers_of
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.sources import interruptible, reading
from epsilens.table.survey_weights import WeightedCells, weighted_cells

CODE_POINT_ORDER = ("duckdb", "pyspark")
"""Engines whose ORDER BY compares UTF-8 bytes, which is the order of code points."""

_one_query_at_a_time = threading.RLock()
"""A DuckDB connection serves one thread at a time, and the workbench has several."""


def _unlocked_after_fork() -> None:
    """A forked process has none of its parent's other threads, so what they held would be held for ever."""
    global _one_query_at_a_time
    _one_query_at_a_time = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlocked_after_fork)


class Scratch:
    """A temporary DuckDB table or view that is dropped when nobody refers to it any more."""

    def __init__(self, backend: Any, query: str, schema: Any, kind: str = "TABLE") -> None:
        name = f"epsilens_{uuid.uuid4().hex}"
        # DuckDB sums 64-bit integers to 128 bits, which Ibis does not notice: cast to what Ibis believes they are.
        columns = ", ".join(
            f'CAST("{column}" AS BIGINT) AS "{column}"' if dtype.is_integer() else f'"{column}"'
            for column, dtype in schema.items()
        )
        with _one_query_at_a_time, interruptible():
            backend.con.execute(f'CREATE TEMP {kind} "{name}" AS SELECT {columns} FROM ({query})')
        self.relation = duckdb_relation(backend, name, schema)
        self._finalizer = weakref.finalize(self, _drop, backend, kind, name)
        self._finalizer.atexit = False

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

    def vectors(self) -> IntArray:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        return _matrix(self._sorted, self.counts)

    def ordered_signatures(self) -> tuple[IntArray, IntArray]:
        """See :class:`~epsilens.table.cell_store.CellStore`. Fetches signatures only."""
        grouped = self.relation.group_by(list(self.counts)).aggregate(cells=self.relation.count())
        found = fetched(grouped)
        return distinct_rows(_matrix(found, self.counts), _matrix(found, ["cells"])[:, 0])

    def cells(self, limit: int | None) -> dict[str, list[str]]:
        """See :class:`~epsilens.table.cell_store.CellStore`. With a limit only that many cells are fetched."""
        if limit is None or "_fetched" in self.__dict__ or (order := self._engine_order()) is None:
            return {name: values[:limit] for name, values in self._fetched[0].items()}
        wanted = self.relation.order_by(order).limit(limit).select(*self.qids.values())
        return self._named(_in_code_point_order(fetched(wanted), list(self.qids.values())))

    def cells_with(self, vectors: IntArray, limit: int) -> tuple[dict[str, list[str]], IntArray]:
        """See :class:`~epsilens.table.cell_store.CellStore`. Fetches these cells only."""
        order = self._engine_order()
        conditions = [
            _balanced(operator.and_, [self.relation[c] == int(n) for c, n in zip(self.counts, row, strict=True)])
            for row in vectors
        ]
        wanted = self.relation.filter(_balanced(operator.or_, conditions))
        keys = list(self.qids.values())
        first = fetched(wanted if order is None else wanted.order_by(order).limit(limit))
        found = _in_code_point_order(first, keys).slice(0, limit)
        return self._named(found.select(keys)), _matrix(found, self.counts)

    def coded_cells(self) -> tuple[Domain, CodeArray, IntArray]:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        table = self.__dict__.get("_sorted") or fetched(self.relation)
        levels = []
        codes = np.empty((table.num_rows, len(self.qids)), dtype=np.int32)
        for j, column in enumerate(self.qids.values()):
            found = table.column(column).combine_chunks().dictionary_encode()
            named = found.dictionary.to_pylist()
            levels.append(tuple(sorted(named)))
            place = {level: code for code, level in enumerate(levels[-1])}
            codes[:, j] = np.array([place[level] for level in named], dtype=np.int32)[numbers_of(found.indices)]
        # Engines give cells in any order. Sums over cells must not differ in their last digit from one day to the next.
        domain = Domain(tuple(self.qids), tuple(levels))
        order = domain.order(codes)
        return domain, codes[order], _matrix(table, self.counts)[order]

    def marginal(self, columns: Sequence[str]) -> EngineStore:
        """See :class:`~epsilens.table.cell_store.CellStore`."""
        sums = {c: _sum_of_rows(self.relation[c]) for c in self.counts}
        if self.weights is not None:
            sums[self.weights] = self.relation[self.weights].sum()
        keys = {name: self.qids[name] for name in columns}
        grouped = self.relation.group_by(list(keys.values())) if keys else self.relation
        return EngineStore(grouped.aggregate(**sums), keys, self.counts, self.scratch, self.weights, self.label_weights)

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
        return EngineStore(relation, internal, counts, self.scratch, self.weights, sums)

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
        """All cells as an Arrow table, in the order of their code points."""
        return _in_code_point_order(fetched(self.relation), list(self.qids.values()))

    @cached_property
    def _fetched(self) -> tuple[dict[str, list[str]], IntArray]:
        """All cells with their vectors, sorted here so that the order is the same for every engine."""
        return self._named(self._sorted.select(list(self.qids.values()))), self.vectors()

    def _named(self, table: Any) -> dict[str, list[str]]:
        return {name: table.column(column).to_pylist() for name, column in self.qids.items()}

    def _engine_order(self) -> list[Any] | None:
        """Sort keys that make the engine compare code points, or nothing where we know of none."""
        columns = [self.relation[column] for column in self.qids.values()]
        engine = self.relation.get_backend().name
        if not columns:
            return None
        if engine in CODE_POINT_ORDER:
            return columns
        return [_utf8_bytes(column) for column in columns] if engine == "postgres" else None


def materialised(expression: Any) -> tuple[Any, Scratch | None]:
    """On DuckDB the expression's result as a temporary table; elsewhere, where we may not write, the expression."""
    return _kept(expression, "TABLE")


def staged(expression: Any) -> tuple[Any, Scratch | None]:
    """On DuckDB the expression as a view, elsewhere the expression itself.

    Ibis merges a selection from a selection into one, repeating an inner column wherever the outer one names it. A view
    is a wall to that, so that DuckDB trims and parses a text once per row (measured: less than half of the time).
    """
    return _kept(expression, "VIEW")


def _kept(expression: Any, kind: str) -> tuple[Any, Scratch | None]:
    backend = expression.get_backend()
    if backend.name != "duckdb":
        return expression, None
    scratch = Scratch(backend, backend.compile(expression), expression.schema(), kind)
    return scratch.relation, scratch


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
