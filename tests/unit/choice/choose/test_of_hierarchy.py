"""Choosing the budget of a hierarchy: against release_risk, against the single risks, and by dense scans."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import epsilens as el
from epsilens.choice import choose_budget
from epsilens.choice.aggregates import MeanRisk, PeopleAbove, aggregate
from epsilens.choice.choose.asked import Parameter
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.choose.two_parameters import choose_delta, iso_risk
from epsilens.errors import ParameterError
from epsilens.posterior import expected_single_level, expected_two_level, expected_unique_at_levels, release_risk
from epsilens.posterior.attacks import ATTACKS
from epsilens.table.hierarchy import Situations
from tests.support.dials import HIERARCHY, dial

FIELDS = {"posterior": "posterior", "posterior-ratio": "risk_ratio", "posterior-decision": "correct_decision"}


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("measure", FIELDS)
def test_the_risk_is_that_of_the_release_person_by_person(attack: str, measure: str) -> None:
    """Every aggregate, from a list of all people with the risk that each one's situation has by the plain formulas."""
    shares, rho, prior = (0.5, 0.2, 0.3), 2.0, 0.4
    levels = [share * rho for share in shares]
    people, cells = [], []
    for counts, siblings, number in zip(HIERARCHY.counts, HIERARCHY.siblings, HIERARCHY.cells, strict=True):
        alone = int(np.cumprod(counts == counts[0]).sum())
        if attack == "single":
            risk: Any = expected_single_level(rho=levels[0], prior=prior)
        elif attack == "two-level" and siblings:
            risk = expected_two_level(int(counts[1] - counts[0]) + 1, int(siblings), (levels[0], levels[1]), prior)
        else:
            used = levels[:2] if attack == "two-level" else levels[:alone]
            risk = expected_unique_at_levels(used, prior)
        value = float(getattr(risk, FIELDS[measure]))
        cells += [value] * int(number)
        people += [value] * int(number * counts[0])
    values, each = np.sort(people), np.sort(cells)

    def found(by: Any) -> float:
        return dial_of(by).risk(rho)

    def dial_of(by: Any) -> RiskDial:
        options: dict[str, Any] = {"attack": attack, "prior": prior, "rare": 2, "shares": shares}
        return risk_dial(HIERARCHY, "discrete-gaussian", by, measure, None, "add-remove", "rho", **options)

    assert found(MeanRisk()) == pytest.approx(values.mean(), abs=1e-11)
    assert found(aggregate("cell-mean")) == pytest.approx(each.mean(), abs=1e-11)
    assert found(aggregate("max")) == pytest.approx(values[-1], abs=1e-11)
    assert found(aggregate("q75")) == pytest.approx(values[math.ceil(0.75 * len(values)) - 1], abs=1e-11)
    for limit in (0, 3, 9):
        assert found(PeopleAbove(limit)) == pytest.approx(values[-1 - limit], abs=1e-11)
    bar = float(np.median(values)) + 1e-9
    assert dial_of(MeanRisk()).people_above(rho, bar) == (values > bar).sum()


@pytest.mark.parametrize(
    ("attack", "measure", "max_risk", "by"),
    [
        ("single", "posterior-ratio", 1.3, "mean"),
        ("two-level", "posterior-ratio", 1.3, "cell-mean"),
        ("two-level", "posterior", 0.65, "q75"),
        ("unique-levels", "posterior", 0.8, "max"),
        ("unique-levels", "posterior-decision", 0.8, "mean"),
    ],
)
def test_the_safe_set_is_that_of_a_dense_scan(attack: str, measure: str, max_risk: float, by: str) -> None:
    choice = choose_budget(
        HIERARCHY, "discrete-gaussian", max_risk, measure, by, parameter="rho", search=(0.8, 20.0), attack=attack,
        rare=2,
    )  # fmt: skip
    assert choice.budget is not None
    assert math.isfinite(choice.budget)
    at = release_risk(HIERARCHY, [choice.budget / 3.0] * 3, 0.5, attack, 2)
    risks = getattr(at, FIELDS[measure])
    cells = at.people // at.counts[:, 0]
    assert choice.risk == pytest.approx(aggregate(by).value(risks, at.people, cells), abs=1e-12)
    assert choice.risk is not None
    assert max_risk - 1e-9 < choice.risk <= max_risk
    grid = np.geomspace(choice.scan.budgets[0], choice.scan.budgets[-1], 45)
    inside = np.array([any(rho in interval for interval in choice.safe_set) for rho in grid])
    dense = np.array([choice.dial.risk(float(rho)) for rho in grid])
    clear = np.abs(dense - max_risk) > 1e-9
    assert (inside[clear] == (dense[clear] <= max_risk)).all()
    assert choice.scan.undetected is None


