"""Beside an average: the worst-off person, and how many are above half and above the ceiling."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.choice.spread import spread
from epsilens.report.words.spread import spread_sentence


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
