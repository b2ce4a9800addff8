"""Distances of marginals, exact against simulated, and simulated against themselves."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import epsilens as el
from epsilens.arrays import FloatArray
from epsilens.errors import ParameterError
from epsilens.utility.marginal_distance import (
    all_marginals,
    distance_draws,
    marginal_distances,
    simulated_distances,
)

CELLS = {"age": ["20", "20", "30", "30"], "sex": ["f", "m", "f", "m"]}
TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [30, 4], [0, 10]], ["x", "y"], CELLS)


@pytest.mark.parametrize("sanitised", ["table", "marginals"])
def test_exact_distances_by_simulation(sanitised: str) -> None:
    noise, rng = el.DiscreteLaplaceNoise(1.5), np.random.default_rng(4)
    exact = {d.marginal: d for d in marginal_distances(TABLE, noise, sanitised=sanitised)}  # type: ignore[arg-type]
    assert len(exact) == 7
    cube = TABLE.counts.reshape(2, 2, 2)
    axes = {"age": 0, "sex": 1, "label": 2}
    for marginal, found in exact.items():
        away = tuple(axis for name, axis in axes.items() if name not in marginal)
        truth = cube.sum(axis=away)
        if sanitised == "table":
            noisy = (cube + noise.sample((20_000, 2, 2, 2), rng)).sum(axis=tuple(axis + 1 for axis in away))
        else:
            noisy = truth + noise.sample((20_000, *truth.shape), rng)
        tvd = 0.5 * np.abs(noisy - truth).reshape(20_000, -1).sum(axis=1) / TABLE.n_records
        assert found.distance == pytest.approx(tvd.mean(), abs=5 * tvd.std() / np.sqrt(20_000))
        assert found.cells == truth.size
        assert (found.ways, found.standard_error) == (len(marginal), None)


@pytest.mark.parametrize("sanitised", ["table", "marginals"])
def test_simulated_distances_of_clipped_shares(sanitised: str) -> None:
    noise = el.LaplaceNoise(2.0)
    first, second = (
        simulated_distances(TABLE, noise, np.random.default_rng(s), [["age"], ["age", "label"]], sanitised, 2000)  # type: ignore[arg-type]
        for s in (1, 2)
    )
    for a, b in zip(first, second, strict=True):
        assert 0 < a.distance < 1
        assert a.standard_error is not None
        assert b.standard_error is not None
        assert abs(a.distance - b.distance) < 5 * np.hypot(a.standard_error, b.standard_error)
    rng = np.random.default_rng(3)
    released = np.maximum(np.floor(TABLE.counts + noise.sample((2000, 4, 2), rng) + 0.5), 0)
    sums = released.reshape(2000, 2, 2, 2).sum(axis=(2, 3))
    tvd = 0.5 * np.abs(sums / sums.sum(axis=1, keepdims=True) - np.array([6, 44]) / 50).sum(axis=1)
    if sanitised == "table":
        assert first[0].distance == pytest.approx(tvd.mean(), abs=6 * tvd.std() / np.sqrt(2000))


@pytest.mark.parametrize("clipped", [True, False])
def test_the_distances_of_single_releases(clipped: bool) -> None:
    """The same draws, added up by hand: with ``clipped=False`` only counts of the marginal itself are raised to 0."""
    noise, marginal = el.LaplaceNoise(4.0), ["age", "sex"]
    (found,) = distance_draws(TABLE, noise, np.random.default_rng(5), [marginal], repetitions=50, clipped=clipped)
    noisy = np.floor(TABLE.counts + noise.sample((50, 4, 2), np.random.default_rng(5)) + 0.5)
    sums = np.maximum((np.maximum(noisy, 0) if clipped else noisy).sum(axis=2), 0)
    expected = 0.5 * np.abs(sums / sums.sum(axis=1, keepdims=True) - TABLE.counts.sum(axis=1) / TABLE.n_records).sum(
        axis=1
    )
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert (noisy < 0).any()
    averages = simulated_distances(TABLE, noise, np.random.default_rng(5), [marginal], repetitions=50)
    assert bool(averages[0].distance == pytest.approx(found.mean())) is clipped


def test_nobody_left_is_distance_one() -> None:
    table = el.FrequencyTable.from_counts([[1, 0]], cells={"age": ["20"]})
    (found,) = simulated_distances(table, el.GaussianNoise(1e-9), np.random.default_rng(1), [["age"]], "table", 3)
    assert found.distance == 0.0

    class Eraser(el.GaussianNoise):
        def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
            return np.full(size, -5.0)

    (found,) = simulated_distances(table, Eraser(1.0), np.random.default_rng(1), [["age"]], "table", 3)
    assert found.distance == 1.0


def test_user_supplied_marginals() -> None:
    assert len(all_marginals("abcdef")) == 6 + 15 + 20
    (found,) = marginal_distances(TABLE, el.LaplaceNoise(1.0), [["sex", "label"]])
    assert found.to_dict()["marginal"] == ["sex", "label"]
    for bad, problem in (
        ([["agee"]], "did you mean 'age'"),
        ([["age", "age"]], "once"),
        ([[]], "at least one"),
        (["age"], "list of lists"),
        ([], "list of lists"),
    ):
        with pytest.raises(ParameterError, match=problem):
            marginal_distances(TABLE, el.LaplaceNoise(1.0), bad)
    with pytest.raises(ParameterError, match="at least 2 repetitions"):
        simulated_distances(TABLE, el.LaplaceNoise(1.0), np.random.default_rng(1), repetitions=1)
    with pytest.raises(ParameterError, match="sanitised"):
        marginal_distances(TABLE, el.LaplaceNoise(1.0), sanitised="both")  # type: ignore[arg-type]
    assert list(itertools.chain(*all_marginals(["a"]))) == ["a"]
