"""A classifier trained on counts is the one trained on people, and survives strange releases."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import DataError, ParameterError
from epsilens.utility import ClassificationTask

COUNTS = np.array([[[30, 5], [4, 20]], [[25, 6], [7, 40]]])


def test_weighted_cells_are_the_same_fit_as_single_records() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    task = ClassificationTask(COUNTS.shape)
    cells = np.repeat(np.arange(8), COUNTS.ravel())
    codes = np.array(np.unravel_index(cells, COUNTS.shape)).T
    model = linear.LogisticRegression(C=1.0, tol=1e-8).fit(codes[:, :2], codes[:, 2])
    assert task.accuracy(COUNTS, COUNTS) == pytest.approx(model.score(codes[:, :2], codes[:, 2]))


def test_classification_of_strange_releases() -> None:
    task = ClassificationTask(COUNTS.shape)
    assert task.accuracy(np.zeros(COUNTS.shape), COUNTS) == 0.5
    one_class = COUNTS * np.array([1, 0])
    assert task.accuracy(one_class, COUNTS) == pytest.approx(COUNTS[..., 0].sum() / COUNTS.sum())
    assert task.accuracy(COUNTS - 50, COUNTS) in (0.5, pytest.approx(0.0, abs=1.0))
    first = ClassificationTask(COUNTS.shape, target=0)
    assert 0 <= first.accuracy(COUNTS, COUNTS) <= 1
    several = np.random.default_rng(1).integers(0, 30, (4, 3, 3))
    assert (
        ClassificationTask(several.shape).accuracy(several, several) >= several.sum(axis=(0, 1)).max() / several.sum()
    )


def test_bad_tasks() -> None:
    with pytest.raises(ParameterError, match="at least one attribute"):
        ClassificationTask((3,))
    with pytest.raises(ParameterError, match="target must be one of the 2 axes"):
        ClassificationTask((3, 2), target=5)
    with pytest.raises(DataError, match="must have the shape of the task"):
        ClassificationTask((3, 2)).accuracy([[1]], [[1]])


def test_releases_together_are_releases_one_by_one() -> None:
    rng = np.random.default_rng(5)
    truth = rng.poisson(4.0, (4, 3, 3))
    releases = [np.floor(truth + rng.laplace(0.0, scale, truth.shape) + 0.5) for scale in (0.5, 1, 2, 4, 8)]
    releases += [np.zeros(truth.shape), truth * np.array([1, 0, 1]), truth * np.array([0, 0, 1])]
    task = ClassificationTask(truth.shape)
    together = task.accuracies(releases, truth, task.start(truth))
    assert together.tolist() == [task.accuracy(released, truth) for released in releases]
    assert task.start(truth * np.array([1, 0, 1])) is None


def test_of_classes_that_are_alike_the_first_is_predicted_whatever_the_fit_begins_with() -> None:
    rng = np.random.default_rng(8)
    truth = rng.poisson(3.0, (4, 3, 3)) + np.array([0, 1, 2])
    alike = truth[..., [2, 1, 1]] * np.array([1, 20, 20])  # the last two classes have the same people everywhere
    task = ClassificationTask(truth.shape)
    several = [alike, *(alike * scale for scale in (0.3, 7.0))]
    starts = [None, *task.starts([alike, truth, alike + 5 * truth])]
    found = [task.accuracies(several, truth, start).tolist() for start in starts]
    assert found == [[truth[..., 1].sum() / truth.sum()] * 3] * 4


def test_where_two_classes_are_alike_the_first_is_predicted() -> None:
    even = np.full((3, 2), 5.0)
    assert ClassificationTask(even.shape).accuracy(even, [[9, 1], [8, 2], [7, 3]]) == 0.8


def test_starts_together_are_starts_one_by_one() -> None:
    tables = [COUNTS, COUNTS * np.array([1, 0]), COUNTS[::-1] + 3]
    task = ClassificationTask(COUNTS.shape)
    for one, table in zip(task.starts(tables), tables, strict=True):
        alone = task.start(table)
        assert (one is None) == (alone is None)
        if one is not None and alone is not None:
            np.testing.assert_allclose(one.coefficients, alone.coefficients, atol=1e-5)
            np.testing.assert_allclose(one.inverse, alone.inverse, rtol=1e-4, atol=1e-6)
