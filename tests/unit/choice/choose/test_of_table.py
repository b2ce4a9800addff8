"""Every measure with every aggregate, several sensitive attributes, and options that would be ignored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import epsilens as el
from epsilens.choice import choose_budget
from epsilens.choice.aggregates import MeanRisk, PeopleAbove, aggregate
from epsilens.choice.choose.asked import POSTERIOR_MEASURES
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.choose.of_table import prepare_attributes
from epsilens.errors import ParameterError
from epsilens.homogeneity.measures import MEASURES, prepare
from epsilens.homogeneity.repeated.attributes import attribute_risks
from epsilens.table.frequency import FrequencyTable

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 4], [0, 4], [2, 1]])
JOINT = FrequencyTable(
    ("ax", "ay", "bx", "by"),
    el.FrequencyTable.from_counts([[3, 0, 1, 0], [1, 0, 0, 2], [0, 2, 2, 0], [1, 0, 0, 2]]).store,
    sensitive=("first", "second"),
    label_values=(("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")),
)
AGGREGATES = ("mean", "cell-mean", "max", "q75", "cell-q50", PeopleAbove(4))
ONE_RISK = {
    *("marginal-shrinkage", "published-marginal-shrinkage", "published-p1-marginal-shrinkage"),
    *POSTERIOR_MEASURES,
}
MATCHED = ("local", "expected", "shrinkage", "marginal", "marginal-shrinkage", "hard", "soft")


@pytest.mark.parametrize("by", AGGREGATES, ids=str)
@pytest.mark.parametrize("measure", [*MEASURES, *POSTERIOR_MEASURES])
def test_every_measure_has_its_aggregates(measure: str, by: Any) -> None:
    chosen = aggregate(by)
    if chosen.needs_cells and measure in ONE_RISK:
        with pytest.raises(ParameterError, match=f"{measure!r} gives one risk for the whole table, so it has no"):
            risk_dial(TABLE, "laplace", chosen, measure)
        return
    dial = risk_dial(TABLE, "laplace", chosen, measure)
    if measure in MEASURES:
        ready = prepare(measure, TABLE)
        each = np.repeat(ready.risks(el.LaplaceNoise(0.5)), ready.multiplicities)
        sizes = np.repeat(ready.vectors.sum(axis=1), ready.multiplicities)
        assert dial.risk(2.0) == pytest.approx(chosen.value(each, sizes, np.ones_like(sizes)), abs=1e-14)
    ceiling = 0.5 * (dial.risk(0.5) + dial.risk(4.0))
    choice = choose_budget(TABLE, "laplace", ceiling, measure, by, remedies=False, search=(0.3, 5.0))
    assert choice.safe_set
    assert choice.risk is not None
    assert choice.risk <= ceiling


@pytest.mark.parametrize("match", ["any", "share"])
@pytest.mark.parametrize("measure", MATCHED)
def test_both_matches(measure: str, match: str) -> None:
    dial = risk_dial(TABLE, "laplace", MeanRisk(), measure, match=match)
    assert dial.risk(1.0) == pytest.approx(prepare(measure, TABLE, match=match).average(el.LaplaceNoise(1.0)))


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["hard", "soft"])
@pytest.mark.parametrize("match", ["any", "share"])
def test_limit_of_guesses_without_any_budget(measure: str, match: str) -> None:
    """In endless noise every label is guessed alike, unless no count is above 0: (1 - 2^-K) / K each."""
    table = el.FrequencyTable.from_counts([[30, 2, 1], [0, 4, 0]])
    each = (1.0 - 2.0**-3) / 3.0
    limit = each if match == "share" else each * (3 * 33 + 1 * 4) / 37
    choice = choose_budget(table, "laplace", limit + 1e-5, measure, match=match, remedies=False)
    assert choice.limit_at_zero == pytest.approx(limit, abs=1e-9)
    assert choice.floor <= limit + 1e-9
    assert choice.budget is not None
    assert choice.dial.risk(choice.budget) == pytest.approx(limit + 1e-5, abs=1e-12)


@pytest.mark.parametrize("match", ["any", "share"])
@pytest.mark.parametrize("kind", ["max", "sum"])
def test_attributes_one_by_one(kind: str, match: str) -> None:
    """The chosen budget's risk from the risks of single attributes, cell by cell; and a dense scan of the safe set."""

    def direct(epsilon: float) -> float:
        risks = attribute_risks(JOINT, el.LaplaceNoise(1.0 / epsilon), match)
        return float(JOINT.counts.sum(axis=1) @ (risks.max(axis=1) if kind == "max" else risks.sum(axis=1)) / 14)

    ceiling = 0.5 * (direct(0.3) + direct(1.5))
    choice = choose_budget(JOINT, max_risk=ceiling, attributes=kind, match=match, remedies=False)
    assert choice.budget is not None
    assert choice.risk == pytest.approx(direct(min(choice.budget, 1e4)), abs=1e-14)
    grid = np.geomspace(0.01, 50.0, 300)
    inside = np.array([any(e in interval for interval in choice.safe_set) for e in grid])
    dense = np.array([direct(float(e)) for e in grid])
    assert (inside == (dense <= ceiling)).all()
    assert choice.dial.slope is not None
    assert (np.abs(np.diff(dense)) / np.diff(np.log(grid))).max() <= choice.dial.slope
    assert choice.dial.limits[1] == pytest.approx(direct(1e4))
    assert choice.dial.limits[0] == pytest.approx(direct(1e-9), abs=1e-7)


