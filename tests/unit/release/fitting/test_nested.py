"""Levels of a hierarchy against dense linear algebra, and what their counts are made of."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.release.fitting.components import Tree, consistent_counts
from epsilens.release.fitting.nested import NestedFit
from epsilens.release.fitting.tree import nesting
from epsilens.release.universe import Universe, declared_universe, public_schema
from epsilens.table import Schema
from tests.support.fitted_tables import HOLES, assert_made_of_what_it_says, least_squares, measured, universe

LEVELS = [[("a",), ("a", "b"), ("a", "b", "y")], [("a", "b", "y"), (), ("a", "b")], [("b", "y"), ("y",)]]


def fit_of(whole: Universe, levels: list[tuple[str, ...]], variances: list[float]) -> tuple[NestedFit, list[Universe]]:
    universes, _, _ = measured(whole, levels)
    order = nesting(universes)
    assert order is not None
    return NestedFit(universes, variances, order), universes


@pytest.mark.parametrize("zeros", [None, *HOLES])
@pytest.mark.parametrize("levels", LEVELS)
def test_the_fit_is_that_of_dense_least_squares_and_made_of_what_it_says(
    zeros: object, levels: list[tuple[str, ...]]
) -> None:
    variances = [1.0, 2.0, 3.0][: len(levels)]
    whole = universe(structural_zeros=zeros)
    universes, matrices, noisy = measured(whole, levels)
    fit, _ = fit_of(whole, levels, variances)
    expected, spreads = least_squares(matrices, noisy, variances)
    for ours, theirs in zip([*fit.fitted(noisy), *fit.variances], [*expected, *spreads], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-10)
    assert_made_of_what_it_says(fit, universes, variances)


def test_a_single_tree_is_fitted_as_a_tree() -> None:
    rows = [[p, f"{p}{i}"] for p, n in (("a", 1), ("b", 3), ("c", 2), ("d", 3)) for i in range(n)]
    schema = public_schema(Schema(["coarse"], "fine"), {("coarse", "fine"): rows})
    whole = declared_universe(schema, {("coarse", "fine"): rows})
    fit, universes = fit_of(whole, [(), ("coarse",), ("coarse", "fine")], [1.0, 2.0, 3.0])
    parents = [-1, 0, 0, 0, 0, *(1 + universes[2].marginal(("coarse",))[1]).tolist()]
    noisy = [np.random.default_rng(i).normal(0, 3, u.n_cells) for i, u in enumerate(universes)]
    expected = consistent_counts(Tree(tuple(parents)), np.concatenate(noisy), [1.0, *[2.0] * 4, *[3.0] * 9])
    assert np.concatenate(fit.fitted(noisy)) == pytest.approx(expected)
    # one kind of total; families of one, two and three; a count in each of them
    assert fit.kinds() == 1 + 3 + 3
    assert_made_of_what_it_says(fit, universes, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("wide", [1e12, 1e60, 1e190])
@pytest.mark.parametrize("where", [0, 1, 2])
def test_levels_of_very_different_precision_keep_their_weights(wide: float, where: int) -> None:
    variances = [1.0, 1.0, 1.0]
    variances[where] = wide
    whole = universe(structural_zeros=HOLES[1])
    fit, universes = fit_of(whole, LEVELS[0], variances)
    _, _, noisy = measured(whole, LEVELS[0])
    fitted = fit.fitted(noisy)
    assert fitted[2].sum() == pytest.approx(fitted[0].sum())
    assert all(np.isfinite(v).all() for v in fit.variances)
    assert_made_of_what_it_says(fit, universes, variances)
