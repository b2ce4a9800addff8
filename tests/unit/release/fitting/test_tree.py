from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from epsilens.errors import ParameterError
from epsilens.release.fitting import tree as adding_up
from epsilens.release.fitting.joint import NEAR, non_negative_fit
from epsilens.release.fitting.tree import (
    _over_components,
    _over_tree,
    check_agreement,
    consistent,
    nesting,
    non_negative,
    non_negative_top_down,
)
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
    counts, spreads = consistent(universe(), universes, noisy, variances)
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
    counts, spreads = consistent(holes, universes, noisy, variances)
    expected, expected_spreads = least_squares(matrices, noisy, variances)
    for ours, theirs in zip([*counts, *spreads], [*expected, *expected_spreads], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-10)


HOLES: list[object] = [
    [{"a": "1", "b": "y"}],
    [{"a": "1", "b": ["y", "z"]}, {"b": "x", "y": "n"}],
    [{"a": "1", "y": ["n", "p"]}, {"a": "2", "y": ["q", "r"]}],  # a follows from y: tables that are complete are tied
]
OVERLAPPING: list[list[tuple[str, ...]]] = [
    [("a", "b"), ("a", "y")],
    [("a",), ("y",), ("b",)],
    [("a", "b"), ("b", "y"), ("a", "y"), ()],
]


@pytest.mark.parametrize("zeros", HOLES)
@pytest.mark.parametrize("marginals", OVERLAPPING)
def test_overlapping_marginals_with_structural_zeros_are_the_least_squares_ones(
    zeros: object, marginals: list[tuple[str, ...]]
) -> None:
    holes = universe(structural_zeros=zeros)
    universes, matrices, noisy = measured(holes, marginals)
    assert nesting(universes) is None
    variances = [1.0, 2.0, 3.0, 0.5][: len(marginals)]
    counts, spreads = consistent(holes, universes, noisy, variances)
    expected, expected_spreads = least_squares(matrices, noisy, variances)
    for ours, theirs in zip([*counts, *spreads], [*expected, *expected_spreads], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)
    for spread, variance in zip(spreads, variances, strict=True):
        assert (spread <= variance + 1e-12).all()


@pytest.mark.parametrize("zeros", [None, *HOLES])
@pytest.mark.parametrize("marginals", OVERLAPPING)
def test_non_negative_overlapping_marginals_solve_the_quadratic_programme(
    zeros: object, marginals: list[tuple[str, ...]]
) -> None:
    """Against a generic solver over all cells, which are few here."""
    whole = universe(structural_zeros=zeros)
    universes, matrices, noisy = measured(whole, marginals)
    noisy = [n - 4.0 for n in noisy]  # most of the constraints bind
    variances = [1.0, 2.0, 3.0, 0.5][: len(marginals)]
    start, _ = consistent(whole, universes, noisy, variances)
    final, off = non_negative(whole, universes, start, variances)
    assert off is not None
    assert off <= NEAR
    weights = np.concatenate([np.full(len(n), v**-0.5) for n, v in zip(noisy, variances, strict=True)])
    stacked, aim = np.vstack(matrices) * weights[:, None], np.concatenate(noisy) * weights
    solved = optimize.minimize(
        lambda x: 0.5 * ((stacked @ x - aim) ** 2).sum(),
        np.ones(whole.n_cells),
        jac=lambda x: stacked.T @ (stacked @ x - aim),
        bounds=[(0.0, None)] * whole.n_cells,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000},
    )
    ours = np.concatenate(final) * weights
    assert np.linalg.norm(ours - stacked @ solved.x) <= NEAR
    assert 0.5 * ((ours - aim) ** 2).sum() >= solved.fun - 1e-6
    assert all((table >= 0).all() for table in final)
    cells, _ = optimize.nnls(np.vstack(matrices), np.concatenate(final))  # some non-negative cells have these tables
    assert np.vstack(matrices) @ cells == pytest.approx(np.concatenate(final), abs=1e-8)
    # A projection to a convex set that holds the truth never takes the tables further from it.
    truth = stacked @ RNG.poisson(1.0, whole.n_cells)
    assert np.linalg.norm(ours - truth) <= np.linalg.norm(aim - truth) + NEAR


def test_a_fit_with_large_counts_converges() -> None:
    levels = {"a": [str(i) for i in range(30)], "b": [str(i) for i in range(20)], "y": [str(i) for i in range(10)]}
    whole = declared_universe(public_schema(Schema(["a", "b"], "y", universe=levels)))
    counts = np.where(RNG.random(whole.n_cells) < 0.9, 0, RNG.pareto(1.0, whole.n_cells) * 100).astype(np.int64)
    universes = [whole.marginal(columns)[0] for columns in (("a", "b"), ("b", "y"), ("a", "y"))]
    noisy = [
        np.bincount(whole.marginal(part.columns)[1], weights=counts) + RNG.normal(0, 3, part.n_cells)
        for part in universes
    ]
    final, off = non_negative_fit(whole, universes, noisy, [9.0] * 3)
    assert off <= NEAR
    assert min(table.min() for table in final) >= 0


def test_sizes_beyond_the_limits_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    holes = universe(structural_zeros=HOLES[0])
    parts = [holes.marginal(columns)[0] for columns in OVERLAPPING[0]]
    check_agreement(holes, parts, True)
    monkeypatch.setattr(adding_up, "MAX_JOINT_CELLS", 10)
    check_agreement(holes, parts, False)
    with pytest.raises(ParameterError, match=r"at most 10 cells of all their columns together, got 20"):
        check_agreement(holes, parts, True)
    monkeypatch.setattr(adding_up, "MAX_COUNTS", 10)
    with pytest.raises(ParameterError, match=r"^consistent is offered for at most 10 counts in all .* structural"):
        check_agreement(holes, parts, False)
    check_agreement(holes, [holes.marginal(columns)[0] for columns in [("a",), ("a", "b")]], True)


def test_top_down_is_non_negative_adds_up_and_keeps_totals() -> None:
    universes, _, noisy = measured(universe(), [("a", "b", "y"), (), ("a", "b")])
    counts, _ = consistent(universe(), universes, [n - 2.0 for n in noisy], [1.0, 1.0, 1.0])
    final = non_negative_top_down(universes, counts)
    fine, total, middle = final
    assert all((table >= 0).all() for table in final)
    assert fine.sum() == pytest.approx(total[0]) == pytest.approx(middle.sum()) == pytest.approx(max(counts[1][0], 0))
    _, group = universes[0].marginal(("a", "b"))
    assert np.bincount(group, weights=fine) == pytest.approx(middle)
