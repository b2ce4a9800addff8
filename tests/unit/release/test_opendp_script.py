"""The exported script: what it holds, and where it is refused. ``tests/unit/cli/test_choose.py`` runs it."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path
from typing import Any

import pytest

from epsilens.choice import choose_budget
from epsilens.errors import ParameterError, SourceError
from epsilens.release.opendp_script import check_exportable, check_script_path, opendp_script, write_script
from epsilens.table import Quantiles, Schema, read_table
from tests.support.released_tables import LEVELS, SCHEMA


def test_the_script_holds_levels_and_budget_and_no_count(people: Path) -> None:
    schema = Schema(["region", "sex"], "illness", universe={"sex": LEVELS["sex"]})
    dial = choose_budget(read_table(people, schema), mechanism="discrete-laplace", max_risk=0.9).dial
    script = opendp_script(dial, 0.5, "people.csv", schema)
    held = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(script).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    assert held["UNIVERSE"] == LEVELS
    assert (held["SCALE"], held["SENSITIVITY"], held["LIMIT"]) == (2.0, 1.0, 0.5)
    assert (held["WHOLE_NUMBERS"], held["GAUSSIAN"], held["COUNT"], held["UNIT"]) == (True, False, None, None)
    assert "CHECK FIRST: the levels of region, illness were read from the data" in script


def test_what_the_script_could_not_do_is_refused() -> None:
    check_exportable("people.csv", SCHEMA)
    for source, schema in (
        ("people.parquet", SCHEMA),
        ("people.csv", Schema(["age"], "illness", bins={"age": Quantiles(4)})),
        ("people.csv", dataclasses.replace(SCHEMA, structural_zeros=[{"sex": "x", "illness": "yes"}])),
    ):
        with pytest.raises(ParameterError):
            check_exportable(source, schema)


def test_a_script_that_exists_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "s.py"
    write_script("first", str(path))
    with pytest.raises(SourceError, match="exists"):
        check_script_path(str(path))
    with pytest.raises(SourceError, match="exists"):
        write_script("second", str(path))
    assert path.read_text() == "first"
    with pytest.raises(SourceError, match="does not exist"):
        check_script_path(str(tmp_path / "none" / "s.py"))


def test_the_script_reads_the_rows_and_levels_that_the_schema_says(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    rows = [
        "20,f,?,y,a",
        "25,m,30,n,a",
        "26,f,40.0,y,b",
        "17,m,50,y,a",
        ",f,60,n,a",
        "61,m,7,y,",
        "40, f ,007,n,a",
        "30,f,7,y,z",
    ]
    path.write_text("age,sex,hours,ill,place\n" + "\n".join(rows) + "\n")
    schema = Schema(
        ["age", "young", "hours"], "ill", missing_values=["?"], missing={"age": "drop", "hours": 40},
        bins={"age": {"width": 5, "closed": "right"}, "young": {"edges": [25, 40], "closed": "right"}, "hours": [40]},
        copies={"young": "age"}, where=["age>17", "place!=|z", "hours!=7.0"],
    )  # fmt: skip
    table = read_table(path, schema)
    script = opendp_script(
        choose_budget(table, mechanism="discrete-laplace", max_risk=0.9).dial, 0.5, str(path), schema
    )
    held: dict[str, Any] = {"__name__": "script"}
    exec(compile(script, "script", "exec"), held)
    cells, counts = held["true_counts"](path)
    ours = {
        (*cell, label): n
        for cell, found in zip(zip(*table.cells().values(), strict=True), table.counts.tolist(), strict=True)
        for label, n in zip(table.labels, found, strict=True)
        if n
    }
    assert {cell: n for cell, n in zip(cells, counts, strict=True) if n} == ours
    assert (table.n_records, ("(15, 20]", "<= 25", ">= 40", "y") in ours) == (4, True)
