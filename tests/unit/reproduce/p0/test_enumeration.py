from __future__ import annotations

import math

import pytest
from scipy import stats

from epsilens.reproduce.p0.enumeration import (
    Law,
    Sizes,
    dirichlet_moment,
    homogeneous_risk,
    outcomes,
    over_draws,
    over_shares,
    risk,
    scenario,
    scenario_chance,
    shown,
    tables,
    ways,
)

LAPLACE, GAUSSIAN = Law("laplace", 1.0), Law("gaussian", 0.8)


@pytest.mark.parametrize("law", [LAPLACE, GAUSSIAN], ids=str)
def test_the_noise_is_that_of_the_room(law: Law) -> None:
    for count in range(6):
        assert shown(count, law) == pytest.approx(float(law.noise.sf(0.5 - count)), rel=1e-12)


@pytest.mark.parametrize("cell", [(3, 0), (1, 1), (2, 1, 1), (0, 0, 4, 1)])
def test_scenarios_are_all_there_is(cell: tuple[int, ...]) -> None:
    assert math.fsum(chance for _, chance in outcomes(cell, LAPLACE)) == pytest.approx(1.0, abs=1e-14)
    chances = [scenario_chance(cell, LAPLACE, number) for number in range(1, 9)]
    assert math.fsum(chances) == pytest.approx(1.0, abs=1e-14)
    assert risk(cell, LAPLACE) == pytest.approx(chances[0] + chances[7], abs=1e-15)
    assert homogeneous_risk(cell, LAPLACE) == chances[0]


def test_scenarios_by_hand() -> None:
    wanted = {(): 4, (0,): 1, (1,): 2, (0, 1): 3}
    assert {labels: scenario((2, 0), labels) for labels in wanted} == wanted
    wanted = {(): 6, (0,): 8, (1,): 8, (2,): 7, (0, 1): 5, (0, 2): 5}
    assert {labels: scenario((2, 1, 0), labels) for labels in wanted} == wanted


def test_three_labels_have_three_eighths_under_endless_noise() -> None:
    assert risk((1, 1, 1), Law("laplace", 1e-9)) == pytest.approx(3 / 8, abs=1e-8)
    assert risk((1, 1, 1), Law("laplace", 1e-9), "share") == pytest.approx(1 / 8, abs=1e-8)


def test_draws_add_up_to_one_and_have_their_means() -> None:
    assert over_draws(5, (0.2, 0.3, 0.5), lambda _: 1.0) == pytest.approx(1.0)
    assert over_draws(5, (0.2, 0.3, 0.5), lambda cell: cell[2]) == pytest.approx(2.5)
    assert over_shares(5, (1.0, 2.0, 0.5), lambda _: 1.0) == pytest.approx(1.0)
    assert over_shares(5, (1.0, 2.0, 0.5), lambda cell: cell[1]) == pytest.approx(5 * 2.0 / 3.5)
    assert dirichlet_moment((2, 1), (1.0, 1.0)) == pytest.approx(1 / 12)
    assert sum(map(ways, tables(4, 3))) == 3**4


def test_sums_over_sizes() -> None:
    for sizes in (Sizes(1.7), Sizes(0.9, 0.8)):
        assert sizes.expectation(lambda _: 1.0, first=0) == pytest.approx(1.0, abs=1e-11)
        assert sizes.expectation(lambda n: n) == pytest.approx(sizes.rate, abs=1e-9)
    law = stats.gamma(0.8, scale=0.9 / 0.8)
    mixed = law.expect(lambda rate: stats.poisson.pmf(2, rate), lb=0)
    assert Sizes(0.9, 0.8).chance(2) == pytest.approx(mixed, rel=1e-6)
