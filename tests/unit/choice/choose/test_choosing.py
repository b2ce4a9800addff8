from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.aggregates import MeanRisk, PeopleAbove
from epsilens.choice.choose.choosing import choose_budget
from epsilens.choice.choose.dials import risk_dial
from epsilens.errors import ParameterError
from epsilens.homogeneity.measures import prepare
from epsilens.noise import MECHANISMS
from tests.support.dials import PAIR, TABLE


@pytest.mark.parametrize("mechanism", list(MECHANISMS))
def test_no_label_is_steeper_than_its_bound(mechanism: str) -> None:
    """|d P(shown) / d log epsilon| by differences, for counts near and far; delta moves the noise less still."""
    delta = None if mechanism in {"laplace", "discrete-laplace"} else 1e-6
    top = 0.99 if mechanism == "gaussian" else 50.0
    grid = np.geomspace(0.01, top, 300)
    counts = np.array([0, 1, 2, 3, 7, 20, 100])
    shown = np.array([el.calibrate(mechanism, MECHANISMS[mechanism].budget(e, delta)).sf(0.5 - counts) for e in grid])
    slopes = np.abs(np.diff(shown, axis=0)) / np.diff(np.log(grid))[:, None]
    assert slopes.max() <= (MECHANISMS[mechanism].law.steepest or 0.0)
    spread = [el.calibrate(mechanism, MECHANISMS[mechanism].budget(e, delta)).variance for e in grid]
    if mechanism not in {"discrete-laplace", "discrete-gaussian"}:
        assert np.abs(0.5 * np.diff(np.log(spread)) / np.diff(np.log(grid))).max() <= 1.0 + 1e-9
    if delta is not None:
        deltas = np.geomspace(1e-12, 0.5, 100)
        spread = [el.calibrate(mechanism, MECHANISMS[mechanism].budget(0.5, d)).variance for d in deltas]
        assert np.abs(0.5 * np.diff(np.log(spread)) / np.diff(np.log(deltas))).max() <= 1.0


@pytest.mark.parametrize("measure", ["local", "expected", "shrinkage", "marginal", "marginal-shrinkage"])
def test_no_measure_is_steeper_than_its_bound(measure: str) -> None:
    dial = risk_dial(TABLE, "discrete-laplace", MeanRisk(), measure)
    grid = np.geomspace(*dial.default_range(), 400)
    risks = np.array([dial.risk(e) for e in grid])
    assert dial.slope is not None
    assert (np.abs(np.diff(risks)) / np.diff(np.log(grid))).max() <= dial.slope


@pytest.mark.parametrize(
    ("mechanism", "by"),
    [(m, "mean") for m in MECHANISMS]
    + [(m, by) for m in ("laplace", "discrete-laplace") for by in ("cell-mean", "max", "q50", PeopleAbove(4))],
)
def test_the_safe_set_is_that_of_a_dense_scan(mechanism: str, by: Any) -> None:
    delta = None if mechanism in {"laplace", "discrete-laplace"} else 1e-5
    start = choose_budget(TABLE, mechanism, 1.0, aggregate_by=by, delta=delta, remedies=False)
    ceiling = 0.5 * (start.floor + start.scan.risks.max())
    choice = choose_budget(TABLE, mechanism, ceiling, aggregate_by=by, delta=delta, remedies=False)
    inside = np.zeros(250, dtype=bool)
    grid = np.geomspace(choice.scan.budgets[0], choice.scan.budgets[-1] * 0.999, 250)
    for interval in choice.safe_set:
        inside |= (grid >= interval.low) & (grid <= interval.high)
    risks = np.array([choice.dial.risk(e) for e in grid])
    clear = np.abs(risks - ceiling) > 1e-9
    assert (inside[clear] == (risks[clear] <= ceiling)).all()
    assert choice.safe_set
    assert choice.scan.undetected is not None
    assert choice.scan.undetected < 2e-5
    assert choice.risk is not None
    assert choice.risk <= ceiling


@pytest.mark.parametrize("measure", ["hard", "soft", "published-local", "expected", "marginal"])
def test_any_measure(measure: str) -> None:
    choice = choose_budget(PAIR, "laplace", 0.75 if measure in {"hard", "soft"} else 0.45, measure, search=(0.05, 20.0))
    prepared = prepare(measure, PAIR)
    for interval in choice.safe_set:
        for end in (interval.low, interval.high):
            if 0.0501 < end < 19.99:
                assert prepared.average(el.LaplaceNoise(1.0 / end)) == pytest.approx(choice.max_risk, abs=1e-10)
    assert (choice.scan.undetected is None) == (measure in {"hard", "soft", "published-local"})


def test_posterior_measures_and_rho() -> None:
    choice = choose_budget(TABLE, "discrete-gaussian", 0.6, "posterior", parameter="rho", prior=0.5)
    assert choice.budget is not None
    risk = el.posterior.expected_single_level(rho=choice.budget, prior=0.5)
    assert risk.posterior == pytest.approx(0.6, abs=1e-10)
    assert choice.to_budget() == el.ZCDP(choice.budget)
    assert (choice.limit_at_zero, choice.unprotected, choice.smaller_is_unsafe) == (0.5, 1.0, False)
    ratio = choose_budget(TABLE, "laplace", 2.0, "posterior-ratio", prior=0.2)
    assert ratio.budget is not None
    noise = el.LaplaceNoise(1.0 / ratio.budget)
    assert el.posterior.expected_single_level(noise=noise, prior=0.2).risk_ratio == pytest.approx(2.0, abs=1e-9)
    with pytest.raises(ParameterError, match=r"must lie in \(1, 5\]"):
        choose_budget(TABLE, "laplace", 7.0, "posterior-ratio", prior=0.2)
    with pytest.raises(ParameterError, match="has no option match; it takes prior"):
        choose_budget(TABLE, "laplace", 0.7, "posterior", match="share")


