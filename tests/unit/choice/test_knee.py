from __future__ import annotations

import math

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.knee import SHARE, knee_of
from epsilens.errors import ParameterError
from epsilens.homogeneity.measures import prepare
from epsilens.noise import MECHANISMS, calibrate


def logistic(epsilon: float) -> float:
    return 1.0 / (1.0 + math.exp(-math.log(epsilon)))


def test_the_knee_of_a_logistic_curve_is_the_closed_form() -> None:
    """s = f (1 - f), greatest 1/4 at epsilon 1; it is 1/16 where f (1 - f) = 1/16: f = (1 -+ sqrt(3)/2) / 2."""
    found = knee_of(logistic, 1e-4, 1e4)
    f = 0.5 * (1.0 - math.sqrt(0.75))
    assert found.epsilon == pytest.approx(f / (1.0 - f), rel=1e-8)
    assert found.until == pytest.approx((1.0 - f) / f, rel=1e-8)
    assert found.risk == pytest.approx(f, rel=1e-8)
    assert found.fastest_at == pytest.approx(1.0, rel=1e-6)
    assert found.fastest_slope == pytest.approx(0.25, rel=1e-9)
    assert (found.share, found.why) == (SHARE, None)
    half = knee_of(logistic, 1e-4, 1e4, share=0.5)
    assert found.epsilon is not None
    assert half.epsilon is not None
    assert found.epsilon < half.epsilon < 1.0


@pytest.mark.parametrize(
    ("mechanism", "delta", "highest"),
    [("laplace", None, 1e2), ("gaussian-probabilistic", 1e-3, 1e2), ("gaussian-analytic", 1e-6, 1e2)],
)
def test_a_dense_grid_of_differences_agrees(mechanism: str, delta: float | None, highest: float) -> None:
    table = el.FrequencyTable.from_counts([[3, 0, 0], [1, 0, 0], [2, 4, 0], [0, 0, 9]])
    ready = prepare("local", table)

    def risk(epsilon: float) -> float:
        return ready.average(calibrate(mechanism, MECHANISMS[mechanism].budget(epsilon, delta)))

    found = knee_of(risk, 1e-3, highest)
    xs = np.linspace(math.log(1e-3), math.log(highest), 701)
    slopes = np.gradient(np.array([risk(math.exp(x)) for x in xs]), xs)
    top = int(np.argmax(slopes))
    reached = np.flatnonzero(slopes >= SHARE * slopes[top])
    near = {"rel": 1.5 * (xs[1] - xs[0])}
    assert found.epsilon == pytest.approx(math.exp(xs[reached[0]]), **near)
    assert found.until == pytest.approx(math.exp(xs[reached[-1]]), **near)
    assert found.fastest_slope == pytest.approx(slopes[top], rel=1e-3)
    assert found.risk == risk(found.epsilon or 0.0)
    assert (slopes[: reached[0]] < (SHARE + 1e-3) * found.fastest_slope).all()  # below it nothing rises as fast


def test_where_there_is_none_it_is_said_why() -> None:
    flat = knee_of(lambda _: 0.3, 1e-3, 1e2)
    falling = knee_of(lambda epsilon: 1.0 - logistic(epsilon), 1e-3, 1e2)
    assert [(one.epsilon, one.why) for one in (flat, falling)] == [(None, "flat")] * 2
    cut = knee_of(logistic, 1e-3, 0.5)
    assert (cut.epsilon, cut.fastest_at, cut.why) == (None, None, "end")
    late = knee_of(logistic, 0.5, 1e2)
    assert (late.epsilon, late.why) == (None, "start")
    assert late.fastest_at == pytest.approx(1.0, rel=1e-5)
    early = knee_of(logistic, 1e-3, 5.0)
    assert early.until is None
    assert early.to_dict()["why"] is None


def test_a_fall_before_the_rise_is_no_knee() -> None:
    def dips(epsilon: float) -> float:
        x = math.log(epsilon)
        return logistic(epsilon) + 0.4 / (1.0 + math.exp(x + 5.0))

    found = knee_of(dips, 1e-5, 1e3)
    assert found.epsilon is not None
    assert found.epsilon > math.exp(-3.0)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least e times lowest"):
        knee_of(logistic, 1.0, 2.0)
    with pytest.raises(ParameterError, match="share must lie"):
        knee_of(logistic, 1e-3, 1e2, share=1.0)
