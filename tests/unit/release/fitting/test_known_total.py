"""A public total against dense least squares with one more row that has next to no error."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.release.fitting.fit import Fit
from epsilens.release.fitting.known_total import KnownTotal
from epsilens.release.fitting.tree import least_squares, non_negative
from tests.support.fitted_tables import HOLES, measured, universe

TABLES: list[tuple[list[tuple[str, ...]], object]] = [
    ([("a",), ("a", "b"), ("a", "b", "y")], None),
    ([("a",), ("a", "b"), ("a", "b", "y")], HOLES[1]),
    ([("a", "b"), ("b", "y"), ("a", "y")], None),
    ([("a", "b", "y")], HOLES[0]),
]
TOTAL = 77


def constrained(
    matrices: list[np.ndarray], noisy: list[np.ndarray], variances: list[float], total: float
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Least squares among tables that agree, then moved along their covariance to the total (Lagrange)."""
    stacked = np.vstack(matrices)
    weight = np.concatenate([np.full(len(n), 1 / v) for n, v in zip(noisy, variances, strict=True)])
    inverse = np.linalg.pinv(stacked.T @ (weight[:, None] * stacked))
    cells = inverse @ (stacked.T @ (weight * np.concatenate(noisy)))
    along = inverse @ np.ones(len(cells))
    spread = float(along.sum())
    cells = cells + along * (total - cells.sum()) / spread
    left = inverse - np.outer(along, along) / spread
    return [m @ cells for m in matrices], [np.diag(m @ left @ m.T) for m in matrices]


@pytest.mark.parametrize(("marginals", "zeros"), TABLES)
def test_the_fit_is_that_of_least_squares_under_the_constraint(marginals: list[tuple[str, ...]], zeros: object) -> None:
    whole, variances = universe(structural_zeros=zeros), [1.0, 2.0, 3.0][: len(marginals)]
    universes, matrices, noisy = measured(whole, marginals)
    fit = least_squares(whole, universes, variances, TOTAL)
    expected, spreads = constrained(matrices, noisy, variances, TOTAL)
    for ours, theirs in zip([*fit.fitted(noisy), *fit.variances], [*expected, *spreads], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)
    assert [table.sum() for table in fit.fitted(noisy)] == pytest.approx([TOTAL] * len(marginals))
    without = least_squares(whole, universes, variances)
    for less, more in zip(fit.variances, without.variances, strict=True):
        assert (less <= more + 1e-12).all()
    assert_says_what_it_is_made_of(fit, [part.n_cells for part in universes], variances)


def assert_says_what_it_is_made_of(fit: Fit, sizes: list[int], variances: list[float]) -> None:
    assert len(list(fit.alike())) == fit.kinds()
    zero = [np.zeros(size) for size in sizes]
    for kind in fit.alike():
        own = sum(float(n @ w**2) * v for w, n, v in zip(kind.weights, kind.times, variances, strict=True))
        assert fit.variances[kind.table][kind.cells] == pytest.approx(own, abs=1e-12)
    assert [table.sum() for table in fit.fitted(zero)] == pytest.approx([TOTAL] * len(sizes))


def test_halves_have_half_the_variance() -> None:
    whole = universe()
    (halves,), _, _ = measured(whole, [("a",)])
    fit = least_squares(whole, [halves], [4.0], 10)
    assert isinstance(fit, KnownTotal)
    assert fit.fitted([np.array([9.0, 3.0])])[0] == pytest.approx([8.0, 2.0])
    assert fit.variances[0] == pytest.approx([2.0, 2.0])


@pytest.mark.parametrize(("marginals", "zeros"), TABLES)
@pytest.mark.parametrize("total", [0, 5, TOTAL])
def test_without_negative_counts_they_still_add_up(marginals: list[tuple[str, ...]], zeros: object, total: int) -> None:
    whole, variances = universe(structural_zeros=zeros), [1.0, 2.0, 3.0][: len(marginals)]
    universes, _, noisy = measured(whole, marginals)
    fitted = least_squares(whole, universes, variances, total).fitted(noisy)
    found, _ = non_negative(whole, universes, fitted, variances, total)
    for table in found:
        assert (table >= 0.0).all()
        assert table.sum() == pytest.approx(total, abs=1e-9)
