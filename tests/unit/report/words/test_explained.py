from __future__ import annotations

from dataclasses import fields

import pytest

from epsilens.accounting.rules import RULE_BOOK
from epsilens.choice.comparison import CRITERIA as COMPARED
from epsilens.homogeneity.measures import MEASURES
from epsilens.report.words import explained
from epsilens.report.words.common import Note
from epsilens.table.diagnostics import Diagnostics

NARROW = 80


@pytest.mark.parametrize("measure", [*MEASURES, "posterior", "posterior-ratio", "posterior-decision"])
def test_every_measure_explains_itself_in_a_line(measure: str) -> None:
    for match in ("any", "share"):
        assert 20 < len(f"  {measure}: {explained.measures_by(match)[measure]}.") <= NARROW


@pytest.mark.parametrize("rule", RULE_BOOK)
def test_every_composition_rule_explains_itself_in_a_line(rule: str) -> None:
    assert 20 < len(f"  {rule}: {explained.RULES[rule]}.") <= NARROW


def test_every_criterion_and_diagnostic_explains_itself() -> None:
    assert set(COMPARED) - {"tvd_2", "tvd_3"} <= set(explained.CRITERIA)  # the line of the first is that of all three
    assert set(explained.DIAGNOSTICS) <= {field.name for field in fields(Diagnostics)}


def test_each_is_said_once_and_what_is_unknown_is_left_out() -> None:
    book = {"a": "the first", "b": "the second"}
    assert explained.explained(["b", "a", "b", "c"], book) == [Note("b: the second."), Note("a: the first.")]


def test_local_risk_is_of_a_cell_or_of_a_person() -> None:
    assert "somebody there has it" in explained.measures_by(None)["local"]
    assert "it is theirs" in explained.measures_by("share")["local"]
