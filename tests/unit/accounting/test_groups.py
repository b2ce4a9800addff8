"""What a budget is worth for several people: group privacy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.accounting.groups import group_budget, group_epsilon, noise_for_group, person_budget
from epsilens.budget import ZCDP, ApproxDP, ProbabilisticDP, PureDP
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise, calibrate
from epsilens.noise.gaussian import gaussian_log_delta
from epsilens.noise.published import CountNoise


def test_pure_and_concentrated_budgets_grow_with_people() -> None:
    assert group_budget(PureDP(0.5), 4) == PureDP(2.0)
    assert vars(group_budget(ZCDP(0.1), 3)) == {"rho": pytest.approx(0.9)}
    assert person_budget(PureDP(2.0), 4) == PureDP(0.5)
    assert vars(person_budget(ZCDP(0.9), 3)) == {"rho": pytest.approx(0.1)}


@pytest.mark.parametrize("members", [1, 2, 4, 9])
def test_any_mechanism_pays_step_by_step(members: int) -> None:
    epsilon, delta = 0.3, 1e-6
    found = group_budget(ApproxDP(epsilon, delta), members)
    steps = sum(math.exp(i * epsilon) for i in range(members))
    assert vars(found) == {"epsilon": pytest.approx(members * epsilon), "delta": pytest.approx(delta * steps)}
    back = person_budget(found, members)
    assert vars(back) == {"epsilon": pytest.approx(epsilon), "delta": pytest.approx(delta)}


@pytest.mark.parametrize("noise", [DiscreteLaplaceNoise(1.3), DiscreteGaussianNoise(1.7)], ids=repr)
@pytest.mark.parametrize("members", [1, 2, 5])
def test_the_epsilon_of_a_group_is_that_of_a_count_that_moves_by_so_many(noise: Noise, members: int) -> None:
    epsilon = group_epsilon(noise, members, 1e-4)
    k = np.arange(-80.0, 81.0)
    law = CountNoise(noise)
    log_p, log_q = law.logpmf(k), law.logpmf(k - members)

    def delta(at: float) -> float:
        return float(np.maximum(np.exp(log_p) - np.exp(at + log_q), 0.0).sum())

    assert delta(epsilon) == pytest.approx(1e-4, rel=1e-6) or delta(0.0) <= 1e-4
    assert delta(epsilon * 0.999) > 1e-4


def test_gaussian_noise_has_the_closed_form() -> None:
    epsilon = group_epsilon(GaussianNoise(4.0), 3, 1e-6)
    assert math.exp(gaussian_log_delta(epsilon, 3.0 / 4.0)) == pytest.approx(1e-6, rel=1e-5)
    assert epsilon == pytest.approx(group_epsilon(GaussianNoise(4.0 / 3.0), 1, 1e-6), rel=1e-7)


def test_who_is_substituted_moves_two_counts() -> None:
    both = group_epsilon(GaussianNoise(4.0), 3, 1e-6, "substitute")
    assert both == pytest.approx(group_epsilon(GaussianNoise(4.0 / math.sqrt(2.0)), 3, 1e-6), rel=1e-6)


@pytest.mark.parametrize("mechanism", ["gaussian-analytic", "discrete-gaussian"])
def test_the_law_is_never_worth_less_than_the_budget_alone(mechanism: str) -> None:
    budget = ApproxDP(0.5, 1e-6)
    noise = calibrate(mechanism, budget)
    for members in (1, 2, 4, 10):
        anyhow = group_budget(budget, members)
        assert isinstance(anyhow, ApproxDP)
        assert group_epsilon(noise, members, anyhow.delta) <= anyhow.epsilon * (1 + 1e-6)


def test_golden_numbers_of_a_household() -> None:
    found = group_budget(ApproxDP(1.0, 1e-6), 4, "gaussian-analytic")
    assert vars(found) == {"epsilon": pytest.approx(4.592415, abs=1e-5), "delta": 1e-6}
    back = person_budget(ApproxDP(1.0, 1e-6), 4, "gaussian-analytic")
    assert vars(back) == {"epsilon": pytest.approx(0.226539, abs=1e-5), "delta": 1e-6}
    assert group_epsilon(LaplaceNoise(1.0), 4) == 4.0
    assert math.isinf(group_epsilon(GaussianNoise(1.0), 4))
    assert group_epsilon(LaplaceNoise(1.0), 4, neighbours="substitute") == 8.0


def test_probabilistic_budgets_are_told_by_the_law() -> None:
    found = group_budget(ProbabilisticDP(0.5, 1e-3), 2, "gaussian-probabilistic")
    assert isinstance(found, ApproxDP)
    assert found.epsilon < 1.2


def test_noise_for_a_group_is_wider_by_its_size() -> None:
    assert noise_for_group("laplace", PureDP(1.0), 7) == LaplaceNoise(7.0)
    assert noise_for_group("discrete-gaussian", ZCDP(0.5), 3, "substitute").size == pytest.approx(3 * math.sqrt(2))


def test_bad_input_is_refused() -> None:
    for members in (0, -1, 1.5, True, "x"):
        with pytest.raises(ParameterError):
            group_budget(PureDP(1.0), members)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="nothing to 30 people"):
        group_budget(ApproxDP(1.0, 1e-6), 30)
    with pytest.raises(ParameterError, match="must lie in"):
        group_epsilon(LaplaceNoise(1.0), 2, 1.0)


def test_where_delta_is_enough_there_is_next_to_no_epsilon() -> None:
    found = group_budget(ApproxDP(1e-9, 0.5), 1, "gaussian-analytic")
    assert isinstance(found, ApproxDP)
    assert found.epsilon < 1e-8
