"""Marginals of a complete product against dense linear algebra, and what their counts are made of."""

from __future__ import annotations

import pytest

from epsilens.release.fitting.nested import NestedFit
from epsilens.release.fitting.products import ProductFit
from epsilens.release.fitting.tree import nesting
from tests.support.fitted_tables import assert_made_of_what_it_says, least_squares, measured, universe

MARGINALS = [
    [("a", "b"), ("y", "b"), ("a",), ("a", "y")],
    [("a",), ("b", "a"), ("a", "b", "y")],
    [(), ("b",), ("a", "b", "y")],
    [("a",), ("b",), ("y",)],
]


@pytest.mark.parametrize("marginals", MARGINALS)
def test_the_fit_is_that_of_dense_least_squares_and_made_of_what_it_says(marginals: list[tuple[str, ...]]) -> None:
    variances = [1.0, 2.0, 3.0, 0.5][: len(marginals)]
    universes, matrices, noisy = measured(universe(), marginals)
    fit = ProductFit(universes, variances)
    expected, spreads = least_squares(matrices, noisy, variances)
    for ours, theirs in zip([*fit.fitted(noisy), *fit.variances], [*expected, *spreads], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-10)
    assert_made_of_what_it_says(fit, universes, variances)
    assert fit.kinds() == len(marginals)


def test_levels_and_components_agree_where_both_apply() -> None:
    universes, _, noisy = measured(universe(), [("b",), ("b", "a"), ("a", "b", "y")])
    variances = [1.0, 2.0, 3.0]
    order = nesting(universes)
    assert order is not None
    ours, theirs = NestedFit(universes, variances, order), ProductFit(universes, variances)
    for left, right in zip(
        [*ours.fitted(noisy), *ours.variances], [*theirs.fitted(noisy), *theirs.variances], strict=True
    ):
        assert left == pytest.approx(right, abs=1e-10)


@pytest.mark.parametrize("wide", [1e12, 1e60, 1e190])
def test_tables_of_very_different_precision_neither_divide_by_zero_nor_lose_their_weights(wide: float) -> None:
    universes, _, noisy = measured(universe(), [("a",), ("a", "b"), ("b", "y")])
    fit = ProductFit(universes, [1.0, wide, 1.0])
    fitted = fit.fitted(noisy)
    assert fitted[0].sum() == pytest.approx(fitted[1].sum())
    without = ProductFit([universes[0], universes[2]], [1.0, 1.0]).fitted([noisy[0], noisy[2]])
    assert fitted[0] == pytest.approx(without[0], abs=1e-6)  # what says nothing changes nothing
    assert_made_of_what_it_says(fit, universes, [1.0, wide, 1.0])
