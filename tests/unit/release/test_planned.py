"""Releases that are only planned: written by a statistician, priced like those that are made."""

from __future__ import annotations

from typing import Any

import pytest

from epsilens.accounting.cost import cost_of
from epsilens.budget import ZCDP, ApproxDP, PureDP
from epsilens.errors import ParameterError
from epsilens.release.planned import PlannedRelease, planned_releases, release_plan
from epsilens.release.pricing import statistics_cost
from epsilens.release.tables.plan import make_plan


@pytest.mark.parametrize(
    ("text", "planned"),
    [
        ("discrete-laplace epsilon=0.5", PlannedRelease("discrete-laplace", PureDP(0.5))),
        ("3 x discrete-gaussian rho=0.05", PlannedRelease("discrete-gaussian", ZCDP(0.05), 3)),
        (" 3x  discrete-gaussian rho=.05 ", PlannedRelease("discrete-gaussian", ZCDP(0.05), 3)),
        (
            "2 times discrete-gaussian epsilon=0.5 delta=1e-6 max_rows=2",
            PlannedRelease("discrete-gaussian", ApproxDP(0.5, 1e-6), 2, max_rows_per_unit=2),
        ),
        (
            "4 * discrete-laplace epsilon=1 tables=2 shares=3|1",
            PlannedRelease("discrete-laplace", PureDP(1.0), 4, tables=2, shares=(3.0, 1.0)),
        ),
        (
            "discrete-laplace epsilon=1 threshold-delta=1e-6",
            PlannedRelease("discrete-laplace", PureDP(1.0), threshold_delta=1e-6),
        ),
        ("discrete-laplace epsilon=1 statistics=3", PlannedRelease("discrete-laplace", PureDP(1.0), statistics=3)),
        ("laplace epsilon=1 allow-continuous=yes", PlannedRelease("laplace", PureDP(1.0), allow_continuous=True)),
    ],
)
def test_texts_that_mean_releases(text: str, planned: PlannedRelease) -> None:
    assert PlannedRelease.from_text(text) == planned
    assert planned_releases(text) == (planned,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "^plan names a mechanism and its budget, as in '3 x discrete-gaussian rho=0.05', got ''$"),
        ("²", "cannot hold .*: it needs a budget"),
        ("9" * 5000, "cannot hold .*: it needs a budget"),
        ("epsilon=0.5", "names a mechanism and its budget"),
        ("discrete-laplace 0.5", "says what it means with =, .* got '0.5'"),
        ("discrete-laplace epsilon=", "says what it means with ="),
        ("discrete-laplace epsilom=1", "plan must be one of epsilon, .*did you mean 'epsilon'"),
        ("discrete-laplace epsilon=1 epsilon=2", "plan says epsilon twice"),
        ("discrete-laplace tables=2", "cannot hold .*: it needs a budget, as in"),
        ("discrete-laplas epsilon=1", "cannot hold .*: mechanism must be one of .* did you mean 'discrete-laplace'"),
        ("discrete-laplace rho=1", "cannot hold .*: mechanism=discrete-laplace takes epsilon without delta, got rho"),
        ("discrete-laplace epsilon=x", "cannot hold .*: epsilon must be a number"),
        ("0 x discrete-laplace epsilon=1", "cannot hold .*: times must be >= 1, got 0"),
        ("discrete-laplace epsilon=1 tables=1.5", "cannot hold .*: tables must be a whole number"),
        ("discrete-laplace epsilon=1 tables=1e9", "cannot hold .*: tables must be at most 1000, got 1000000000"),
        ("discrete-laplace epsilon=1 shares=1|2", "cannot hold .*: 2 shares of the budget for 1 tables"),
        ("discrete-gaussian rho=1 statistics=2", "statistics are planned with mechanism=discrete-laplace and epsilon"),
        ("discrete-laplace epsilon=1 statistics=2 tables=2", "statistics are planned without tables"),
        ("discrete-laplace epsilon=1 tables=2 threshold-delta=1e-6", "threshold-delta releases one table"),
        ("laplace epsilon=1", r"must be allowed explicitly \(allow-continuous\)"),
        ("discrete-laplace epsilon=1 max-rows=0", "max-rows must be >= 1, got 0"),
    ],
)
def test_texts_that_mean_nothing_are_one_line(text: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said) as problem:
        PlannedRelease.from_text(text)
    assert "\n" not in str(problem.value)


def test_a_planned_release_has_the_price_that_it_will_have() -> None:
    for neighbours in ("add-remove", "substitute"):
        written = PlannedRelease.from_text("discrete-gaussian rho=0.3 tables=2 shares=2|1 max-rows=3").cost(neighbours)
        made = make_plan(
            ["a", "b"],
            "discrete-gaussian",
            ZCDP(0.3),
            neighbours=neighbours,
            max_rows_per_unit=3,
            marginals=[["a"], ["a", "b"]],
            shares=[2.0, 1.0],
        )
        assert written == made.cost
    statistics = PlannedRelease.from_text("discrete-laplace epsilon=0.5 statistics=3")
    assert statistics.cost("add-remove") == statistics_cost(PureDP(0.5), 3)


def test_numbers_texts_and_objects_make_one_plan() -> None:
    this = make_plan(["a"], budget=PureDP(0.5)).cost
    two = PlannedRelease("discrete-laplace", PureDP(0.5), 2)
    planned = planned_releases([3, "4", two, "discrete-laplace epsilon=1"])
    plan = release_plan(planned, "add-remove", this)
    assert sorted(number for number, _ in plan.rows) == [1, 9]  # nine are priced alike, however they were written
    assert plan.used([this]) in ([0, 1], [1, 0])
    assert planned_releases(None) == ()
    assert planned_releases(planned) == planned


@pytest.mark.parametrize("plan", [[], 0, -1, 1.5, "0", [None], True])
def test_plans_of_nothing(plan: Any) -> None:
    with pytest.raises(ParameterError, match="plan must"):
        planned_releases(plan)


def test_a_price_of_which_nothing_is_known_may_be_planned_like_this_one() -> None:
    cost = cost_of(PureDP(0.1))
    assert release_plan((2,), "add-remove", cost).costs == [cost, cost]
