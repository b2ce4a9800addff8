"""Fits of the Dirichlet law of shares."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from epsilens.errors import ParameterError
from epsilens.homogeneity import fit_dirichlet
from epsilens.homogeneity.models.dirichlet_fits import _Cells, _slope_and_curvature
from epsilens.table.count_vectors import CountVectors
from epsilens.table.frequency import FrequencyTable


def drawn_table(alpha: list[float], cells: int, seed: int) -> FrequencyTable:
    rng = np.random.default_rng(seed)
    sizes = 1 + rng.poisson(6.0, cells)
    return FrequencyTable.from_counts(rng.multinomial(sizes, rng.dirichlet(alpha, cells)))


@pytest.mark.parametrize("alpha", [[0.3, 1.2], [2.0, 0.5, 1.0], [0.05, 0.1, 0.2, 0.05]], ids=str)
@pytest.mark.parametrize("method", ["ml", "moments"])
def test_dirichlet_fits_recover_their_parameters(alpha: list[float], method: str) -> None:
    fit = fit_dirichlet(drawn_table(alpha, 20_000, 7), method)
    np.testing.assert_allclose(fit.model.alpha, alpha, rtol=0.12)
    assert (fit.on_boundary, fit.n_parameters, fit.n_cells) == (False, len(alpha), 20_000)


def test_dirichlet_score_is_zero_and_the_likelihood_is_the_laws() -> None:
    table = drawn_table([0.4, 1.0, 0.2], 400, 8)
    fit = fit_dirichlet(table)
    counts = table.counts
    alpha = np.array(fit.model.alpha)
    reference = sum(stats.dirichlet_multinomial.logpmf(row, alpha, row.sum()) for row in counts)
    assert fit.log_likelihood == pytest.approx(reference, rel=1e-11)
    cells = _Cells.of(CountVectors.of(counts), np.ones(len(counts), dtype=np.int64), np.arange(3))
    slope, curvature = _slope_and_curvature(alpha, cells)
    assert np.abs(slope).max() < 1e-8 * len(counts)
    assert np.linalg.eigvalsh(curvature.matrix).max() < 0
    assert fit.log_likelihood > fit_dirichlet(table, "moments").log_likelihood
    for k in range(3):
        ahead, behind = alpha.copy(), alpha.copy()
        ahead[k] *= 1 + 1e-5
        behind[k] *= 1 - 1e-5
        values = [sum(stats.dirichlet_multinomial.logpmf(row, a, row.sum()) for row in counts) for a in (ahead, behind)]
        assert abs(values[0] - values[1]) / 2e-5 < 1e-3


def test_dirichlet_fit_leaves_out_what_is_impossible() -> None:
    rng = np.random.default_rng(9)
    alpha = np.array([0.8, 1.5, 0.6])
    without = rng.random(20_000) < 0.5
    shares = rng.gamma(alpha, 1.0, (20_000, 3))
    shares[without, 1] = 0.0
    counts = rng.multinomial(8, shares / shares.sum(axis=1, keepdims=True))
    impossible = np.zeros(counts.shape, dtype=bool)
    impossible[without, 1] = True
    fit = fit_dirichlet(FrequencyTable.from_counts(counts, structural_zeros=impossible))
    np.testing.assert_allclose(fit.model.alpha, alpha, rtol=0.06)


@pytest.mark.parametrize("method", ["ml", "moments"])
@pytest.mark.parametrize("cells", [[[1, 0], [0, 1], [1, 0]], [[5, 0], [0, 2], [9, 0]]], ids=["size 1", "homogeneous"])
def test_homogeneous_tables_put_alpha_on_the_boundary(method: str, cells: list[list[int]]) -> None:
    fit = fit_dirichlet(FrequencyTable.from_counts(cells), method)
    assert fit.on_boundary
    assert "no cell has two labels" in fit.message
    shares = np.array(fit.model.alpha) / sum(fit.model.alpha)
    np.testing.assert_allclose(shares, np.sum(cells, axis=0) / np.sum(cells), rtol=1e-12)


@pytest.mark.parametrize("method", ["ml", "moments"])
def test_equal_cells_put_alpha_at_infinity(method: str) -> None:
    fit = fit_dirichlet(FrequencyTable.from_counts([[4, 2, 2]] * 30 + [[3, 2, 3]] * 4), method)
    assert fit.on_boundary
    assert "tends to infinity" in fit.message
    assert sum(fit.model.alpha) == pytest.approx(1e6)


def test_a_label_nobody_has_is_said_to_be_on_the_boundary() -> None:
    fit = fit_dirichlet(FrequencyTable.from_counts([[4, 0, 2], [1, 0, 5], [3, 0, 0]]))
    assert fit.on_boundary
    assert fit.message == "1 label has nobody: its alpha tends to 0"
    assert fit.model.alpha[1] == pytest.approx(1e-12)


def test_moments_need_two_whole_cells() -> None:
    table = FrequencyTable.from_counts([[4, 0, 2]], structural_zeros=[[False, True, False]])
    with pytest.raises(ParameterError, match=r"at least 2 non-empty cells .* got .*; fit by maximum likelihood"):
        fit_dirichlet(table, "moments")
