"""DuckDB's tables and views as Ibis tables, without a warning and with the right types."""

from __future__ import annotations

import warnings
from typing import Any

import ibis
import pyarrow as pa
import pytest

from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.relations import duckdb_relation, first_row


@pytest.fixture
def engine() -> Any:
    backend = embedded_engine()
    backend.con.execute("CREATE TEMP TABLE people AS SELECT 'a' AS q, 2::BIGINT AS n, 0.5::DOUBLE AS r, true AS b")
    backend.con.execute("CREATE TEMP VIEW seen AS SELECT q, n + 1 AS n FROM people")
    return backend


def test_tables_and_views_have_the_types_of_the_engine(engine: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        people, seen = duckdb_relation(engine, "people"), duckdb_relation(engine, "seen")
    assert people.schema() == ibis.schema({"q": "string", "n": "int64", "r": "float64", "b": "boolean"})
    assert people.to_pyarrow().to_pylist() == [{"q": "a", "n": 2, "r": 0.5, "b": True}]
    assert seen.filter(seen.n == 3).to_pyarrow().to_pylist() == [{"q": "a", "n": 3}]
    assert people.get_backend() is engine


def test_a_schema_that_is_known_is_not_asked_for(engine: Any) -> None:
    stated = duckdb_relation(engine, "not there yet", ibis.schema({"x": "int64"}))
    arrow = duckdb_relation(engine, "nor this", arrow_schema=pa.schema([("x", pa.int64())]))
    assert stated.schema() == arrow.schema() == ibis.schema({"x": "int64"})
    engine.con.execute('CREATE TEMP TABLE "not there yet" AS SELECT 7::BIGINT AS x')
    assert stated.to_pyarrow().to_pylist() == [{"x": 7}]
    with pytest.raises(Exception, match="nobody"):
        duckdb_relation(engine, "nobody")


def test_the_first_row_has_the_names_of_the_expression_and_plain_values(engine: Any) -> None:
    people = duckdb_relation(engine, "people")
    assert first_row(people) == {"q": "a", "n": 2, "r": 0.5, "b": True}
    found = first_row(people.aggregate(n=people.n.sum(), gone=people.n.sum(where=people.n > 9)))
    assert found == {"n": 2, "gone": None}
