"""Conditions on rows: how they are written, what they refuse, and what they are in plain values."""

from __future__ import annotations

import re
from typing import Any

import pytest

from epsilens.errors import ParameterError
from epsilens.table.conditions import Condition, conditions
from epsilens.table.domain import MISSING


@pytest.mark.parametrize(
    ("text", "column", "operator", "values"),
    [
        ("age>=18", "age", ">=", ("18",)),
        (" age < 65.5 ", "age", "<", ("65.5",)),
        ("race=White | Black", "race", "=", ("White", "Black")),
        ("race==White", "race", "=", ("White",)),
        ("job!=?", "job", "!=", ("?",)),
        ("job!=", "job", "!=", (MISSING,)),
        ("job=|none", "job", "=", (MISSING, "none")),
        ("salary-class=<=50K", "salary-class", "=", ("<=50K",)),
        ("salary-class!=>50K", "salary-class", "!=", (">50K",)),
        ("when=a=b", "when", "=", ("a=b",)),
        ("race=White|White", "race", "=", ("White",)),
    ],
)
def test_a_condition_is_read_from_its_text(text: str, column: str, operator: str, values: tuple[str, ...]) -> None:
    found = Condition.from_text(text)
    assert (found.column, found.operator, found.values) == (column, operator, values)
    assert Condition.from_text(found.text) == found
    assert conditions([found.to_dict()]) == (found,)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("age", "where must read like age>=18, country=Chile|Peru or job!=none, got 'age'"),
        (">=18", "must read like"),
        ("", "must read like"),
        ("age>=old", "where compares 'age' by >=, which needs one number behind it, got 'old'; to compare texts say"),
        ("age<1|2", "needs one number"),
        ("age<nan", "needs one number"),
        ("age>", "needs one number"),
        ("class<=50K", "to compare texts say class=TEXT or class!=TEXT"),
    ],
)
def test_what_is_not_a_condition_is_refused_with_the_way_to_write_one(text: str, problem: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(problem)):
        Condition.from_text(text)


def test_values_are_texts_as_levels_are() -> None:
    assert Condition("age", ">=", 18).values == ("18",)  # type: ignore[arg-type]
    assert Condition("ill", "=", True).values == ("true",)  # type: ignore[arg-type]
    assert Condition("dose", "=", [1.0, None]).values == ("1", MISSING)  # type: ignore[arg-type]
    assert Condition("age", "<", "65").number == 65.0  # type: ignore[arg-type]


def test_one_condition_or_several_each_once() -> None:
    assert conditions(None) == conditions(()) == ()
    assert conditions("age>=18") == (Condition("age", ">=", ("18",)),)
    assert conditions(["age>=18", Condition("age", ">=", ("18",)), "age<65"]) == conditions(["age>=18", "age<65"])


@pytest.mark.parametrize("given", [3, [3], {"column": "age"}, [{"column": "age", "operator": "="}]])
def test_what_is_neither_a_text_nor_a_condition_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="where must be a text such as age>=18"):
        conditions(given)


@pytest.mark.parametrize(
    ("column", "operator", "values", "problem"),
    [
        ("", "=", "x", "must name a column"),
        (3, "=", "x", "must name a column"),
        ("a", "~", "x", "must be one of =, !=, <, <=, >, >="),
        ("a", "=", (), "at least one value"),
    ],
)
def test_conditions_that_make_no_sense_are_refused(column: Any, operator: str, values: Any, problem: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(problem)):
        Condition(column, operator, values)
