"""Declared levels: lists, ranges, files."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import epsilens as el
from epsilens import avoidance as av
from epsilens.errors import DataError, EpsilensError, ParameterError, SourceError
from epsilens.table import Quantiles, Schema
from epsilens.table.bins import bin_rule, parse_bins
from epsilens.table.declared import declared_levels, range_levels, read_universe, width_levels


@pytest.mark.parametrize(
    ("bins", "low", "high", "levels"),
    [
        (None, 15, 18, ("15", "16", "17", "18")),
        (None, 3, 3, ("3",)),
        (None, -1.0, Decimal("1.0"), ("-1", "0", "1")),
        (20, 15, 61, ("[0, 20)", "[20, 40)", "[40, 60)", "[60, 80)")),
        (20, 20, 40, ("[20, 40)",)),
        (0.5, 0, 1, ("[0.0, 0.5)", "[0.5, 1.0)")),
        ([0, 18, 65], 0, 64, ("[0, 18)", "[18, 65)")),
        ([0, 18, 65], 20, 65, ("[18, 65)", ">= 65")),
        ([0, 18, 65], -5, 3, ("< 0", "[0, 18)")),
        ([18], 0, 99, ("< 18", ">= 18")),
    ],
)
def test_the_levels_of_a_range_follow_from_the_bins(bins: Any, low: Any, high: Any, levels: tuple[str, ...]) -> None:
    rule = None if bins is None else bin_rule("age", bins)
    assert range_levels("age", {"from": low, "to": high}, rule) == levels
    schema = Schema(
        ["age"], "y", bins={} if bins is None else {"age": bins}, universe={"age": {"from": low, "to": high}}
    )
    assert schema.universe_levels == {"age": levels}


@pytest.mark.parametrize(
    ("declared", "bins", "says"),
    [
        ({"from": 0}, None, "must be a list, or"),
        ({"from": 0, "to": 1, "by": 1}, None, "must be a list, or"),
        ({"from": 0, "to": 9}, Quantiles(2), "must be a list, or"),
        ({"from": 0.5, "to": 2}, None, "which has no bins, must ascend from a whole number to a whole number"),
        ({"from": 2, "to": 1}, None, "must ascend"),
        ({"from": 2, "to": 1}, 5, "must ascend"),
        ({"from": 2, "to": 2}, [1, 2], "must ascend"),
        ({"from": "2", "to": 3}, None, "from a number to a number"),
        ({"from": True, "to": 3}, None, "from a number to a number"),
        ({"from": 0, "to": float("inf")}, None, "from a number to a number"),
        ({"from": 0, "to": 10**9}, None, "too long"),
        ({"from": 0, "to": 10**9}, 1, "too long"),
        ([], None, "at least one value"),
        ([1, 1.0], None, "lists a value twice"),
    ],
)
def test_bad_declarations(declared: Any, bins: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        declared_levels("age", declared, None if bins is None else bin_rule("age", bins))


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "u.json"
    path.write_text(
        json.dumps({"sex": ["f", "m"], "age": {"from": 0, "to": 9}, "county, tract": [["a", 1], ["a", 2], ["b", 3]]})
    )
    found = read_universe(path)
    assert found.levels == {"sex": ["f", "m"], "age": {"from": 0, "to": 9}}
    assert found.paths == {("county", "tract"): [["a", 1], ["a", 2], ["b", 3]]}
    assert found.levels_of_all()["tract"] == ("1", "2", "3")
    assert found.concerning(["county", "sex"]).levels == {"sex": ["f", "m"]}
    assert found.concerning(["county", "sex"]).paths == {}
    assert found.concerning(["tract", "county"]) == type(found)({}, found.paths)
    for text, says in [
        ("[1]", "a JSON file with an object"),
        ("{", "must be JSON"),
        ('{"a": 3}', "lists of values, or"),
    ]:
        path.write_text(text)
        with pytest.raises(SourceError, match=says):
            read_universe(path)
    with pytest.raises(SourceError, match="cannot read the universe"):
        read_universe(tmp_path / "none.json")


def test_widths_are_public_where_they_were() -> None:
    from epsilens.release import width_levels as public

    assert public is width_levels


# -- what a data frame gives is what a file says -----------------------------------------------------------------------


def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "smoker": [True, False, True, True],
            "age": [39.0, 40.0, 39.0, 41.0],
            "kind": pd.Series([1, 2, None, 2], dtype="Int64"),
            "ill": ["no", "yes", "no", "yes"],
        }
    )


@pytest.mark.parametrize("column", ["smoker", "age", "kind"])
def test_the_values_of_a_column_are_its_universe_for_a_schema_and_for_a_histogram(column: str) -> None:
    frame = people()
    values = frame[column].unique()
    table = el.read_table(frame, Schema([column], "ill", universe={column: values}))
    histogram = av.Histogram.of(table, {column: values})
    assert histogram.n_records == 4
    assert histogram.levels[0] == table.schema.universe_levels[column]  # type: ignore[union-attr]
    assert set(histogram.levels[0]) == set(table.cells()[column])
    compared = el.compare(table, systems=["suppression"], universe={column: values}, repetitions=2, k=2)
    assert len(compared.rows) > 0
    with pytest.raises(DataError, match="misses"):
        av.Histogram.of(table, {column: values[:1]})


def test_a_range_for_a_histogram_takes_the_bins_of_its_table() -> None:
    frame = people()
    binned = el.read_table(frame, Schema(["age"], "ill", bins={"age": 5}))
    assert av.Histogram.of(binned, {"age": {"from": 35, "to": 50}}).levels[0] == ("[35, 40)", "[40, 45)", "[45, 50)")
    plain = el.read_table(frame, Schema(["age"], "ill"))
    assert av.Histogram.of(plain, {"age": {"from": 38, "to": 42}}).levels[0] == ("38", "39", "40", "41", "42")


def test_a_histogram_knows_structural_zeros_where_nobody_is() -> None:
    frame = pd.DataFrame({"sex": ["f", "m"], "town": ["a", "b"], "pregnant": ["yes", "no"]})
    schema = Schema(["sex", "town"], "pregnant", structural_zeros=[{"sex": "m", "pregnant": "yes"}])
    histogram = av.Histogram.of(el.read_table(frame, schema))
    assert histogram.possible is not None
    assert (~histogram.possible).sum() == 2  # in both towns, although only one has a man
    assert not histogram.possible[1, :, 1].any()
    unruled = av.Histogram.of(el.read_table(frame, Schema(["sex", "town"], "pregnant")))
    assert unruled.possible is None


# -- schemas from plain values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "schema",
    [
        Schema(["a"], "y"),
        Schema(["a", "b"]),
        Schema(["a", "b"], ["y", "z"], bins={"a": 2.5, "b": [18], "y": [0, 18, 65.5], "z": Quantiles(3)}),
        Schema(["age"], "y", bins={"age": 5}, universe={"age": {"from": 0, "to": 20}, "y": [True, False]}),
        Schema(["a"], "y", structural_zeros=[{"a": 1, "y": ["x", "z"]}], missing="refuse", missing_values=["?"]),
        Schema(["a"], "y", unit="id", max_rows_per_unit=3),
    ],
)
def test_a_schema_is_what_its_description_says(schema: Schema) -> None:
    assert Schema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema


def test_a_description_may_leave_things_out_and_spell_bins_in_two_ways() -> None:
    assert Schema.from_dict({"quasi_identifiers": ["a"]}) == Schema(["a"])
    plain = {"quasi_identifiers": ["a", "b"], "bins": {"a": {"width": "5"}, "b": {"edges": ["0", "18"]}}}
    assert Schema.from_dict(plain) == Schema(["a", "b"], bins={"a": 5, "b": [0, 18]})
    assert parse_bins("b=18|") == {"b": bin_rule("b", [18])}
    with pytest.raises(EpsilensError, match="must name at least one column"):
        Schema.from_dict({"quasi_identifiers": []})
