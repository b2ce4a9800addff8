from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import epsilens as el
from epsilens.errors import DataError, ParameterError
from epsilens.table.frequency import FrequencyTable
from epsilens.table.reading import groups, vectors
from epsilens.table.to_read import TableToRead

PEOPLE = pd.DataFrame(
    {
        "town": ["a", "a", "b", "b", "b"],
        "ill": ["no", "yes", "no", "no", "no"],
        "w": [2.5, 3.0, 1.0, 10.25, 1.1],
        "n": [1, 2, 0, 1, 4],
        "who": ["p", "q", "r", "s", "s"],
    }
)
SCHEMA = el.Schema("town", "ill")


def sums(table: FrequencyTable) -> dict[tuple[int, ...], float]:
    found = table.weighted_cells
    assert found is not None
    return dict(zip(map(tuple, found.vectors.tolist()), found.weights.tolist(), strict=True))


@pytest.mark.parametrize("form", ["frame", "csv", "parquet", "sqlite"])
def test_weights_are_added_up_per_cell_wherever_people_are(form: str, tmp_path: Path) -> None:
    source: Any = PEOPLE
    table = None
    if form == "csv":
        PEOPLE.to_csv(source := tmp_path / "people.csv", index=False)
    elif form == "parquet":
        PEOPLE.to_parquet(source := tmp_path / "people.parquet")
    elif form == "sqlite":
        import sqlite3

        connection = sqlite3.connect(tmp_path / "people.db")
        PEOPLE.to_sql("people", connection, index=False)
        connection.close()
        source, table = f"sqlite:///{tmp_path / 'people.db'}", "people"
    found = el.read_table(source, SCHEMA, table=table, weight="w")
    assert sums(found) == {(1, 1): 5.5, (3, 0): 12.35}
    assert sums(found.marginal([])) == {(4, 1): 17.85}


def test_a_row_that_counts_many_weighs_as_often() -> None:
    assert sums(el.read_table(PEOPLE, SCHEMA, count="n", weight="w")) == {(1, 2): 8.5, (5, 0): 14.65}


def test_a_row_that_is_not_counted_weighs_nothing() -> None:
    schema = el.Schema("town", "ill", unit="who")
    found = el.read_table(PEOPLE.assign(w=2.0), schema, weight="w")
    assert sums(found) == {(1, 1): 4.0, (2, 0): 4.0}


def test_many_labels_and_several_attributes_keep_their_weights() -> None:
    many = pd.DataFrame({"town": ["a"] * 30, "ill": [f"v{i:02}" for i in range(30)], "sex": "f", "w": 2.0})
    found = el.read_table(many, el.Schema("town", ["ill", "sex"]), weight="w")
    assert list(sums(found).values()) == [60.0]
    assert list(sums(found.attribute("ill")).values()) == [60.0]


def test_weights_of_labels_are_known_as_well() -> None:
    found = el.read_table(PEOPLE.assign(sex="f"), el.Schema("town", ["ill", "sex"]), weight="w")
    for table in (found, found.attribute("ill"), found.marginal([])):
        assert table.weighted_cells is not None
        assert table.weighted_cells.by_label is not None
        assert table.weighted_cells.by_label.tolist() == pytest.approx([14.85, 3.0])
    assert found.attribute("ill").weighted_cells is not None


@pytest.mark.parametrize(
    ("weights", "rule"),
    [
        ([0.5, 1, 1, 0, 2], "of 5 rows 2 are below 1; scale weights"),
        (["x", 1, 1, 2, 2], "1 is not numeric"),
        ([None, 1, 1, -1, 2], "1 is missing, 1 is below 1"),
        ([1e12, 1, 1, 1, 2], "1 is above 1e9"),
    ],
)
def test_weights_that_nobody_can_have_are_refused_without_values(weights: list[Any], rule: str) -> None:
    with pytest.raises(DataError, match=rule):
        el.read_table(PEOPLE.assign(w=weights), SCHEMA, weight="w")


@pytest.mark.parametrize(
    ("schema", "weight", "rule"),
    [
        (SCHEMA, "town", "'town' is a quasi-identifier"),
        (SCHEMA, "ill", "'ill' is sensitive"),
        (SCHEMA, "n", "'n' is the column of counts"),
        (SCHEMA, "", "must be a column name"),
        (el.Schema("town", "ill", unit="who", max_rows_per_unit=2), "w", "a person may have several rows"),
    ],
)
def test_a_column_has_one_role(schema: el.Schema, weight: str, rule: str) -> None:
    with pytest.raises(ParameterError, match=rule):
        el.read_table(PEOPLE, schema, count=None if schema.unit else "n", weight=weight)


def test_a_column_that_does_not_exist_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(DataError, match="has no column 'weigth'; did you mean 'weight'"):
        el.read_table(PEOPLE.rename(columns={"w": "weight"}), SCHEMA, weight="weigth")


def test_a_table_to_read_knows_its_weights() -> None:
    assert sums(TableToRead.of(PEOPLE, "town", "ill", weight="w").read()) == {(1, 1): 5.5, (3, 0): 12.35}


def test_a_sum_of_weights_is_that_of_decimal_numbers_however_people_are_grouped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fractions that are added up in another order differ in their last digit."""
    people = pd.DataFrame({name: [i % n for i in range(600)] for name, n in (("town", 5), ("street", 7), ("ill", 3))})
    people["w"] = [1 + (i * i % 1009) / 7 for i in range(600)]
    expected = [
        float(sum(Decimal(f"{weight:.6f}") for weight in people["w"][people["town"] == town])) for town in range(5)
    ]
    for few_groups, few_labels in ((20_000, 20), (-1, 20), (20_000, 1)):
        monkeypatch.setattr(groups, "FEW_GROUPS", few_groups)
        monkeypatch.setattr(vectors, "FEW_LABELS", few_labels)
        alone = el.read_table(people, el.Schema("town", "ill"), weight="w")
        merged = el.read_table(people, el.Schema(["town", "street"], "ill"), weight="w").marginal(["town"])
        for table in (alone, merged):
            assert table.weighted_cells is not None
            assert sorted(table.weighted_cells.weights.tolist()) == sorted(expected)
