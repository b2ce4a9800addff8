from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import epsilens as el
from epsilens.errors import DataError, ParameterError, SourceError
from epsilens.table.to_read import HierarchyToRead, TableToRead, parsed_copies


def test_plain_values_become_a_schema(tmp_path: Path) -> None:
    (tmp_path / "u.json").write_text(json.dumps({"sex": ["f", "m"]}))
    data = TableToRead.of(
        "people.csv", ("age", "sex"), "ill", bins=("age=10",), universe=tmp_path / "u.json", unit="who",
        max_rows_per_unit=2, missing_values="?", count="n", table="t",
    )  # fmt: skip
    same = el.Schema(
        ["age", "sex"], "ill", bins={"age": 10}, universe={"sex": ["f", "m"]}, unit="who", max_rows_per_unit=2,
        missing_values=["?"],
    )  # fmt: skip
    assert (data.schema, data.table, data.count) == (same, "t", "n")
    assert TableToRead.of("p.csv", "age", "ill", bins={"age": 5}) == TableToRead.of("p.csv", "age", "ill", bins="age=5")


def test_what_makes_no_sense_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="quasi_identifiers is missing: name at least one column"):
        TableToRead.of("p.csv", (), "ill")
    with pytest.raises(ParameterError, match="sensitive is missing"):
        TableToRead.of("p.csv", "age", ())
    with pytest.raises(ParameterError, match=r"max_rows_per_unit bounds the rows of each person: .* with unit"):
        TableToRead.of("p.csv", "age", "ill", max_rows_per_unit=2)
    with pytest.raises(SourceError, match=r"cannot read the universe 'nowhere.json'"):
        TableToRead.of("p.csv", "age", "ill", universe="nowhere.json")
    (tmp_path / "u.json").write_text(json.dumps({"sex": "f"}))
    with pytest.raises(SourceError, match="must map columns to lists of values"):
        TableToRead.of("p.csv", "age", "ill", universe=tmp_path / "u.json")
    (tmp_path / "u.json").write_text("[1]")
    with pytest.raises(SourceError, match="must be a JSON file with an object"):
        TableToRead.of("p.csv", "age", "ill", universe=str(tmp_path / "u.json"))
    (tmp_path / "u.json").write_text("{")
    with pytest.raises(SourceError, match="must be JSON: an object, such as"):
        TableToRead.of("p.csv", "age", "ill", universe=str(tmp_path / "u.json"))
    with pytest.raises(ParameterError, match="levels needs by"):
        HierarchyToRead("p.csv", ("block", "tract"), ())
    with pytest.raises(ParameterError, match="codes must be one of"):
        HierarchyToRead("p.csv", ("block", "tract"), ("age",), codes="odd")  # type: ignore[arg-type]


def test_tables_and_hierarchies_are_read_from_anything_that_holds_them() -> None:
    frame = pd.DataFrame(
        {"block": ["1", "1", "2"], "tract": ["9", "9", "9"], "sex": ["f", "m", "m"], "ill": ["y", "n", "y"]}
    )
    table = TableToRead.of(frame, ("block", "sex"), "ill").read()
    assert (table.n_records, table.n_cells) == (3, 3)
    situations = HierarchyToRead(frame, ("block", "tract"), ("sex",)).read()
    assert situations.n_people == 3


PEOPLE = pd.DataFrame(
    {
        "who": ["1", "1", "2", "3", "4"],
        "block": ["1", "1", "1", "2", "2"],
        "tract": ["9", "9", "9", "9", "9"],
        "age": ["31", "31", "34", "?", "52"],
    }
)


