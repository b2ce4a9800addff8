from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import epsilens as el
from epsilens.errors import ParameterError, SourceError
from epsilens.table.to_read import HierarchyToRead, TableToRead


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
