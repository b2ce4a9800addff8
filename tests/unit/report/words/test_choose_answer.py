"""The short answer: budget, risk and price first, never an average alone, then a table of budgets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.questions import choose_delta
from epsilens.choice.questions.choose import Question, answer
from epsilens.noise import MECHANISMS
from epsilens.release.tables.question import Spending
from epsilens.report.words.choose_answer import (
    RELEASED,
    budgets_grid,
    harm_note,
    release_note,
    short_blocks,
    short_lines,
)
from epsilens.report.words.choose_terms import rounded_to_safety
from epsilens.report.words.common import Grid, Heading, Note
from epsilens.table.hierarchy import Situations

TABLE = replace(
    el.FrequencyTable.from_counts([[5, 0], [3, 0], [0, 2], [8, 0], [10, 6], [0, 1], [4, 0], [3, 3]], ["no", "yes"]),
    sensitive=("ill",),
)
GUARANTEE = "without noise there is no guarantee against others"


def plain(table: el.FrequencyTable = TABLE, **asked: Any) -> dict[str, Any]:
    return answer(Question(**asked), table).to_dict()


def test_budget_risk_and_price_come_first() -> None:
    found = plain(max_risk=0.4)
    take, risk, price = short_lines(found)
    assert take == f"Take epsilon = {rounded_to_safety(found['budget'])} (laplace noise, add-remove neighbours)."
    assert risk == (
        "Risk:  40.0 %, the average risk over people (local). Worst off: 8 people, at 79.0 %; 23 people (51.1 %) are "
        "above 50 % and 23 people (51.1 %) are above the ceiling of 40 %."
    )
    assert price.startswith(
        "Price: a count is off by 0.511 people on average, and 0.2 % of people are shown with a value "
    )
    first, *_, grid = [block for block in short_blocks(found) if isinstance(block, Heading | Grid)]
    assert first == Heading(take)
    assert isinstance(grid, Grid)


def test_the_table_has_the_budget_to_take_and_the_ends() -> None:
    grid = budgets_grid(plain(TABLE.with_harm("ill=yes"), max_risk=0.06))
    assert grid.headings[:3] == ["", "epsilon", "risk"]
    assert "harmful,\nwrongly" in grid.headings
    roles = [row[0] for row in grid.rows]
    assert roles[0] == "most noise"
    assert roles[-1] == "no noise"
    assert roles.count("take") == 1
    assert grid.rows[0][-1] == "1,000"
    assert grid.rows[-1][1] == "-"


@pytest.mark.parametrize("extra", [{}, {"max_people": 45}])
def test_no_noise_is_needed_is_never_said_alone(extra: dict[str, Any]) -> None:
    lines = short_lines(plain(max_risk=0.99, **extra))
    assert lines[0] == f"This ceiling is kept without noise, although 23 people are above it; {GUARANTEE}."
    assert "Worst off: 23 people, at 100.0 %" in lines[1]
    assert lines[2] == "Price: none, counts are published as they are."


def test_no_noise_is_needed_where_nobody_is_above_the_ceiling() -> None:
    mixed = replace(el.FrequencyTable.from_counts([[5, 4], [3, 6]], ["no", "yes"]), sensitive=("ill",))
    assert short_lines(plain(mixed, max_risk=0.99))[0] == f"This attack needs no noise; {GUARANTEE}."


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ({"max_risk": 0.01}, "No epsilon keeps the average risk over people (local) at or below 1.0 %."),
        ({"max_risk": 0.4, "max_error": 0.01}, "No epsilon keeps the ceilings on risk and error."),
        (
            {"max_risk": 0.4, "max_error": 0.01, "max_wrong": 0.01},
            "No epsilon keeps the ceilings on risk, error and wrong labels.",
        ),
        (
            {"max_risk": 0.4, "max_error": 2.0, "profile": "1.01"},
            "No epsilon keeps the ceilings on risk and error and the profile.",
        ),
    ],
)
def test_what_there_is_not(asked: dict[str, Any], first: str) -> None:
    said, least, *_ = short_lines(plain(**asked))
    assert said == first
    assert least == "Risk:  33.0 % at least, at epsilon = 0.4545."


def test_ratios_and_single_risks_have_what_they_have() -> None:
    ratio = answer(
        Question(max_risk=1.2, measure="posterior-ratio", attack="single"), Situations.of([[1, 2], [1, 5]], [1, 3])
    ).to_dict()
    assert "Worst off: 1.2; nobody is above the ceiling." in short_lines(ratio)[1]
    assert "people\n> 50 %" not in budgets_grid(ratio).headings
    one = plain(max_risk=0.4, measure="marginal-shrinkage")
    assert short_lines(one)[1].endswith("(marginal-shrinkage).")
    assert "worst\noff" not in budgets_grid(one).headings


def test_a_delta_that_is_too_large_is_not_recommended() -> None:
    asked = choose_delta.Question(max_risk=1.0, epsilon=1.0, mechanism="gaussian-analytic")
    first = short_lines(choose_delta.answer(asked, TABLE).to_dict())[0]
    assert first.startswith("The ceiling alone allows delta = 0.5 (gaussian-analytic noise, epsilon = 1, add-remove")
    assert first.endswith("it is customary to take less than 1 in 45.")


def test_which_values_are_harmful() -> None:
    assert harm_note(plain(max_risk=0.4)).startswith("Counted as harmful: every value but missing ones")
    declared = harm_note(plain(TABLE.with_harm("ill=yes*3"), max_risk=0.4))
    assert declared == (
        "Counted as harmful: ill=yes (3 times), as declared. Being shown as ill=no is not counted. Risks count them so "
        "often, and may be above 100 %."
    )


@pytest.mark.parametrize(("asked", "hinted"), [({"max_risk": 0.4}, True), ({"max_people": 0, "max_risk": 0.9}, False)])
def test_a_ceiling_on_the_average_says_how_to_put_it_on_everybody(asked: dict[str, Any], hinted: bool) -> None:
    said = [block.text for block in short_blocks(plain(**asked)) if isinstance(block, Note)]
    hint = "The ceiling is on the average; to keep everybody at or below it, let nobody be above it."
    assert (hint in said) is hinted


@pytest.mark.parametrize(
    ("asked", "then"),
    [
        ({"mechanism": "laplace"}, "ask with discrete-laplace for the budget that it needs."),
        ({"mechanism": "gaussian-analytic", "delta": 1e-6}, "ask with discrete-gaussian and name that in the release"),
        ({"mechanism": "gaussian", "rho": True}, "ask with discrete-gaussian and name that in the release, too."),
        ({"mechanism": "discrete-laplace"}, ""),
        ({"mechanism": "discrete-gaussian", "rho": True}, ""),
        ({"max_risk": 0.99}, ""),  # no noise is needed
        ({"max_risk": 0.01}, ""),  # none will do
    ],
)
def test_a_choice_for_other_noise_than_that_of_a_release_says_so(asked: dict[str, Any], then: str) -> None:
    found = plain(**{"max_risk": 0.4, **asked})
    noted = [block.text for block in short_blocks(found) if isinstance(block, Note) and "A release draws" in block.text]
    if not then:
        assert (noted, release_note(found)) == ([], "")
        return
    assert noted == [release_note(found)]
    assert noted[0].startswith("A release draws discrete-laplace noise unless another mechanism is named: ")
    assert then in noted[0]


def test_what_a_release_draws_is_what_is_said() -> None:
    assert Spending().mechanism == RELEASED
    assert {f"discrete-{one.law.name}" for one in MECHANISMS.values() if not one.law.integer_valued} <= set(MECHANISMS)


def test_a_budget_for_continuous_noise_need_not_keep_its_ceiling_in_a_release() -> None:
    found = plain(max_risk=0.6, max_people=0)
    drawn = el.homogeneity.local(TABLE, el.calibrate(RELEASED, el.PureDP(found["budget"])))
    assert drawn.max() > 0.6 + 0.01
