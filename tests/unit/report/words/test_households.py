"""Words about households."""

from __future__ import annotations

import pandas as pd

import epsilens as el
from epsilens.choice.households import HouseholdAssessment, assess_households
from epsilens.report.words.common import Grid, Heading, Note, Text
from epsilens.report.words.households import household_blocks


def assessed(homes: list[object], mechanism: str = "laplace", budgets: tuple[el.budget.Budget, ...] = ()) -> object:
    rows = {"age": ["a", "a", "b", "b", "c", "c"], "ill": ["yes", "no", "yes", "no", "no", "no"], "home": homes}
    found = el.table.read_households(pd.DataFrame(rows), el.Schema("age", "ill"), "home", harmful="ill=yes")
    noises = [(mechanism, budget, el.calibrate(mechanism, budget)) for budget in budgets]
    return assess_households("home", found, noises)


def said(found: object) -> str:
    assert isinstance(found, HouseholdAssessment)
    blocks = household_blocks(found, "ill")
    return "\n".join(block.text for block in blocks if isinstance(block, Text | Note | Heading))


def test_mixed_and_missing_households_are_told() -> None:
    text = said(assessed([1, 2, 1, 1, None, 2], budgets=(el.PureDP(1.0),)))
    assert "1 household with 3 people is mixed" in text
    assert "1 person without a household is counted as living alone" in text
    assert "about 2 people who share" in text
    assert "hide 3 people at once: a count would be off by 2.99 people on average and not by 0.96" in text
    assert "Values that harm nobody are not counted as shown." in text


def test_budgets_and_sizes_are_tables() -> None:
    found = assessed([1, 2, 1, 2, 3, 3], "gaussian-analytic", (el.ApproxDP(1.0, 1e-3), el.ApproxDP(1.0, 1e-6)))
    assert isinstance(found, HouseholdAssessment)
    grids = [block for block in household_blocks(found, "ill") if isinstance(block, Grid)]
    assert grids[0].headings[:2] == ("delta", "epsilon")
    assert grids[1].title.startswith("By size of the household")


def test_everybody_alone_costs_nothing() -> None:
    assert "Everybody lives alone" in said(assessed([1, 2, 3, 4, 5, 6], budgets=(el.PureDP(1.0),)))
    assert "Everybody" not in said(assessed([1, 2, 3, 4, 5, 6]))


def test_only_what_harms_is_told_as_shown_and_large_errors_are_numbers() -> None:
    told = said(assessed([1, 1, 2, 2, 3, 3], budgets=(el.PureDP(0.001),)))
    assert "of people is a harmful one and is shown by the cell of somebody whom they live with" in told
    assert "a count would be off by 2,000 people on average and not by 1,000." in told
