from __future__ import annotations

import math

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.choose.choosing import choose_budget
from epsilens.choice.choose.two_parameters import choose_delta, iso_risk, risk_surface
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS

TABLE = el.FrequencyTable.from_counts([[3, 0], [0, 5], [1, 0], [2, 2], [7, 1]])
TWO = ("gaussian-probabilistic", "gaussian-analytic", "discrete-gaussian")


def risk(mechanism: str, epsilon: float, delta: float) -> float:
    noise = el.calibrate(mechanism, MECHANISMS[mechanism].budget(epsilon, delta))
    return el.average(el.homogeneity.local(TABLE, noise), TABLE)


@pytest.mark.parametrize("mechanism", [*TWO, "gaussian"])
def test_fixing_one_and_solving_the_other_are_inverse(mechanism: str) -> None:
    epsilon = 0.8
    target = risk(mechanism, epsilon, 1e-4)
    choice = choose_delta(TABLE, epsilon, mechanism, target)
    assert any(math.isclose(end, 1e-4, rel_tol=1e-6) for i in choice.safe_set for end in (i.low, i.high))
    assert choice.delta is not None
    if 1e-11 < choice.delta < 0.49:
        assert risk(mechanism, epsilon, choice.delta) == pytest.approx(target, abs=1e-9)
    for interval in choice.safe_set:
        for end in (interval.low, interval.high):
            assert risk(mechanism, epsilon, end) <= target + 1e-12
    again = choose_budget(TABLE, mechanism, target, delta=1e-4, remedies=False)
    assert any(math.isclose(end, epsilon, rel_tol=1e-8) for i in again.safe_set for end in (i.low, i.high))


@pytest.mark.parametrize("mechanism", TWO)
def test_every_pair_of_an_iso_risk_curve_has_the_risk_of_the_ceiling(mechanism: str) -> None:
    found = iso_risk(TABLE, mechanism, 0.45, deltas=[1e-8, 1e-5, 1e-2])
    rows = found.to_rows()
    assert rows
    for row in rows:
        assert risk(mechanism, row["epsilon"], row["delta"]) == pytest.approx(0.45, abs=1e-8)
    for curve in found.epsilons:  # less delta needs more epsilon for the same noise
        known = curve[np.isfinite(curve)]
        assert (np.diff(known) < 0).all()


def test_surface() -> None:
    dial = choose_budget(TABLE, "gaussian", 0.4, delta=1e-6, remedies=False).dial
    surface = risk_surface(dial, [0.5, 2.0], [1e-6, 1e-3])
    assert surface.shape == (2, 2)
    assert surface[1, 0] == pytest.approx(risk("gaussian", 0.5, 1e-3))
    assert np.isnan(surface[:, 1]).all()  # the classic Gaussian epsilon must be < 1


def test_all_deltas_or_none() -> None:
    everything = choose_delta(TABLE, 0.5, "gaussian-analytic", 1.0)
    assert [(i.low, i.high) for i in everything.safe_set] == [(1e-12, 0.5)]
    assert choose_delta(TABLE, 0.5, "gaussian-analytic", 0.1).delta is None
    people = choose_delta(TABLE, 0.5, "gaussian-analytic", 0.6, max_people=3)
    assert people.dial.aggregate.name == "people-above-3"
    with pytest.raises(ParameterError, match="epsilon must be < 1"):
        choose_delta(TABLE, 2.0, "gaussian", 0.4)


def test_one_parameter_mechanisms_are_refused() -> None:
    with pytest.raises(ParameterError, match="has no delta"):
        choose_delta(TABLE, 1.0, "laplace", 0.3)
    with pytest.raises(ParameterError, match="has no delta"):
        iso_risk(TABLE, "discrete-laplace", 0.3)
