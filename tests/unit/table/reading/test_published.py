"""Published tables as they are read: negative, fractional and blank counts, bins that are labels already."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from epsilens.errors import DataError, ParameterError
from epsilens.table import Quantiles, Schema
from epsilens.table.reading.published import read_published

SCHEMA = Schema(["sex", "age"], "ill", bins={"age": 10})
ROWS: dict[str, Any] = {
    "sex": ["f", "f", "m", "m"],
    "age": ["[20, 30)", "[20, 30)", "[20, 30)", "[30, 40)"],
    "ill": ["no", "yes", "no", "yes"],
    "n": ["3", "-1.5", "", "7e0"],
    "upper": [5, 5, 5, 5],
}


def counts(source: Any, **given: Any) -> dict[tuple[str, ...], float]:
    found = read_published(source, SCHEMA, **({"count": "n"} | given))
    levels = [[found.domain.levels[j][c] for j, c in enumerate(row)] for row in found.codes]
    return {tuple(row): value for row, value in zip(levels, found.values.tolist(), strict=True)}


@pytest.mark.parametrize("kind", ["csv", "parquet", "sqlite", "frame"])
def test_any_source_and_any_count(tmp_path: Path, kind: str) -> None:
    frame = pd.DataFrame(ROWS)
    source: Any = frame
    given: dict[str, Any] = {}
    if kind == "csv":
        frame.to_csv(source := tmp_path / "p.csv", index=False)
    elif kind == "parquet":
        frame.assign(n=[3.0, -1.5, math.nan, 7.0]).to_parquet(source := tmp_path / "p.parquet")
    elif kind == "sqlite":
        with sqlite3.connect(tmp_path / "p.db") as connection:
            frame.to_sql("released", connection, index=False)
        connection.close()
        source, given = f"sqlite://{tmp_path / 'p.db'}", {"table": "released"}
    found = counts(source, **given)
    assert found.pop(("f", "[20, 30)", "no")) == 3.0
    assert found.pop(("f", "[20, 30)", "yes")) == -1.5
    assert math.isnan(found.pop(("m", "[20, 30)", "no")))
    assert found == {("m", "[30, 40)", "yes"): 7.0}


def test_synthetic_people_are_put_into_bins_and_counted() -> None:
    people = pd.DataFrame({"sex": ["f", "f", "m"], "age": [21, 29, 35], "ill": ["no", "no", None], "name": list("abc")})
    found = read_published(people, SCHEMA)
    assert (found.synthetic, found.rows, found.ignored) == (True, 3, ("name",))
    assert counts(people, count=None) == {("f", "[20, 30)", "no"): 2.0, ("m", "[30, 40)", "(missing)"): 1.0}
    dropped = Schema(["sex", "age"], "ill", bins={"age": 10}, missing="drop")
    assert read_published(people, dropped).values.tolist() == [2.0]


def test_rows_may_be_chosen() -> None:
    frame = pd.concat([pd.DataFrame(ROWS).assign(table=name) for name in ("one", "two")])
    with pytest.raises(DataError, match=r"^4 cells of the published table have several rows; .*published_where"):
        counts(frame)
    assert len(counts(frame, where="table=two")) == 4
    with pytest.raises(DataError, match="has no rows to evaluate"):
        counts(frame, where="table=three")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n": ["3", "inf", "1", "2"]}, r"^1 count in column 'n' is not a finite number; .*infinite"),
        ({"n": ["3", "nan", "few", "2"]}, r"^2 counts in column 'n' are not a finite number"),
        ({"n": ["", "", "", ""]}, "all counts in column 'n' are blank"),
    ],
)
def test_counts_that_are_none(change: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        counts(pd.DataFrame(ROWS | change))


def test_what_is_missing_is_named() -> None:
    with pytest.raises(DataError, match="'age'"):
        counts(pd.DataFrame(ROWS).drop(columns="age"))
    with pytest.raises(DataError, match="cannot hold the counts"):
        read_published(pd.DataFrame(ROWS), SCHEMA, count="sex")
    with pytest.raises(ParameterError, match="quantile bins of 'age'"):
        read_published(pd.DataFrame(ROWS), Schema(["sex", "age"], "ill", bins={"age": Quantiles(4)}))


def test_a_count_column_that_has_the_name_of_another(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("sex,ill,ill\nf,no,3\nf,yes,-1\n")
    assert read_published(tmp_path / "p.csv", Schema(["sex"], "ill"), count="ill").values.tolist() == [3.0, -1.0]
