"""Counts of marginals as full matrices and as pairs: one form against the other, and against plain sums."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.arrays import IntArray
from epsilens.table import count_vectors
from epsilens.table.count_vectors import FEW_LABELS, STRUCTURAL_ZERO, CountVectors
from epsilens.table.marginal_counts import FullCounts, MarginalCounts, PairCounts


def matrix(seed: int, cells: int = 40, labels: int = 30) -> IntArray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random((cells, labels)) < 0.1, rng.poisson(1.5, (cells, labels)), 0).astype(np.int64)


def both(seed: int) -> tuple[FullCounts, PairCounts]:
    """With two values beside each count, 0 beside a count of nobody as pairs have it."""
    vectors = matrix(seed)
    values = np.random.default_rng(seed).random((2, *vectors.shape)) * (vectors > 0)
    pairs = CountVectors.of(vectors)
    full = FullCounts.of_table(vectors).with_values(values)
    return full, PairCounts.of_table(pairs).with_values(values[:, pairs.row_of, pairs.labels])


def check(full: FullCounts, pairs: PairCounts) -> None:
    assert len(full) == len(pairs) == len(pairs.vectors)
    np.testing.assert_array_equal(pairs.vectors.dense(), full.vectors)
    assert (pairs.vectors.counts > 0).all()
    np.testing.assert_array_equal(np.repeat(pairs.parts[:, None], full.vectors.shape[1], axis=1), full.parts)
    np.testing.assert_array_equal(pairs.sizes, full.sizes)
    assert full.values is not None
    assert pairs.values is not None
    rows, labels = pairs.vectors.row_of, pairs.vectors.labels
    np.testing.assert_allclose(pairs.values, full.values[:, rows, labels], rtol=1e-14)
    assert full.values.sum() == pytest.approx(pairs.values.sum(), rel=1e-12)
    for some in (np.ones(30, dtype=bool), np.arange(30) % 3 == 0):
        np.testing.assert_array_equal(pairs.homogeneous(some), full.homogeneous(some))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [1, 7, 40])
def test_pairs_are_added_up_as_columns_are(seed: int, size: int) -> None:
    group = np.random.default_rng(size).permutation(np.arange(40) % size)
    full, pairs = both(seed)
    check(full, pairs)
    check(full.summed_by(group, size), pairs.summed_by(group, size))
    expected = [full.vectors[group == g].sum(axis=0).tolist() for g in range(size)]
    assert full.summed_by(group, size).vectors.tolist() == expected
    assert pairs.summed_by(group, size).parts.tolist() == np.bincount(group).tolist()
    in_order = np.sort(group)
    check(full.summed_by(in_order, size), pairs.summed_by(in_order, size))
    coarser = np.arange(size) % 3 % size
    number = int(coarser.max()) + 1
    once, also_once = full.summed_by(group, size), pairs.summed_by(group, size)
    twice, also_twice = once.summed_by(coarser, number), also_once.summed_by(coarser, number)
    check(twice, also_twice)
    declared = 70 + np.arange(number)
    check(twice.of_parts(declared), also_twice.of_parts(declared))
    everybody = np.zeros(number, dtype=np.int64)
    assert also_twice.of_parts(declared).summed_by(everybody, 1).parts.tolist() == [40]


def test_far_more_possible_pairs_than_there_are_are_sorted() -> None:
    """Keys that are neither in order nor dense."""
    labels, counts = np.array([8_999_999, 5, 8_999_999]), np.array([1, 2, 3])
    vectors = CountVectors.of_pairs(np.ones(3, dtype=np.int64), labels, counts, 9_000_000)
    found = PairCounts.of_table(vectors).summed_by(np.array([1, 0, 1]), 2)
    assert (found.vectors.labels.tolist(), found.vectors.counts.tolist()) == ([5, 8_999_999], [2, 4])
    assert found.vectors.starts.tolist() == [0, 1, 2]
    assert found.parts.tolist() == [1, 2]


def test_some_cells_and_cells_after_others() -> None:
    (full, pairs), (more, further) = both(1), both(2)
    cells = np.array([30, 2, 2, 17])
    check(full.take(cells), pairs.take(cells))
    check(full.joined([more, full]), pairs.joined([further, pairs]))
    assert full.joined([]) is full
    assert pairs.joined([]) is pairs
    assert pairs.joined([PairCounts.of_table(further.vectors)]).values is None


def test_kinds_of_cells_are_found_where_labels_are_few() -> None:
    full = FullCounts.of_table(np.array([[1, 0], [0, 2], [1, 0]]))
    kinds, times = full.kinds()
    assert (kinds.vectors.tolist(), kinds.parts.tolist(), times.tolist()) == ([[0, 2], [1, 0]], [[1, 1]] * 2, [1, 2])
    large = FullCounts.of_table(np.array([[2**40, 2**40, 1]] * 2))
    kinds, times = large.kinds()
    assert (kinds.vectors.tolist(), times.tolist()) == ([[2**40, 2**40, 1]], [2])
    _, pairs = both(0)
    as_they_are, once = pairs.kinds()
    assert as_they_are.vectors is pairs.vectors
    assert once.tolist() == [1] * 40


def test_what_is_impossible_in_all_cells_remains_so() -> None:
    full = FullCounts.of_table(np.array([[1, STRUCTURAL_ZERO], [2, STRUCTURAL_ZERO], [0, 4]]))
    found = full.summed_by(np.array([0, 0, 1]), 2)
    assert found.vectors.tolist() == [[3, STRUCTURAL_ZERO], [0, 4]]
    assert found.parts.tolist() == [[2, 0], [1, 1]]
    beside = found.of_parts(np.array([[4, 1], [0, 4]]))
    assert beside.vectors.tolist() == [[3, 0], [STRUCTURAL_ZERO, 4]]
    assert beside.listed.tolist() == [[2, 0], [1, 1]]


def test_who_shows_a_single_label_that_harms() -> None:
    full = FullCounts.of_table(np.array([[3, 0], [0, 2], [1, 1], [0, 0], [4, STRUCTURAL_ZERO]]))
    assert full.homogeneous(np.array([True, True])).tolist() == [True, True, False, False, True]
    assert full.homogeneous(np.array([False, True])).tolist() == [False, True, False, False, False]


def test_which_form_a_table_has(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = CountVectors.of(matrix(0, labels=FEW_LABELS)), CountVectors.of(matrix(0, labels=FEW_LABELS + 1))
    assert isinstance(MarginalCounts.of(few), FullCounts)
    assert isinstance(MarginalCounts.of(many), PairCounts)
    assert isinstance(MarginalCounts.of(many, in_full=True), FullCounts)
    impossible = matrix(0)
    impossible[3, 4] = STRUCTURAL_ZERO
    assert isinstance(MarginalCounts.of(CountVectors.of(impossible)), FullCounts)
    monkeypatch.setattr(count_vectors, "LARGEST_MATRIX", few.shape[0] * few.shape[1] - 1)
    assert isinstance(MarginalCounts.of(few), PairCounts)
