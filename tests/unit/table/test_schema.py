"""Roles, bins, universes and structural zeros are validated once, with a line that says the rule."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from epsilens.errors import EpsilensError, ParameterError
from epsilens.table import read_cells, read_table
from epsilens.table.bins import Quantiles, Width, bin_rule, parse_bins
from epsilens.table.schema import Schema, refuse_unknown_columns


def test_single_names_become_tuples() -> None:
    schema = Schema("age", " income ")
    assert schema.quasi_identifiers == ("age",)
    assert schema.sensitive == ("income",)
    assert schema.columns == ("age", "income")


def test_several_sensitive_attributes_keep_their_order() -> None:
    assert Schema(["a"], ["z", "b"]).sensitive_columns == ("z", "b")


def test_levels_are_texts_as_the_engine_writes_them() -> None:
    schema = Schema(
        ["a", "b"], "c", universe={"a": [1, 2.0, True, " x "]}, structural_zeros=[{"b": 3, "c": ["u", "v"]}]
    )
    assert schema.universe_levels == {"a": ("1", "2", "true", "x")}
    assert schema.impossible == ({"b": ("3",), "c": ("u", "v")},)


def test_a_schema_describes_itself_in_plain_values() -> None:
    schema = Schema(["a", "b"], "c", bins={"a": 5, "b": Quantiles(4)}, unit="id", missing_values="?")
    described = schema.to_dict()
    assert described["bins"] == {"a": "5", "b": "q4"}
    assert described["unit"] == "id"
    assert described["missing_values"] == ["?"]
    assert schema.read_from_data == ("b",)


def test_what_a_schema_was_made_of_can_change_without_changing_it() -> None:
    names, bins = ["a"], {"a": 5}
    schema = Schema(names, "c", bins=bins)
    names.append("b")
    bins["b"] = 1
    assert schema.quasi_identifiers == ("a",)
    assert schema.bins == {"a": Width(Decimal(5))}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"quasi_identifiers": []}, "quasi_identifiers must name at least one column"),
        ({"quasi_identifiers": ["a", " a"]}, "names column 'a' twice"),
        ({"quasi_identifiers": ["a", "c"]}, "'c' is both a quasi-identifier and sensitive"),
        ({"quasi_identifiers": ["a", 3]}, "must be column names, got 3"),
        ({"quasi_identifiers": [""]}, "must be column names"),
        ({"unit": "a"}, "the unit 'a' names people"),
        ({"unit": "c"}, "the unit 'c' names people"),
        ({"max_rows_per_unit": 0}, "max_rows_per_unit must be a whole number >= 1, got 0"),
        ({"max_rows_per_unit": 1.5}, "max_rows_per_unit must be a whole number >= 1"),
        ({"missing": "forget"}, "missing must be one of level, refuse, drop"),
        ({"bins": {"agee": 5}}, "bins names column 'agee', which is neither"),
        ({"bins": [5]}, "bins must be a mapping"),
        ({"bins": {"a": 0}}, "bin width of 'a' must be > 0, got 0"),
        ({"bins": {"a": -2.5}}, r"must be > 0, got -2\.5"),
        ({"bins": {"a": float("nan")}}, "a bin width of 'a' must be a finite number, got nan"),
        ({"bins": {"a": True}}, "must be a finite number, got True"),
        ({"bins": {"a": "5"}}, "got text '5'"),
        ({"bins": {"a": 1e-7}}, "at most 6 decimals"),
        ({"bins": {"a": [3, 1]}}, "bin edges of 'a' must ascend, got 3, 1"),
        ({"bins": {"a": [1, 1]}}, "must ascend"),
        ({"bins": {"a": []}}, "need at least one edge"),
        ({"bins": {"a": [0, float("inf")]}}, "a bin edge of 'a' must be a finite number"),
        ({"universe": {"x": ["1"]}}, "universe names column 'x'"),
        ({"universe": {"a": []}}, "must list at least one value"),
        ({"universe": {"a": ["1", 1]}}, "lists a value twice"),
        ({"structural_zeros": {"a": "1"}}, "must be a list of mappings"),
        ({"structural_zeros": [{"x": "1"}]}, "structural zero 1 names column 'x'"),
        ({"structural_zeros": [{"a": "1"}, {}]}, "structural zero 2 must give at least one column"),
        ({"structural_zeros": [{"a": []}]}, "structural zero 1 must give at least one column and one value"),
    ],
)
def test_bad_schemas_are_refused(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says) as caught:
        Schema(**({"quasi_identifiers": ["a", "b"], "sensitive": "c"} | arguments))
    assert "\n" not in str(caught.value)


def test_every_unknown_column_is_named_with_its_neighbour() -> None:
    with pytest.raises(EpsilensError) as caught:
        refuse_unknown_columns(["agee", "sex", "incme"], ["age", "sex", "income"], "people.csv")
    message = str(caught.value)
    assert "lacks 2 columns: 'agee' (did you mean 'age'?), 'incme' (did you mean 'income'?)" in message


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


@pytest.mark.parametrize("schema", [None, {"quasi_identifiers": ["a"]}, "a"])
def test_what_is_not_a_schema_is_told_how_to_make_one(schema: object) -> None:
    for read in (read_table, read_cells):
        with pytest.raises(ParameterError, match="schema must say which columns to count, not be"):
            read("people.csv", schema)  # type: ignore[arg-type]


def test_conditions_and_copies_are_part_of_a_schema_and_come_back_from_its_plain_values() -> None:
    schema = Schema(
        ["age", "decade"], "ill", bins={"decade": {"width": 10, "closed": "right"}}, copies={"decade": " age"},
        where=["age>=18", "country=Chile|Peru"], missing={"age": "drop"},
    )  # fmt: skip
    plain = schema.to_dict()
    assert plain["where"][1] == {"column": "country", "operator": "=", "values": ["Chile", "Peru"]}
    assert (plain["copies"], plain["bins"], plain["missing"]) == ({"decade": "age"}, {"decade": "10]"}, {"age": "drop"})
    assert Schema.from_dict(json.loads(json.dumps(plain))) == schema
    assert "where age>=18, country=Chile|Peru" in repr(schema)
    assert "decade of age" in schema._repr_html_()


@pytest.mark.parametrize(
    ("copies", "problem"),
    [
        ({"other": "a"}, "copies names column 'other', which is neither"),
        ({"b": ""}, "must say which column 'b' is"),
        ({"b": "b"}, "a copy of another copy, or of itself"),
    ],
)
def test_copies_that_make_no_sense_are_refused(copies: dict[str, str], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Schema(["a", "b"], "c", copies=copies)


def test_a_column_in_two_roles_is_refused_with_the_way_to_read_it_twice() -> None:
    with pytest.raises(ParameterError, match="copies='known-c=c' and name that copy among quasi_identifiers"):
        Schema(["a", "c"], "c")
