"""Bins are declared in three ways, spelt in two, and leave nobody out."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest

from epsilens.errors import ParameterError
from epsilens.table.bins import (
    Edges,
    Quantiles,
    Width,
    bin_rule,
    number_text,
    parse_bins,
    rule_from_plain,
    rule_text,
    rule_to_plain,
)
from epsilens.table.schema import Schema


@pytest.mark.parametrize("groups", [1, 0, 2.5, True, 1_001])
def test_quantiles_need_a_sensible_number_of_groups(groups: Any) -> None:
    with pytest.raises(ParameterError, match="from 2 to 1000"):
        Quantiles(groups)


def test_widths_are_exact_decimals() -> None:
    rule = bin_rule("x", 0.1)
    assert isinstance(rule, Width)
    assert (rule.step, rule.decimals, rule.scaled_step) == (Decimal("0.1"), 1, 1)
    assert bin_rule("x", 1e3) == Width(Decimal(1000))
    assert bin_rule("x", 2.50) == Width(Decimal("2.5"))


def test_edges_leave_nobody_out() -> None:
    rule = bin_rule("x", [0, 18, 65.5])
    assert isinstance(rule, Edges)
    assert rule.labels() == ["< 0", "[0, 18)", "[18, 65.5)", ">= 65.5"]


@pytest.mark.parametrize(
    ("number", "text"),
    [("1000", "1000"), ("1E+3", "1000"), ("2.500", "2.5"), ("-0.0", "0"), ("100", "100"), ("0.0001", "0.0001")],
)
def test_numbers_are_written_plainly(number: str, text: str) -> None:
    assert number_text(Decimal(number)) == text


def test_bins_of_the_command_line() -> None:
    rules = parse_bins("age=5, hours=0|20|40", "income=q4", "x=y=0.5")
    assert rules == {
        "age": Width(Decimal(5)),
        "hours": Edges((Decimal(0), Decimal(20), Decimal(40))),
        "income": Quantiles(4),
        "x=y": Width(Decimal("0.5")),
    }
    assert parse_bins() == {}
    assert Schema(["age"], "y", bins=parse_bins("age=5")).bin_rules == {"age": Width(Decimal(5))}


@pytest.mark.parametrize(
    "text", ["age", "age=", "=5", "age=five", "age=q", "age=qx", "age=0", "age=5|2", "age=1||2", "age=q1"]
)
def test_bad_bins_of_the_command_line(text: str) -> None:
    with pytest.raises(ParameterError, match="bin"):
        parse_bins(text)


def test_bins_given_twice_are_refused() -> None:
    with pytest.raises(ParameterError, match="given twice"):
        parse_bins("age=5", "age=10")


@pytest.mark.parametrize("text", ["5", "0.25", "1000", "0|20|40", "18|", "-1.5|0|1.5", "q4"])
def test_rules_are_read_back_from_their_texts(text: str) -> None:
    rule = rule_from_plain("x", text)
    assert rule_text(rule) == text
    assert parse_bins(f"x={text}") == {"x": rule}
    assert bin_rule("x", rule) is rule


def test_rules_from_plain_values() -> None:
    assert rule_from_plain("x", {"width": 2.5}) == rule_from_plain("x", 2.5) == Width(Decimal("2.5"))
    assert rule_from_plain("x", {"edges": [0, 1]}) == rule_from_plain("x", [0, 1]) == Edges((Decimal(0), Decimal(1)))


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (0, "the bin width of 'x' must be > 0, got 0"),
        (-2.5, "must be > 0, got -2.5"),
        (1e-7, "may have at most 6 decimals, got 7"),
        (True, "a bin width of 'x' must be a finite number, got True"),
        (float("nan"), "a bin width of 'x' must be a finite number"),
        ("5", "must be a width, edges or Quantiles, got text '5'"),
        ([], "need at least one edge, got none"),
        ([0, 0], "must ascend, got 0, 0"),
        ([0, float("inf")], "a bin edge of 'x' must be a finite number"),
    ],
)
def test_bins_that_are_none(spec: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(says)):
        bin_rule("x", spec)


@pytest.mark.parametrize("text", ["1e999999999", "1e-999999999", "0|1e999999999"])
def test_numbers_that_cannot_be_written_out_are_refused_quickly(text: str) -> None:
    with pytest.raises(ParameterError, match="must be a finite number"):
        parse_bins(f"age={text}")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("5]", Width(Decimal(5), "right")),
        ("(5]", Width(Decimal(5), "right")),
        ("[5)", Width(Decimal(5))),
        ("0|20|40]", Edges((Decimal(0), Decimal(20), Decimal(40)), "right")),
        ("(0|20|40]", Edges((Decimal(0), Decimal(20), Decimal(40)), "right")),
        ("50000|]", Edges((Decimal(50000),), "right")),
        ("q4]", Quantiles(4, "right")),
    ],
)
def test_a_bracket_says_on_which_side_bins_are_closed(text: str, rule: Any) -> None:
    assert parse_bins(f"x={text}") == {"x": rule}
    assert rule_from_plain("x", rule_text(rule)) == rule_from_plain("x", rule_to_plain(rule)) == rule
    assert bin_rule("x", rule_to_plain(rule)) == rule


def test_labels_tell_which_side_is_closed() -> None:
    assert Edges((Decimal(0), Decimal(18)), "right").labels() == ["<= 0", "(0, 18]", "> 18"]
    assert Width(Decimal(5), "right").brackets == ("(", "]")


@pytest.mark.parametrize("text", ["[5]", "(5)", "(5", "[0|1", "]", "(]", "5]]"])
def test_brackets_that_close_on_both_sides_or_on_none_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="bin"):
        parse_bins(f"x={text}")


@pytest.mark.parametrize(
    ("plain", "problem"),
    [
        ({"width": 5, "closed": "both"}, "closed must be one of left, right"),
        ({"width": 5, "edges": [1]}, 'must have one of "width", "edges" and "quantiles"'),
        ({"width": 5, "colour": "red"}, "must have one of"),
        ({}, "must have one of"),
        ({"edges": "12"}, "must be a list of numbers"),
        ({"edges": 3}, "must be a list of numbers"),
    ],
)
def test_plain_rules_that_make_no_sense_are_refused(plain: Any, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        bin_rule("x", plain)