def test_a_hierarchy_has_bins_units_and_missing_values_as_a_table_has() -> None:
    options = {"bins": "age=10", "unit": "who", "missing_values": "?"}
    found = HierarchyToRead(PEOPLE, ("block", "tract"), ("age",), **options).read(5)  # type: ignore[arg-type]
    # ages 30-39 twice in block 1, where person 1 counts once; in block 2 one age is missing and one in its fifties
    assert sorted(found.counts.tolist()) == [[1, 1], [2, 2]]
    assert found.cells.tolist() == [2, 1]
    assert found.max_rows_per_unit == 1
    two = HierarchyToRead(PEOPLE, ("block",), ("age",), unit="who", max_rows_per_unit=2).read(5)
    assert (two.n_people, two.max_rows_per_unit) == (5, 2)
    with pytest.raises(DataError, match="column 'age' is missing in 1 row"):
        HierarchyToRead(PEOPLE, ("block",), ("age",), missing="refuse", missing_values="?").read()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"bins": "ages=10"}, "bins names column 'ages', which is neither a level nor a characteristic; did you mean"),
        ({"bins": "age"}, "bins must read like"),
        ({"missing": "forget"}, "missing must be one of level, refuse, drop"),
        ({"max_rows_per_unit": 2}, "max_rows_per_unit bounds the rows of each person"),
        ({"unit": "who", "max_rows_per_unit": 0}, "max_rows_per_unit must be"),
        ({"count": "age"}, "a column can have one role only"),
    ],
)
def test_a_hierarchy_that_makes_no_sense_is_refused_before_it_is_read(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        HierarchyToRead("nowhere.csv", ("block", "tract"), ("age",), **options)


COUNTS = {"sex": list("ffmm"), "ill": list("ynyn"), "n": [3, 1, 4, 2], "Count": list("abcd"), "age": [1, 2, 3, 4]}


@pytest.mark.parametrize("kind", ["frame", "csv", "sqlite"])
def test_a_table_of_counts_that_is_read_as_people_is_told(tmp_path: Path, kind: str) -> None:
    frame = pd.DataFrame(COUNTS)
    table = None
    if kind == "csv":
        frame.to_csv(tmp_path / "c.csv", index=False)
        frame = tmp_path / "c.csv"
    elif kind == "sqlite":
        with closing(sqlite3.connect(tmp_path / "c.db")) as connection:
            frame.to_sql("c", connection, index=False)
        frame, table = f"sqlite://{tmp_path / 'c.db'}", "c"
    with pytest.warns(el.EpsilensWarning, match=r"all 4 rows differ in sex x ill, and column 'n' .* say count='n'"):
        assert TableToRead.of(frame, "sex", "ill", table=table).read().n_records == 4
    assert TableToRead.of(frame, "sex", "ill", table=table, count="n").read().n_records == 10


@pytest.mark.parametrize(
    "instead",
    [
        {"n": [1, 1, 1, 1]},
        {"n": [3, 1, 4, 2.5]},
        {"n": [3, 1, 4, None]},
        {"sex": list("ffff")},
        {"m": [3, 1, 4, 2], "n": list("abcd")},
    ],
    ids=["ones", "fractions", "gaps", "rows alike", "another name"],
)
def test_people_are_not_taken_for_counts(instead: dict[str, Any]) -> None:
    assert TableToRead.of(pd.DataFrame({**COUNTS, **instead}), "sex", "ill").read().n_records == 4


def test_whoever_reads_a_table_to_release_it_is_not_told_what_it_looks_like() -> None:
    assert el.read_table(pd.DataFrame(COUNTS), el.Schema(["sex"], "ill")).n_records == 4


def test_texts_of_the_command_line_say_which_rows_and_columns_are_read() -> None:
    found = TableToRead.of(
        "x.csv", "a", "b", where=["age>=18"], missing=["a=drop", "b=3"], copies=["a=age"], bins=["a=5]"]
    ).schema
    assert (found.missing, found.copies) == ({"a": "drop", "b": "3"}, {"a": "age"})
    assert [condition.text for condition in found.conditions] == ["age>=18"]
    for text in ("a", "=a", "a="):
        with pytest.raises(ParameterError, match="copies must read like decade=age, the new name first"):
            parsed_copies(text)
    with pytest.raises(ParameterError, match="copies names 'a' twice"):
        parsed_copies(["a=b", "a=c"])


def test_a_hierarchy_is_read_where_conditions_hold() -> None:
    some = HierarchyToRead(PEOPLE, ("block",), ("age",), bins="age=40|", where="age>=34")
    complete = HierarchyToRead(PEOPLE, ("block",), ("age",), bins="age=40|", missing_values="?", missing="drop")
    assert (some.read(9).n_people, complete.read(9).n_people) == (2, 4)
