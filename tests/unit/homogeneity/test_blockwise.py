"""Measures over blocks of sparse count vectors are those of full rows."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import epsilens as el
from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.homogeneity import blockwise, by_value
from epsilens.homogeneity.blockwise import BlockwiseValues, FewLabelsValues, blockwise_risks, hidden_zeros
from epsilens.homogeneity.by_value import prepare_by_value
from epsilens.homogeneity.local import match_weights, other_weights
from epsilens.homogeneity.measures import prepare
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.noise.law import AnyNoise
from epsilens.table.count_vectors import Block, CountVectors

NOISE = el.LaplaceNoise(1.1)


def table(labels: int = 6) -> el.FrequencyTable:
    rng = np.random.default_rng(labels)
    counts = np.where(rng.random((30, labels)) < 0.5, rng.poisson(1.5, (30, labels)), 0)
    counts[3] = 0
    counts[:, 1] += 1
    zeros = (counts == 0) & (rng.random(counts.shape) < 0.2)
    return el.FrequencyTable.from_counts(counts, structural_zeros=zeros)


@pytest.mark.parametrize("harm", [False, True])
@pytest.mark.parametrize("measure", ["local", "expected", "marginal", "hard", "soft", "shrinkage"])
def test_few_labels_as_a_matrix_or_as_blocks(measure: str, harm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    people = table().with_harm("label=0*3", "label=1", "label=4") if harm else table()
    results = []
    for few in (16, 0):
        for module in (by_value, blockwise):
            monkeypatch.setattr(module, "FEW_LABELS", few)
        shares = prepare_by_value(people, measure).shares(NOISE)
        results.append(
            [
                *prepare(measure, people, match="share").risks(NOISE),
                *(number for value in shares for number in (value.shown_right, value.shown_wrong)),
            ]
        )
    np.testing.assert_allclose(results[0], results[1], rtol=1e-12)


def values(block: Block) -> blockwise.BlockValues:
    def both(noise: AnyNoise) -> tuple[FloatArray, FloatArray]:
        alone = shown_alone(*shown_and_hidden(block.vectors, noise)) * hidden_zeros(block.zeros, noise)[:, None]
        return alone * (block.vectors > 0), alone * (block.vectors == 0)

    return both


def test_sums_by_label_and_by_vector_are_those_of_full_matrices() -> None:
    """Label 1 is in every cell with people: what it adds where it is not listed is summed, not left over."""
    vectors, _ = table(9).sparse_signatures(ordered=True)
    ready = BlockwiseValues(vectors, values)
    right, wrong = ready(NOISE)
    matrix, some = vectors.dense(), vectors.sizes > 0
    alone = shown_alone(*shown_and_hidden(matrix, NOISE)) * some[:, None]
    np.testing.assert_allclose(right, alone * (matrix > 0), rtol=1e-13)
    np.testing.assert_allclose(wrong, alone * (matrix == 0), rtol=1e-13)
    weights = np.linspace(1.0, 2.0, len(matrix))
    for found, whole in zip(ready.sums(NOISE, weights), (right, wrong), strict=True):
        np.testing.assert_allclose(found, weights @ whole, rtol=1e-13, atol=1e-300)
    harm = np.array([0.0, 1, 0, 2, 1, 0, 0, 3, 1])
    np.testing.assert_allclose(ready.wrong_of_labels(NOISE, harm), wrong @ harm, rtol=1e-13)


@pytest.mark.parametrize("labels", [2, 3, 5, 16])
def test_few_labels_are_two_halves(labels: int) -> None:
    vectors, _ = table(labels).sparse_signatures(ordered=True)
    ready, matrix = FewLabelsValues(vectors), vectors.dense()
    alone = shown_alone(*shown_and_hidden(matrix, NOISE))
    share, others = match_weights(matrix, "share"), other_weights(matrix)
    right, wrong = ready(NOISE)
    np.testing.assert_allclose(right, share * alone, rtol=1e-13)
    np.testing.assert_allclose(wrong, others * alone, rtol=1e-13)
    weights, harm = np.linspace(1.0, 2.0, len(matrix)), as_floats(np.arange(labels) % 3)
    for found, whole in zip(ready.sums(NOISE, weights), (right, wrong), strict=True):
        np.testing.assert_allclose(found, weights @ whole, rtol=1e-13)
    np.testing.assert_allclose(ready.wrong_of_labels(NOISE, harm), wrong @ harm, rtol=1e-13)


def test_vectors_without_people_have_no_risk() -> None:
    def nobody(block: IntArray, weights: FloatArray | None, zeros: IntArray | None) -> blockwise.Risks:
        assert zeros is not None
        assert (block.max(axis=1) > 0).all()
        assert weights is None
        return lambda noise: hidden_zeros(zeros, noise)

    vectors = CountVectors.of(np.array([[0, 0, -1], [2, 0, 0], [-1, -1, -1]]))
    found = blockwise_risks(vectors, None, nobody)(NOISE)
    assert found.tolist() == [0.0, float(NOISE.cdf(0.5)) ** 2, 0.0]


def test_harmfully_wrong_is_the_sum_over_harmful_labels() -> None:
    people = table(5).with_harm("label=1", "label=3*2")
    ready = prepare_by_value(people)
    plain = dataclasses.replace(
        ready, signatures=ready.counts, right_and_wrong=lambda noise: ready.right_and_wrong(noise)
    )
    np.testing.assert_allclose(ready.harmfully_wrong(NOISE), plain.harmfully_wrong(NOISE), rtol=1e-13)
    for one, other in zip(ready.shares(NOISE), plain.shares(NOISE), strict=True):
        assert one.shown_wrong == pytest.approx(other.shown_wrong, rel=1e-13)


def test_shrinkage_by_value_is_evaluated_by_size_and_possible_labels() -> None:
    people = table(7).with_harm("label=1", "label=5*2")
    ready = prepare_by_value(people, "shrinkage", alpha=[1.0, 2, 3, 0.5, 1, 1, 2])
    right, wrong = ready.right_and_wrong(NOISE)
    weights = ready.counts.sizes * ready.multiplicities / people.n_records
    shares = ready.shares(NOISE)
    np.testing.assert_allclose([value.shown_right for value in shares], weights @ right, rtol=1e-13)
    np.testing.assert_allclose([value.shown_wrong for value in shares], weights @ wrong, rtol=1e-13)
    np.testing.assert_allclose(ready.harmfully_wrong(NOISE), wrong @ (ready.weights > 0), rtol=1e-13)
