"""What is wrong with records is told by numbers of rows, never by values."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

import epsilens as el
from epsilens.errors import DataError
from epsilens.table.reading.problems import refuse_absent_units, refuse_unread_bins
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema

SECRET = "hunter2"


def read(frame: dict[str, list[object]], **schema: object) -> el.FrequencyTable:
    return el.read_table(pd.DataFrame(frame), el.Schema(["q"], "y", **schema))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("frame", "schema", "said"),
    [
        ({"q": [], "y": []}, {}, "has no records"),
        ({"q": ["a", None], "y": ["n", "p"]}, {"missing": "refuse"}, "'q' is missing in 1 row; .* missing='level'"),
        ({"q": ["1", SECRET], "y": ["n", "p"]}, {"bins": {"q": 5}}, "'q' has bins, but 1 of 2 values are not numbers"),
        (
            {"q": ["a", SECRET, SECRET], "y": ["n", "p", "n"]},
            {"universe": {"q": ["a"]}},
            "'q' has 1 value in 2 rows that its universe does not declare",
        ),
        (
            {"q": ["a", "b"], "y": ["n", "p"]},
            {"structural_zeros": [{"q": "a", "y": "n"}]},
            "structural zero 1 has 1 person in it",
        ),
    ],
)
def test_refusals(frame: dict[str, list[object]], schema: dict[str, object], said: str) -> None:
    with pytest.raises(DataError, match=said) as refused:
        read(frame, **schema)
    assert SECRET not in str(refused.value)


def test_rows_without_a_person_and_bins_without_numbers() -> None:
    refuse_absent_units({"absent": 0, "rows": 9}, "who")
    with pytest.raises(DataError, match="2 of 9 rows have no value in the unit column 'who'"):
        refuse_absent_units({"absent": 2, "rows": 9}, "who")
    with pytest.raises(DataError, match=r"3 of 9 .*; write decimals with a point .* drop its bins, or declare texts"):
        refuse_unread_bins("age", 3, 9)


def test_measurements_without_bins_are_warned_about() -> None:
    frame = {"q": [f"{i}.5" for i in range(30)], "y": ["n", "p"] * 15}
    with pytest.warns(el.EpsilensWarning, match="'q' is numeric with 30 distinct values and no bins"):
        read(frame)  # type: ignore[arg-type]


@pytest.mark.parametrize("further", [0, 30])
def test_counts_that_add_up_to_more_than_is_exact_are_refused(further: int) -> None:
    """By the same rule with few labels and with many; up to it, sums are whole numbers of 64 bits."""
    labels = [f"s{i}" for i in range(further)]
    most = 2**53 // 3
    rows = {"a": [*"xxx", *"y" * (2 + further)], "s": ["p", "p", " p", "p", "q", *labels]}
    exact = pa.table(rows | {"n": [most, most, 2**53 - 2 * most, 2**53, *range(1, 2 + further)]})
    table = read_table(exact, Schema(["a"], "s"), count="n")
    place = table.labels.index("p")
    assert table.vectors[:, place].tolist() == [2**53, 2**53]
    assert table.marginal([]).vectors[0, place] == 2**54
    assert table.n_records == 2**54 + sum(range(1, 2 + further))
    with pytest.raises(DataError, match=r"'n' add up to more than 2\*\*53 for people who are alike in all columns"):
        read_table(exact.set_column(2, "n", [[2**52 + 1] * (5 + further)]), Schema(["a"], "s"), count="n")


def test_tables_of_more_people_than_64_bits_hold_are_refused() -> None:
    rows = pa.table({"a": range(513), "s": ["p", "q", *["p"] * 511], "n": [2**53] * 513})
    with pytest.raises(DataError, match=r"'n' add up to more than 2\*\*62"):
        read_table(rows, Schema(["a"], "s"), count="n")


def test_what_is_asked_of_alike_tables_is_decided_by_their_own_declarations() -> None:
    """The query over the groups is built once for all schemas of the same form, which these are not."""
    frame: dict[str, list[object]] = {"q": ["1", "2", None], "y": ["n", "p", "n"]}
    refused: dict[str, tuple[dict[str, object], str]] = {
        "undeclared": ({"universe": {"y": ["n", "z"]}}, "'y' has 1 value in 1 row that"),
        "another": ({"universe": {"y": ["p", "z"]}}, "'y' has 1 value in 2 rows that"),
        "missing": ({"missing": "refuse"}, "'q' is missing in 1 row"),
        "impossible": ({"structural_zeros": [{"q": "2", "y": "p"}]}, "structural zero 1 has 1 person"),
        "further": ({"structural_zeros": [{"q": "1", "y": "p"}, {"q": "1", "y": "n"}]}, "structural zero 2 has 1"),
    }
    for _ in range(2):
        assert read(frame).n_records == 3
        for schema, said in refused.values():
            with pytest.raises(DataError, match=said):
                read(frame, **schema)
        assert read(frame, universe={"y": ["n", "p", "z"]}).n_records == 3
        assert read(frame, structural_zeros=[{"q": "1", "y": "p"}]).n_records == 3
