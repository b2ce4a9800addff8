"""What needs no server: whose session it is, and which plans only read. The rest is in the integration tests."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import ibis
import pyarrow as pa
import pytest

from epsilens.table.reading import postgres
from epsilens.table.reading.embedded import embedded_engine


def test_a_session_that_is_not_ours_keeps_nothing() -> None:
    assert not postgres.is_ours(embedded_engine())
    assert not postgres.keeps(embedded_engine())


def test_rows_become_columns_of_the_types_that_were_asked_for() -> None:
    schema = ibis.schema({"a": "string", "n": "int64", "x": "float64", "d": "date", "m": "decimal(9, 2)"})
    rows: list[tuple[Any, ...]] = [("é", 2**62, 0.5, dt.date(2020, 2, 29), Decimal("1.25")), (None,) * 5]
    found = postgres._arrow_table(rows, schema)
    assert found.schema == schema.to_pyarrow()
    assert [tuple(row.values()) for row in found.to_pylist()] == rows
    assert postgres._arrow_table([], schema).num_rows == 0


def test_a_number_that_does_not_fit_is_an_error_and_never_another_number() -> None:
    with pytest.raises((pa.ArrowInvalid, OverflowError)):
        postgres._arrow_table([(2**63,)], ibis.schema({"n": "int64"}))


def test_every_node_of_a_plan_is_looked_at() -> None:
    plan = {"Node Type": "Append", "Plans": [{"Node Type": "Seq Scan"}, {"Node Type": "Function Scan"}]}
    assert list(postgres._nodes(plan)) == ["Append", "Seq Scan", "Function Scan"]
    assert not all(node in postgres._READS for node in postgres._nodes(plan))
