"""The same rows pass in every kind of source, and what passes is what the condition says, value by value."""

from __future__ import annotations

import operator
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epsilens.errors import DataError
from epsilens.table.conditions import Condition
from epsilens.table.domain import MISSING
from epsilens.table.moments import MomentsQuery, Variable
from epsilens.table.reading.filters import columns_to_find, passes
from epsilens.table.reading.moments import read_moments
from epsilens.table.reading.people import read_people
from epsilens.table.reading.sources import opened_source
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema

TEXTS = [
    "18",
    "18.0",
    "018",
    " 18 ",
    "7",
    "007",
    "?",
    "",
    None,
    "old",
    "1e2",
    "-3",
    "0.1",
    "12345678901234567",
    "United-States",
]
ORDERS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge
}  # fmt: skip


def frame(values: list[Any], kind: Any = None) -> pa.Table:
    labels = ["u", "v"] * len(values)
    return pa.table(
        {"i": [f"{i:02}" for i in range(len(values))], "x": pa.array(values, kind), "s": labels[: len(values)]}
    )


def passing(source: Any, *where: str, missing_values: tuple[str, ...] = (), **options: Any) -> list[int]:
    """The rows that are read."""
    schema = Schema(["i"], (), where=where, missing_values=missing_values)
    people = read_people(source, schema, misfits="leave-out", **options)
    return sorted(int(level) for level in people.peopled.q0.to_pyarrow().to_pylist())


def expected(text: str | None, how: str, values: tuple[str, ...], missing_values: tuple[str, ...]) -> bool:
    """What a condition means, in plain Python."""
    level = (text or "").strip()
    level = MISSING if level in ("", *missing_values) else level
    wanted = [MISSING if value in missing_values else value for value in values]
    if how in ORDERS:
        try:
            return level not in missing_values and ORDERS[how](float(level), float(values[0]))
        except ValueError:
            return False

    def number(value: str) -> float | None:
        code = value.lstrip("+-")
        is_code = code[:1] == "0" and code[1:2].isdigit()
        try:
            return None if is_code or abs(float(value)) >= 1e15 else float(value)
        except ValueError:
            return None

    same = level in wanted or (number(level) is not None and number(level) in [number(value) for value in wanted])
    return same == (how == "=")


ASKED = (
    "x=18", "x!=18", "x=018", "x=7|?", "x!=?", "x!=", "x=", "x>=18", "x<18", "x>-4", "x<=0.1", "x=100",
    "x=12345678901234567", "x!=old|United-States", "x=0.10",
)  # fmt: skip


@pytest.mark.parametrize("missing_values", [(), ("?",), ("?", "18")])
def test_a_row_passes_if_the_condition_says_so_value_by_value(missing_values: tuple[str, ...]) -> None:
    asked = [Condition.from_text(text) for text in ASKED]
    with opened_source(frame(TEXTS, pa.string()), ["i", "x"]) as source:
        answers = {f"p{k}": passes(source, one, missing_values) for k, one in enumerate(asked)}
        found = source.relation.select(i=source.column("i"), **answers).order_by("i").to_pyarrow().to_pydict()
    for k, one in enumerate(asked):
        wanted = [expected(value, one.operator, one.values, missing_values) for value in TEXTS]
        assert found[f"p{k}"] == wanted, one.text


def test_numbers_are_compared_as_numbers_whatever_holds_them() -> None:
    whole, fractions = [18, 7, None, -3], [18.0, 7.5, None, float("nan")]
    assert passing(frame(whole, pa.int32()), "x=18.0|-3") == [0, 3]
    assert passing(frame(whole, pa.int32()), "x!=18") == [1, 2, 3]
    assert passing(frame(whole, pa.int32()), "x>-4", missing_values=("7",)) == [0, 3]
    assert passing(frame(fractions, pa.float64()), "x=18") == [0]
    assert passing(frame(fractions, pa.float64()), "x<1e9") == [0, 1]
    assert passing(frame(fractions, pa.float64()), "x=") == [2, 3]
    assert passing(frame([True, False, None], pa.bool_()), "x=true|") == [0, 2]


