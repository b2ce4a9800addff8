"""What is typed or written becomes a value."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from epsilens.errors import ParameterError
from epsilens.project import values


@pytest.mark.parametrize(
    ("kind", "given", "found"),
    [
        ("names", "a, b", ("a", "b")),
        ("names", ["a", "b"], ("a", "b")),
        ("numbers", "0.5,1", (0.5, 1.0)),
        ("numbers", [0.5, "1"], (0.5, 1.0)),
        ("numbers", 2, (2.0,)),
        ("wholes", [3, 6], (3, 6)),
        ("fraction", "1/4", 0.25),
        ("fractions", "1/2,0.1", (0.5, 0.1)),
        ("whole", "20", 20),
        ("number", 0.1, 0.1),
        ("alpha", "moments", "moments"),
        ("alpha", [1, 2], (1.0, 2.0)),
        ("ends", "0.01:10", (0.01, 10.0)),
        ("ends", [0.01, 10], (0.01, 10.0)),
        ("by_column", {"age": 5, "hours": [0, 20]}, ("age=5", "hours=0|20")),
        ("by_column", "age=5", ("age=5",)),
        ("texts", ["a", 3], ("a", "3")),
        ("word", 3, "3"),
        ("universe", {"a": ["x"]}, '{"a": ["x"]}'),
        ("universe", "u.json", "u.json"),
        ("text", "n", "n"),
        ("flag", True, True),
    ],
)
def test_values_of_a_project_are_those_of_the_library(kind: str, given: Any, found: Any) -> None:
    assert values.converted(kind, "x", given) == found


@pytest.mark.parametrize(
    ("kind", "given", "rule"),
    [
        ("names", [], "x is missing: name at least one column, got none"),
        ("names", ",", "got none"),
        ("numbers", "a", "x must be a number, got 'a'"),
        ("whole", 1.5, "must be a whole number"),
        ("fraction", "1/0", "cannot be divided by 0"),
        ("fraction", "1/x", "a fraction such as 1/864"),
        ("ends", "3", "must be FROM:TO"),
        ("ends", [1, 2, 3], "must be FROM:TO"),
    ],
)
def test_what_is_not_one_is_refused(kind: str, given: Any, rule: str) -> None:
    if kind == "names" and given == []:
        assert values.names("x", given) == ()  # nothing was said
        return
    with pytest.raises(ParameterError, match=rule):
        values.converted(kind, "x", given)


@pytest.mark.parametrize(("number", "text"), [(0.1, "0.1"), (1e-6, "1e-6"), (1e22, "1e22"), (5, "5"), (2.0, "2.0")])
def test_numbers_are_written_as_somebody_would_type_them(number: float, text: str) -> None:
    assert values.text_of(number) == text
    assert float(text) == number


def test_plain_values_are_json() -> None:
    assert values.plain({1: (float("nan"), 2)}) == {"1": [None, 2]}


def test_taken_are_parameters_that_were_given() -> None:
    def function(a: int, b: int = 2) -> None: ...

    assert values.taken({"a": 1, "b": None, "c": 3}, function) == {"a": 1}


def test_one_value_or_several_are_several() -> None:
    assert values.listed(None) == ()
    assert values.listed("a, b,,") == ("a", "b")
    assert values.listed(["a,b", 2]) == ("a,b", 2)
    assert values.listed(0.5) == (0.5,)


def test_a_key_is_the_same_just_where_the_values_are() -> None:
    said = {"bins": MappingProxyType({"age": 5, "hours": [0, 20]}), "where": Path("a")}
    turned = {"where": Path("a"), "bins": {"hours": (0, 20), "age": 5}}
    assert values.key_text(said) == values.key_text(turned)
    assert values.key_text(said) != values.key_text(said | {"where": Path("b")})
    assert values.key_text({"a": 1}) != values.key_text({"a": "1"})
