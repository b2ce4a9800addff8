"""Does a classifier trained on the protected table still work on the real one?

All attributes are categories, so a table of counts *is* the training set: one row per cell, weighted by its count.
That is the same fit as on single records, at the cost of cells instead of people.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.errors import DataError, EpsilensError, ParameterError


@dataclass(frozen=True)
class ClassificationTask:
    """Predict the attribute on axis ``target`` from all others by logistic regression.

    ``shape`` is that of the counts, one axis per attribute; ``strength`` is scikit-learn's C, the inverse of the ridge
    penalty.
    """

    shape: tuple[int, ...]
    target: int = -1
    strength: float = 1.0

    def __post_init__(self) -> None:
        if len(self.shape) < 2:
            raise ParameterError("must have at least one attribute besides the one to predict", parameter="shape")
        if not -len(self.shape) <= self.target < len(self.shape):
            raise ParameterError(
                f"must be one of the {len(self.shape)} axes of the table", parameter="target", got=self.target
            )

    @cached_property
    def features(self) -> FloatArray:
        """One indicator per level of the predicting attributes but the first, for every combination of them."""
        sizes = [size for axis, size in enumerate(self.shape) if axis != self.target % len(self.shape)]
        codes = np.indices(sizes).reshape(len(sizes), -1)
        parts = [(row[:, None] == np.arange(1, size)) for row, size in zip(codes, sizes, strict=True)]
        return as_floats(np.concatenate(parts, axis=1))

    def by_class(self, counts: npt.ArrayLike) -> FloatArray:
        """Counts as (combinations of predicting attributes, classes)."""
        values = as_floats(counts)
        if values.shape != self.shape:
            raise DataError(f"must have the shape of the task, {self.shape}", parameter="counts", got=values.shape)
        return np.moveaxis(values, self.target, -1).reshape(-1, self.shape[self.target])

    def accuracy(self, released: npt.ArrayLike, original: npt.ArrayLike) -> float:
        """Trained on the released counts, tested on the original ones: the share of people predicted right.

        Negative counts weigh nothing. A release without anybody cannot teach anything: the commonest class of an even
        guess is taken, and its accuracy is 1 / classes.

        Source: P2 section 7, Figure 4.
        """
        train, test = np.maximum(self.by_class(released), 0.0), self.by_class(original)
        if train.sum() <= 0:
            return 1.0 / self.shape[self.target]
        predicted = self._predicted(train)
        return float(np.take_along_axis(test, predicted[:, None], axis=1).sum() / test.sum())

    def _predicted(self, train: FloatArray) -> npt.NDArray[np.int64]:
        """The class predicted for every combination."""
        cells, classes = np.nonzero(train)
        if len(np.unique(classes)) == 1:
            return np.full(len(train), classes[0], dtype=np.int64)
        model = _logistic_regression(self.strength)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a fit that stops early is still the fit that a user would get
            model.fit(self.features[cells], classes, sample_weight=train[cells, classes])
        return np.asarray(model.predict(self.features), dtype=np.int64)


NEEDED = "needs scikit-learn, which is not installed"
REMEDY = "install it with pip install 'epsilens[ml]', or leave classification out with `classify=False`"


def can_classify() -> bool:
    """Whether scikit-learn is there, which is an extra."""
    try:
        import sklearn.linear_model  # noqa: F401
    except ImportError:
        return False
    return True


def _logistic_regression(strength: float) -> Any:
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise EpsilensError(f"classification {NEEDED}", remedy=REMEDY) from None
    return LogisticRegression(C=strength, solver="newton-cholesky", max_iter=100)
