from __future__ import annotations

import duckdb
import ibis
import pytest

from epsilens.table.reading.arrow_engine import ArrowEngine


@pytest.mark.filterwarnings("ignore:fetch_arrow_table")  # so Ibis asks for the columns of a table
def test_tables_columns_and_values_are_those_of_ibis() -> None:
    ours = ArrowEngine.from_connection(duckdb.connect())
    theirs = ibis.duckdb.from_connection(duckdb.connect())
    for engine in (ours, theirs):
        engine.con.execute("CREATE TABLE t AS SELECT range AS a, 'x' || range AS b FROM range(4)")
    assert ours.version == theirs.version
    mine, his = ours.table("t"), theirs.table("t")
    assert mine.to_pyarrow().equals(his.to_pyarrow())
    assert mine.a.to_pyarrow().equals(his.a.to_pyarrow())
    assert mine.a.sum().to_pyarrow() == his.a.sum().to_pyarrow()
    nothing, none = mine.mutate(d=ibis.null()), his.mutate(d=ibis.null())
    assert nothing.to_pyarrow().equals(none.to_pyarrow())
