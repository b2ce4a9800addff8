"""Every store of cells obeys the same laws: where cells live makes no difference to what is found in them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from epsilens import table
from epsilens.table.cell_store import RegroupedStore
from epsilens.table.count_vectors import STRUCTURAL_ZERO, CountVectors
from epsilens.table.frequency import CellStore, MemoryStore
from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.listed_store import PAIR, ListedStore
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.scratch import materialised
from epsilens.table.reading.store import EngineStore

CELLS = {"age": ["10", "10", "9", "9", "9"], "place": ["b", "ä", "a", "b", "b "]}
MATRIX = np.array([[3, 0, 1], [0, 2, STRUCTURAL_ZERO], [3, 0, 1], [STRUCTURAL_ZERO] * 3, [1, 0, STRUCTURAL_ZERO]])


def memory() -> CellStore:
    return MemoryStore(MATRIX.astype(np.int64), CELLS)


QIDS = {name: f"q{i}" for i, name in enumerate(CELLS)}
COUNTS = ("c0", "c1", "c2")


def _relation() -> Any:
    import pyarrow as pa

    columns: dict[str, Any] = {f"q{i}": values for i, values in enumerate(CELLS.values())}
    columns |= {name: MATRIX[:, k].tolist() for k, name in enumerate(COUNTS)}
    backend = embedded_engine()
    backend.con.register("cells", pa.table(columns))
    return duckdb_relation(backend, "cells")


def engine() -> CellStore:
    return EngineStore(_relation(), QIDS, COUNTS)


def materialised_engine() -> CellStore:
    relation, scratch = materialised(_relation())
    return EngineStore(relation, QIDS, COUNTS, scratch)


class UnorderedStore(EngineStore):
    """In an engine of which we do not know how it orders texts, so that nothing is sorted or limited there."""

    def _engine_order(self) -> None:
        return None


def unordered_engine() -> CellStore:
    return UnorderedStore(_relation(), QIDS, COUNTS)


def listed_engine() -> CellStore:
    """The same cells with lists of labels, whose codes are not in the order of the labels."""
    import ibis

    codes = np.array([2, 0, 1])
    lists = [sorted(int(codes[k]) * PAIR + n + 1 for k, n in enumerate(row) if n) for row in MATRIX.tolist()]
    relation = _relation()
    pairs = ibis.cases(
        *(
            ((relation.q0 == age) & (relation.q1 == place), ibis.literal(listed, "array<int64>"))
            for age, place, listed in zip(*CELLS.values(), lists, strict=True)
        )
    )
    relation, scratch = materialised(relation.select("q0", "q1", pairs=pairs))
    return ListedStore(relation, QIDS, ("pairs",), scratch, code_of=codes, impossible=True)


def merged() -> CellStore:
    """The same cells as labels merged from others."""
    apart = np.repeat(MATRIX, 2, axis=1)
    apart[:, 1::2] = np.minimum(apart[:, 1::2], 0)
    return RegroupedStore(MemoryStore(apart.astype(np.int64), CELLS), ((1, 0), (2, 3), (5, 4)))


STORES: dict[str, Callable[[], CellStore]] = {
    "memory": memory,
    "engine": engine,
    "engine, materialised": materialised_engine,
    "engine, order unknown": unordered_engine,
    "engine, lists of labels": listed_engine,
    "labels merged": merged,
}


@pytest.fixture(params=list(STORES), ids=list(STORES))
def store(request: pytest.FixtureRequest) -> CellStore:
    return STORES[request.param]()


def rows(store: CellStore) -> list[tuple[Any, ...]]:
    """The cells with their vectors, in an order of their own: only an engine promises that of code points."""
    names, vectors = store.cells(None), store.vectors()
    return sorted(zip(*names.values(), *vectors.T.tolist(), strict=True)) if names else sorted(map(tuple, vectors))


def test_cells_and_vectors_belong_together(store: CellStore) -> None:
    assert rows(store) == rows(memory())
    assert store.vectors().dtype == np.int64
    assert store.vectors().shape == MATRIX.shape
    assert np.array_equal(store.count_vectors().dense(), store.vectors())


def test_the_first_cells_are_the_first_of_all(store: CellStore) -> None:
    everything = store.cells(None)
    for limit in (1, 3, 100):
        assert store.cells(limit) == {name: values[:limit] for name, values in everything.items()}


def test_signatures_count_every_cell_once(store: CellStore) -> None:
    vectors, cells = store.ordered_signatures()
    wanted, number = np.unique(MATRIX, axis=0, return_counts=True)
    assert np.array_equal(vectors, wanted)
    assert np.array_equal(cells, number)


def test_cells_are_found_by_their_vectors(store: CellStore) -> None:
    found, vectors = store.cells_with(CountVectors.of(np.array([[3, 0, 1], [1, 0, STRUCTURAL_ZERO]])), 10)
    assert sorted(zip(*found.values(), *vectors.dense().T.tolist(), strict=True)) == [
        ("10", "b", 3, 0, 1),
        ("9", "a", 3, 0, 1),
        ("9", "b ", 1, 0, STRUCTURAL_ZERO),
    ]
    assert len(store.cells_with(CountVectors.of(np.array([[3, 0, 1]])), 1)[1]) == 1
    nobody, none = store.cells_with(CountVectors.of(np.array([[7, 7, 7]])), 10)
    assert (nobody, none.shape) == ({"age": [], "place": []}, (0, 3))


@pytest.mark.parametrize("columns", [["age"], ["place"], ["place", "age"], []])
def test_a_marginal_adds_up_and_is_impossible_only_where_every_part_is(store: CellStore, columns: list[str]) -> None:
    marginal = store.marginal(columns)
    assert rows(marginal) == rows(memory().marginal(columns))
    assert np.maximum(marginal.vectors(), 0).sum() == np.maximum(MATRIX, 0).sum()
    assert list(marginal.cells(None)) == columns
    assert rows(marginal.marginal([])) == rows(memory().marginal([]))


@pytest.mark.parametrize("columns", [["age"], ["place"], ["place", "age"], []])
def test_kinds_of_cells_of_a_marginal_and_how_many_counts_they_add_up(store: CellStore, columns: list[str]) -> None:
    vectors, parts, times = store.marginal_signatures(columns)
    marginal = memory().marginal(columns)
    found = sorted(tuple(row) for row, many in zip(vectors.tolist(), times, strict=True) for _ in range(many))
    assert found == sorted(map(tuple, marginal.vectors().tolist()))
    assert (parts.T @ times).tolist() == (MATRIX != STRUCTURAL_ZERO).sum(axis=0).tolist()
    assert ((parts == 0) == (vectors == STRUCTURAL_ZERO)).all()


def test_cells_as_codes(store: CellStore) -> None:
    domain, codes, vectors = store.coded_cells()
    assert domain.columns == ("age", "place")
    named = [[domain.levels[j][code] for j, code in enumerate(row)] for row in codes.tolist()]
    assert sorted((*names, *counts) for names, counts in zip(named, vectors.dense().tolist(), strict=True)) == rows(
        memory()
    )


def test_labels_are_merged_and_merged_again(store: CellStore) -> None:
    merged = store.regrouped([[2, 0], [1]])
    assert rows(merged) == rows(memory().regrouped([[2, 0], [1]]))
    again = merged.regrouped([[0, 1]])
    assert rows(again) == rows(memory().regrouped([[0, 1, 2]]))
    assert rows(again.marginal(["age"])) == rows(memory().marginal(["age"]).regrouped([[0, 1, 2]]))


def test_stores_are_left_as_they_are(store: CellStore) -> None:
    before = rows(store)
    store.marginal(["age"])
    store.regrouped([[0, 1, 2]])
    store.cells_with(CountVectors.of(MATRIX[:1]), 1)
    assert rows(store) == before


def test_no_store_is_left_out() -> None:
    methods = {name for name in vars(CellStore) if not name.startswith("_")}
    found = {
        kind
        for info in pkgutil.walk_packages(table.__path__, "epsilens.table.")
        for kind in vars(importlib.import_module(info.name)).values()
        if isinstance(kind, type) and kind is not CellStore and methods <= set(dir(kind))
    }
    assert found == {MemoryStore, EngineStore, ListedStore, RegroupedStore}
    assert {type(build()) for build in STORES.values()} >= found


WEIGHTS = np.array([4.0, 2.5, 9.0, 3.0, 1.0])


def weighted_memory() -> CellStore:
    return MemoryStore(MATRIX.astype(np.int64), CELLS, WEIGHTS)


def weighted_engine() -> CellStore:
    import ibis

    relation = _relation()
    weight = ibis.cases(*[((relation.q0 == a) & (relation.q1 == p), w) for a, p, w in _named()], else_=0.0)
    return EngineStore(relation.mutate(weights=weight), QIDS, COUNTS, None, "weights")


def _named() -> list[tuple[str, str, float]]:
    return list(zip(*CELLS.values(), WEIGHTS.tolist(), strict=True))


def weighted(store: CellStore) -> list[tuple[Any, ...]]:
    found = store.weighted_cells()
    assert found is not None
    return sorted(zip(map(tuple, found.vectors.tolist()), found.weights, found.multiplicities, strict=True))


@pytest.mark.parametrize("made", [weighted_memory, weighted_engine])
def test_survey_weights_stay_with_their_cells(made: Callable[[], CellStore]) -> None:
    vectors = map(tuple, MATRIX.tolist())
    assert weighted(made()) == sorted((vector, weight, 1) for vector, weight in zip(vectors, WEIGHTS, strict=True))
    assert weighted(made().regrouped([[2, 0], [1]])) == [
        ((-1, -1), 3.0, 1),
        ((0, 2), 2.5, 1),
        ((1, 0), 1.0, 1),
        ((4, 0), 4.0, 1),
        ((4, 0), 9.0, 1),
    ]
    assert weighted(made().marginal(["age"])) == [((3, 2, 1), 6.5, 1), ((4, 0, 1), 13.0, 1)]
    assert weighted(made().marginal([]).regrouped([[0, 1, 2]])) == [((11,), 19.5, 1)]


def test_people_without_weights_have_none(store: CellStore) -> None:
    assert store.weighted_cells() is None
    assert store.marginal(["age"]).weighted_cells() is None