WHOLE = [
    0,
    1,
    -1,
    7,
    18,
    39,
    99,
    127,
    255,
    2**31,
    2**53 - 1,
    2**53,
    2**53 + 1,
    2**62,
    2**63 - 1,
    -(2**53) - 1,
    -(2**63),
]
ASKED_OF_WHOLE = (
    "x=18", "x!=18|39", "x=18.0|1e2", "x=-0", "x=018", "x!=0.5", "x=", "x!=", "x>=18", "x>17.5", "x<17.5", "x<=-1",
    "x<1e9", "x>=9007199254740991", "x<9007199254740992", "x<=9007199254740992", "x>9007199254740993", "x>-1e19",
    "x=9007199254740993", "x=9223372036854775807|99999999999999999999", "x!=abc|7",
)  # fmt: skip


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("missing_values", [(), ("7", "99", "?", "9007199254740993")])
def test_whole_numbers_pass_as_their_texts_would(dtype: str, missing_values: tuple[str, ...]) -> None:
    kind = pa.type_for_alias(dtype)
    lower, upper = (-(2 ** (kind.bit_width - 1)), 2 ** (kind.bit_width - 1) - 1)
    if dtype.startswith("u"):
        lower, upper = 0, 2**kind.bit_width - 1
    values = [*(number for number in WHOLE if lower <= number <= upper), None]
    asked = [Condition.from_text(text) for text in ASKED_OF_WHOLE]
    with opened_source(frame(values, kind), ["i", "x"]) as source:
        answers = {f"p{k}": passes(source, one, missing_values) for k, one in enumerate(asked)}
        found = source.relation.select(i=source.column("i"), **answers).order_by("i").to_pyarrow().to_pydict()
    for k, one in enumerate(asked):
        texts = [None if value is None else str(value) for value in values]
        wanted = [expected(text, one.operator, one.values, missing_values) for text in texts]
        assert found[f"p{k}"] == wanted, one.text


def test_the_same_rows_pass_in_every_kind_of_source(tmp_path: Path) -> None:
    import duckdb
    import pandas as pd

    people = frame([text for text in TEXTS if text is not None], pa.string())
    where = ("x!=18|", "i>=2", "i!=13")
    wanted = passing(people, *where)
    assert wanted == [2, 4, 5, 6, 8, 9, 10, 11, 12]
    folder = tmp_path
    pq.write_table(people, folder / "p.parquet")
    rows = list(zip(*people.to_pydict().values(), strict=True))
    (folder / "p.csv").write_text("i,x,s\n" + "".join(f"{i}, {x},{s}\n" for i, x, s in rows))
    # a line that DuckDB would read wrong is left to Python: the filter must hold there too
    (folder / "odd.csv").write_text("i,x,s\n" + "".join(f'{i},  "{x}",{s}\n' for i, x, s in rows))
    with closing(sqlite3.connect(folder / "p.db", isolation_level=None)) as base:
        base.execute("CREATE TABLE p (i TEXT, x TEXT, s TEXT)")
        base.executemany("INSERT INTO p VALUES (?, ?, ?)", rows)
    with duckdb.connect(str(folder / "p.duckdb")) as own:
        own.execute("CREATE TABLE p (i VARCHAR, x VARCHAR, s VARCHAR)")
        own.executemany("INSERT INTO p VALUES (?, ?, ?)", rows)
    sources = [people, pd.DataFrame(people.to_pydict()), folder / "p.csv", folder / "p.parquet", folder / "odd.csv"]
    for source in sources:
        assert passing(source, *where) == wanted
    for url in (f"sqlite:///{folder}/p.db", f"duckdb:///{folder}/p.duckdb"):
        assert passing(url, *where, table="p") == wanted


def test_a_count_table_and_moments_are_filtered_alike() -> None:
    counts = pa.table({"a": ["x", "x", "y"], "s": ["u", "v", "u"], "n": [3, 4, 5]})
    table = read_table(counts, Schema(["a"], "s", where="a=x"), count="n")
    assert (table.cells(), table.counts.tolist(), table.rows_not_selected) == ({"a": ["x"]}, [[3, 4]], 1)
    people = pa.table({"age": ["10", "30", "50", "?"], "country": ["p", "c", "p", "p"]})
    query = MomentsQuery((Variable("age", 0, 100),))
    found = read_moments(people, query, missing_values=("?",), missing="exclude", where=["country=p", "age>=20"])
    assert (found.rows, found.n, found.left_out.read, found.left_out.not_selected) == (1, 1, 4, 3)
    with pytest.raises(DataError, match="the data frame has no records that pass where"):
        read_moments(people, query, where="country=q")


def test_conditions_and_copies_say_which_columns_must_be_there() -> None:
    where = (Condition("c", "=", ("1",)), Condition("a2", "=", ("1",)))
    assert columns_to_find(["a", "a2"], where, {"a2": "a"}) == ["a", "c"]
