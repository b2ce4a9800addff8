from __future__ import annotations

import pytest

from epsilens.budget import ZCDP, ApproxDP, Budget, PureDP
from epsilens.noise import calibrate
from epsilens.report.words.common import Grid, Text
from epsilens.report.words.report import NoiseOf, assumptions, cost_blocks, guarantee_blocks


def noise_of(mechanism: str, budget: Budget, neighbours: str = "add-remove") -> NoiseOf:
    return mechanism, budget, calibrate(mechanism, budget, neighbours)


@pytest.mark.parametrize(
    ("mechanism", "budget", "row"),
    [
        ("laplace", PureDP(1.0), ("73 of 100", "27 of 100", "73.1 %")),  # e / (1 + e)
        ("discrete-laplace", PureDP(0.5), ("62 of 100", "38 of 100", "62.2 %")),
        ("gaussian-analytic", ApproxDP(1.0, 1e-6), ("55 of 100", "45 of 100", "75.8 %")),
        ("discrete-gaussian", ZCDP(0.1), ("59 of 100", "41 of 100", "90.9 %")),
    ],
)
def test_the_guarantee_is_that_of_the_dial(mechanism: str, budget: Budget, row: tuple[str, ...]) -> None:
    (grid,) = (
        block for block in guarantee_blocks([noise_of(mechanism, budget)], "add-remove") if isinstance(block, Grid)
    )
    assert grid.rows[0][2:] == row


def test_the_guarantee_says_what_neighbours_differ_in() -> None:
    told = [noise_of("laplace", PureDP(1.0), "substitute")]
    first, *_ = guarantee_blocks(told, "substitute")
    assert isinstance(first, Text)
    assert "which of two records" in first.text
    (only,) = guarantee_blocks([], "add-remove")
    assert only == Text("No noise was asked about.")


def test_what_it_costs_is_said_for_the_budget_nearest_to_1() -> None:
    blocks = cost_blocks([noise_of("laplace", PureDP(epsilon)) for epsilon in (0.1, 1.0)])
    assert isinstance(blocks[0], Text)
    assert (
        "At epsilon = 1, a count is published at most 3 above or below the truth 19 times out of 20" in blocks[0].text
    )
    assert isinstance(blocks[1], Grid)
    assert [row[2:] for row in blocks[1].rows] == [("10", "14.1", "± 30"), ("0.96", "1.44", "± 3")]
    assert cost_blocks([]) == []


def test_assumptions_say_who_is_protected_and_what_is_known() -> None:
    lines = assumptions("substitute", 3, ["age", "sex"])
    assert "how many people there are is taken to be public" in lines[0]
    assert "at most 3 rows" in lines[1]
    assert "knows age and sex of a person" in lines[2]
    assert len(assumptions("add-remove")) == len(lines) - 1


@pytest.mark.parametrize(
    ("budget", "shares", "row"),
    [
        (PureDP(1.0), (1.0, 1.0), ("88 of 100", "12 of 100", "88.1 %")),  # epsilon is that of each table
        (PureDP(1.0), (0.5, 0.5), ("73 of 100", "27 of 100", "73.1 %")),
        (PureDP(700.0), (1.0,), ("more than 99 of 100", "fewer than 1 of 100,000", "> 99.9 %")),
    ],
)
def test_tables_that_are_published_apart_are_seen_together(
    budget: Budget, shares: tuple[float, ...], row: tuple[str, ...]
) -> None:
    blocks = guarantee_blocks([noise_of("laplace", budget)], "add-remove", shares=shares)
    (grid,) = (block for block in blocks if isinstance(block, Grid))
    assert grid.rows[0][2:] == row
