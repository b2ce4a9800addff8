"""No error, warning or log holds a person's value, whatever is wrong and wherever the data come from.

Every value of these people has 313373137 in it, in every column and role. What is declared (levels of a universe, bins,
bounds) is not theirs, and has not. Every way to read them is tried on every kind of source; most are refused, and what
is then said, with its whole traceback, and what is warned and logged on the way must not hold that number.
"""

from __future__ import annotations

import contextlib
import logging
import re
import sqlite3
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import epsilens as el
from epsilens.budget import ApproxDP, PureDP
from epsilens.choice.questions import compare as comparing
from epsilens.choice.questions import protect as protecting
from epsilens.errors import EpsilensError
from epsilens.release.statistics import Mean, PooledVariance, Proportions, release_statistics
from epsilens.table import Schema
from epsilens.table.hierarchy import Hierarchy
from epsilens.table.moments import MomentsQuery, Variable
from epsilens.table.reading.moments import read_moments
from epsilens.table.to_read import TableToRead

pytestmark = pytest.mark.slow

SIGN = "313373137"  # so long that the digits of noise do not hold it by chance
ROWS = 12

PEOPLE: dict[str, list[Any]] = {
    "person": [f"zqx{SIGN}p{i % 5}" if i else None for i in range(ROWS)],
    "region": [f"zqx{SIGN}r{i % 3}" for i in range(ROWS)],
    "tract": [f"zqx{SIGN}t{i % 4}" for i in range(ROWS)],
    "sex": [f"zqx{SIGN}{'fm'[i % 2]}" if i else None for i in range(ROWS)],
    "age": [int(SIGN) * 10 + i if i else None for i in range(ROWS)],
    "bmi": [-(int(SIGN) + i / 7) for i in range(ROWS)],
    "ill": [f"zqx{SIGN}{'yn'[i % 2]}" for i in range(ROWS)],
    "single": [f"zqx{SIGN}"] * ROWS,
    "weight": [f"{SIGN}.5" if i % 2 else f"-{SIGN}" for i in range(ROWS)],
    "when": [f"2026-01-0{1 + i % 9} {SIGN}" for i in range(ROWS)],
}
DECLARED = {"sex": ["f", "m"], "ill": ["y", "n"], "region": ["a", "b"], "age": {"from": 0, "to": 9}}
A = Variable("age", 0.0, 100.0)


def _csv(folder: Path) -> tuple[Any, str | None]:
    pd.DataFrame(PEOPLE).to_csv(folder / "people.csv", index=False)
    return folder / "people.csv", None


def _ragged(folder: Path) -> tuple[Any, str | None]:
    path, _ = _csv(folder)
    path.write_text(path.read_text() + f"zqx{SIGN},zqx{SIGN}\n")
    return path, None


def _unclosed(folder: Path) -> tuple[Any, str | None]:
    path, _ = _csv(folder)
    path.write_text(path.read_text() + f'"zqx{SIGN},zqx{SIGN}\n')
    return path, None


def _latin(folder: Path) -> tuple[Any, str | None]:
    path, _ = _csv(folder)
    path.write_bytes(path.read_bytes().replace(b"zqx", b"\xfcqx"))
    return path, None


def _headless(folder: Path) -> tuple[Any, str | None]:
    path, _ = _csv(folder)
    path.write_text(path.read_text().partition("\n")[2])
    return path, None


def _parquet(folder: Path) -> tuple[Any, str | None]:
    pq.write_table(pa.table(PEOPLE), folder / "people.parquet")
    return folder / "people.parquet", None


def _sqlite(folder: Path) -> tuple[Any, str | None]:
    with contextlib.closing(sqlite3.connect(folder / "people.db")) as connection:
        pd.DataFrame(PEOPLE).to_sql("people", connection, index=False)
    return f"sqlite://{folder / 'people.db'}", "people"


def _sqlite_not_text(folder: Path) -> tuple[Any, str | None]:
    source = _sqlite(folder)
    with contextlib.closing(sqlite3.connect(folder / "people.db")) as connection:
        connection.execute(f"UPDATE people SET sex = CAST(x'ff' || 'zqx{SIGN}' AS TEXT)")
        connection.commit()
    return source


def _duckdb(folder: Path) -> tuple[Any, str | None]:
    _parquet(folder)
    with contextlib.closing(duckdb.connect(str(folder / "people.duckdb"))) as engine:
        engine.execute("CREATE TABLE people AS SELECT * FROM read_parquet(?)", [str(folder / "people.parquet")])
    return f"duckdb://{folder / 'people.duckdb'}", "people"