def test_limits_and_a_ceiling_next_to_them() -> None:
    choice = choose_budget(HIERARCHY, "laplace", 1.0001, "posterior-ratio", attack="single")
    assert choice.budget is not None
    assert choice.limit_at_zero == 1.0
    noise = el.LaplaceNoise(3.0 / choice.budget)
    assert expected_single_level(noise=noise).risk_ratio == pytest.approx(1.0001, abs=1e-10)
    with pytest.raises(ParameterError, match="so close to 1, the risk without any release"):
        choose_budget(HIERARCHY, "laplace", 1.0 + 1e-9, "posterior-ratio", attack="single")
    even = dial("unique-levels", "posterior-decision")
    assert even.limits == (0.5, 1.0)
    assert even.risk(1e-3) == pytest.approx(0.5, abs=0.02)
    assert dial("single", "posterior-decision", prior=0.3).limits[0] == 0.0
    whole = choose_budget(HIERARCHY, "laplace", 1.0, "posterior", attack="unique-levels")
    assert (whole.budget, whole.errors, whole.risk) == (math.inf, (0.0, 0.0, 0.0), 1.0)


def test_golden_number() -> None:
    """A single count of rho / 3 with the ratio of the 2020 Census blocks: rho = 3 x 0.099226 gives 1.047333."""
    ratio = expected_single_level(rho=0.099226).risk_ratio
    assert round(ratio, 6) == 1.047333
    choice = choose_budget(
        HIERARCHY, "discrete-gaussian", ratio, "posterior-ratio", parameter="rho", attack="single", search=(0.1, 3.0)
    )
    assert choice.budget == pytest.approx(3 * 0.099226, rel=1e-8)


def test_two_parameters_of_a_hierarchy() -> None:
    options: dict[str, Any] = {"measure": "posterior-ratio", "attack": "single"}
    found = iso_risk(HIERARCHY, "gaussian-analytic", 1.2, deltas=[1e-8, 1e-4], **options)
    for row in found.to_rows():
        at = risk_dial(HIERARCHY, "gaussian-analytic", MeanRisk(), "posterior-ratio", row["delta"], attack="single")
        assert at.risk(row["epsilon"]) == pytest.approx(1.2, abs=1e-8)
    assert len(found.to_rows()) == 2
    fixed = choose_delta(HIERARCHY, found.to_rows()[0]["epsilon"], "gaussian-analytic", 1.2, **options)
    assert fixed.delta == pytest.approx(1e-8, rel=1e-5)


def test_shares_are_proportions_as_in_a_release() -> None:
    halves, weights = (dial("single", shares=shares) for shares in ((0.25, 0.25, 0.5), (1.0, 1.0, 2.0)))
    assert weights.shares == halves.shares == (0.25, 0.25, 0.5)
    assert weights.noises(1.0) == halves.noises(1.0)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"measure": "local"}, "'local' is one of a table; of a hierarchy there are posterior"),
        ({"match": "any"}, "has no option match; it takes attack, prior, family, rare and shares"),
        ({"attack": "double"}, "attack must be one of"),
        ({"shares": (0.5, 0.5)}, "shares needs one number per level \\(3\\), got 2"),
        ({"shares": (1.2, -0.1, -0.1)}, "a share of the budget must be > 0"),
        ({"rare": 0}, "rare must be >= 1"),
        ({"prior": 1.0}, "prior must lie strictly between"),
        ({"remedies": True}, "has no remedies"),
        ({"delta": 1e-6}, "has no delta"),
    ],
)
def test_bad_requests(options: dict[str, Any], problem: str) -> None:
    request: dict[str, Any] = {"max_risk": 0.7, "measure": "posterior", **options}
    with pytest.raises(ParameterError, match=problem):
        choose_budget(HIERARCHY, **request)
    with pytest.raises(ParameterError, match="is not a table"):
        _ = dial("single").table


def test_hierarchies_that_do_not_fit() -> None:
    with pytest.raises(ParameterError, match="at least 2 levels"):
        choose_budget(Situations.of([[1]], [0]), "laplace", 0.7, "posterior", attack="two-level")
    with pytest.raises(ParameterError, match="raise rare"):
        choose_budget(Situations.of([[3, 4]], [1]), "laplace", 0.7, "posterior")


