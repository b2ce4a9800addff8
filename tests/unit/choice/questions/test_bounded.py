"""The four ways, against draws and against a search for the largest loss."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from epsilens.choice.questions.bounded import CLAMPED, CORRECTED, PRINTED, UNBOUNDED, WAYS, Question, answer
from epsilens.errors import ParameterError


def drawn(way: str, value: float, scale: float, size: int) -> np.ndarray:
    """Releases by the definition: noise, and what is done with it."""
    rng = np.random.default_rng(7)
    released = value + rng.laplace(scale=scale, size=size)
    if way == CLAMPED:
        return np.clip(released, 0.0, 1.0)
    return released if way == UNBOUNDED else released[(released >= 0.0) & (released <= 1.0)]


@pytest.mark.parametrize("value", [0.0, 0.03, 0.6])
def test_every_way_agrees_with_draws(value: float) -> None:
    found = answer(Question((value,), 0.0, 1.0, 0.1, epsilon=0.5))
    scales = {way.name: way.scale for way in found.ways}
    assert [outcome.way for outcome in found.outcomes] == list(WAYS)
    for outcome in found.outcomes:
        sample = drawn(outcome.way, value, scales[outcome.way], 100_000)
        error = sample - value
        assert outcome.bias == pytest.approx(error.mean(), abs=4 * error.std() / math.sqrt(error.size))
        assert outcome.mse == pytest.approx((error**2).mean(), abs=4 * (error**2).std() / math.sqrt(error.size))
        assert outcome.mse == pytest.approx(outcome.standard_deviation**2 + outcome.bias**2)
        assert ((sample >= outcome.low) & (sample <= outcome.high)).mean() >= 0.947
        assert outcome.mass_at_lower == pytest.approx((sample == 0.0).mean(), abs=0.008)
        assert outcome.drawn_again == pytest.approx(
            0.0 if outcome.way in (UNBOUNDED, CLAMPED) else 1.0 - sample.size / 100_000, abs=0.008
        )


def largest_loss(scale: float, moved: float) -> float:
    """By search over pairs of true values: of density ratios at the ends and at the true values."""
    places = np.linspace(0.0, 1.0, 101)

    def log_density(x: np.ndarray, t: float) -> np.ndarray:
        inside = 2.0 - math.exp(-t / scale) - math.exp(-(1.0 - t) / scale)
        return -np.abs(x - t) / scale - math.log(inside)

    pairs = ((t, s) for t, s in itertools.product(places, repeat=2) if 0.0 < abs(t - s) <= moved + 1e-12)
    return max(float((log_density(places, t) - log_density(places, s)).max()) for t, s in pairs)


@pytest.mark.parametrize(("scale", "moved"), [(1.0, 0.02), (0.02, 0.02), (0.1, 0.1)])
def test_the_cost_of_truncation_is_the_largest_loss(scale: float, moved: float) -> None:
    found = {way.name: way for way in answer(Question((0.5,), 0.0, 1.0, moved, scale=scale)).ways}
    assert found[PRINTED].epsilon == pytest.approx(largest_loss(scale, moved), rel=1e-9)
    assert found[CORRECTED].epsilon == pytest.approx(moved / scale)
    assert found[CORRECTED].epsilon <= moved / scale


def test_truncation_costs_up_to_twice_the_epsilon_it_says() -> None:
    """P3-d: nearly 2 where the sensitivity is small against the noise, 1 where it is the whole interval."""
    costs = [
        answer(Question((0.5,), 0.0, 1.0, moved, **noise)).cost_of_print
        for moved, noise in ((0.02, {"scale": 1.0}), (0.02, {"epsilon": 1.0}), (1.0, {"epsilon": 1.0}))
    ]
    assert costs == pytest.approx([1.969, 1.490, 1.0], abs=5e-4)
    assert answer(Question((0.5,), 0.0, 1.0, 1e-6, scale=0.01)).cost_of_print == pytest.approx(2.0, abs=1e-3)


def test_curves_and_densities_are_those_of_the_laws() -> None:
    found = answer(Question((0.3, 0.3, 0.01), 0.0, 1.0, 0.02, epsilon=1.0))
    assert len(found.outcomes) == 8
    ends = [row for row in found.curve() if row["value"] in (0.0, 1.0) and row["way"] == CLAMPED]
    assert [row["bias"] for row in ends] == pytest.approx([0.01, -0.01])
    for value, way in itertools.product((0.3, 0.01), WAYS[1:]):
        rows = [row for row in found.densities() if (row["value"], row["way"]) == (value, way)]
        (outcome,) = [o for o in found.outcomes if (o.value, o.way) == (value, way)]
        x, y = np.array([[row["x"], row["density"]] for row in rows]).T
        area = float((0.5 * (y[1:] + y[:-1]) * np.diff(x)).sum())
        assert area + outcome.mass_at_lower + outcome.mass_at_upper == pytest.approx(1.0, abs=5e-3)
    assert {"ways", "outcomes", "curve", "densities", "label"} <= set(found.to_dict())


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"values": ()}, "values is missing"),
        ({"epsilon": None}, "give one of epsilon and scale"),
        ({"scale": 1.0}, "give one of epsilon and scale"),
        ({"values": (1.5,)}, "must lie in its bounds"),
        ({"sensitivity": 2.0}, "cannot move by 2"),
        ({"epsilon": 1e-12}, "epsilon must lie between"),
        ({"lower": 1.0}, "must be below"),
        ({"upper": 1e200}, "measure the statistic in other units"),
    ],
)
def test_nonsense_is_refused(given: dict[str, object], problem: str) -> None:
    sound = {"values": (0.5,), "lower": 0.0, "upper": 1.0, "sensitivity": 0.1, "epsilon": 1.0}
    with pytest.raises(ParameterError, match=problem):
        Question(**(sound | given))  # type: ignore[arg-type]