def _duckdb_view(folder: Path) -> tuple[Any, str | None]:
    """A view that fails on a value while it is read, and says so with it."""
    _duckdb(folder)
    with contextlib.closing(duckdb.connect(str(folder / "people.duckdb"))) as engine:
        wrong = ", ".join(f'CAST("{name}" AS INTEGER) AS "{name}"' for name in ("region", "sex", "ill", "weight"))
        engine.execute(f"CREATE VIEW casts AS SELECT * EXCLUDE (region, sex, ill, weight), {wrong} FROM people")
    return f"duckdb://{folder / 'people.duckdb'}", "casts"


def _ibis(_folder: Path) -> tuple[Any, str | None]:
    table = ibis.memtable(pa.table(PEOPLE))
    return table.mutate(sex=table.sex.cast("int64"), when=table.when.cast("timestamp")), None


SOURCES: dict[str, Callable[[Path], tuple[Any, str | None]]] = {
    "csv": _csv,
    "ragged": _ragged,
    "unclosed": _unclosed,
    "latin": _latin,
    "headless": _headless,
    "parquet": _parquet,
    "sqlite": _sqlite,
    "sqlite not text": _sqlite_not_text,
    "duckdb": _duckdb,
    "duckdb view": _duckdb_view,
    "arrow": lambda _folder: (pa.table(PEOPLE), None),
    "pandas": lambda _folder: (pd.DataFrame(PEOPLE), None),
    "pandas objects": lambda _folder: (pd.DataFrame(PEOPLE).astype(object).assign(sex=[{SIGN: [SIGN]}] * ROWS), None),
    "polars": lambda _folder: (pl.DataFrame(PEOPLE), None),
    "lazy polars": lambda _folder: (pl.LazyFrame(PEOPLE).with_columns(pl.col("sex").cast(pl.Int64)), None),
    "ibis": _ibis,
}


def table(*roles: Any, count: str | None = None, **options: Any) -> Callable[[Any, str | None, Path], Any]:
    return lambda source, name, _folder: el.read_table(source, Schema(*roles, **options), name, count).signatures()


def hierarchy(*roles: Any, **options: Any) -> Callable[[Any, str | None, Path], Any]:
    return lambda source, name, _folder: Hierarchy.read(source, roles[0], roles[1], name, **options).situations()


def moments(query: MomentsQuery, **options: Any) -> Callable[[Any, str | None, Path], Any]:
    return lambda source, name, _folder: read_moments(source, query, table=name, **options)


def assessed(*roles: Any, **options: Any) -> Callable[[Any, str | None, Path], Any]:
    def run(source: Any, name: str | None, _folder: Path) -> Any:
        data = TableToRead.of(source, *roles, table=name, **options)
        found = data.read()
        el.assess(found)
        protecting.answer(protecting.Question(system="swapping-discrepancy", data=data), found)
        return comparing.answer(
            comparing.Question(systems="k-anonymity", repetitions=2, classify=False, data=data), found
        )

    return run


def released(schema: Schema, person: str | None = None, **options: Any) -> Callable[[Any, str | None, Path], Any]:
    def run(source: Any, name: str | None, folder: Path) -> Any:
        return el.release_table(
            source, schema=schema, table=name, budget=PureDP(1.0), ledger=folder / "b.db", account="a",
            total=ApproxDP(5.0, 1e-3), one_row_per_person=schema.unit is None, out=folder / "o.csv", **options,
        )  # fmt: skip

    return run


def statistics(*wanted: Any, **options: Any) -> Callable[[Any, str | None, Path], Any]:
    def run(source: Any, name: str | None, folder: Path) -> Any:
        return release_statistics(
            source, wanted, table=name, budget=PureDP(1.0), ledger=folder / "b.db", account="a", total=PureDP(5.0),
            one_row_per_person=True, n=100, out=folder / "o.csv", **options,
        )  # fmt: skip

    return run


