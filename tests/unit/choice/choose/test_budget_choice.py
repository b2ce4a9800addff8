from __future__ import annotations

import math

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.choose.budget_choice import PUBLIC_GRID, rounded_down
from epsilens.choice.choose.choosing import choose_budget
from epsilens.choice.choose.safe_set import Interval
from epsilens.errors import ParameterError
from tests.support.dials import PAIR, TABLE

PEOPLE = np.array([3, 3, 5, 6, 1])


def test_flags_floor_and_limits() -> None:
    choice = choose_budget(PAIR, max_risk=0.3, remedies=False)
    local = el.homogeneity.local
    assert choice.unprotected == pytest.approx(4 / 27)
    assert choice.limit_at_zero == pytest.approx((4 * 0.25 + 23 * 0.5) / 27)
    assert choice.smaller_is_unsafe
    assert choice.unprotected_is_safe
    assert choice.budget == math.inf
    assert choice.risk == choice.unprotected
    with pytest.raises(ParameterError, match="without noise meets the ceiling"):
        choice.to_budget()
    grid = np.geomspace(1e-3, 50, 4000)
    least = min(el.average(local(PAIR, el.LaplaceNoise(1 / e)), PAIR) for e in grid)
    assert choice.floor <= least + 1e-12
    assert choice.floor == pytest.approx(min(least, choice.unprotected), abs=1e-6)


def test_people_are_counted() -> None:
    choice = choose_budget(TABLE, max_risk=0.45, max_people=3, remedies=False)
    assert choice.budget is not None
    each = np.repeat(el.homogeneity.local(TABLE, el.LaplaceNoise(1.0 / choice.budget)), PEOPLE)
    assert choice.people_above == (each > 0.45).sum() <= 3
    just_more = np.repeat(el.homogeneity.local(TABLE, el.LaplaceNoise(1.0 / (choice.budget * 1.0001))), PEOPLE)
    assert (just_more > 0.45).sum() > 3


def test_contradictory_ceilings_show_the_nearest_pair() -> None:
    adult = el.FrequencyTable.from_counts([[40, 0], [1, 1], [3, 0], [1, 0], [0, 2]])
    alone = choose_budget(adult, max_risk=0.7, remedies=False)
    assert alone.error is not None
    fine = choose_budget(adult, max_risk=0.7, max_error=2.0 * alone.error, remedies=False)
    assert fine.meets_both
    assert fine.nearest_pair is None
    torn = choose_budget(adult, max_risk=0.7, max_error=0.1 * alone.error, remedies=False)
    assert torn.meets_both is False
    assert torn.nearest_pair is not None
    budget, risk, error = torn.nearest_pair
    excess = max(risk / 0.7, error / (0.1 * alone.error))
    for e in np.geomspace(1e-2, 50, 500):
        noise = el.LaplaceNoise(1 / e)
        here = el.average(el.homogeneity.local(adult, noise), adult)
        off = float((noise.pmf(np.arange(-800, 801)) * np.abs(np.arange(-800, 801))).sum())
        assert max(here / 0.7, off / (0.1 * alone.error)) >= excess - 1e-6
    assert risk == pytest.approx(el.average(el.homogeneity.local(adult, el.LaplaceNoise(1 / budget)), adult))


def test_public_grid() -> None:
    assert rounded_down(Interval(0.173, 0.84), PUBLIC_GRID) == 0.5
    assert rounded_down(Interval(0.6, 0.84), PUBLIC_GRID) is None
    choice = choose_budget(TABLE, max_risk=0.215, remedies=False)
    assert choice.public_budget in PUBLIC_GRID
    whole = choose_budget(TABLE, max_risk=0.4, remedies=False)
    assert whole.budget == math.inf
    assert (whole.public_budget, whole.to_dict()["public_budget"], whole.public_budget_within(math.inf)) == (None,) * 3
    assert whole.public_budget_within(0.7) == 0.5  # another rule may still ask for noise
    assert choice.budget is not None
    assert choice.capped(0.5 * choice.budget) == 0.5 * choice.budget
    assert choice.capped(9.0 * choice.budget) == choice.budget


def test_json_has_plain_values_only() -> None:
    import json

    for choice in (choose_budget(PAIR, max_risk=0.3), choose_budget(TABLE, max_risk=0.1), choose_budget(TABLE)):
        answer = choice.to_dict()
        assert json.loads(json.dumps(answer, allow_nan=False)) == answer


def test_a_notebook_never_shows_the_average_alone() -> None:
    choice = choose_budget(TABLE, max_risk=0.4, remedies=False)
    shown = choice._repr_html_()
    assert "risk of the worst-off person there" in shown
    assert "people above 50 % there" in shown
    assert "worst-off" not in choose_budget(TABLE, max_risk=0.01, remedies=False)._repr_html_()


def test_where_the_risk_falls() -> None:
    fall = choose_budget(PAIR, max_risk=0.3, remedies=False).fall
    assert fall is not None
    assert fall["from"] < fall["to"]
    assert fall["risk_from"] > fall["risk_to"]
    assert choose_budget(TABLE, max_risk=0.6, measure="posterior").fall is None
