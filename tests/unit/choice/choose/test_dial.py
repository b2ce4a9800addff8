from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.choose.asked import Asked
from epsilens.choice.choose.dial import UNPROTECTED
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.choose.of_hierarchy import hierarchy_dial
from epsilens.errors import ParameterError
from tests.support.dials import HIERARCHY, TABLE, dial


def test_names_of_the_parts() -> None:
    asked = Asked(mechanism="discrete-gaussian", parameter="rho", measure="posterior", options={"attack": "single"})
    made = hierarchy_dial(HIERARCHY, asked)
    assert made.risk(1.0) == dial("single", "posterior").risk(1.0)


def test_levels_share_the_budget() -> None:
    """Epsilons of Laplace levels add up to the whole, rhos of Gaussian ones do, whatever the budget is stated in."""
    shares = (0.2, 0.3, 0.5)
    for mechanism, delta in (("laplace", None), ("gaussian-analytic", 1e-6), ("gaussian-probabilistic", 1e-6)):
        found = risk_dial(HIERARCHY, mechanism, MeanRisk(), "posterior", delta, shares=shares)
        noises = found.noises(0.8)
        whole = vars(el.calibrate(mechanism, found.budget(0.8)))
        if delta is None:
            assert sum(1.0 / vars(noise)["scale"] for noise in noises) == pytest.approx(0.8)
            assert [1.0 / vars(noise)["scale"] for noise in noises] == pytest.approx([0.8 * s for s in shares])
        else:
            parts = [1.0 / vars(noise)["sigma"] ** 2 for noise in noises]
            assert sum(parts) == pytest.approx(1.0 / whole["sigma"] ** 2)
            assert parts == pytest.approx([share / whole["sigma"] ** 2 for share in shares])
    rho = dial("single", shares=shares).noises(2.0)
    assert [0.5 / vars(noise)["sigma"] ** 2 for noise in rho] == pytest.approx([2.0 * s for s in shares])


def test_the_noise_at_infinity_is_one_that_rounding_removes() -> None:
    made = risk_dial(TABLE, "laplace", MeanRisk())
    assert made.noises(math.inf) == (UNPROTECTED,)
    assert made.risk(math.inf) == pytest.approx(made.limits[1])
    assert made.risk(1e-6) == pytest.approx(made.limits[0], abs=1e-3)


def test_people_above_are_those_of_the_kinds_at_that_noise() -> None:
    made = risk_dial(TABLE, "laplace", MeanRisk())
    risks = made.kind_risks(made.noises(0.7))
    middle = float(np.median(risks))
    assert made.people_above(0.7, middle) == int(made.people[risks > middle].sum())
    assert (made.people_above(0.7, -1.0), made.people_above(0.7, 1.0)) == (made.n_people, 0)
    assert made.n_people == TABLE.n_records


def test_rows_per_person_and_substitution_scale_the_noise() -> None:
    one = risk_dial(TABLE, "laplace", MeanRisk()).noise(0.5)
    two_rows = risk_dial(dataclasses.replace(TABLE, max_rows_per_unit=2), "laplace", MeanRisk()).noise(0.5)
    substituted = risk_dial(TABLE, "laplace", MeanRisk(), neighbours="substitute").noise(0.5)
    assert (one.size, two_rows.size, substituted.size) == (2.0, 4.0, 4.0)


def test_another_delta_is_another_budget_and_the_first_dial_stays() -> None:
    made = risk_dial(TABLE, "gaussian-analytic", MeanRisk(), delta=1e-6)
    looser = made.at_delta(1e-3)
    assert (made.delta, looser.delta) == (1e-6, 1e-3)
    assert looser.budget(1.0) == el.ApproxDP(1.0, 1e-3)
    assert looser.noise(1.0).size < made.noise(1.0).size


def test_the_range_stays_where_the_mechanism_is_proven() -> None:
    classic = risk_dial(TABLE, "gaussian", MeanRisk(), delta=1e-6)
    assert (classic.highest_valid, risk_dial(TABLE, "laplace", MeanRisk()).highest_valid) == (1.0, math.inf)
    low, high = classic.default_range()
    assert 0 < low < high < 1.0
    rho = risk_dial(TABLE, "discrete-gaussian", MeanRisk(), parameter="rho")
    assert rho.budget(0.3) == el.ZCDP(0.3)
    assert rho.highest_valid == math.inf


def test_a_hierarchy_is_not_a_table() -> None:
    with pytest.raises(ParameterError, match="a hierarchy is not a table of counts"):
        _ = dial("single").table
    assert dial("single").attributes is None
    assert dial("single").n_cells == int(dial("single").cells.sum())