def test_substitutes_and_several_rows_scale_the_budget() -> None:
    one = choose_budget(TABLE, max_risk=0.3, remedies=False)
    two = choose_budget(TABLE, max_risk=0.3, neighbours="substitute", remedies=False)
    assert one.budget is not None
    assert two.budget == pytest.approx(2.0 * one.budget, rel=1e-12)


def test_no_budget_is_answered_with_evaluated_remedies() -> None:
    choice = choose_budget(TABLE, max_risk=0.1)
    assert choice.budget is None
    assert choice.risk is None
    assert choice.safe_set == ()
    assert choice.floor > 0.1
    kinds = {(remedy.lever.kind, remedy.lever.column) for remedy in choice.remedies}
    assert {("drop", "age"), ("drop", "sex"), ("coarsen", "age"), ("merge", "label")} <= kinds
    for remedy in choice.remedies:
        again = choose_budget(remedy.lever.table, max_risk=0.1, remedies=False)
        assert (again.floor, again.budget) == (remedy.floor, remedy.budget)
        assert remedy.lever.table.n_records == TABLE.n_records
    with pytest.raises(ParameterError, match=r"no epsilon keeps the risk at or below 0\.1"):
        choice.to_budget()


def test_a_ceiling_that_is_only_approached_is_out_of_reach() -> None:
    homogeneous = el.FrequencyTable.from_counts([[2, 0], [0, 5]])
    choice = choose_budget(homogeneous, max_risk=0.25, remedies=False)
    assert (choice.safe_set, choice.floor, choice.floor_at) == ((), 0.25, 0.0)


@pytest.mark.parametrize(
    ("measure", "options"),
    [("local", {}), ("posterior-ratio", {"prior": 0.25}), ("posterior", {}), ("soft", {})],
)
def test_nothing_rises_above_what_is_certain(measure: str, options: dict[str, Any]) -> None:
    choice = choose_budget(TABLE, max_risk=4.0 if options else 1.0, measure=measure, remedies=False, **options)
    assert (choice.budget, choice.scan.undetected) == (math.inf, 0.0)
    assert len(choice.scan.budgets) < 250


@pytest.mark.parametrize("ceiling", [0.0, -0.2, 1.5, math.nan, math.inf, "x"])
def test_bad_ceilings(ceiling: float) -> None:
    with pytest.raises(ParameterError, match="max_risk"):
        choose_budget(TABLE, max_risk=ceiling)


def test_bad_requests() -> None:
    with pytest.raises(ParameterError, match="has no aggregate 'max'"):
        choose_budget(TABLE, measure="marginal-shrinkage", aggregate_by="max")
    with pytest.raises(ParameterError, match="has no aggregate 'people-above-3'"):
        choose_budget(TABLE, measure="posterior", max_people=3)
    with pytest.raises(ParameterError, match="needs a delta"):
        choose_budget(TABLE, "gaussian")
    with pytest.raises(ParameterError, match="has no rho"):
        choose_budget(TABLE, "laplace", parameter="rho")
    with pytest.raises(ParameterError, match="holds for epsilon < 1"):
        choose_budget(TABLE, "gaussian", delta=1e-6, search=(0.1, 2.0))
    with pytest.raises(ParameterError, match="must ascend"):
        choose_budget(TABLE, search=(2.0, 1.0))
    with pytest.raises(ParameterError, match="max_error must be > 0"):
        choose_budget(TABLE, max_error=0.0)
    with pytest.raises(ParameterError, match="did you mean 'laplace'"):
        choose_budget(TABLE, "laplac")


@pytest.mark.parametrize("mechanism", [name for name, one in MECHANISMS.items() if not one.has_delta])
def test_counts_of_millions_have_a_budget_and_an_error_under_every_law(mechanism: str) -> None:
    table = el.FrequencyTable.from_counts([[20_000_000, 0], [0, 30_000_000]])
    choice = choose_budget(table, mechanism, max_risk=0.3)
    assert choice.budget == pytest.approx(8.616e-9, rel=1e-3)
    assert choice.errors == pytest.approx([1.16e8], rel=0.01)


@pytest.mark.parametrize("measure", ["local", "expected", "hard"])
def test_a_harm_that_counts_three_times_has_a_ceiling_three_times_as_high(measure: str) -> None:
    once, thrice = TABLE.with_harm("label=x"), TABLE.with_harm("label=x*3")
    how: dict[str, Any] = {"measure": measure, "aggregate_by": "max", "search": (0.01, 50.0), "remedies": False}
    single, triple = choose_budget(once, "laplace", 0.6, **how), choose_budget(thrice, "laplace", 1.8, **how)
    assert single.budget is not None
    assert [interval.high for interval in triple.safe_set] == pytest.approx(
        [interval.high for interval in single.safe_set], rel=1e-9
    )
    assert triple.floor == pytest.approx(3.0 * single.floor)
    assert not choose_budget(thrice, "laplace", 1e-6, **how).safe_set
    with pytest.raises(ParameterError, match=r"max_risk must lie in \(0, 1\]"):
        choose_budget(once, "laplace", 1.2, measure=measure)
