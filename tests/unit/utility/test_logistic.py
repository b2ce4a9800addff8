"""Many fits at once are the fits one by one, and those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.arrays import FloatArray
from epsilens.utility import ClassificationTask
from epsilens.utility.logistic import LogisticFit, _Problem
from epsilens.utility.main_effects import MainEffects

SIZES = (3, 2, 4)


def _tables(classes: int, several: int) -> FloatArray:
    """(classes, combinations, tables): counts with noise of very different sizes."""
    rng = np.random.default_rng(classes)
    truth = rng.poisson(rng.gamma(0.7, 6.0, (classes, 24)))
    scales = np.geomspace(0.1, 40.0, several)
    return np.maximum(truth[:, :, None] + rng.laplace(0.0, scales, (classes, 24, several)), 0.0)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_fits_are_those_of_scikit_learn(classes: int) -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    tables, fit = _tables(classes, 3), LogisticFit(MainEffects(SIZES), classes)
    features = ClassificationTask((*SIZES, classes)).features
    found = fit.fitted(tables, fit.start(tables.mean(axis=2)))
    for i in range(3):
        label, cell = np.nonzero(tables[:, :, i])
        model = linear.LogisticRegression(solver="newton-cg", tol=1e-10, max_iter=1000)
        model.fit(features[cell], label, sample_weight=tables[label, cell, i])
        theirs = np.column_stack([model.intercept_, model.coef_])
        mine = found[:, :, i] if classes == 2 else fit.basis @ found[:, :, i]
        if classes > 2:  # only differences of intercepts matter
            theirs[:, 0] -= theirs[:, 0].mean()
        np.testing.assert_allclose(mine, theirs, atol=2e-4)


@pytest.mark.parametrize("classes", [2, 4])
def test_fits_do_not_depend_on_where_they_begin_or_with_whom(classes: int) -> None:
    tables, fit = _tables(classes, 12), LogisticFit(MainEffects(SIZES), classes)
    together = fit.fitted(tables, fit.start(tables[:, :, 0]))
    for i in range(12):
        alone = fit.fitted(tables[:, :, i : i + 1])
        np.testing.assert_allclose(together[:, :, i], alone[:, :, 0], atol=1e-3)


def test_a_curvature_of_another_table_is_given_up_where_it_does_not_fit() -> None:
    tables, fit = _tables(3, 4), LogisticFit(MainEffects(SIZES), 3)
    strange = fit.start(1e6 * tables[::-1, :, 0])
    np.testing.assert_allclose(fit.fitted(tables, strange), fit.fitted(tables), atol=1e-3)


def test_fits_arrive_whatever_curvature_they_borrow() -> None:
    rng = np.random.default_rng(4)
    truth = rng.poisson(rng.gamma(0.3, 10.0, (3, 60)))
    noise = rng.laplace(0.0, np.geomspace(0.05, 2000.0, 24), (3, 60, 24))
    tables, fit = np.maximum(truth[:, :, None] + noise, 0.0), LogisticFit(MainEffects((60,)), 3)
    for other in (1e4 * tables[::-1, :, -1], 1e3 * tables[:, :, 0] + 1.0):
        found = fit.fitted(tables, fit.start(other))
        assert _Problem.of(fit, tables).are_minimal(found).all()


@pytest.mark.parametrize("classes", [2, 4])
def test_a_step_by_conjugate_gradients_is_one_by_the_curvature(classes: int) -> None:
    tables, fit = _tables(classes, 6), LogisticFit(MainEffects(SIZES), classes)
    start, problem = fit.start(tables[:, :, 3]), _Problem.of(fit, tables)
    here = np.repeat(start.coefficients[:, :, None], 6, axis=2)
    gradient = problem.gradient(here)
    step, exact = problem.nearly_solved(here, gradient, start.inverse), problem.solved(here, gradient)
    assert (np.abs(step - exact).max(axis=(0, 1)) <= 0.05 * np.abs(exact).max(axis=(0, 1))).all()
    assert not problem.nearly_solved(here, np.zeros(gradient.shape), start.inverse).any()


def test_columns_of_the_basis_are_orthonormal_and_orthogonal_to_one() -> None:
    basis = LogisticFit(MainEffects((2,)), 5).basis
    np.testing.assert_allclose(basis.T @ basis, np.eye(4), atol=1e-15)
    np.testing.assert_allclose(basis.sum(axis=0), 0.0, atol=1e-15)
