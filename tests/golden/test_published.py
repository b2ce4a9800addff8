"""The papers' printed numbers on the papers' own data, and the exact ones that should have been printed."""

from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.homogeneity import (
    PoissonSize,
    expected,
    fit_dirichlet,
    fit_sizes,
    marginal,
    marginal_shrinkage,
    published,
    shrinkage,
)
from epsilens.homogeneity.measures import prepare

EPSILONS = (0.1, 0.5, 1, 2, 10)


def averages(table: el.FrequencyTable, measure: str) -> list[tuple[float, float]]:
    """(unweighted, weighted) at each epsilon, Laplace, rounded as printed."""
    budgets = [el.PureDP(epsilon) for epsilon in EPSILONS]
    curves = [el.risk_curve(table, budgets=budgets, measure=measure, weighted=w).risks for w in (False, True)]
    return [(round(float(u), 5), round(float(w), 5)) for u, w in zip(*curves, strict=True)]


def test_published_local_and_expected(ff: el.FrequencyTable) -> None:
    assert averages(ff, "published-local") == [
        (0.19165, 0.21229),
        (0.27688, 0.29036),
        (0.35850, 0.35195),
        (0.47920, 0.43477),
        (0.68804, 0.56547),
    ]
    assert averages(ff, "published-expected") == [
        (0.18638, 0.20732),
        (0.27954, 0.29377),
        (0.37052, 0.36478),
        (0.50660, 0.46273),
        (0.74523, 0.62221),
    ]


def test_printed_asymptotes(ff: el.FrequencyTable) -> None:
    def both(measure: str, epsilon: float) -> list[float]:
        prepared = prepare(measure, ff)
        return [round(prepared.average(el.LaplaceNoise(1 / epsilon), weighted), 2) for weighted in (False, True)]

    assert both("published-local", 1e3) == [0.69, 0.57]
    assert both("published-expected", 1e3) == [0.75, 0.63]
    assert both("published-local", 1e-3) == [0.16, 0.18]
    assert both("published-expected", 1e-3) == [0.16, 0.17]


@pytest.mark.parametrize(("epsilon", "cells"), [(0.001, 1), (0.1, 1), (0.5, 0), (1.0, 0), (10.0, 0)])
def test_one_cell_exceeds_its_bound(ff: el.FrequencyTable, epsilon: float, cells: int) -> None:
    warning = published.local(ff, el.LaplaceNoise(1 / epsilon)).warning
    assert warning is not None
    assert (warning.cells_above, warning.n_cells) == (cells, 78)


def test_homogeneous_data_have_one_risk_only(bank: el.FrequencyTable) -> None:
    numbers = [(0.30500, 0.32933), (0.46333, 0.50832), (0.59734, 0.63774), (0.76383, 0.79036), (0.99569, 0.99624)]
    for measure in ("local", "expected", "shrinkage", "published-local", "published-expected", "published-shrinkage"):
        assert averages(bank, measure) == numbers


def test_printed_poisson_means(ff: el.FrequencyTable, bank: el.FrequencyTable, adult: el.FrequencyTable) -> None:
    """Plain means of the non-empty cells; the printed Adult mean is one of (cell, income) pairs (P0-8)."""
    occupied = adult.counts[adult.counts > 0]
    pairs = el.FrequencyTable.from_counts(np.stack([occupied, np.zeros_like(occupied)], axis=1))
    assert pairs.n_cells == 5974
    for table, printed, digits in ((pairs, 4.6, 1), (bank, 2.43, 2), (ff, 3.21, 2)):
        for method in ("ml", "moments"):
            fit = fit_sizes(table, "poisson", method, truncated=False)
            assert isinstance(fit.model, PoissonSize)
            assert round(fit.model.rate, digits) == printed


def test_exact_measures(ff: el.FrequencyTable, adult: el.FrequencyTable) -> None:
    """Ours, pinned: checked against enumeration and simulation elsewhere."""
    noise = el.LaplaceNoise(1.0)
    assert el.average(expected(ff, noise), ff) == pytest.approx(0.334575, abs=1e-6)
    assert el.average(shrinkage(ff, noise), ff) == pytest.approx(0.323272, abs=1e-6)
    assert el.average(marginal(ff, noise), ff) == pytest.approx(0.372889, abs=1e-6)
    assert el.average(marginal(ff, noise, "negative-binomial"), ff) == pytest.approx(0.364329, abs=1e-6)
    assert marginal_shrinkage(ff, noise) == pytest.approx(0.353761, abs=1e-6)
    assert el.average(expected(adult, noise), adult) == pytest.approx(0.327864, abs=1e-6)
    assert el.average(shrinkage(adult, noise), adult) == pytest.approx(0.330270, abs=1e-6)


def test_which_law_describes_the_sizes(ff: el.FrequencyTable, adult: el.FrequencyTable) -> None:
    assert fit_sizes(ff, "negative-binomial").aic == pytest.approx(312.08, abs=0.01)
    assert fit_sizes(ff, "poisson").aic == pytest.approx(332.14, abs=0.01)
    heavy = fit_sizes(adult, "negative-binomial")
    assert heavy.on_boundary
    assert heavy.aic < fit_sizes(adult, "poisson").aic - 10_000
    np.testing.assert_allclose(fit_dirichlet(adult).model.alpha, (1.352254, 0.336556), atol=1e-5)
