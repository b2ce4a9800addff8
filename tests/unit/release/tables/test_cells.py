from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from epsilens.errors import DataError
from epsilens.release.tables.cells import content_fingerprint, counted_source
from epsilens.table import FrequencyTable, Schema, read_table

PEOPLE = pd.DataFrame(
    {
        "who": ["1", "1", "2", "3", "4"],
        "region": ["n", "n", "n", "s", "s"],
        "sex": ["f", "f", "m", "f", "f"],
        "ill": ["y", "n", "n", "n", "n"],
    }
)
SCHEMA = Schema(["region", "sex"], "ill")


def test_cells_of_all_columns_and_the_same_people_as_a_table() -> None:
    found = counted_source(PEOPLE, SCHEMA)
    assert found.cells.domain.columns == ("region", "sex", "ill")
    assert (found.cells.people, sorted(found.cells.counts.tolist())) == (5, [1, 1, 1, 2])
    assert found.table is not None
    assert (found.table.n_records, found.table.n_cells) == (5, 3)


def test_without_two_labels_or_with_very_many_there_is_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    assert counted_source(PEOPLE, Schema(["region", "sex"])).table is None
    alike = PEOPLE.assign(ill="n")
    assert counted_source(alike, SCHEMA).table is None
    # a level that is declared is a label whether anybody has it or not
    declared = Schema(["region", "sex"], "ill", universe={"ill": ["y", "n"]})
    table = counted_source(alike, declared).table
    assert table is not None
    assert table.n_labels == 2
    monkeypatch.setattr("epsilens.table.reading.tables.MAX_LABELS", 1)
    without = counted_source(PEOPLE, SCHEMA)
    assert without.table is None
    assert "more than 1 values" in str(without.no_table)
    assert counted_source(PEOPLE.head(0), SCHEMA).cells.people == 0


def test_rows_that_do_not_fit_are_left_out_and_counted() -> None:
    declared = Schema(["region", "sex"], "ill", universe={"ill": ["y"]})
    found = counted_source(PEOPLE, declared)
    strange = int((PEOPLE["ill"] != "y").sum())
    assert strange > 0
    assert found.cells.people == len(PEOPLE) - strange
    assert found.left_out.to_dict() == {
        "rows_read": len(PEOPLE), "rows_left_out": strange, "people_with_too_many_rows": 0, "rows_not_selected": 0,
        "by_rule": [{"column": "ill", "why": "not declared", "rows": strange}],
    }  # fmt: skip


def test_a_table_that_was_counted_is_taken_as_it_is() -> None:
    table = read_table(PEOPLE, SCHEMA)
    found = counted_source(table, SCHEMA)
    assert found.table is table
    assert found.cells.fingerprint == counted_source(PEOPLE, SCHEMA).cells.fingerprint
    by_hand = FrequencyTable.from_counts([[1, 2]], ["a", "b"])
    assert counted_source(by_hand, None).cells.people == 3


def test_a_table_of_another_schema_is_refused() -> None:
    table = read_table(PEOPLE, SCHEMA)
    with pytest.raises(
        DataError, match=r"was counted by region, sex, ill, the schema names sex, region, ill; give the"
    ):
        counted_source(table, Schema(["sex", "region"], "ill"))
    with pytest.raises(DataError, match="at most 1 row per person, the schema says 2"):
        counted_source(table, Schema(["region", "sex"], "ill", unit="who", max_rows_per_unit=2))


def test_the_fingerprint_is_of_the_content_and_not_of_the_rows_order() -> None:
    first = content_fingerprint(PEOPLE, SCHEMA)
    assert content_fingerprint(PEOPLE[::-1], SCHEMA) == first == content_fingerprint(read_table(PEOPLE, SCHEMA), SCHEMA)
    counts = PEOPLE.groupby(["region", "sex", "ill"]).size().reset_index(name="n")
    assert content_fingerprint(counts, SCHEMA, count="n") == first
    assert content_fingerprint(PEOPLE[1:], SCHEMA) != first


def test_the_salt_chooses_the_rows_of_people_with_too_many() -> None:
    one_each = Schema(["region", "sex"], "ill", unit="who")
    found = {content_fingerprint(PEOPLE, one_each, row_salt=str(salt)) for salt in range(20)}
    assert len(found) == 2  # person 1 is ill in one row and not in the other
    assert content_fingerprint(PEOPLE, one_each, row_salt="7") == content_fingerprint(PEOPLE, one_each, row_salt="7")


def test_a_table_is_not_released_by_a_schema_that_reads_other_rows() -> None:
    table = read_table(PEOPLE, SCHEMA)
    for other in ({"where": "sex=f"}, {"missing": "drop"}):
        with pytest.raises(DataError, match="counted with other conditions on rows, or other rules for missing values"):
            counted_source(table, replace(SCHEMA, **other))  # type: ignore[arg-type]
