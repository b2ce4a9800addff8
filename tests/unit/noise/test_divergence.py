"""Hockey sticks: of lists of outputs, and of noise on one or two counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise
from epsilens.noise.divergence import independent_delta
from epsilens.noise.gaussian import gaussian_log_delta


def test_hockey_stick_of_two_coins() -> None:
    assert av.hockey_stick({"a": 0.7, "b": 0.3}, {"a": 0.5, "b": 0.5}, 0.0) == pytest.approx(0.2)
    assert av.hockey_stick({"a": 1.0}, {"b": 1.0}, 5.0) == 1.0
    assert av.hockey_stick({"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.5}, 0.1) == 0.0


def test_delta_of_noise_against_a_two_dimensional_sum() -> None:
    noise, epsilon = DiscreteGaussianNoise(1.7), 0.6
    k = np.arange(-40.0, 41.0)
    here, up, down = noise.pmf(k), noise.pmf(k - 1), noise.pmf(k + 1)
    two = np.maximum(np.outer(here, here) - math.exp(epsilon) * np.outer(up, down), 0).sum()
    assert av.noise_delta(noise, epsilon, 2) == pytest.approx(two, rel=1e-10)
    one = np.maximum(here - math.exp(epsilon) * up, 0).sum()
    assert av.noise_delta(noise, epsilon, 1) == pytest.approx(one, rel=1e-10)


def test_delta_of_unrounded_noise() -> None:
    noise = GaussianNoise(1.3)
    exact = math.exp(gaussian_log_delta(0.8, math.sqrt(2) / 1.3))
    assert av.noise_delta(noise, 0.8, 2, rounded=False) == pytest.approx(exact)
    # one Laplace count: 1 - e^((epsilon - 1/b) / 2)
    laplace = av.noise_delta(LaplaceNoise(1.0), 0.5, 1, rounded=False)
    assert laplace == pytest.approx(1 - math.exp((0.5 - 1.0) / 2), rel=1e-14)
    # counts that hardly move: a lattice in parts of a person said .0434, below the truth
    assert av.noise_delta(LaplaceNoise(0.05), 19.9, 1, rounded=False) == pytest.approx(-math.expm1(-0.05), rel=1e-12)


@pytest.mark.parametrize("law", [LaplaceNoise, GaussianNoise])
@pytest.mark.parametrize("moved", [1, 2])
def test_laws_without_a_closed_form_get_a_bound_from_above(law: type[LaplaceNoise], moved: int) -> None:
    unknown = type("Unknown", (law,), {"known_delta": lambda *_: None})
    for size in (0.05, 0.3, 2.0, 400.0):
        for part in (0.0, 0.3, 0.9):
            epsilon = part * moved / size
            exact = av.noise_delta(law(size), epsilon, moved, rounded=False)
            if exact > 1e-12:
                assert exact * (1 - 1e-12) <= av.noise_delta(unknown(size), epsilon, moved, rounded=False)
                assert av.noise_delta(unknown(size), epsilon, moved, rounded=False) <= exact * 1.01


def test_a_large_epsilon_and_a_tiny_probability_keep_their_product() -> None:
    """Rounded noise of scale 1 / 1424: P(0) = 1 and Q(0) = e^-712 / 2, against e^epsilon that no double holds."""
    exact = -math.expm1(710.0 - 712.0 - math.log(2.0))
    assert av.noise_delta(LaplaceNoise(1 / 1424), 710.0, 1) == pytest.approx(exact, rel=1e-9)


def test_outputs_that_only_one_table_can_give() -> None:
    certain = (np.log([1.0]), np.array([-np.inf]))
    even = (np.log([0.5, 0.5]), np.log([0.5, 0.5]))
    assert independent_delta(certain, even, 1.0) == 1.0
    assert independent_delta(even, certain, 1.0) == 1.0


@pytest.mark.parametrize("epsilon", [0.5, 30.0, 1500.0, 3000.0])
def test_pure_noise_has_no_delta_at_its_own_epsilon_however_large(epsilon: float) -> None:
    for law in (LaplaceNoise, DiscreteLaplaceNoise):
        assert av.noise_delta(law(2 / epsilon), epsilon, 2) == 0.0
        assert av.noise_delta(law(1 / epsilon), epsilon, 1) == 0.0
    assert av.noise_delta(DiscreteLaplaceNoise(2.0), 0.9, 2) > 0.0


@pytest.mark.parametrize("moved", [1, 2])
def test_wide_gaussian_noise_has_a_delta_without_a_list(moved: int) -> None:
    """Against Phi(a) - e^epsilon Phi(b), which both laws tend to; listed person by person they were too wide."""
    for size in (3e4, 4.5e6, 1e12):
        for part in (0.0, 0.1, 1.0, 4.0):
            exact = math.exp(gaussian_log_delta(part / size, math.sqrt(moved) / size))
            assert av.noise_delta(GaussianNoise(size), part / size, moved) == pytest.approx(exact, rel=1e-12)
            found = av.noise_delta(DiscreteGaussianNoise(size), part / size, moved)
            assert found == pytest.approx(exact, rel=2e-9)
    assert av.noise_delta(DiscreteGaussianNoise(1e200), 1e-3, moved) == 0.0


def test_a_hockey_stick_at_epsilons_beyond_every_float() -> None:
    never = av.hockey_stick({"a": 0.5, "b": 0.25, "c": 0.25}, {"a": 0.5, "b": 0.5, "d": 0.0}, 1e9)
    assert never == 0.25  # what the second never publishes
    assert av.hockey_stick({"a": 1.0}, {"a": 1e-300}, 650.0) == pytest.approx(1.0)
    assert av.hockey_stick({"a": 1.0}, {"a": 1e-300}, 700.0) == 0.0
