from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from epsilens.arrays import as_floats
from epsilens.release.fitting import joint
from epsilens.release.fitting.errors import rounding
from epsilens.release.fitting.joint import NEAR, non_negative_fit
from epsilens.release.fitting.products import ProductFit
from epsilens.release.fitting.tree import (
    consistent,
    nesting,
    non_negative,
)
from epsilens.release.universe import declared_universe, public_schema
from epsilens.table import Schema
from tests.support.fitted_tables import (
    HOLES,
    OVERLAPPING,
    RNG,
    assert_made_of_what_it_says,
    least_squares,
    measured,
    universe,
)


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


@pytest.mark.parametrize("zeros", [None, *HOLES])
@pytest.mark.parametrize("marginals", OVERLAPPING)
def test_the_joint_fit_is_that_of_numpy(zeros: object, marginals: list[tuple[str, ...]]) -> None:
    """Weighted least squares over the cells by ``lstsq``, and the variances of its projection by ``pinv``."""
    whole = universe(structural_zeros=zeros)
    universes, matrices, noisy = measured(whole, marginals)
    variances = [1.0, 2.0, 3.0, 0.5][: len(marginals)]
    errors = np.concatenate([np.full(len(n), v**0.5) for n, v in zip(noisy, variances, strict=True)])
    design = np.vstack(matrices) / errors[:, None]
    cells = np.linalg.lstsq(design, np.concatenate(noisy) / errors, rcond=None)[0]
    fit = joint.JointFit(whole, universes, variances)
    fitted, spreads = fit.fitted(noisy), fit.variances
    assert np.concatenate(fitted) == pytest.approx(np.vstack(matrices) @ cells, abs=1e-9)
    assert np.concatenate(spreads) == pytest.approx(np.diag(design @ np.linalg.pinv(design)) * errors**2, abs=1e-9)


def test_the_stated_distance_bounds_the_true_one() -> None:
    """The duality gap, at cells that are not the best: never less than how far their tables really are."""
    whole = universe()
    universes, matrices, noisy = measured(whole, OVERLAPPING[0])
    noisy, variances = [n - 4.0 for n in noisy], [1.0, 2.0]
    weights = np.concatenate([np.full(len(n), v**-0.5) for n, v in zip(noisy, variances, strict=True)])
    design = np.vstack(matrices) * weights[:, None]
    best, _ = optimize.nnls(design, np.concatenate(noisy) * weights)
    problem = joint._Problem(joint._groups(whole, universes), noisy, np.sqrt(variances))
    for _ in range(20):
        cells = RNG.exponential(1.0, whole.n_cells)
        assert np.linalg.norm(design @ (cells - best)) <= problem.distance(cells) * (1 + 1e-9)
    assert problem.distance(best) == pytest.approx(0.0, abs=1e-5)


def test_the_common_universe_has_the_columns_that_some_table_has() -> None:
    whole = universe()
    parts = [whole.marginal(columns)[0] for columns in (("y",), ("a",))]
    assert joint.common_universe(whole, parts).columns == ("a", "y")


@pytest.mark.parametrize("ratio", [4.0, 9_000.0, 1e6, 1e10])
@pytest.mark.parametrize("where", [0, 1, 2])
def test_tables_of_unequal_precision_are_fitted_as_by_components(ratio: float, where: int) -> None:
    whole = universe()
    universes, _, noisy = measured(whole, [("a", "b"), ("b", "y"), ("a", "y")])
    variances = [1.0, 1.0, 1.0]
    variances[where] = ratio
    ours, theirs = joint.JointFit(whole, universes, variances), ProductFit(universes, variances)
    for fit, expected, variance in zip(ours.fitted(noisy), theirs.fitted(noisy), variances, strict=True):
        assert np.abs(fit - expected).max() <= 1e-6 * np.sqrt(variance)
    for fit, expected in zip(ours.variances, theirs.variances, strict=True):
        assert fit == pytest.approx(expected, rel=1e-6)
    assert_made_of_what_it_says(ours, universes, variances)


@pytest.mark.parametrize("zeros", HOLES)
@pytest.mark.parametrize("marginals", OVERLAPPING)
def test_what_fitted_counts_are_made_of(zeros: object, marginals: list[tuple[str, ...]]) -> None:
    whole = universe(structural_zeros=zeros)
    universes, _, _ = measured(whole, marginals)
    variances = [1.0, 2.0, 3.0, 0.5][: len(marginals)]
    fit = joint.JointFit(joint.common_universe(whole, universes), universes, variances)
    assert_made_of_what_it_says(fit, universes, variances)
    assert fit.kinds() <= sum(part.n_cells for part in universes)


@pytest.mark.parametrize("variances", [[1.0, 1e10, 1.0], [1e30, 1.0, 1e10], [1.0, 1e5, 1e10]])
def test_large_counts_without_noise_are_their_own_fit_however_unequal_the_tables(variances: list[float]) -> None:
    whole = universe(structural_zeros=HOLES[0])
    universes = [whole.marginal(columns)[0] for columns in OVERLAPPING[2][:3]]
    counts = RNG.integers(0, 10**8, whole.n_cells)
    exact = [as_floats(np.bincount(whole.marginal(part.columns)[1], weights=counts)) for part in universes]
    fit = joint.JointFit(whole, universes, variances)
    for ours, theirs in zip(fit.fitted(exact), exact, strict=True):
        assert np.abs(ours - theirs).max() <= rounding(theirs)
