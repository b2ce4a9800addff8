"""What the noise guarantees is what enumeration of all outputs finds, and randomised response reaches the bound."""

from __future__ import annotations

import math

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.questions.dial_guarantee import (
    USUALLY,
    guarantee,
    guarantee_of_epsilon,
    guarantee_of_noises,
    guarantee_of_rho,
)
from epsilens.noise import Noise, calibrate
from epsilens.posterior.single import expected_single_level

PRIORS = (0.01, 0.1, 0.5, 0.9)
LAWS = [el.DiscreteGaussianNoise(1.3), el.GaussianNoise(0.8), el.LaplaceNoise(1.1), el.DiscreteLaplaceNoise(0.7)]


def _mass(noise: Noise, reach: int = 60) -> np.ndarray:
    return np.asarray(noise.pmf(np.arange(-reach, reach + 1.0)))


@pytest.mark.parametrize(
    ("epsilon", "right", "wrong"), [(0.1, 52, 48), (0.5, 62, 38), (1.0, 73, 27), (2.0, 88, 12), (5.0, 99, 1)]
)
def test_of_100_releases_so_many_convince(epsilon: float, right: int, wrong: int) -> None:
    found = guarantee_of_epsilon(epsilon)
    assert (round(100 * found.right), round(100 * found.wrong)) == (right, wrong)
    assert found.right == pytest.approx(math.exp(epsilon) / (1 + math.exp(epsilon)))
    assert found.chance == 0


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_discrete_laplace_noise_reaches_the_bound_in_both_worlds(epsilon: float) -> None:
    found, noise = guarantee_of_epsilon(epsilon), el.DiscreteLaplaceNoise(1 / epsilon)
    there, not_there = _mass(noise, 220)[:-1], _mass(noise, 220)[1:]  # a count is one higher
    convinced = there > not_there * (1 + 1e-12)
    assert there[convinced].sum() == pytest.approx(found.right, abs=1e-9)
    assert not_there[convinced].sum() == pytest.approx(found.wrong, abs=1e-9)
    for prior in PRIORS:
        beliefs = prior * there / (prior * there + (1 - prior) * not_there)
        assert beliefs.max() == pytest.approx(found.belief(prior), rel=1e-9)
        assert found.belief(prior) <= 1


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_no_pure_law_exceeds_the_bound(epsilon: float) -> None:
    for mechanism, neighbours in (
        ("laplace", "add-remove"),
        ("laplace", "substitute"),
        ("discrete-laplace", "substitute"),
    ):
        own = guarantee_of_noises([calibrate(mechanism, el.PureDP(epsilon), neighbours)], neighbours)
        assert own.right <= guarantee_of_epsilon(epsilon).right + 1e-12
        assert own.log_odds <= epsilon + 1e-9


@pytest.mark.parametrize("noise", LAWS, ids=lambda noise: noise.name)
def test_the_law_of_one_count_is_what_the_adversary_decides(noise: Noise) -> None:
    found = guarantee_of_noises([noise], "add-remove")
    for present, share in ((True, found.right), (False, 1 - found.wrong)):
        assert expected_single_level(noise=noise, present=present).correct_decision == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize("noise", LAWS, ids=lambda noise: noise.name)
def test_who_changes_cell_moves_two_counts(noise: Noise) -> None:
    there, not_there = _mass(noise)[:-1], _mass(noise)[1:]
    first, second = np.outer(there, not_there), np.outer(not_there, there)
    found = guarantee_of_noises([noise], "substitute")
    assert found.right == pytest.approx(0.5 + 0.25 * np.abs(first - second).sum(), abs=1e-9)


@pytest.mark.parametrize("chance", [1e-3, 0.05, 0.2])
def test_odds_rise_further_with_the_stated_chance_at_most(chance: float) -> None:
    noise = el.DiscreteGaussianNoise(1.3)
    there, not_there = _mass(noise, 12)[:-1], _mass(noise, 12)[1:]
    losses = np.log(there / not_there)
    found = guarantee_of_noises([noise], "add-remove", chance)
    assert there[losses > found.log_odds + 1e-9].sum() <= chance
    assert there[losses > found.log_odds - 1e-6].sum() > chance
    assert (found.chance, guarantee_of_noises([noise], "add-remove").chance) == (chance, USUALLY)


def test_levels_add_up() -> None:
    noise = el.DiscreteGaussianNoise(1.3)
    there, not_there = _mass(noise)[:-1], _mass(noise)[1:]
    brute = np.abs(np.outer(there, there) - np.outer(not_there, not_there)).sum()
    found = guarantee_of_noises([noise, noise], "add-remove")
    assert 0.5 + 0.25 * brute <= found.right + 1e-12
    assert found.right == pytest.approx(0.5 + 0.25 * brute, abs=1e-3)  # on a lattice, on the safe side


@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize("rho", [0.02, 0.3, 2.0])
def test_a_bound_from_rho_holds_for_whoever_has_several_rows_in_one_cell(rho: float, rows: int) -> None:
    noise = calibrate("discrete-gaussian", el.ZCDP(rho), max_rows_per_unit=rows)
    there, not_there = _mass(noise, 200)[:-rows], _mass(noise, 200)[rows:]
    found = guarantee_of_rho(rho, 0.01)
    assert 0.5 + 0.25 * np.abs(there - not_there).sum() <= found.right < 1
    kept = (there > 0) & (not_there > 0)
    losses = np.log(there[kept] / not_there[kept])
    assert there[kept][losses > found.log_odds].sum() <= 0.01


def test_of_two_bounds_from_rho_the_better_one_is_taken() -> None:
    assert guarantee_of_rho(0.02).right == pytest.approx(0.55)  # sqrt(rho / 2) is 0.1
    assert guarantee_of_rho(2.0).right == pytest.approx(0.5 + 0.5 * math.sqrt(1 - math.exp(-2.0)))


def test_each_kind_of_budget_has_its_basis() -> None:
    pure = guarantee("laplace", 0.5, [el.LaplaceNoise(2)], "add-remove", shares=(1.0, 1.0))
    assert (pure.basis, pure.log_odds) == ("epsilon", 1.0)  # two tables of 0.5 each
    noise = el.GaussianNoise(3.0)
    law = guarantee("gaussian-analytic", 0.5, [noise], "add-remove", delta=1e-5)
    assert (law.basis, law.chance) == ("law", 1e-5)
    several = guarantee("gaussian-analytic", 0.5, [noise, noise], "add-remove", delta=1e-5, rows=3)
    assert several == guarantee_of_rho(2 * 9 / (2 * 9.0), 1e-5)
    assert guarantee("gaussian", 0.5, [noise], "add-remove", rho=True).basis == "law"


def test_simulated_decisions_are_as_often_right() -> None:
    noise, rng = el.DiscreteGaussianNoise(1.3), np.random.default_rng(5)
    draws = noise.sample(40_000, rng)
    share = (np.abs(draws + 1 - 1) < np.abs(draws + 1)).mean()  # there, the count is 1 + noise; nearer to 1 than to 0
    right = guarantee_of_noises([noise], "add-remove").right
    assert abs(share - right) < 4 * math.sqrt(right * (1 - right) / 40_000)


def test_a_delta_that_leaves_nothing_out_of_1_still_has_its_odds() -> None:
    found = guarantee_of_noises([el.GaussianNoise(30.0)], "add-remove", 1e-20)
    rho = 0.5 / 30.0**2
    assert found.log_odds == pytest.approx(rho + 2.0 * math.sqrt(rho * 20.0 * math.log(10.0)))
