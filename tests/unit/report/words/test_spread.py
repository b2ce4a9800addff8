"""Beside an average: the worst-off person, and how many are above half and above the ceiling."""

from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess
from epsilens.choice.spread import spread
from epsilens.report.words.assess import summary
from epsilens.report.words.common import Note, Text
from epsilens.report.words.spread import bands_grid, spread_grid, spread_sentence

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5], [40, 0]])


@pytest.mark.parametrize(
    ("risks", "people", "ceiling", "said"),
    [
        ([0.1, 0.9], [9, 1], None, "Worst off: 1 person, at 90.0 %; 1 person (10.0 %) is above 50 %."),
        ([0.1, 0.2], [8, 2], None, "Worst off: 2 people, at 20.0 %; nobody is above 50 %."),
        (
            [0.1, 0.3, 0.9],
            [5, 3, 2],
            0.2,
            "Worst off: 2 people, at 90.0 %; 2 people (20.0 %) are above 50 % and 5 people (50.0 %) are above the "
            "ceiling of 20 %.",
        ),
        (
            [0.1],
            [10],
            None,
            "All people are at the same risk, 10.0 %: nobody is worse off than the average; nobody is above 50 %.",
        ),
        ([0.0], [10], None, "Nobody is at risk."),
        ([0.1, 0.50001], [9, 1], None, "Worst off: 1 person, at 50.001 %; 1 person (10.0 %) is above 50 %."),
    ],
)
def test_who_is_worst_off_and_how_many_are_above(
    risks: list[float], people: list[int], ceiling: float | None, said: str
) -> None:
    assert spread_sentence(spread(np.array(risks), np.array(people), ceiling)) == said


def test_rows_are_not_called_people() -> None:
    found = spread(np.array([0.1, 0.4]), np.array([3, 1]))
    assert spread_sentence(found, "rows") == "Worst off: 1 row, at 40.0 %; no row is above 50 %."


def test_every_budget_has_its_worst_off_and_the_bands_hold_everybody() -> None:
    found = assess(TABLE, Question(epsilons=(0.1, 1.0), measures=("local", "marginal-shrinkage"), weighted=False))
    grid = spread_grid(found.lines, ("epsilon",), found.question.by_cell, "people")
    assert grid.title == "Local risk of the worst-off person, and how many people are at it"
    assert list(grid.headings) == ["epsilon", "worst off", "at that risk", "above 50 %"]
    worst = found.lines[1].spreads["local"]
    assert grid.rows[1] == ["1", f"{100 * worst.worst:.1f} %", "40", "48 (94.1 %)"]
    bands = bands_grid(found.lines[1], found.question.by_cell, "people")
    assert list(bands.headings[1:]) == [
        "<= 1 %", "1-\n5 %", "5-\n10 %", "10-\n25 %", "25-\n50 %", "50-\n75 %", "75-\n90 %", "> 90 %",
    ]  # fmt: skip
    assert sum(float(text.removesuffix(" %")) for text in bands.rows[0][1:]) == pytest.approx(100.0, abs=0.2)
    row = found.to_dict()["budgets"][1]["spread"]
    assert list(row) == ["local"]
    assert row["local"]["above_half"] == worst.above_half == 48
    said = [block.text for block in summary(found) if isinstance(block, (Text, Note))]
    assert "marginal-shrinkage is one risk for the whole table: by it nobody is worse off than the average." in said
    assert any(text.startswith("By local risk at epsilon = 1: worst off: 40 people") for text in said)


def test_of_several_attributes_the_largest_and_the_sum_have_a_spread_too() -> None:
    table = el.FrequencyTable(
        ("a | x", "a | y", "b | x"),
        el.FrequencyTable.from_counts([[2, 1, 0], [0, 0, 3]]).store,
        sensitive=("first", "second"),
        label_values=(("a", "x"), ("a", "y"), ("b", "x")),
    )
    found = assess(table, Question(epsilons=(1.0,)))
    (overall,) = found.to_dict()["overall"]
    assert overall["spread"]["max"]["local"]["people"] == 6
    assert overall["spread"]["sum"]["local"]["worst"] > overall["spread"]["max"]["local"]["worst"]
    assert any("By the largest local risk at epsilon = 1" in b.text for b in summary(found) if isinstance(b, Text))


def test_whoever_they_are_called_and_whatever_the_ceiling() -> None:
    found = spread_sentence(spread(np.array([0.12348, 0.01]), np.array([1, 999]), 0.123456), "children")
    assert found == (
        "Worst off: 1 child, at 12.35 %; no child is above 50 % and 1 child (0.1 %) is above the ceiling of 12.3456 %."
    )
    assert "3 staff, at 60.0 %" in spread_sentence(spread(np.array([0.6, 0.01]), np.array([3, 9])), "staff")
