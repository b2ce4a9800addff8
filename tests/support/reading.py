"""People in every kind of source, the table they make, and how a source is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epsilens.errors import EpsilensError
from epsilens.table.frequency import FrequencyTable
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema

SCHEMA = Schema(["code", "place"], "ill")
ROWS = [("007", "x, y", "flu"), ("7", "z", "ok"), ("007", "x, y", "ok"), ("007", "é", "flu")]
TOKEN = "zqx31337"
"""A person's value, planted where an error might quote it."""


def assert_expected(table: FrequencyTable) -> None:
    """The table is that of :data:`ROWS`."""
    expected = FrequencyTable.from_counts(
        [[1, 1], [1, 0], [0, 1]], ["flu", "ok"], {"code": ["007", "007", "7"], "place": ["x, y", "é", "z"]}
    )
    assert table.labels == ("flu", "ok")
    assert table.cells() == expected.cells()
    np.testing.assert_array_equal(table.counts, expected.counts)


def csv_text(delimiter: str = ",", blank: str = "", end: str = "\n") -> str:
    """:data:`ROWS` as a CSV file."""
    lines = [delimiter.join(("code", f"{blank}place ", "ill"))]
    lines += [delimiter.join((code, f'{blank}"{place}"', f"{blank}{ill} ")) for code, place, ill in ROWS]
    return end.join(lines) + end


def arrow_rows() -> Any:
    """:data:`ROWS` as an Arrow table."""
    import pyarrow as pa

    return pa.table(
        {name: list(values) for name, values in zip(("code", "place", "ill"), zip(*ROWS, strict=True), strict=True)}
    )


def refusal(source: Any, schema: Schema = SCHEMA, **options: Any) -> str:
    """The one line that refuses this source; no chain of exceptions, no planted value."""
    with pytest.raises(EpsilensError) as caught:
        read_table(source, schema, **options).signatures()
    message = str(caught.value)
    assert "\n" not in message
    assert TOKEN not in message
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return message


def column_levels(values: list[Any], bins: Any, missing_values: tuple[str, ...] = ()) -> list[str]:
    """The level of each value of a column, one person each."""
    import pyarrow as pa

    frame = pa.table(
        {
            "x": values,
            "i": [f"{i:04}" for i in range(len(values))],
            "s": ["a", "b"] * (len(values) // 2) + ["a"] * (len(values) % 2),
        }
    )
    schema = Schema(["i", "x"], "s", bins={} if bins is None else {"x": bins}, missing_values=missing_values)
    return read_table(frame, schema).cells()["x"]


def write_parquet(path: Path) -> None:
    """:data:`ROWS` as a Parquet file."""
    import pyarrow.parquet as pq

    pq.write_table(arrow_rows(), path)
