"""Sums over a grid are products with the matrix that is never written down."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.utility import ClassificationTask
from epsilens.utility.main_effects import MainEffects


@pytest.mark.parametrize("sizes", [(2,), (3, 1), (2, 3, 4), (4, 1, 2, 3)])
def test_sums_are_products_with_the_design(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(sizes))
    design = MainEffects(sizes)
    dense = np.column_stack([np.ones(np.prod(sizes)), ClassificationTask((*sizes, 2)).features])
    assert dense.shape[1] == design.columns == len(design.penalised)
    coefficients, values = rng.normal(size=(2, design.columns, 3)), rng.normal(size=(2, len(dense), 3))
    predictors = design.predictors(coefficients)
    np.testing.assert_allclose(predictors, np.einsum("md,jdr->jmr", dense, coefficients), atol=1e-13)
    np.testing.assert_allclose(design.summed(values), np.einsum("md,jmr->jdr", dense, values), atol=1e-13)
    np.testing.assert_allclose(design.crossed(values), np.einsum("md,jmr,me->jder", dense, values, dense), atol=1e-13)
    some = rng.permutation(len(dense))[: max(1, len(dense) // 2)]
    codes = np.stack(np.unravel_index(some, sizes))
    np.testing.assert_allclose(design.predictors_at(coefficients, codes), predictors[:, some], atol=1e-13)
