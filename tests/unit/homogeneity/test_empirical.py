"""The simulation against the exact risks, its standard errors, and its reproducibility."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from epsilens.arrays import BoolArray, FloatArray
from epsilens.budget import ZCDP, Budget, ProbabilisticDP, PureDP
from epsilens.errors import ParameterError
from epsilens.homogeneity.average import average
from epsilens.homogeneity.belief import belief
from epsilens.homogeneity.by_value import prepare_by_value
from epsilens.homogeneity.empirical import STATISTICS, Simulation, empirical, simulate
from epsilens.homogeneity.local import SCENARIOS, local, scenarios
from epsilens.homogeneity.thresholding import hard, soft
from epsilens.noise import DiscreteLaplaceNoise, LaplaceNoise, calibrate
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
    guesses = np.isin(STATISTICS, ["hard", "soft"])
    assert (part.standard_error[guesses] > 1.1 * whole.standard_error[guesses]).all()
    rest = moving & ~guesses  # what is shown has the law of all cells, however few counts are drawn
    assert part.standard_error[rest] == pytest.approx(whole.standard_error[rest], rel=0.05)


def test_standard_error_covers_the_truth_as_often_as_it_should() -> None:
    noise = LaplaceNoise(1.0)
    truth = exact(TABLE, noise, True)[STATISTICS.index("hard")]
    misses = 0
    for seed in range(60):
        simulation = simulate(TABLE, noise, 40, np.random.default_rng(seed), max_draws=40 * 3 * 120)
        mean, _, error = simulation["hard"]
        misses += abs(mean - truth) > 2 * error
    assert misses <= 10  # about 3 of 60 expected


SMALL = [[2, 0, 1], [1, 0, 0], [0, 3, 0], [2, 0, 1], [1, 1, 2]]


def enumerated(counts: list[list[int]], harm: FloatArray, noise: Noise) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of every statistic of one release, over all published counts of every cell."""
    sizes = np.array(counts).sum(axis=1)
    mean, variance = np.zeros(len(STATISTICS)), np.zeros(len(STATISTICS))
    reach = np.arange(-9, 10)
    for cell, size in zip(counts, sizes, strict=True):
        chances = [
            {0: float(noise.cdf(0.5 - n)), **{n + int(z): float(noise.pmf(z)) for z in reach if n + z > 0}}
            for n in cell
        ]
        share, present = np.array(cell) / size, [n > 0 for n in cell]
        first, second = np.zeros(len(STATISTICS)), np.zeros(len(STATISTICS))
        for published in itertools.product(*(law.items() for law in chances)):
            numbers = np.array([number for number, _ in published])
            chance = float(np.prod([each for _, each in published]))
            x = statistics_of(numbers, share, np.array(present), harm)
            first, second = first + chance * x, second + chance * x**2
        weight = size / sizes.sum()
        mean, variance = mean + weight * first, variance + weight**2 * (second - first**2)
    return mean, np.sqrt(np.maximum(variance, 0.0))


def statistics_of(numbers: FloatArray, share: FloatArray, present: BoolArray, harm: FloatArray) -> FloatArray:
    """Of one published cell, from their definitions."""
    shown = numbers > 0
    labels, own = int(shown.sum()), bool((shown & present).any())
    outcome = "none" if labels == 0 else "several" if labels > 1 else "right" if own else "wrong"
    order = ("right", "wrong", "several", "none"), ("several", "none", "wrong", "right")
    one = present.sum() == 1
    events = [float(one and outcome == name) for name in order[0]] + [
        float(not one and outcome == name) for name in order[1]
    ]
    single = float(labels == 1)
    best = shown & (numbers == numbers.max())
    return np.array(
        [
            *events,
            single * (harm * present)[shown].sum(),
            single * (harm * share)[shown].sum(),
            (harm * share)[best].mean() if labels else 0.0,
            (harm * share) @ numbers / max(numbers.sum(), 1),
            single * (share * (harm > 0))[shown].sum(),
            single * ((1 - share) * (harm > 0))[shown].sum(),
        ]
    )


