"""Logistic regression with a ridge penalty on many tables of counts at once.

A release of a table is a training set with one row per combination and class, weighted by its count; the releases of
one system are alike. So they are fitted together: all of them start where the fit of what is expected ends, and take
its curvature for their own (a chord instead of Newton's tangent), so that a step is a few passes over the counts and
one product with a matrix that is inverted once. Each step must shrink the gradient; a release that is too different
from the others for that takes Newton's steps with a curvature of its own, which is never written down: conjugate
gradients ask what it makes of a few directions, and few they are, as the borrowed curvature says where to look.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, as_floats
from epsilens.utility.main_effects import MainEffects

_AT_ONCE = 2_000_000  # numbers of curvatures, or counts, of tables that are fitted together to start from
_SMALL = 1e-6  # of the gradient's largest entry, per person; scikit-learn stops at 1e-4
_SHRINKS = 0.7  # how much of a gradient a step with a borrowed curvature may leave
_MOST_CHORDS = 60
_MOST_STEPS = 100
_MOST_HALVINGS = 30
_CLOSE = 0.03  # how much of an equation Newton's step may leave unsolved
_MOST_DIRECTIONS = 50


@dataclass(frozen=True, eq=False)
class Start:
    """Where fits begin: ``coefficients`` (free, columns), and the inverse of the curvature there."""

    coefficients: FloatArray
    inverse: FloatArray


@dataclass(frozen=True)
class LogisticFit:
    """Ridge-penalised logistic regression of ``classes`` on the attributes of a grid.

    It minimises sum_i w_i loss_i + |b|^2 / (2 C) over coefficients b, intercepts unpenalised. Two classes have one
    predictor; more have one each, which add up to 0 at the minimum, so that they are written as Q phi with orthonormal
    columns Q orthogonal to 1, and |b| = |phi|. That is scikit-learn's ``LogisticRegression``. Symbols: C is
    ``strength``.
    """

    design: MainEffects
    classes: int
    strength: float = 1.0

    @cached_property
    def basis(self) -> FloatArray:
        """Q: classes x free predictors."""
        if self.classes == 2:
            return np.array([[0.0], [1.0]])
        found = np.zeros((self.classes, self.classes - 1))
        for j in range(self.classes - 1):  # Helmert's contrasts
            found[: j + 1, j], found[j + 1, j] = 1.0, -(j + 1.0)
        return as_floats(found / np.linalg.norm(found, axis=0))

    @property
    def free(self) -> int:
        """Free predictors per combination."""
        return int(self.basis.shape[1])

    def start(self, train: FloatArray) -> Start:
        """The fit of one table (classes, combinations), with the curvature at it."""
        return next(self.starts(train[:, :, None]))

    def starts(self, train: FloatArray) -> Iterator[Start]:
        """The fits of several tables (classes, combinations, tables), each with the curvature at it."""
        size = self.free * self.design.columns
        several = max(1, _AT_ONCE // max(size * size, train[:, :, 0].size))
        for first in range(0, train.shape[2], several):
            problem = _Problem.of(self, train[:, :, first : first + several])
            found = self._newton(problem, np.zeros((self.free, self.design.columns, len(problem.people))))
            for fitted, inverse in zip(np.moveaxis(found, 2, 0), np.linalg.inv(problem.curvature(found)), strict=True):
                yield Start(fitted, inverse)

    def fitted(self, train: FloatArray, start: Start | None = None) -> FloatArray:
        """The coefficients (free, columns, tables) of several tables (classes, combinations, tables)."""
        tables = train.shape[2]
        problem = _Problem.of(self, train)
        if start is None:
            return self._newton(problem, np.zeros((self.free, self.design.columns, tables)))
        found = np.repeat(start.coefficients[:, :, None], tables, axis=2)
        done = self._chords(problem, found, start.inverse)
        if not done.all():
            rest = problem.some(~done)
            near = start.inverse if self.free > 1 else None  # a single block is soon written down
            mine = self._newton(rest, found[:, :, ~done], near)
            lost = ~rest.are_minimal(mine)
            if lost.any():  # what they began with was of no use
                mine[:, :, lost] = self._newton(rest.some(lost), np.zeros_like(mine[:, :, lost]))
            found[:, :, ~done] = mine
        return found

    def _chords(self, problem: _Problem, found: FloatArray, inverse: FloatArray) -> BoolArray:
        """Steps in place with a borrowed curvature; whether each table has arrived.

        A table whose gradient does not shrink goes back to where it was.
        """
        tables = found.shape[2]
        done, going = np.zeros(tables, dtype=bool), np.arange(tables)
        mine, last = problem, np.full(tables, np.inf)
        step = np.zeros_like(found)
        for _ in range(_MOST_CHORDS):
            if not len(going):
                break
            gradient = mine.gradient(found[:, :, going])
            size = np.abs(gradient).max(axis=(0, 1)) / mine.people
            arrived, worse = size <= _SMALL, size > _SHRINKS * last[going]
            found[:, :, going[worse & ~arrived]] -= step[:, :, going[worse & ~arrived]]
            done[going[arrived]] = True
            last[going] = size
            on = ~(arrived | worse)
            if not on.all():
                going, gradient, mine = going[on], gradient[:, :, on], mine.some(on)
            moved = inverse @ gradient.reshape(len(inverse), len(going))
            step[:, :, going] = -moved.reshape(gradient.shape)
            found[:, :, going] += step[:, :, going]
        return done

    def _newton(self, problem: _Problem, start: FloatArray, inverse: FloatArray | None = None) -> FloatArray:
        """Newton's steps, halved until the loss falls; by conjugate gradients where an ``inverse`` is near its own."""
        found = start.copy()
        going = np.arange(start.shape[2])
        mine = problem
        loss = mine.loss(found)
        for _ in range(_MOST_STEPS):
            here = found[:, :, going]
            gradient = mine.gradient(here)
            on = np.abs(gradient).max(axis=(0, 1)) / mine.people > _SMALL
            if not on.any():
                break
            if not on.all():
                going, mine, loss = going[on], mine.some(on), loss[on]
                gradient, here = gradient[:, :, on], here[:, :, on]
            step = -(mine.solved(here, gradient) if inverse is None else mine.nearly_solved(here, gradient, inverse))
            slope = (gradient * step).sum(axis=(0, 1))
            size = np.ones(len(going))
            for _ in range(_MOST_HALVINGS):
                tried = mine.loss(here + size * step)
                high = tried > loss + 1e-4 * size * slope + 1e-12 * np.abs(loss)
                if not high.any():
                    break
                size = np.where(high, 0.5 * size, size)
            found[:, :, going] = here + size * step
            loss = tried
        return found


