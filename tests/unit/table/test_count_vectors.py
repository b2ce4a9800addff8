"""Count vectors in sparse form: every operation is that of full rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from epsilens.arrays import IntArray, distinct_and_positions, distinct_rows
from epsilens.errors import DataError
from epsilens.table import count_vectors
from epsilens.table.cell_store import regrouped_vectors
from epsilens.table.count_vectors import STRUCTURAL_ZERO, CountVectors, over_blocks
from epsilens.table.harm import in_canonical_order

COUNTS = st.sampled_from([STRUCTURAL_ZERO, 0, 0, 0, 1, 1, 2, 3, 17, 2**53])
MATRICES = hnp.arrays(np.int64, st.tuples(st.integers(1, 9), st.integers(2, 7)), elements=COUNTS)


@given(MATRICES, st.integers(0, 2**32 - 1))
@settings(max_examples=150)
def test_every_operation_is_that_of_full_rows(matrix: IntArray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, labels = matrix.shape
    matrix = np.concatenate([matrix, matrix[rng.integers(0, rows, 3)]])
    vectors = CountVectors.of(matrix)
    del vectors.__dict__["_matrix"]  # what was given is not simply given back
    people = np.maximum(matrix, 0)
    assert (len(vectors), vectors.shape) == (len(matrix), matrix.shape)
    assert np.array_equal(vectors.dense(), matrix)
    assert np.array_equal(np.asarray(vectors), matrix)
    assert vectors.sizes.tolist() == people.sum(axis=1).tolist()
    assert vectors.positive.tolist() == (matrix > 0).sum(axis=1).tolist()
    assert vectors.zeros.tolist() == (matrix == 0).sum(axis=1).tolist()
    assert vectors.largest.tolist() == people.max(axis=1).tolist()
    times = rng.integers(1, 5, len(matrix))
    assert vectors.label_totals(times).tolist() == (times @ people).tolist()
    some = rng.integers(0, len(matrix), 4)
    assert np.array_equal(vectors.take(some).dense(), matrix[some])
    for start in range(len(matrix)):
        for whole in (vectors, CountVectors.of(matrix)):
            part = whole.part(start, 3)
            assert np.array_equal(part.dense(), matrix[start : start + 3])
            assert np.array_equal(CountVectors.joined([part]).dense(), matrix[start : start + 3])
            assert part.sizes.tolist() == people[start : start + 3].sum(axis=1).tolist()
    assert np.array_equal(vectors.take(matrix[:, 0] > 0).dense(), matrix[matrix[:, 0] > 0])
    assert np.array_equal(CountVectors.joined([vectors, vectors.take(some)]).dense(), np.r_[matrix, matrix[some]])

    found, total = vectors.distinct(times)
    wanted, wanted_total = distinct_rows(matrix, times)
    assert np.array_equal(found.dense(), wanted)
    assert np.array_equal(total, wanted_total)
    found, positions = vectors.distinct_and_positions()
    assert np.array_equal(positions, distinct_and_positions(matrix)[1])

    places = found.places_of(CountVectors.joined([vectors, CountVectors.of(np.full((1, labels), 5))]))
    assert places.tolist() == [*positions.tolist(), -1]

    like, kind_of = vectors.sizes_and_patterns()
    assert like.sizes[kind_of].tolist() == vectors.sizes.tolist()
    assert np.array_equal((like.dense() < 0)[kind_of], matrix < 0)
    assert len(like) == len({(n, *row) for n, row in zip(people.sum(axis=1), (matrix < 0).tolist(), strict=True)})

    assert np.array_equal(vectors.in_descending_order().dense(), -np.sort(-matrix, axis=1))
    found, total = vectors.distinct_but_for_labels(times)
    wanted, wanted_total = distinct_rows(-np.sort(-matrix, axis=1), times)
    for one in (found, CountVectors.joined([vectors]).distinct_but_for_labels(times)[0]):  # full rows, and pairs
        assert np.array_equal(one.dense(), wanted)
    assert np.array_equal(total, wanted_total)
    for weights in (np.ones(labels), rng.integers(0, 3, labels).astype(float), rng.permutation(labels).astype(float)):
        assert np.array_equal(vectors.in_descending_order(weights).dense(), in_canonical_order(matrix, weights))

    group_of = np.append(rng.integers(0, 3, labels - 1), 0)
    groups = [np.flatnonzero(group_of == g).tolist() for g in np.unique(group_of)]
    assert np.array_equal(vectors.regrouped(groups).dense(), regrouped_vectors(matrix, groups))
    belongs = np.append(rng.integers(0, 3, len(matrix) - 3), [0, 1, 2])
    summed = regrouped_vectors(matrix.T.copy(), [np.flatnonzero(belongs == g).tolist() for g in range(3)]).T
    assert np.array_equal(vectors.summed_by(belongs, 3).dense(), summed)


@given(MATRICES, st.integers(1, 12))
@settings(max_examples=60)
def test_blocks_have_all_positive_counts_and_the_number_of_zeros(matrix: IntArray, most: int) -> None:
    vectors = CountVectors.of(matrix)
    seen = np.zeros(len(matrix), dtype=np.int64)
    for block in vectors.blocks(most):
        assert block.vectors.shape == block.labels.shape == (len(block.rows), block.vectors.shape[1])
        for row, counts, labels, zeros in zip(block.rows, block.vectors, block.labels, block.zeros, strict=True):
            seen[row] += 1
            rebuilt = np.where(matrix[row] < 0, STRUCTURAL_ZERO, 0)
            rebuilt[labels[counts > 0]] = counts[counts > 0]
            assert rebuilt.tolist() == matrix[row].tolist()
            assert zeros == (matrix[row] == 0).sum()
            assert set(counts[counts <= 0].tolist()) <= {STRUCTURAL_ZERO}
        extended = block.with_a_zero()
        assert ((extended.vectors[:, -1] == 0) == (block.zeros > 0)).all()
        assert (extended.zeros + (extended.vectors[:, -1] == 0) == block.zeros).all()
    assert seen.tolist() == [1] * len(matrix)
    assert over_blocks(vectors, lambda block: block.zeros.astype(float)).tolist() == vectors.zeros.tolist()


def test_wide_vectors_are_filled_up_by_a_quarter_at_most() -> None:
    rng = np.random.default_rng(5)
    matrix = np.where(rng.random((300, 200)) < rng.random((300, 1)), 1, 0)
    blocks = list(CountVectors.of(matrix).blocks())
    assert sum(block.vectors.size for block in blocks) <= 1.25 * matrix.sum() + 300
    assert len(blocks) < 40


def test_what_would_not_fit_as_a_full_matrix_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = CountVectors(np.arange(4), np.array([0, 1, 4], dtype=np.int32), np.array([1, 2, 3]), 5)
    monkeypatch.setattr(count_vectors, "LARGEST_MATRIX", 14)
    with pytest.raises(DataError, match=r"3 different cells by 5 labels are too many .* 14 numbers.*merge rare values"):
        vectors.dense()
    monkeypatch.setattr(count_vectors, "LARGEST_MATRIX", 15)
    assert vectors.dense().tolist() == [[1, 0, 0, 0, 0], [0, 2, 0, 0, 0], [0, 0, 0, 0, 3]]
    assert CountVectors.of(vectors) is vectors
    assert repr(vectors) == "CountVectors(3 vectors, 5 labels)"
    assert repr(next(vectors.blocks())) == "Block(3 vectors)"
