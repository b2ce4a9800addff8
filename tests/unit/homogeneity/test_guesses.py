"""What attackers guess who read every cell."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.arrays import FloatArray
from epsilens.homogeneity.guesses import (
    TabledLaw,
    decay_nodes,
    hard_guesses,
    nodes_enough,
    soft_guesses,
    unit_nodes,
)
from epsilens.homogeneity.shown import number_shown, shown_and_hidden
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise
from epsilens.noise.law import Noise
from epsilens.noise.whole_number_sums import reach
from epsilens.table.frequency import STRUCTURAL_ZERO

SMALL_CELLS = [(1, 1, 1), (3, 0, 2), (0, 0, 0), (6, 0, 0), (2, 2, 0), (4, 1, 1)]


LAWS: list[Noise] = [
    DiscreteLaplaceNoise(0.9),
    DiscreteGaussianNoise(1.3),
    LaplaceNoise(1.0),
    GaussianNoise(1.7),
    LaplaceNoise(0.05),
]


def published_law(count: int, noise: Noise) -> FloatArray:
    """P(published count = 0, 1, 2, ...), straight from the definition."""
    if count == STRUCTURAL_ZERO:
        return np.ones(1)
    far = 1
    while float(noise.sf(far)) > 1e-15:
        far += 1
    m = np.arange(0.0, count + far + 1)
    mass = noise.pmf(m - count)
    mass[0] = float(noise.cdf(0.5 - count))
    return mass


def enumerated(cell: tuple[int, ...], noise: Noise) -> tuple[FloatArray, FloatArray]:
    """Guesses of the hard and the soft attacker by going through every published cell."""
    laws = [published_law(count, noise) for count in cell]
    shape = tuple(len(law) for law in laws)
    weight = np.ones(shape)
    for k, law in enumerate(laws):
        weight = weight * law.reshape([-1 if j == k else 1 for j in range(len(laws))])
    published = np.moveaxis(np.indices(shape), 0, -1)
    total = published.sum(axis=-1, keepdims=True)
    winners = (published == published.max(axis=-1, keepdims=True)) & (published > 0)
    hard_rule = winners / np.maximum(winners.sum(axis=-1, keepdims=True), 1)
    soft_rule = published / np.maximum(total, 1)
    axes = tuple(range(len(cell)))
    return (weight[..., None] * hard_rule).sum(axis=axes), (weight[..., None] * soft_rule).sum(axis=axes)


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_guesses_are_those_of_full_enumeration(noise: Noise) -> None:
    for cell in SMALL_CELLS:
        by_plurality, by_proportion = enumerated(cell, noise)
        assert hard_guesses(np.array([cell]), noise)[0] == pytest.approx(by_plurality, abs=1e-10)
        assert soft_guesses(np.array([cell]), noise)[0] == pytest.approx(by_proportion, abs=1e-10)


def test_a_structural_zero_is_never_guessed() -> None:
    noise = LaplaceNoise(1.0)
    cell = (2, STRUCTURAL_ZERO, 1)
    by_plurality, by_proportion = enumerated(cell, noise)
    assert hard_guesses(np.array([cell]), noise)[0] == pytest.approx(by_plurality, abs=1e-12)
    assert soft_guesses(np.array([cell]), noise)[0] == pytest.approx(by_proportion, abs=1e-12)
    assert by_plurality[1] == by_proportion[1] == 0.0


@pytest.mark.parametrize("noise", [LaplaceNoise(400.0), GaussianNoise(300.0), DiscreteLaplaceNoise(250.0)], ids=str)
@pytest.mark.parametrize("cell", [(3, 0), (500, 20), (5000, 4800)])
def test_shortened_sums_agree_with_full_ones(noise: Noise, cell: tuple[int, int]) -> None:
    m = np.arange(1.0, max(cell) + reach(noise) + 1)
    first, tied = noise.pmf(m - cell[0]), noise.pmf(m - cell[1])
    expected = float((first * (noise.cdf(m - 0.5 - cell[1]) + 0.5 * tied)).sum())
    assert hard_guesses(np.array([cell]), noise)[0, 0] == pytest.approx(expected, abs=1e-12)


def test_soft_guesses_agree_with_a_full_double_sum_at_a_large_scale() -> None:
    noise = LaplaceNoise(40.0)
    laws = [published_law(count, noise) for count in (70, 15)]
    m, other = np.ogrid[: len(laws[0]), : len(laws[1])]
    share = m / np.maximum(m + other, 1)
    expected = float(laws[0] @ share @ laws[1])
    assert soft_guesses(np.array([[70, 15]]), noise)[0, 0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "noise", [LaplaceNoise(1e6), GaussianNoise(1e6), LaplaceNoise(1e3), LaplaceNoise(1.0)], ids=str
)
def test_guesses_and_silence_add_up_to_one_for_huge_noise_and_huge_counts(noise: Noise) -> None:
    cells = np.array([[1, 0, 0, 0], [100_000, 99_990, 3, 0], [7, 7, 7, 7], [50_000, 20, 1, 0], [0, 0, 0, 0]])
    silent, _, _ = number_shown(*shown_and_hidden(cells, noise))
    assert hard_guesses(cells, noise).sum(axis=1) + silent == pytest.approx(np.ones(5), abs=1e-12)
    assert soft_guesses(cells, noise).sum(axis=1) + silent == pytest.approx(np.ones(5), abs=1e-12)


def test_many_different_large_counts_are_cut_into_blocks() -> None:
    counts = np.random.default_rng(5).integers(0, 100_000, (300, 6))
    guesses = hard_guesses(counts, LaplaceNoise(2000.0))
    assert guesses[17] == pytest.approx(hard_guesses(counts[17:18], LaplaceNoise(2000.0))[0], abs=1e-13)
    assert guesses.sum(axis=1).max() <= 1 + 1e-12


def test_as_many_nodes_as_ties_need() -> None:
    """The integral over z of prod (1 - (1 - z) y_j), sum of y = ties, to 1e-13."""
    drawn = np.random.default_rng(2)
    for ties in (1e-8, 1e-3, 0.05, 0.4, 2.0, 9.0, 40.0):
        for labels in (12, 200):
            y = np.minimum(ties * drawn.dirichlet(np.ones(labels)), 1.0)
            nodes, weights = unit_nodes(120)
            exact = float(weights @ np.prod(1.0 - (1.0 - nodes[:, None]) * y, axis=1))
            some, their_weights = unit_nodes(int(nodes_enough(np.array([y.sum()]))[0]))
            found = float(their_weights @ np.prod(1.0 - (1.0 - some[:, None]) * y, axis=1))
            assert found == pytest.approx(exact, abs=1.2e-13)


@pytest.mark.parametrize("scale", [0.3, 5.0, 1e5])
def test_nodes_of_decay_integrate_every_size(scale: float) -> None:
    """The integral of M e^(-s M) is 1 for every M from 1 to the largest that can be published."""
    vectors = np.array([[40, 3, 0], [1, 0, 0]])
    s, weights = decay_nodes(vectors, np.zeros(2, dtype=np.int64), TabledLaw.of(LaplaceNoise(scale)))
    sizes = np.unique(np.geomspace(1, 43 + 60 * scale, 200).astype(np.int64))[:, None]
    np.testing.assert_allclose((sizes * np.exp(-sizes * s)) @ weights, 1.0, rtol=0, atol=2e-14)
