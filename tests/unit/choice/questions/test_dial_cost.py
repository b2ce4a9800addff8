"""The cost of a noise is what its probabilities say, one whole number at a time."""

from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.questions.dial_cost import cost
from epsilens.noise import Noise

LAWS = [el.LaplaceNoise(1.0), el.DiscreteLaplaceNoise(3.0), el.GaussianNoise(0.4), el.DiscreteGaussianNoise(8.0)]


@pytest.mark.parametrize("noise", LAWS, ids=lambda noise: noise.name)
def test_dots_and_interval_are_those_of_the_law(noise: Noise) -> None:
    points = np.arange(-200, 201)
    mass = noise.pmf(points)
    below = np.cumsum(mass)
    found = cost(noise)
    wanted = [int(points[np.argmax(below >= (i + 0.5) / 20 - 1e-12)]) for i in range(20)]
    assert list(found.dots) == wanted
    inside = mass[np.abs(points) <= found.half_width].sum()
    assert found.coverage == pytest.approx(inside, abs=1e-9)
    assert inside >= 0.95 > mass[np.abs(points) < found.half_width].sum()
    assert found.error == pytest.approx(mass @ np.abs(points), rel=1e-6)


def test_a_count_of_12_at_epsilon_1() -> None:
    found = cost(el.LaplaceNoise(1.0))
    assert (found.half_width, found.dots[0], found.dots[-1]) == (3, -3, 3)
