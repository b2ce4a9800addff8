"""Risks of signatures from what they share are those of each label of each of them, added up."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.arrays import FloatArray, IntArray
from epsilens.budget import ApproxDP, PureDP
from epsilens.homogeneity.guesses import hard_guesses, soft_guesses
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.homogeneity.signature_risks import hard_of, local_of, soft_of, threshold_of
from epsilens.noise import LaplaceNoise, calibrate
from epsilens.noise.law import AnyNoise

RNG = np.random.default_rng(11)
LAWS: list[AnyNoise] = [
    *(calibrate("laplace", PureDP(epsilon)) for epsilon in (1e-3, 0.3, 2.0, 1e3)),
    *(calibrate("discrete-laplace", PureDP(epsilon)) for epsilon in (0.05, 1.0)),
    *(calibrate("gaussian-analytic", ApproxDP(epsilon, 1e-6)) for epsilon in (1e-2, 1.0)),
    *(calibrate("discrete-gaussian", ApproxDP(epsilon, 1e-6)) for epsilon in (0.5, 20.0)),
]


def drawn(cells: int, labels: int) -> IntArray:
    """Skewed cells, some of them empty, with labels that cannot occur."""
    sizes = RNG.geometric(0.12, cells) - 1
    counts = RNG.multinomial(sizes, RNG.dirichlet(np.full(labels, 0.5), cells)).astype(np.int64)
    counts[(counts == 0) & (RNG.random(counts.shape) < 0.1)] = -1
    return counts


def by_label(guesses: FloatArray, vectors: IntArray, match: str, weights: FloatArray | None) -> FloatArray:
    harm = 1.0 if weights is None else weights
    return np.asarray((match_weights(vectors, match) * harm * guesses).sum(axis=1))


@pytest.mark.parametrize("noise", LAWS, ids=str)
@pytest.mark.parametrize(("labels", "match"), [(2, "share"), (6, "any"), (20, "share")])
def test_they_are_the_sums_over_labels(noise: AnyNoise, labels: int, match: str) -> None:
    vectors = drawn(12, labels)
    for weights in (None, RNG.choice([0.0, 1.0, 3.0], labels), RNG.choice([0.5, 1.0], vectors.shape)):
        alone = shown_alone(*shown_and_hidden(vectors, noise))
        for made, guesses in (
            (local_of, alone),
            (hard_of, hard_guesses(vectors, noise)),
            (soft_of, soft_guesses(vectors, noise)),
        ):
            found = made(vectors, match, weights)(noise)
            np.testing.assert_allclose(found, by_label(guesses, vectors, match, weights), rtol=1e-12, atol=2e-13)


@pytest.mark.parametrize("noise", LAWS[1:7], ids=str)
def test_labels_that_nobody_has_compete(noise: AnyNoise) -> None:
    vectors, zeros = drawn(8, 4), RNG.integers(0, 30, 8)
    full = np.concatenate([vectors, np.where(np.arange(30) < zeros[:, None], 0, -1)], axis=1)
    for made in (local_of, hard_of, soft_of):
        np.testing.assert_allclose(
            made(vectors, "share", None, zeros)(noise), made(full, "share")(noise), rtol=1e-11, atol=2e-13
        )
    for guess in (hard_guesses, soft_guesses):
        np.testing.assert_allclose(guess(vectors, noise, zeros), guess(full, noise)[:, :4], rtol=1e-11, atol=2e-13)


def test_the_parts_add_up() -> None:
    vectors, noise, weights = drawn(40, 5), LaplaceNoise(1.3), np.array([2.0, 1.0, 1.0, 0.0, 0.0])
    for rule in ("hard", "soft"):
        parts = [threshold_of(vectors, rule, part, "share", weights)(noise) for part in ("homogeneity", "thresholding")]
        np.testing.assert_allclose(sum(parts), threshold_of(vectors, rule, "all", "share", weights)(noise), rtol=1e-13)


@pytest.mark.parametrize("made", [hard_of, soft_of])
def test_counts_far_apart(made: type) -> None:
    """Few cells with counts of all sizes: no grid serves them all."""
    vectors = np.array([[10**9, 10**9 - 3, 5], [10**9, 1, 0], [4000, 3990, 3985], [2, 1, 1], [0, 0, 0], [7, 7, -1]])
    for scale in (0.4, 30.0, 5e4):
        noise = LaplaceNoise(scale)
        guesses = (hard_guesses if made is hard_of else soft_guesses)(vectors, noise)
        np.testing.assert_allclose(
            made(vectors, "share")(noise), by_label(guesses, vectors, "share", None), rtol=1e-12, atol=2e-13
        )


def test_many_vectors_are_cut_where_their_counts_lie_apart() -> None:
    vectors = -np.sort(-RNG.geometric(0.02, (5000, 3)), axis=1)
    noise = LaplaceNoise(0.7)
    ready = hard_of(vectors, "any")
    some = RNG.choice(5000, 40, replace=False)
    np.testing.assert_allclose(
        ready(noise)[some], by_label(hard_guesses(vectors[some], noise), vectors[some], "any", None), atol=2e-13
    )
    np.testing.assert_array_equal(ready(noise), ready(noise))  # what is kept from one noise does not move the next


@pytest.mark.parametrize("made", [local_of, hard_of, soft_of])
def test_no_vectors(made: type) -> None:
    assert made(np.zeros((0, 3), dtype=np.int64), "any")(LaplaceNoise(1.0)).shape == (0,)