CALLS: dict[str, Callable[[Any, str | None, Path], Any]] = {
    "a table": table(["sex", "region"], "ill"),
    "one label": table(["sex"], "single"),
    "missing refused": table(["sex"], "ill", missing="refuse"),
    "bins of texts": table(["region"], "ill", bins={"region": 5}),
    "bins of a sensitive text": table(["region"], "ill", bins={"ill": [0, 5]}),
    "quantiles of texts": table(["when"], "ill", bins={"when": el.Quantiles(3)}),
    "narrow bins": table(["age"], "ill", bins={"age": 0.000001}),
    "another universe": table(["sex"], "ill", universe={"sex": ["f", "m"]}),
    "another sensitive universe": table(["sex"], "ill", universe={"ill": ["y", "n"]}),
    "structural zeros": table(["sex"], "ill", structural_zeros=[{"sex": "f"}]),
    "texts as counts": table(["sex"], "ill", count="region"),
    "fractions as counts": table(["sex"], "ill", count="weight"),
    "negative counts": table(["sex"], "ill", count="bmi"),
    "gaps in counts": table(["sex"], "ill", count="age"),
    "people without a name": table(["sex"], "ill", unit="person"),
    "no such column": table(["sx", "regoin"], "il"),
    "levels that do not nest": hierarchy(["region", "tract"], ["ill"]),
    "levels with gaps": hierarchy(["sex", "single"], ["ill"]),
    "levels of bins": hierarchy(["region", "single"], ["age"], bins={"region": 3}),
    "a kind of nobody": lambda source, name, _folder: Hierarchy.read(
        source, ["region"], ["ill"], table=name
    ).group_counts({"ill": "y"}),
    "moments of texts": moments(MomentsQuery((Variable("region", 0.0, 1.0),))),
    "moments with gaps": moments(MomentsQuery((A,))),
    "moments by undeclared groups": moments(MomentsQuery((), levels={"sex": ("f",)}, groups={"region": ("a",)})),
    "moments of people without a name": moments(MomentsQuery((Variable("bmi", 0.0, 1.0),)), unit="person"),
    "moments of bins": moments(MomentsQuery((), levels={"ill": ("[0, 5)",)}), bins={"ill": 5}),
    "assessed": assessed(["sex", "region"], "ill"),
    "assessed in a universe": assessed(["sex"], "ill", universe={"sex": ["f"]}),
    "released": released(Schema(["sex"], "ill", universe={name: DECLARED[name] for name in ("sex", "ill")})),
    "released bins": released(Schema(["age"], "ill", bins={"age": 5}, universe={"age": DECLARED["age"], "ill": ["y"]})),
    "released with a unit": released(Schema(["sex"], "ill", unit="person"), threshold_delta=1e-6),
    "released above a threshold": released(Schema(["region"], "single"), threshold_delta=1e-6),
    "released by paths": released(
        Schema(["region", "tract"], "ill", universe={"ill": ["y"]}), paths={("region", "tract"): [["a", "b"]]}
    ),
    "a mean": statistics(Mean("age", 0, 100)),
    "a mean of texts": statistics(Mean("region", 0, 100)),
    "a mean of those present": statistics(Mean("age", 0, 100), missing="exclude"),
    "proportions": statistics(Proportions("ill", ["y", "n"])),
    "a pooled variance": statistics(PooledVariance("bmi", 0, 100, "region", ["a", "b"])),
}


BROKEN = {"ragged", "unclosed", "latin", "headless", "sqlite not text"}
ALIKE = {"parquet", "arrow", "pandas", "polars"}  # once they are opened, what is read is what DuckDB reads
FEW = {
    "a table",
    "bins of texts",
    "another universe",
    "texts as counts",
    "levels that do not nest",
    "moments of texts",
    "assessed",
    "released",
    "proportions",
}


@pytest.mark.parametrize("kind", SOURCES)
def test_no_data_value_is_said(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    refused = 0
    source, name = SOURCES[kind](tmp_path)
    with caplog.at_level(logging.DEBUG, logger="epsilens"):
        for number, (call, run) in enumerate(CALLS.items()):
            if kind in BROKEN | ALIKE and call not in FEW:  # whoever reads it fails in the same place
                continue
            folder = tmp_path / str(number)
            folder.mkdir()
            said = ""
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always", el.EpsilensWarning)
                try:
                    run(source, name, folder)
                except EpsilensError as problem:
                    refused += 1
                    said = "".join(traceback.format_exception(problem))
            said += "".join(str(warning.message) for warning in warned)
            told = [path for path in folder.glob("o.*") if path.name not in ("o.internal.json", "o.csv")]
            said += "".join(path.read_text() for path in told)
            said = re.sub(r"\b[0-9a-f]{16,64}\b", "#", said)  # digests are random, and may hold any digits
            assert SIGN not in said, (kind, call, said)
    streams = capfd.readouterr()
    assert SIGN not in caplog.text + streams.out + streams.err
    assert refused > len(FEW if kind in BROKEN | ALIKE else CALLS) // 2