def test_attributes_on_signatures() -> None:
    noise = el.LaplaceNoise(0.8)
    ready = prepare_attributes(JOINT, "sum")
    assert len(ready.vectors) == 3  # two cells are alike
    each = attribute_risks(JOINT, noise).sum(axis=1)
    assert np.sort(np.repeat(ready.risks(noise), ready.multiplicities)) == pytest.approx(np.sort(each))


def test_attributes_and_remedies() -> None:
    choice = choose_budget(JOINT, max_risk=1e-3, attributes="max")
    assert choice.budget is None
    assert all(remedy.lever.kind != "merge" for remedy in choice.remedies)  # merged labels have no attributes
    assert choose_budget(JOINT, max_risk=1.5, attributes="sum").max_risk == 1.5


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"delta": 1e-6}, "'laplace' has no delta"),
        ({"delta": 1e-6, "mechanism": "discrete-gaussian", "parameter": "rho"}, "delta belongs to epsilon"),
        ({"prior": 0.2}, "prior is for posterior measures: the attacker of 'local' has none"),
        ({"aggregate_by": "max", "max_people": 3}, "leave out aggregate_by, or max_people"),
        ({"attack": "single"}, "attack belongs to a hierarchy"),
        ({"attack": "single", "measure": "posterior"}, "attack belongs to a hierarchy"),
        ({"attributes": "max"}, "attributes='max' needs several sensitive columns"),
        ({"attributes": "each"}, "attributes must be one of joint, max, sum"),
        ({"attributes": "sum", "measure": "soft"}, "is known for measure 'local' only"),
        ({"remedies": True, "measure": "posterior"}, "has no remedies"),
        ({"prior": 0.0, "measure": "posterior-ratio"}, "prior must lie strictly between"),
    ],
)
def test_what_would_be_ignored_is_refused(options: dict[str, Any], problem: str) -> None:
    request: dict[str, Any] = {"max_risk": 0.4, **options}
    with pytest.raises(ParameterError, match=problem):
        choose_budget(TABLE, **request)


def test_a_sum_may_exceed_one_but_not_the_number_of_attributes() -> None:
    with pytest.raises(ParameterError, match=r"sum over 2 attributes must lie in \(0, 2\]"):
        choose_budget(JOINT, max_risk=2.1, attributes="sum")
    with pytest.raises(ParameterError, match=r"must lie in \(0, 1\]"):
        choose_budget(JOINT, max_risk=1.1, attributes="max")


@pytest.mark.parametrize("mechanism", ["gaussian-analytic", "discrete-gaussian"])
def test_counts_that_no_delta_drowns(mechanism: str) -> None:
    """A delta alone bounds the noise: counts of 20 million people stay in sight as epsilon tends to 0."""
    table = el.FrequencyTable.from_counts([[5, 7], [20_000_000, 20_000_000]])
    choice = choose_budget(table, mechanism, 0.3, delta=1e-6, remedies=False)
    assert choice.limit_at_zero == pytest.approx(choice.dial.risk(1e-14), rel=1e-5)
    assert choice.limit_at_zero < 1e-6
    assert choice.safe_set[0].low == 0.0
    drowned = choose_budget(table, mechanism, 0.3, delta=1e-100, remedies=False)
    assert drowned.limit_at_zero == pytest.approx(0.5)
