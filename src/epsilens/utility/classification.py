"""Does a classifier trained on the protected table still work on the real one?

All attributes are categories, so a table of counts *is* the training set: one row per cell, weighted by its count.
That is the same fit as on single records, at the cost of cells instead of people; and many releases of one table are
fitted together (``logistic``).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.errors import DataError, ParameterError
from epsilens.utility.logistic import LogisticFit, Start
from epsilens.utility.main_effects import MainEffects

_AT_ONCE = 2_000_000  # counts of releases that are fitted together


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
    def design(self) -> MainEffects:
        """The effects of the predicting attributes."""
        return MainEffects(tuple(size for axis, size in enumerate(self.shape) if axis != self.target % len(self.shape)))

    @property
    def features(self) -> FloatArray:
        """One indicator per level of the predicting attributes but the first, for every combination of them."""
        sizes = self.design.sizes
        codes = np.indices(sizes).reshape(len(sizes), -1)
        parts = [(row[:, None] == np.arange(1, size)) for row, size in zip(codes, sizes, strict=True)]
        return as_floats(np.concatenate(parts, axis=1))

    def by_class(self, counts: npt.ArrayLike) -> FloatArray:
        """Counts as (combinations of predicting attributes, classes)."""
        return np.moveaxis(self._checked(counts), self.target, -1).reshape(-1, self.shape[self.target])

    def _checked(self, counts: npt.ArrayLike) -> FloatArray:
        values = as_floats(counts)
        if values.shape != self.shape:
            raise DataError(f"must have the shape of the task, {self.shape}", parameter="counts", got=values.shape)
        return values

    def accuracy(self, released: npt.ArrayLike, original: npt.ArrayLike) -> float:
        """Trained on the released counts, tested on the original ones: the share of people predicted right.

        Negative counts weigh nothing. A release without anybody cannot teach anything: the commonest class of an even
        guess is taken, and its accuracy is 1 / classes.

        Source: P2 section 7, Figure 4.
        """
        return float(self.accuracies([released], original)[0])

    def start(self, expected: npt.ArrayLike) -> Start | None:
        """Where fits of releases begin that are ``expected`` to be like this; None where a class is missing."""
        return self.starts([expected])[0]

    def starts(self, expected: Iterable[npt.ArrayLike]) -> list[Start | None]:
        """:meth:`start` of several systems, which are fitted together."""
        found, remaining = list[Start | None](), iter(expected)
        while some := list(itertools.islice(remaining, max(1, _AT_ONCE // math.prod(self.shape)))):
            train = self._by_class_together(some)
            whole: BoolArray = np.all(train.any(axis=1), axis=0)
            fits = self._fit(len(train)).starts(train[:, :, whole])
            found += [next(fits) if has_all else None for has_all in whole.tolist()]
        return found

    def accuracies(
        self, releases: Sequence[npt.ArrayLike], original: npt.ArrayLike, start: Start | None = None
    ) -> FloatArray:
        """:meth:`accuracy` of several releases, which are fitted together; the fits begin at ``start``, if given."""
        test = self.by_class(original)
        several = max(1, _AT_ONCE // test.size)
        chunks = [releases[first : first + several] for first in range(0, len(releases), several)]
        return np.concatenate([self._accuracies(chunk, test, start) for chunk in chunks])

    def _accuracies(self, releases: Sequence[npt.ArrayLike], test: FloatArray, start: Start | None) -> FloatArray:
        train = self._by_class_together(releases)
        present = train.any(axis=1)
        found = np.full(len(releases), 1.0 / len(train))
        for kinds in np.unique(present, axis=1).T:
            if not kinds.any():
                continue
            mine = np.flatnonzero((present == kinds[:, None]).all(axis=0))
            some = train if len(mine) == train.shape[2] and kinds.all() else train[kinds][:, :, mine]
            found[mine] = self._predicted_right(some, test, kinds, start if kinds.all() else None)
        return found

    def _by_class_together(self, releases: Sequence[npt.ArrayLike]) -> FloatArray:
        """(classes, combinations, releases): counts, where negative ones weigh nothing."""
        together = np.moveaxis(np.stack([self._checked(released) for released in releases]), 0, -1)
        classes = np.moveaxis(together, self.target % len(self.shape), 0)
        return np.maximum(classes, 0.0, order="C").reshape(len(classes), -1, len(releases))

    def _predicted_right(
        self, train: FloatArray, test: FloatArray, kinds: BoolArray, start: Start | None
    ) -> FloatArray:
        """The share of people who are predicted right by fits to tables that all have the classes ``kinds``."""
        classes = np.flatnonzero(kinds)
        if len(classes) == 1:
            return np.full(train.shape[2], test[:, classes[0]].sum() / test.sum())
        fit = self._fit(len(classes))
        occupied = np.flatnonzero(test.any(axis=1))
        people = test[occupied]
        predictors = self.design.predictors_at(fit.fitted(train, start), self._codes(occupied))
        every = np.tensordot(fit.basis, predictors, axes=1)
        likeliest = np.take_along_axis(_first_alike(train), every.argmax(axis=0), axis=0)
        predicted = classes[likeliest]
        return as_floats(np.take_along_axis(people, predicted, axis=1).sum(axis=0) / test.sum())

    def _codes(self, combinations: IntArray) -> IntArray:
        return np.stack(np.unravel_index(combinations, self.design.sizes)).astype(np.int64)

    def _fit(self, classes: int) -> LogisticFit:
        return LogisticFit(self.design, classes, self.strength)


def _first_alike(train: FloatArray) -> IntArray:
    """For every class (classes, tables) the first that has the same people everywhere.

    Both are then equally likely everywhere, and but for this it would be rounding that decides which is predicted.
    """
    return np.stack([(train[: k + 1] == row).all(axis=1).argmax(axis=0) for k, row in enumerate(train)])
