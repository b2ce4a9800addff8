"""What becomes of missing values: one rule, rules by column, or public values in their place."""

from __future__ import annotations

import re
from typing import Any

import pytest

from epsilens.errors import ParameterError
from epsilens.table.gaps import checked_gaps, parse_missing, rule_of
from epsilens.table.schema import Schema


def test_rules_of_the_command_line() -> None:
    assert parse_missing() == "level"
    assert parse_missing("drop") == "drop"
    assert parse_missing("job=drop", "income = 50001", "sex=a=b") == {"job": "drop", "income": "50001", "sex": "a=b"}


@pytest.mark.parametrize("texts", [("drop", "job=drop"), ("job=",), ("=drop",), ("drop", "level")])
def test_rules_that_cannot_be_told_apart_are_refused(texts: tuple[str, ...]) -> None:
    with pytest.raises(ParameterError, match="must be one rule for all columns, or read like COL=drop or COL=VALUE"):
        parse_missing(*texts)


def test_a_column_has_one_rule() -> None:
    with pytest.raises(ParameterError, match="names column 'a' twice"):
        parse_missing("a=drop", "a=level")


def test_a_schema_knows_what_becomes_of_each_column() -> None:
    schema = Schema(
        ["job", "income", "sex"], "ill", bins={"income": 5}, missing={"job": "drop", "income": 7, "ill": "refuse"}
    )
    assert schema.dropped_gaps == ("job",)
    assert [condition.text for condition in schema.complete] == ["job!="]
    assert schema.stand_ins == {"income": "7"}
    assert [name for name in schema.columns if schema.refuses_gaps(name)] == ["ill"]
    assert rule_of(schema.missing, "sex") == "level"
    assert Schema(["a"], "b", missing="drop").dropped_gaps == ("a", "b")
    assert Schema.from_dict(schema.to_dict()) == schema


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("forget", "missing must be one of level, refuse, drop; got 'forget'"),
        ({"jbo": "drop"}, "missing names column 'jbo', which has no role; did you mean 'job'?"),
        ({"job": ""}, "must give 'job' a rule (level, refuse, drop) or a value"),
        ({"job": None}, "must give 'job' a rule"),
        ({"income": "much"}, "the value in place of a missing 'income' must be a number, got 'much'"),
        ({"sex": "x"}, "the value in place of a missing 'sex' must be one that the universe declares"),
    ],
)
def test_rules_that_cannot_be_kept_are_refused(given: Any, problem: str) -> None:
    schema = Schema(["income"], "ill", bins={"income": 5})
    with pytest.raises(ParameterError, match=re.escape(problem)):
        checked_gaps(given, ("job", "income", "sex"), schema.bin_rules, {"sex": ("f", "m")})
