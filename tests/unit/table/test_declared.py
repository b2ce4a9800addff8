"""Declared levels: lists, ranges, files."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from epsilens.errors import ParameterError, SourceError
from epsilens.table import Quantiles, Schema
from epsilens.table.bins import bin_rule
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
        ({"from": 0.5, "to": 2}, None, "which has no bins, must go from a whole number to a whole number"),
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


def test_a_range_that_cannot_be_written_out_is_refused() -> None:
    with pytest.raises(ParameterError, match="from a number to a number"):
        declared_levels("age", {"from": 0, "to": 10**400})


def test_ranges_of_bins_closed_on_the_right() -> None:
    right = bin_rule("age", {"width": 5, "closed": "right"})
    assert range_levels("age", {"from": 15, "to": 25}, right) == ("(15, 20]", "(20, 25]")
    assert range_levels("age", {"from": 16, "to": 26}, right) == ("(15, 20]", "(20, 25]", "(25, 30]")
    edges = bin_rule("age", {"edges": [18, 65], "closed": "right"})
    assert range_levels("age", {"from": 0, "to": 65}, edges) == ("<= 18", "(18, 65]")
    assert range_levels("age", {"from": 18, "to": 66}, edges) == ("<= 18", "(18, 65]", "> 65")
    assert range_levels("age", {"from": 19, "to": 66}, edges) == ("(18, 65]", "> 65")