@pytest.mark.parametrize("declared", [(), ("label=0*2", "label=1")])
def test_means_and_spreads_are_those_of_all_published_tables(declared: tuple[str, ...]) -> None:
    table, noise = FrequencyTable.from_counts(SMALL), DiscreteLaplaceNoise(0.6)
    table = table.with_harm(*declared) if declared else table
    mean, sd = enumerated(SMALL, table.label_weights, noise)
    found = simulate(table, noise, 20_000, np.random.default_rng(11))
    assert found.cells_drawn == found.cells == 5
    assert found.sd == pytest.approx(sd, rel=0.03, abs=2e-3)
    assert (np.abs(found.mean - mean) <= 4.5 * sd / np.sqrt(20_000) + 1e-5).all()


def test_over_many_seeds_errors_are_as_large_as_they_are_said_to_be() -> None:
    """Squared errors in units of the exact standard error add up to a chi-squared sum; from all, some, and pairs."""
    table, noise = FrequencyTable.from_counts(SMALL), DiscreteLaplaceNoise(0.6)
    mean, sd = enumerated(SMALL, table.label_weights, noise)
    seeds, repeats = 150, 200
    for draws in (10**6, 3 * 60, 3 * 6):
        runs = [simulate(table, noise, repeats, np.random.default_rng(seed), max_draws=draws) for seed in range(seeds)]
        guesses = np.isin(STATISTICS, ["hard", "soft"])
        exact_error = np.where(guesses & (draws < 10**6), np.nan, sd / np.sqrt(repeats))
        for i in np.flatnonzero(sd > 1e-3):
            errors = [run.mean[i] - mean[i] for run in runs]
            scale = exact_error[i] if np.isfinite(exact_error[i]) else np.std(errors)
            assert sum((e / scale) ** 2 for e in errors) == pytest.approx(seeds, abs=5 * np.sqrt(2 * seeds))
            assert abs(np.mean(errors)) < 4.5 * scale / np.sqrt(seeds)  # unbiased
            if draws >= 3 * 60:
                said = np.mean([run.standard_error[i] ** 2 for run in runs])
                assert said == pytest.approx(np.var(errors), rel=0.45)


class CountingNoise:
    """A noise that counts what is drawn of it."""

    def __init__(self, noise: Noise) -> None:
        self.noise, self.drawn = noise, 0

    def __getattr__(self, name: str) -> object:
        return getattr(self.noise, name)

    def sample(self, shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        self.drawn += int(np.prod(shape))
        return self.noise.sample(shape, rng)


@pytest.mark.parametrize("max_draws", [12, 50, 300, 5_000, 10**7])
def test_no_more_is_drawn_than_allowed(max_draws: int) -> None:
    """Also with more signatures than draws, and all statistics stay unbiased."""
    noise = CountingNoise(LaplaceNoise(1.0))
    found = simulate(TABLE, noise, 50, np.random.default_rng(2), max_draws=max_draws)  # type: ignore[arg-type]
    assert 0 < noise.drawn <= max_draws
    assert noise.drawn >= min(0.5 * max_draws, 50 * 3 * 400)
    assert np.isfinite([found.mean, found.sd, found.standard_error]).all()
    assert found.mean[: len(SCENARIOS)].sum() == pytest.approx(1.0)


def test_pairs_of_drawn_signatures_tell_the_spread_of_the_whole_table() -> None:
    """An average over many pairs: mean and variance are unbiased however few signatures one run sees."""
    noise, repeats = LaplaceNoise(1.0), 50
    whole = simulate(TABLE, noise, 400, np.random.default_rng(5))
    runs = [simulate(TABLE, noise, repeats, np.random.default_rng(s), max_draws=3 * 40) for s in range(400)]
    for name in ("hard", "soft"):
        means, variances = np.array([run[name][0] for run in runs]), np.array([run[name][1] ** 2 for run in runs])
        assert abs(means.mean() - whole[name][0]) < 4.5 * means.std() / np.sqrt(len(runs))
        assert variances.mean() == pytest.approx(whole[name][1] ** 2, rel=0.1)


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
    with pytest.raises(ParameterError, match="max_draws must be a whole number >= 12, 4 cells of 3 labels, got 11"):
        empirical(TABLE, "laplace", [PureDP(1.0)], max_draws=11)
    with pytest.raises(ParameterError, match="statistic must be one of"):
        empirical(TABLE, "laplace", [PureDP(1.0)], repeats=2).curve("risk")
