"""Bins are declared in three ways, spelt in two, and leave nobody out."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from epsilens.errors import ParameterError
from epsilens.table.bins import Edges, Quantiles, Width, bin_rule, number_text, parse_bins
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
