"""Cells in an engine: signatures come without them, and what is kept for them goes with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from epsilens.table.frequency import STRUCTURAL_ZERO
from epsilens.table.reading import few, scratch
from epsilens.table.reading import groups as groups_module
from epsilens.table.reading import store as store_module
from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.support.fetches import fetched_rows
from tests.support.reading import SCHEMA, arrow_rows, assert_expected


@pytest.fixture(autouse=True)
def _in_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few groups stay there as many do."""
    monkeypatch.setattr(few, "MOST_GROUPS", -1)


def test_an_ibis_memory_table_and_a_users_duckdb(tmp_path: Path) -> None:
    import duckdb
    import ibis

    assert_expected(read_table(ibis.memtable(arrow_rows()), SCHEMA))
    connection = duckdb.connect()
    connection.register("rows", arrow_rows())
    connection.execute("CREATE TABLE people AS SELECT * FROM rows")
    backend = ibis.duckdb.from_connection(connection)
    table = read_table(duckdb_relation(backend, "people"), SCHEMA)
    assert_expected(table)
    leftovers = "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'epsilens%'"
    assert connection.execute(leftovers).fetchone() == (1,)
    del table
    assert connection.execute(leftovers).fetchone() == (0,)


@pytest.mark.parametrize("few", [20_000, 0], ids=["levels", "codebooks"])
def test_signatures_never_bring_the_cells(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(groups_module, "FEW_GROUPS", few)
    fetched = fetched_rows(monkeypatch)
    frame = pa.table({"q": [f"x{i:05}" for i in range(20_000)], "s": ["a", "b"] * 10_000})
    table = read_table(frame, Schema(["q"], "s"))
    assert table.signatures()[1].tolist() == [20_000]
    assert table.n_cells == 20_000
    assert table.cells(limit=3) == {"q": ["x00000", "x00001", "x00002"]}
    assert table.cells_with(np.array([[0, 1]]), 2)[0] == {"q": ["x00001", "x00003"]}
    assert 2 + 3 + 2 < sum(fetched) < 20  # signatures, two times some cells, and single numbers
    assert len(table.counts) == 20_000


@pytest.mark.parametrize("door", ["df", "fetchnumpy", "fetch_record_batch", "__arrow_c_stream__", "arrow", "pl"])
def test_rows_of_the_engine_come_through_no_door_that_nobody_watches(
    monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    fetched = fetched_rows(monkeypatch)
    connection = embedded_engine().con
    assert connection.execute("SELECT 1 FROM range(3)").fetchall() == [(1,)] * 3
    assert connection.cursor().sql("SELECT 1 FROM range(4)").to_arrow_table().num_rows == 4
    assert fetched == [3, 4]
    with pytest.raises(AssertionError, match=door):
        getattr(connection.cursor().sql("SELECT 1"), door)


def test_cells_are_found_by_their_counts_whichever_way_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups_module, "FEW_GROUPS", 0)  # keys have codebooks, which are joined
    frame = pa.table({"q": ["c", "a", "b", "a"], "r": ["y", "z", "x", "x"], "s": ["u", "v", "u", "u"]})
    table, found = read_table(frame, Schema(["q", "r"], "s")), []
    for spelt_out in (4_000, 0):
        monkeypatch.setattr(store_module, "MOST_SPELT_OUT", spelt_out)
        found.append(table.cells_with(np.array([[1, 0]]), 2)[0])
    assert found[0] == found[1] == {"q": ["a", "b"], "r": ["x", "x"]}


def test_cells_have_one_order_however_the_engine_gives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pa.table({"q": ["c", "a", "b", "a"], "r": ["y", "z", "x", "x"], "s": ["u", "v", "u", "u"]})
    original, found = scratch.fetched, []
    for turn in (1, -1):

        def turned(asked: Any, turn: int = turn) -> Any:
            rows = original(asked)
            return rows.take(list(range(rows.num_rows))[::turn])

        monkeypatch.setattr(store_module, "fetched", turned)
        domain, codes, vectors = read_table(frame, Schema(["q", "r"], "s")).store.coded_cells()
        found.append((domain, codes.tolist(), vectors.dense().tolist()))
    assert found[0] == found[1]
    assert found[0][0].levels == (("a", "b", "c"), ("x", "y", "z"))
    assert found[0][1] == [[0, 0], [0, 2], [1, 0], [2, 1]]


def test_many_labels_are_summed_and_regrouped_without_deep_recursion() -> None:
    values = [f"{i:04}" for i in range(600)]
    frame = pa.table({"q": ["x", "y"] * 300, "s": values, "t": ["u" if v < "0500" else "v" for v in values]})
    table = read_table(frame, Schema(["q"], ["s", "t"]))
    assert table.n_labels == 600
    assert table.attribute("t").counts.tolist() == [[250, 50], [250, 50]]


def test_a_marginal_is_impossible_only_where_all_its_parts_are() -> None:
    frame = pa.table({"a": ["x", "x", "y"], "b": ["1", "2", "1"], "s": ["u", "u", "v"]})
    table = read_table(
        frame, Schema(["a", "b"], "s", structural_zeros=[{"a": "x", "b": "1", "s": "v"}, {"a": "y", "s": "u"}])
    )
    assert table.vectors.tolist() == [[1, STRUCTURAL_ZERO], [1, 0], [STRUCTURAL_ZERO, 1]]
    assert table.marginal(["a"]).vectors.tolist() == [[2, 0], [STRUCTURAL_ZERO, 1]]


def test_a_regrouped_label_is_impossible_only_where_all_its_parts_are() -> None:
    frame = pa.table({"q": ["x", "y"], "s": ["a", "b"], "t": ["u", "v"]})
    universe = {"s": ["a", "b"], "t": ["u", "v"]}
    rules = [{"q": "x", "s": "b"}, {"q": "y", "s": "b", "t": "u"}]
    table = read_table(frame, Schema(["q"], ["s", "t"], universe=universe, structural_zeros=rules))
    assert table.attribute("s").vectors.tolist() == [[1, STRUCTURAL_ZERO], [0, 1]]
    assert table.attribute("t").vectors.tolist() == [[1, 0], [0, 1]]