@st.composite
def hierarchies(draw: st.DrawFn) -> Situations:
    """Up to five situations of up to three levels, whose counts do not fall from level to level."""
    depth, size = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    steps = st.lists(st.sampled_from([0, 0, 1, 7]), min_size=depth - 1, max_size=depth - 1)
    rows = [np.cumsum([draw(st.integers(1, 2)), *draw(steps)]).tolist() for _ in range(size)]
    rows[0][0] = 1
    numbers = st.lists(st.integers(1, 9), min_size=size, max_size=size)
    # a group without siblings is its parent
    siblings = [
        draw(st.integers(1, 6)) if len(row) > 1 and row[1] > row[0] else draw(st.integers(0, 6)) for row in rows
    ]
    return Situations.of(rows, siblings, draw(numbers))


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(data=st.data(), situations=hierarchies())
def test_any_hierarchy(data: st.DataObject, situations: Situations) -> None:
    """Whatever the hierarchy, its shares, the law and the aggregate: the risk is that of the people one by one, the
    safe set is that of the risk, and order, multiplicity and unused levels of the situations do not matter."""
    depth = situations.counts.shape[1]
    attack: str = data.draw(st.sampled_from(tuple(ATTACKS) if depth > 1 else ("single", "unique-levels")))
    measure = data.draw(st.sampled_from(("posterior", "posterior-ratio")))
    mechanism = data.draw(st.sampled_from(("laplace", "discrete-gaussian")))
    parameter: Parameter = "epsilon" if mechanism == "laplace" else "rho"
    weights = [data.draw(st.integers(1, 4)) for _ in range(depth)]
    shares = [weight / sum(weights) for weight in weights]
    options: dict[str, Any] = {
        "attack": attack, "rare": data.draw(st.integers(1, 2)), "shares": shares,
        "prior": data.draw(st.sampled_from((0.2, 0.5))),
    }  # fmt: skip
    by = aggregate(data.draw(st.sampled_from(("mean", "cell-mean", "max", "q60"))))
    made = risk_dial(situations, mechanism, by, measure, None, "add-remove", parameter, **options)
    budget = data.draw(st.floats(2.0, 12.0))
    noises = made.noises(budget)
    by_level = [1.0 / vars(n)["scale"] if parameter == "epsilon" else 0.5 / vars(n)["sigma"] ** 2 for n in noises]
    assert by_level == pytest.approx([share * budget for share in shares])
    found = release_risk(situations, None, options["prior"], attack, options["rare"], noises)
    risks, cells = getattr(found, FIELDS[measure]), found.people // found.counts[:, 0]
    people = np.repeat(risks, found.people)
    assert made.n_people == len(people)
    assert made.risk(budget) == pytest.approx(by.value(risks, found.people, cells), abs=1e-12)
    if by.name == "mean":
        assert made.risk(budget) == pytest.approx(people.mean(), abs=1e-12)

    turned = Situations(situations.counts[::-1], situations.siblings[::-1], situations.cells[::-1])
    twice = Situations.of(
        np.concatenate([situations.counts] * 2).tolist(), [*situations.siblings] * 2, [*situations.cells] * 2
    )
    for same in (turned, twice):
        other = risk_dial(same, mechanism, by, measure, None, "add-remove", parameter, **options)
        assert other.risk(budget) == pytest.approx(made.risk(budget), abs=1e-12)

    ceiling = made.risk(budget)
    if not made.limits[0] < ceiling < made.limits[1]:
        return
    ask: dict[str, Any] = {"parameter": parameter, "search": (1.5, 20.0), **options}
    choice = choose_budget(situations, mechanism, ceiling, measure, by, **ask)
    grid = np.append(np.geomspace(1.5, 20.0, 14), budget)
    inside = np.array([any(value in interval for interval in choice.safe_set) for value in grid])
    dense = np.array([made.risk(float(value)) for value in grid])
    clear = np.abs(dense - ceiling) > 1e-9
    assert (inside[clear] == (dense[clear] <= ceiling)).all()
    if choice.budget is not None and math.isfinite(choice.budget):
        assert made.risk(choice.budget) <= ceiling
        assert [*choice.noises] == list(made.noises(choice.budget))


def test_people_with_several_rows_have_no_dial() -> None:
    several = Situations.of([[1, 2]], [3], max_rows_per_unit=2)
    with pytest.raises(ParameterError, match="one row per person, and these groups keep up to 2"):
        risk_dial(several, "laplace", MeanRisk(), "posterior")
