"""A demo population of several counties, and questions to its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from epsilens.table.demo.rates import CATEGORIES, GEOGRAPHY

COLUMNS = ["person", *GEOGRAPHY, "age", *CATEGORIES]
ROWS = 300_000  # several counties, and enough people for a share to be within a percent of its rate


def query(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        return connection.execute(f"WITH people AS (SELECT * FROM read_parquet('{path}')) {sql}").fetchall()


def one(path: Path, sql: str) -> tuple[Any, ...]:
    (row,) = query(path, sql)
    return row