@dataclass(frozen=True, eq=False)
class _Problem:
    """Several tables: the people of every combination, and X' y in the free predictors."""

    fit: LogisticFit
    sizes: FloatArray
    """(combinations, tables)."""
    observed: FloatArray
    """(free, columns, tables)."""
    people: FloatArray
    """(tables,)."""

    @staticmethod
    def of(fit: LogisticFit, train: FloatArray) -> _Problem:
        sizes = train.sum(axis=0)
        observed = np.tensordot(fit.basis.T, fit.design.summed(train), axes=1)
        return _Problem(fit, sizes, observed, sizes.sum(axis=0))

    def some(self, kept: BoolArray) -> _Problem:
        """Those of the tables that are ``kept``."""
        return _Problem(self.fit, self.sizes[:, kept], self.observed[:, :, kept], self.people[kept])

    def _expected(self, coefficients: FloatArray) -> FloatArray:
        """n_i p_ik: (classes, combinations, tables); of two classes the second one only."""
        predictors = self.fit.design.predictors(coefficients)
        if self.fit.classes == 2:
            from scipy.special import expit

            return as_floats(self.sizes * expit(predictors))
        powers = self._shifted(predictors)[0]
        np.exp(powers, out=powers)
        powers *= self.sizes / powers.sum(axis=0)
        return powers

    def _shifted(self, predictors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The predictors of all classes less the largest of each combination, and that."""
        every = np.tensordot(self.fit.basis, predictors, axes=1)
        largest = every.max(axis=0)
        every -= largest
        return every, largest

    def _penalty(self) -> FloatArray:
        return self.fit.design.penalised / self.fit.strength

    def gradient(self, coefficients: FloatArray) -> FloatArray:
        """(free, columns, tables)."""
        expected = self.fit.design.summed(self._expected(coefficients))
        if self.fit.classes > 2:
            expected = np.tensordot(self.fit.basis.T, expected, axes=1)
        return expected - self.observed + self._penalty()[None, :, None] * coefficients

    def are_minimal(self, coefficients: FloatArray) -> BoolArray:
        """Whether the fit of each table has arrived."""
        sizes: FloatArray = np.abs(self.gradient(coefficients)).max(axis=(0, 1)) / self.people
        return sizes <= _SMALL

    def loss(self, coefficients: FloatArray) -> FloatArray:
        """(tables,)."""
        predictors = self.fit.design.predictors(coefficients)
        if self.fit.classes == 2:
            normal = np.logaddexp(0.0, predictors[0])
        else:
            every, largest = self._shifted(predictors)
            normal = largest + np.log(np.exp(every).sum(axis=0))
        ridge = 0.5 * (self._penalty()[None, :, None] * coefficients**2).sum(axis=(0, 1))
        fits = (self.observed * coefficients).sum(axis=(0, 1))
        return as_floats((self.sizes * normal).sum(axis=0) - fits + ridge)

    def solved(self, coefficients: FloatArray, gradient: FloatArray) -> FloatArray:
        """What the curvature turns into ``gradient``."""
        flat = gradient.reshape(-1, gradient.shape[2]).T
        found = np.linalg.solve(self.curvature(coefficients), flat[:, :, None])[:, :, 0]
        return as_floats(found.T.reshape(gradient.shape))

    def nearly_solved(self, coefficients: FloatArray, gradient: FloatArray, inverse: FloatArray) -> FloatArray:
        """The same but for little, by conjugate gradients: ``inverse`` is that of a curvature not far from theirs."""
        expected = self._expected(coefficients)
        share = np.divide(expected, self.sizes, out=np.zeros_like(expected), where=self.sizes > 0)
        found, left = np.zeros_like(gradient), gradient.copy()
        direction = turned = (inverse @ left.reshape(len(inverse), -1)).reshape(left.shape)
        size = (left * turned).sum(axis=(0, 1))
        enough = _CLOSE**2 * size
        for _ in range(_MOST_DIRECTIONS):
            going = size > enough
            if not going.any():
                break
            image = self._curved(expected, share, direction)
            far = np.divide(size, (direction * image).sum(axis=(0, 1)), out=np.zeros_like(size), where=going)
            found += far * direction
            left -= far * image
            turned = (inverse @ left.reshape(len(inverse), -1)).reshape(left.shape)
            before, size = size, np.where(going, (left * turned).sum(axis=(0, 1)), 0.0)
            direction = turned + np.divide(size, before, out=np.zeros_like(size), where=going) * direction
        return found

    def _curved(self, expected: FloatArray, share: FloatArray, direction: FloatArray) -> FloatArray:
        """The curvature times a ``direction``, both (free, columns, tables), where people are ``expected`` so."""
        predictors = self.fit.design.predictors(direction)
        if self.fit.classes == 2:
            image = self.fit.design.summed(expected * (1.0 - share) * predictors)
        else:
            every = np.tensordot(self.fit.basis, predictors, axes=1)
            every -= (share * every).sum(axis=0)
            every *= expected
            image = np.tensordot(self.fit.basis.T, self.fit.design.summed(every), axes=1)
        return image + self._penalty()[None, :, None] * direction

    def curvature(self, coefficients: FloatArray) -> FloatArray:
        """The matrix of second derivatives: (tables, free x columns, free x columns)."""
        design, free = self.fit.design, self.fit.free
        expected = self._expected(coefficients)
        tables = expected.shape[2]
        found = np.empty((free, free, design.columns, design.columns, tables))
        if self.fit.classes == 2:
            share = np.divide(expected, self.sizes, out=np.zeros_like(expected), where=self.sizes > 0)
            found[0, 0] = design.crossed(expected * (1.0 - share))[0]
        else:
            share = np.divide(expected, self.sizes, out=np.zeros_like(expected), where=self.sizes > 0)
            turned = np.tensordot(self.fit.basis.T, share, axes=1)
            for j in range(free):
                for i in range(j + 1):
                    both = self.fit.basis[:, i] * self.fit.basis[:, j]
                    weights = np.tensordot(both, expected, axes=1) - self.sizes * turned[i] * turned[j]
                    found[i, j] = found[j, i] = design.crossed(weights[None])[0]
        ridge = np.diag(self._penalty())
        for j in range(free):
            found[j, j] += ridge[:, :, None]
        size = free * design.columns
        return np.ascontiguousarray(found.transpose(4, 0, 2, 1, 3)).reshape(tables, size, size)
