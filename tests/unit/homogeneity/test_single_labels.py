"""Sums over the label that a cell shows alone, against the labels one by one."""

from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.arrays import FloatArray, IntArray
from epsilens.homogeneity import single_labels
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.homogeneity.single_labels import SingleLabels, WeighedLabels
from epsilens.noise.law import AnyNoise
from epsilens.table.count_vectors import Block, CountVectors


def matrix(rows: int, labels: int) -> IntArray:
    rng = np.random.default_rng(rows)
    return np.where(rng.random((rows, labels)) < 0.4, rng.poisson(2.0, (rows, labels)), 0) - (
        rng.random((rows, labels)) < 0.1
    )


@pytest.mark.parametrize("few", [0, 64])
@pytest.mark.parametrize("noise", [el.LaplaceNoise(1.3), el.GaussianNoise(2.0), el.DiscreteLaplaceNoise(0.8)])
def test_sums_are_those_of_labels_one_by_one(noise: AnyNoise, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_labels, "_FEW_ROWS", few)
    vectors = np.clip(np.concatenate([matrix(40, 9), np.zeros((1, 9), dtype=np.int64)]), -1, None)
    wide = np.tile(vectors, 12)
    for counts in (vectors, wide):
        weights = np.arange(1.0, counts.shape[1] + 1)
        alone = shown_alone(*shown_and_hidden(counts, noise))

        def of_zeros(block: Block, counts: IntArray = counts, weights: FloatArray = weights) -> FloatArray:
            return np.asarray((counts[block.rows] == 0) @ weights)

        def of_people(block: Block, weights: FloatArray = weights) -> FloatArray:
            return weights[block.labels]

        ways = [WeighedLabels(lambda block: None), WeighedLabels(of_people, of_zeros)]
        found = SingleLabels(CountVectors.of(counts), ways)(noise)
        np.testing.assert_allclose(found[0], (alone * (counts > 0)).sum(axis=1), rtol=1e-13)
        np.testing.assert_allclose(found[1], alone @ weights, rtol=1e-13)


def test_chances_of_counts_are_taken_as_they_are_given() -> None:
    noise, vectors = el.LaplaceNoise(1.3), CountVectors.of(np.clip(matrix(40, 9), 0, None))
    ready = SingleLabels(vectors, [WeighedLabels(lambda block: None, lambda block: block.zeros)])
    sides = noise.sf(0.5 - ready.counts), noise.cdf(0.5 - ready.counts)
    nobody = np.full(40, noise.sf(0.5)), np.full(40, noise.cdf(0.5))
    np.testing.assert_allclose(ready.of_chances(*sides, *nobody), ready(noise), rtol=1e-13)
    certain = ready.of_chances(*sides, np.ones(40), np.zeros(40))[0]  # whatever nobody has is shown
    assert certain[vectors.zeros > 1].tolist() == [0.0] * int((vectors.zeros > 1).sum())
