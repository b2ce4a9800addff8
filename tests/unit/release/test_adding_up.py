from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.release.adding_up import _over_components, _over_tree, consistent, nesting, non_negative_top_down
from epsilens.release.universe import Universe, declared_universe, public_schema
from epsilens.table import Schema

LEVELS = {"a": ["1", "2"], "b": ["x", "y", "z"], "y": ["n", "p", "q", "r"]}
RNG = np.random.default_rng(8)


def universe(**options: object) -> Universe:
    return declared_universe(public_schema(Schema(["a", "b"], "y", universe=LEVELS, **options)))  # type: ignore[arg-type]


def measured(
    whole: Universe, marginals: list[tuple[str, ...]]
) -> tuple[list[Universe], list[np.ndarray], list[np.ndarray]]:
    """The universes of the marginals, their matrices and a noisy measurement of each."""
    truth = RNG.poisson(3, whole.n_cells)
    universes, matrices, noisy = [], [], []
    for columns in marginals:
        small, group = whole.marginal(columns)
        matrix = np.zeros((small.n_cells, whole.n_cells))
        matrix[group, np.arange(whole.n_cells)] = 1.0
        universes.append(small)
        matrices.append(matrix)
        noisy.append(matrix @ truth + RNG.normal(0, 2, small.n_cells))
    return universes, matrices, noisy


def least_squares(
    matrices: list[np.ndarray], noisy: list[np.ndarray], variances: list[float]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Generalised least squares by a pseudo-inverse over all cells."""
    stacked = np.vstack(matrices)
    weight = np.concatenate([np.full(len(n), 1 / v) for n, v in zip(noisy, variances, strict=True)])
    inverse = np.linalg.pinv(stacked.T @ (weight[:, None] * stacked))
    cells = inverse @ (stacked.T @ (weight * np.concatenate(noisy)))
    return [m @ cells for m in matrices], [np.diag(m @ inverse @ m.T) for m in matrices]


@pytest.mark.parametrize(
    ("marginals", "variances"),
    [
        ([("a", "b"), ("y", "b"), ("a",), ("a", "y")], [1.0, 2.0, 3.0, 0.5]),
        ([("a",), ("b", "a"), ("a", "b", "y")], [1.0, 2.0, 3.0]),
        ([(), ("b",), ("a", "b", "y")], [4.0, 2.0, 3.0]),
        ([("a",), ("b",), ("y",)], [1.0, 1.0, 9.0]),
    ],
)
def test_consistent_marginals_are_the_least_squares_ones(
    marginals: list[tuple[str, ...]], variances: list[float]
) -> None:
    universes, matrices, noisy = measured(universe(), marginals)
    counts, spreads = consistent(universes, noisy, variances)
    expected, expected_spreads = least_squares(matrices, noisy, variances)
    for ours, theirs in zip([*counts, *spreads], [*expected, *expected_spreads], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-10)
    for spread, variance in zip(spreads, variances, strict=True):
        assert (spread <= variance + 1e-12).all()


def test_the_tree_and_the_components_agree_where_both_apply() -> None:
    universes, _, noisy = measured(universe(), [("b",), ("b", "a"), ("a", "b", "y")])
    variances = [1.0, 2.0, 3.0]
    for ours, theirs in zip(
        _over_tree(universes, noisy, variances), _over_components(universes, noisy, variances), strict=True
    ):
        for left, right in zip(ours, theirs, strict=True):
            assert left == pytest.approx(right, abs=1e-10)


def test_levels_of_an_incomplete_universe_agree_after_least_squares() -> None:
    holes = universe(structural_zeros=[{"a": "1", "b": ["y", "z"]}, {"b": "x", "y": "n"}])
    assert not holes.complete
    universes, matrices, noisy = measured(holes, [("a",), ("a", "b"), ("a", "b", "y")])
    variances = [1.0, 2.0, 3.0]
    counts, spreads = consistent(universes, noisy, variances)
    expected, expected_spreads = least_squares(matrices, noisy, variances)
    for ours, theirs in zip([*counts, *spreads], [*expected, *expected_spreads], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-10)


def test_marginals_that_do_not_nest_need_a_complete_universe() -> None:
    holes = universe(structural_zeros=[{"a": "1", "b": "y"}])
    universes, _, noisy = measured(holes, [("a", "b"), ("a", "y")])
    assert nesting(universes) is None
    with pytest.raises(ParameterError, match="without structural zeros"):
        consistent(universes, noisy, [1.0, 1.0])
    with pytest.raises(ParameterError, match="nested tables only"):
        non_negative_top_down(universes, noisy)


def test_top_down_is_non_negative_adds_up_and_keeps_totals() -> None:
    universes, _, noisy = measured(universe(), [("a", "b", "y"), (), ("a", "b")])
    counts, _ = consistent(universes, [n - 2.0 for n in noisy], [1.0, 1.0, 1.0])
    final = non_negative_top_down(universes, counts)
    fine, total, middle = final
    assert all((table >= 0).all() for table in final)
    assert fine.sum() == pytest.approx(total[0]) == pytest.approx(middle.sum()) == pytest.approx(max(counts[1][0], 0))
    _, group = universes[0].marginal(("a", "b"))
    assert np.bincount(group, weights=fine) == pytest.approx(middle)
