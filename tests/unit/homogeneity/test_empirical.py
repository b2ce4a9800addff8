"""The simulation against the exact risks, its standard errors, and its reproducibility."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.arrays import FloatArray
from epsilens.budget import ZCDP, Budget, ProbabilisticDP, PureDP
from epsilens.errors import ParameterError
from epsilens.homogeneity.average import average
from epsilens.homogeneity.belief import belief
from epsilens.homogeneity.by_value import prepare_by_value
from epsilens.homogeneity.empirical import STATISTICS, Simulation, empirical, simulate
from epsilens.homogeneity.local import SCENARIOS, local, scenarios
from epsilens.homogeneity.thresholding import hard, soft
from epsilens.noise import LaplaceNoise, calibrate
from epsilens.noise.law import Noise
from epsilens.table.frequency import FrequencyTable

rng = np.random.default_rng(2024)
COUNTS = rng.multinomial(rng.poisson(3, 400) + 1, [0.7, 0.2, 0.1])
TABLE = FrequencyTable.from_counts(COUNTS)


def exact(table: FrequencyTable, noise: Noise, weighted: bool) -> FloatArray:
    columns = [
        *scenarios(table, noise).T,
        local(table, noise),
        local(table, noise, match="share"),
        hard(table, noise),
        soft(table, noise),
    ]
    values = [value for value in prepare_by_value(table).shares(noise, weighted) if value.weight > 0]
    sides = [sum(value.shown_right for value in values), sum(value.shown_wrong for value in values)]
    return np.array([*(average(column, table, weighted) for column in columns), *sides])


def agrees(simulation: Simulation, truth: FloatArray) -> bool:
    return bool((np.abs(simulation.mean - truth) <= 5 * simulation.standard_error + 1e-12).all())


@pytest.mark.parametrize(
    ("mechanism", "budget"),
    [
        ("laplace", PureDP(0.7)),
        ("discrete-laplace", PureDP(1.5)),
        ("gaussian", ProbabilisticDP(2.0, 1e-3)),
        ("discrete-gaussian", ZCDP(0.3)),
    ],
)
@pytest.mark.parametrize("weighted", [True, False])
def test_every_statistic_agrees_with_its_exact_value(mechanism: str, budget: Budget, weighted: bool) -> None:
    result = empirical(TABLE, mechanism, [budget], repeats=200, seed=1, weighted=weighted)
    simulation = result.simulations[0]
    assert simulation.cells_drawn == simulation.cells == 400
    assert agrees(simulation, exact(TABLE, calibrate(mechanism, budget), weighted))
    assert simulation.mean[: len(SCENARIOS)].sum() == pytest.approx(1.0)


@pytest.mark.parametrize("declared", [("label=1",), ("label=0*2.5", "label=2"), ("label=2*4",)])
def test_what_is_simulated_counts_labels_by_their_harm(declared: tuple[str, ...]) -> None:
    table, noise = TABLE.with_harm(*declared), LaplaceNoise(0.9)
    simulation = simulate(table, noise, 200, np.random.default_rng(9))
    assert agrees(simulation, exact(table, noise, True))
    both = belief(table, noise)
    assert abs(simulation["shown-right"][0] - both.right) <= 5 * simulation["shown-right"][2]
    assert abs(simulation["shown-wrong"][0] - both.wrong) <= 5 * simulation["shown-wrong"][2]


def test_a_sample_of_the_cells_stays_unbiased_and_says_its_error() -> None:
    noise = LaplaceNoise(1.0)
    whole = simulate(TABLE, noise, 400, np.random.default_rng(5))
    part = simulate(TABLE, noise, 400, np.random.default_rng(6), max_draws=400 * 3 * 150)
    assert part.cells_drawn <= 150 < part.cells
    assert agrees(part, exact(TABLE, noise, True))
    moving = whole.sd > 1e-3
    assert part.sd[moving] == pytest.approx(whole.sd[moving], rel=0.25)  # still that of the whole table
    assert (part.standard_error[moving] > 1.1 * whole.standard_error[moving]).all()


def test_standard_error_covers_the_truth_as_often_as_it_should() -> None:
    noise = LaplaceNoise(1.0)
    truth = exact(TABLE, noise, True)[STATISTICS.index("hard")]
    misses = 0
    for seed in range(60):
        simulation = simulate(TABLE, noise, 40, np.random.default_rng(seed), max_draws=40 * 3 * 120)
        mean, _, error = simulation["hard"]
        misses += abs(mean - truth) > 2 * error
    assert misses <= 10  # about 3 of 60 expected


def test_a_budget_gives_the_same_numbers_alone_as_among_others() -> None:
    many = empirical(TABLE, "laplace", [PureDP(0.1), PureDP(1.0), PureDP(5.0)], repeats=20, seed=3)
    alone = empirical(TABLE, "laplace", [PureDP(1.0)], repeats=20, seed=3)
    assert np.array_equal(many.simulations[1].mean, alone.simulations[0].mean)
    assert not np.array_equal(
        alone.simulations[0].mean, empirical(TABLE, "laplace", [PureDP(1.0)], repeats=20, seed=4).simulations[0].mean
    )


def test_rows_curve_and_progress() -> None:
    done: list[int] = []
    result = empirical(TABLE, "laplace", [PureDP(0.5), PureDP(2.0)], repeats=30, progress=done.append)
    assert sum(done) == 60
    rows = result.to_rows()
    assert len(rows) == 2 * len(STATISTICS)
    assert rows[0]["epsilon"] == 0.5
    means, spreads, errors = result.curve("local")
    assert means.shape == spreads.shape == errors.shape == (2,)
    assert errors == pytest.approx(spreads / np.sqrt(30))


def test_large_tables_are_drawn_in_blocks_and_structural_zeros_stay_hidden() -> None:
    zeros = np.zeros((3, 2), dtype=bool)
    zeros[0, 1] = True
    table = FrequencyTable.from_counts([[4, 0], [1, 1], [0, 0]], structural_zeros=zeros)
    noise = LaplaceNoise(3.0)
    assert agrees(simulate(table, noise, 3000, np.random.default_rng(1)), exact(table, noise, True))
    many = FrequencyTable.from_counts(np.tile([[2, 1], [0, 5]], (200_000, 1)))
    simulation = simulate(many, noise, 4, np.random.default_rng(1))
    assert simulation.cells_drawn == 400_000
    assert agrees(simulation, exact(FrequencyTable.from_counts([[2, 1], [0, 5]]), noise, True))


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="repeats must be a whole number >= 2, got 1"):
        empirical(TABLE, "laplace", [PureDP(1.0)], repeats=1)
    with pytest.raises(ParameterError, match="at least one budget"):
        empirical(TABLE, "laplace", [])
    with pytest.raises(ParameterError, match="did you mean 'laplace'"):
        empirical(TABLE, "laplase", [PureDP(1.0)])
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        empirical(TABLE, "laplace", [PureDP(1.0)], seed=-1)
    with pytest.raises(ParameterError, match="max_draws"):
        empirical(TABLE, "laplace", [PureDP(1.0)], max_draws=0)
    with pytest.raises(ParameterError, match="statistic must be one of"):
        empirical(TABLE, "laplace", [PureDP(1.0)], repeats=2).curve("risk")
