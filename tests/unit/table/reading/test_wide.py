"""Cells at once: a filtered count per label in one scan, and only where that is the same."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from epsilens.errors import SourceError
from epsilens.table import Schema, read_table
from epsilens.table.frequency import FrequencyTable
from epsilens.table.reading import groups as groups_module
from epsilens.table.reading import wide as engine
from epsilens.table.reading.people import read_people
from tests.unit.table.reading.test_groups import PEOPLE, facts


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows in few cells are counted as many in many are."""
    monkeypatch.setattr(engine, "MANY_ROWS", 1)
    monkeypatch.setattr(engine, "FEW_IN_SAMPLE", 0)


def same(found: FrequencyTable, expected: FrequencyTable) -> None:
    assert found.labels == expected.labels
    assert found.cells() == expected.cells()
    assert found.vectors.tolist() == expected.vectors.tolist()


@pytest.mark.parametrize("sensitive", ["ill", ["ill", "age"]])
def test_cells_counted_at_once_are_the_same(request: pytest.FixtureRequest, sensitive: Any) -> None:
    options: dict[str, Any] = {"bins": {"age": 10}} if sensitive != "ill" else {}
    schema = Schema(["place"] if options else ["place", "age"], sensitive, **options)
    expected = read_table(PEOPLE, schema)
    request.getfixturevalue("at_once")
    assert read_people(PEOPLE, schema, by_cell=True).cells is not None
    found = read_table(PEOPLE, schema)
    same(found, expected)
    if not options:
        assert facts(found) == facts(expected)


@pytest.mark.usefixtures("at_once")
def test_the_long_form_is_there_for_whoever_wants_it() -> None:
    people = read_people(PEOPLE, Schema(["place"], "ill"), by_cell=True)
    rows = people.peopled.to_pyarrow().to_pylist()
    assert sum(row["people"] for row in rows) == 8
    assert {(row["q0"], row["s0"]): row["people"] for row in rows}["a", "y"] == 1


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("labels", [[f"v{i}" for i in range(30)], [float(i % 2) for i in range(30)], ["v"] * 30])
def test_many_labels_fractions_and_a_single_label_are_counted_the_other_way(labels: list[Any]) -> None:
    people = read_people(pa.table({"q": ["a"] * 30, "s": labels}), Schema(["q"], "s"), by_cell=True)
    assert people.cells is None


def test_few_rows_and_rows_in_few_cells_are_counted_the_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Schema(["place"], "ill")
    assert read_people(PEOPLE, schema, by_cell=True).cells is None
    monkeypatch.setattr(engine, "MANY_ROWS", 8)
    assert read_people(PEOPLE, schema, by_cell=True).cells is None
    monkeypatch.setattr(engine, "FEW_IN_SAMPLE", 0)
    assert read_people(PEOPLE, schema, by_cell=True).cells is not None
    monkeypatch.setattr(engine, "MANY_ROWS", 9)
    assert read_people(PEOPLE, schema, by_cell=True).cells is None


@pytest.mark.usefixtures("at_once")
def test_a_source_that_changes_after_its_labels_were_looked_up_is_counted_from_one_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "_is", lambda column, value: column == "y")  # as if all other labels were new
    assert read_people(PEOPLE, Schema(["place"], "ill"), by_cell=True).cells is None


def csv_of(path: Path, labels: list[str], rows: int = 400) -> Path:
    """People of whom the first have labels that all others may not have."""
    chance = random.Random(rows)
    lines = [f"{chance.choice('abc')},{chance.randint(0, 40)},{label}" for label in labels]
    path.write_text("\n".join(["place,age,ill", *lines]) + "\n")
    return path


@pytest.mark.parametrize(
    ("further", "counted"),
    [
        (["x", "y"], True),
        (["x", "z", "", " y", "y "], True),  # a further label, a missing one, and known ones written otherwise
        ([f"v{i}" for i in range(40)], False),
    ],
)
def test_labels_that_the_first_rows_have_not_are_counted(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, further: list[str], counted: bool
) -> None:
    chance = random.Random(1)
    labels = ["x", "y"] * 10 + [chance.choice(further) for _ in range(380)]
    path = csv_of(tmp_path / "people.csv", labels)
    schema = Schema(["place", "age"], "ill", bins={"age": 10})
    expected = read_table(path, schema)
    request.getfixturevalue("at_once")
    monkeypatch.setattr(engine, "SAMPLE_ROWS", 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read_people(path, schema, by_cell=True)
    assert (found.cells is not None) == counted
    if found.cells is not None:
        assert sum(found.cells.totals.values()) == 400
    same(read_table(path, schema), expected)


def test_a_csv_file_whose_labels_are_in_order_is_counted_the_other_way(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = csv_of(tmp_path / "people.csv", ["x"] * 200 + ["y"] * 200)
    request.getfixturevalue("at_once")
    monkeypatch.setattr(engine, "SAMPLE_ROWS", 20)
    people = read_people(path, Schema(["place"], "ill"), by_cell=True)
    assert people.cells is None
    assert people.left_out.read == 400


@pytest.mark.usefixtures("at_once")
def test_a_broken_line_behind_the_first_rows_is_told_by_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = csv_of(tmp_path / "people.csv", ["x", "y"] * 200)
    monkeypatch.setattr(engine, "SAMPLE_ROWS", 20)
    with path.open("a") as stream:
        stream.write("a,1\n")
    with pytest.raises(SourceError, match="line 402: expected 3 fields, found 2"):
        read_table(path, Schema(["place"], "ill"))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("few", [-1, 20_000])
def test_conditions_and_codebooks_of_cells(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(groups_module, "FEW_GROUPS", few)
    schema = Schema(["place", "age"], "ill", where="age>=7", missing_values=("?",), bins={"age": 10})
    people = read_people(PEOPLE, schema, by_cell=True)
    assert people.cells is not None
    assert people.left_out.not_selected == 2
    table = read_table(PEOPLE, schema)
    assert table.n_records == 6
    assert table.cells()["place"].count("(missing)") == 1
