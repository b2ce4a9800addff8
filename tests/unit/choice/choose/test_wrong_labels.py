"""Wrong harmful labels: against enumeration, with the slope that the scan relies on, and both ceilings together."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import epsilens as el
from epsilens.budget import log_grid
from epsilens.choice.aggregates import Maximum, MeanRisk
from epsilens.choice.choose.asked import Asked
from epsilens.choice.choose.choosing import choose_budget
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.choose.safe_set import Interval
from epsilens.choice.choose.wrong_labels import both, checked_wrong, wrong_dial
from epsilens.errors import ParameterError

COUNTS = [[3, 0, 1], [0, 2, 0], [6, 1, 0], [2, 2, 2], [1, 0, 0]]
TABLE = replace(el.FrequencyTable.from_counts(COUNTS, ["no", "old", "ill"]), sensitive=("state",))
HARM = TABLE.with_harm("state=ill", "state=old")


def enumerated(epsilon: float, harmful: tuple[int, ...], mechanism: str = "discrete-laplace") -> float:
    """Over all sets of labels that a cell may show."""
    noise = el.calibrate(mechanism, el.PureDP(epsilon))
    wrong = 0.0
    for counts in COUNTS:
        shown = [float(noise.sf(0.5 - n)) if mechanism == "laplace" else float(noise.sf(-n)) for n in counts]
        for which in product((False, True), repeat=3):
            chance = math.prod(p if yes else 1 - p for p, yes in zip(shown, which, strict=True))
            if sum(which) == 1 and (k := which.index(True)) in harmful:
                wrong += chance * (sum(counts) - counts[k])
    return wrong / sum(map(sum, COUNTS))


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 3.0])
def test_wrong_labels_by_enumeration(epsilon: float) -> None:
    for mechanism in ("laplace", "discrete-laplace"):
        assert wrong_dial(risk_dial(HARM, mechanism, MeanRisk())).risk(epsilon) == pytest.approx(
            enumerated(epsilon, (1, 2), mechanism), rel=1e-12
        )
        assert wrong_dial(risk_dial(TABLE, mechanism, Maximum())).risk(epsilon) == pytest.approx(
            enumerated(epsilon, (0, 1, 2), mechanism), rel=1e-12
        )


def test_wrong_labels_are_counted_and_not_weighed() -> None:
    heavier = TABLE.with_harm("state=ill*3", "state=old")
    for mechanism in ("laplace", "discrete-laplace"):
        counted, weighed = (wrong_dial(risk_dial(table, mechanism, MeanRisk())) for table in (HARM, heavier))
        assert weighed.risk(0.7) == counted.risk(0.7)


def test_wrong_labels_by_simulation() -> None:
    rng, draws = np.random.default_rng(15), 20_000
    counts = np.array(COUNTS)
    published = np.floor(counts + rng.laplace(scale=1 / 0.7, size=(draws, *counts.shape)) + 0.5) > 0
    harmful = np.array([0, 1, 1])
    alone = (published.sum(axis=2, keepdims=True) == 1) & published
    wrong = (alone * harmful * (counts.sum(axis=1, keepdims=True) - counts)).sum(axis=(1, 2)) / counts.sum()
    exact = wrong_dial(risk_dial(HARM, "laplace", MeanRisk())).risk(0.7)
    assert abs(wrong.mean() - exact) < 5 * wrong.std() / math.sqrt(draws)


@pytest.mark.parametrize(
    ("mechanism", "parameter"), [("laplace", "epsilon"), ("discrete-laplace", "epsilon"), ("discrete-gaussian", "rho")]
)
def test_no_wrong_label_is_steeper_than_its_bound(mechanism: str, parameter: str) -> None:
    dial = wrong_dial(choose_budget(HARM, mechanism, 0.5, parameter=parameter, remedies=False).dial)  # type: ignore[arg-type]
    budgets = log_grid(1e-3, 50.0, 200)
    values = [dial.risk(budget) for budget in budgets]
    steepest = max(abs(np.diff(values)) / np.diff(np.log(budgets)))
    assert dial.slope is not None
    assert 0.01 < steepest < dial.slope
    assert dial.risk(1e-9) == pytest.approx(dial.limits[0], abs=0.001)
    assert dial.limits[1] == pytest.approx(0.0, abs=1e-12)


def test_both_ceilings_are_kept_and_nothing_more_is_left_out() -> None:
    alike = el.FrequencyTable.from_counts([[3, 0], [0, 2], [6, 0], [0, 1], [2, 2], [5, 0], [9, 1]])
    dial = risk_dial(alike, "laplace", MeanRisk())
    wrong = wrong_dial(dial)
    most_risk, most_wrong = dial.risk(3.0), wrong.risk(0.6)
    found = choose_budget(alike, max_risk=most_risk, max_wrong=most_wrong)
    for budget in log_grid(0.01, 20.0, 150):
        kept = dial.risk(budget) <= most_risk and wrong.risk(budget) <= most_wrong
        assert kept == any(budget in interval for interval in found.admissible())
        assert kept == found.keeps(budget)
    assert found.admissible()[0].low == pytest.approx(0.6)
    plain = found.to_dict()
    assert plain["meets_both"] is True
    assert plain["combined_budget"] == found.capped(math.inf) == pytest.approx(3.0)
    assert plain["wrong_set"][-1]["high"] is None  # no noise, no wrong label
    none = choose_budget(alike, max_risk=most_risk, max_wrong=wrong.risk(4.0))
    assert none.safe_set
    assert (none.meets_both, none.nearest_pair, none.to_dict()["combined_budget"]) == (False, None, None)


def test_intervals_meet() -> None:
    first = [Interval(0.0, 1.0), Interval(2.0, 5.0)]
    assert both(first, [Interval(0.5, 3.0), Interval(5.0, math.inf)]) == (
        Interval(0.5, 1.0), Interval(2.0, 3.0), Interval(5.0, 5.0),
    )  # fmt: skip
    assert both(first, []) == ()


@pytest.mark.parametrize(
    ("share", "asked", "problem"),
    [
        (0.0, Asked(), r"max_wrong must lie in \(0, 1\], got 0; it is a share"),
        (1.5, Asked(), r"max_wrong must lie in \(0, 1\], got 1.5"),
        (0.1, Asked(measure="posterior"), "max_wrong is about the values that people are shown with"),
        (0.1, Asked(options={"publish": "separate"}), "max_wrong is known for one table"),
        (0.1, Asked(options={"attributes": "max"}), "max_wrong is about one attribute, or the combination of several"),
    ],
)
def test_what_makes_no_sense_is_refused(share: float, asked: Asked, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        checked_wrong(share, asked)
