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
