from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from epsilens.errors import ParameterError
from epsilens.homogeneity import NegativeBinomialSize, PoissonSize, ZeroInflatedSize, fit_dirichlet, fit_sizes
from epsilens.homogeneity.models.dirichlet_fits import _Cells, _slope_and_curvature
from epsilens.homogeneity.models.sizes import SizeModel, plain_pmf, truncated_pmf
from epsilens.table.frequency import FrequencyTable


def table_of_sizes(sizes: np.ndarray) -> FrequencyTable:
    return FrequencyTable.from_counts(np.stack([sizes, np.zeros_like(sizes)], axis=1))


def log_likelihood(law: SizeModel, sizes: np.ndarray, truncated: bool) -> float:
    return float(np.log((truncated_pmf if truncated else plain_pmf)(law, sizes)).sum())


@pytest.fixture(scope="module")
def poisson_sizes() -> np.ndarray:
    return np.random.default_rng(1).poisson(1.7, 20_000)


@pytest.fixture(scope="module")
def spread_sizes() -> np.ndarray:
    return np.random.default_rng(2).negative_binomial(0.8, 0.8 / (0.8 + 5.0), 20_000)


def test_truncated_poisson_recovers_its_rate(poisson_sizes: np.ndarray) -> None:
    seen = poisson_sizes[poisson_sizes > 0]
    fit = fit_sizes(table_of_sizes(seen))
    assert isinstance(fit.model, PoissonSize)
    assert fit.model.rate == pytest.approx(1.7, abs=0.05)
    assert (fit.method, fit.on_boundary, fit.n_cells) == ("maximum likelihood, truncated to n >= 1", False, len(seen))
    assert fit.log_likelihood == pytest.approx(log_likelihood(fit.model, seen, True), rel=1e-12)
    assert fit.aic == pytest.approx(2 - 2 * fit.log_likelihood)
    assert fit.parameters == {"rate": fit.model.rate}
    rate = fit.model.rate
    assert rate / -np.expm1(-rate) == pytest.approx(seen.mean(), rel=1e-13)  # the score is 0


def test_plain_poisson_is_the_mean_with_and_without_empty_cells(poisson_sizes: np.ndarray) -> None:
    for method in ("ml", "moments"):
        fit = fit_sizes(table_of_sizes(poisson_sizes), method=method, truncated=False)
        assert isinstance(fit.model, PoissonSize)
        assert fit.model.rate == pytest.approx(poisson_sizes.mean(), rel=1e-14)
    known = fit_sizes(table_of_sizes(np.array([1, 3])), truncated=False, empty_cells=2)
    assert known.model == PoissonSize(1.0)


@pytest.mark.parametrize("truncated", [True, False])
def test_negative_binomial_recovers_its_parameters(spread_sizes: np.ndarray, truncated: bool) -> None:
    sizes = spread_sizes[spread_sizes > 0] if truncated else spread_sizes
    fit = fit_sizes(table_of_sizes(sizes), "negative-binomial", truncated=truncated)
    law = fit.model
    assert isinstance(law, NegativeBinomialSize)
    assert law.shape == pytest.approx(0.8, rel=0.1)
    assert law.mean == pytest.approx(5.0, rel=0.1)
    for shape, mean in ((1.001, 1.0), (0.999, 1.0), (1.0, 1.001), (1.0, 0.999)):  # a maximum in both directions
        near = NegativeBinomialSize(shape * law.shape, mean * law.mean)
        assert log_likelihood(near, sizes, truncated) < fit.log_likelihood
    step = 1e-5
    for direction in ((step, 0.0), (0.0, step)):
        ahead = NegativeBinomialSize(law.shape * (1 + direction[0]), law.mean * (1 + direction[1]))
        behind = NegativeBinomialSize(law.shape * (1 - direction[0]), law.mean * (1 - direction[1]))
        score = (log_likelihood(ahead, sizes, truncated) - log_likelihood(behind, sizes, truncated)) / (2 * step)
        assert abs(score) < 1e-3  # of a log-likelihood of some -40,000 with curvature of thousands


def test_aic_tells_the_laws_apart(poisson_sizes: np.ndarray, spread_sizes: np.ndarray) -> None:
    spread = table_of_sizes(spread_sizes[spread_sizes > 0])
    assert fit_sizes(spread, "negative-binomial").aic < fit_sizes(spread, "poisson").aic - 1000
    even = table_of_sizes(poisson_sizes[poisson_sizes > 0])
    assert fit_sizes(even, "poisson").aic < fit_sizes(even, "negative-binomial").aic + 2.1


def test_negative_binomial_moments(spread_sizes: np.ndarray) -> None:
    fit = fit_sizes(table_of_sizes(spread_sizes), "negative-binomial", "moments")
    assert isinstance(fit.model, NegativeBinomialSize)
    mean, variance = spread_sizes.mean(), spread_sizes.var(ddof=1)
    assert fit.model.shape == pytest.approx(mean**2 / (variance - mean))
    assert fit.model.mean == pytest.approx(mean)


def test_sizes_without_spread_ask_for_the_poisson_law() -> None:
    table = table_of_sizes(np.array([3, 3, 3, 4, 4]))
    for method in ("ml", "moments"):
        fit = fit_sizes(table, "negative-binomial", method)
        assert fit.on_boundary
        assert "use the Poisson law" in fit.message


def test_sizes_with_long_tails_ask_for_the_logarithmic_series() -> None:
    fit = fit_sizes(table_of_sizes(np.array([1] * 500 + [2] * 60 + [300] * 40)), "negative-binomial")
    assert fit.on_boundary
    assert "logarithmic series" in fit.message


@pytest.mark.parametrize("model", ["poisson", "negative-binomial", "zero-inflated-poisson"])
def test_cells_of_one_person_put_the_rate_on_the_boundary(model: str) -> None:
    fit = fit_sizes(table_of_sizes(np.ones(10, dtype=np.int64)), model)
    assert fit.on_boundary
    assert "tends to 0" in fit.message or "cannot be identified" in fit.message
    assert truncated_pmf(fit.model, 1) == pytest.approx(1.0, abs=1e-11)
    assert fit.log_likelihood == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("family", ["poisson", "negative-binomial"])
def test_zero_inflation_is_fitted_from_known_empty_cells(family: str) -> None:
    rng = np.random.default_rng(5)
    base = rng.poisson(2.5, 8000) if family == "poisson" else rng.negative_binomial(2.0, 0.4, 8000)
    sizes = np.concatenate([base, np.zeros(4000, dtype=np.int64)])
    inside = fit_sizes(table_of_sizes(sizes), f"zero-inflated-{family}")
    law = inside.model
    assert isinstance(law, ZeroInflatedSize)
    assert law.empty_share == pytest.approx(1 / 3, abs=0.03)
    assert float(plain_pmf(law, 0)) == pytest.approx((sizes == 0).mean(), rel=1e-12)  # the score in the share is 0
    assert inside.log_likelihood == pytest.approx(log_likelihood(law, sizes, False), rel=1e-12)
    outside = fit_sizes(
        table_of_sizes(sizes[sizes > 0]), f"zero-inflated-{family}", empty_cells=int((sizes == 0).sum())
    )
    assert outside.model == inside.model
    plain = fit_sizes(table_of_sizes(sizes), family, truncated=False)
    assert inside.aic < plain.aic


def test_zero_inflation_says_when_it_cannot_be_known() -> None:
    unknown = fit_sizes(table_of_sizes(np.array([1, 2, 3, 5])), "zero-inflated-poisson")
    assert unknown.on_boundary
    assert "cannot be identified" in unknown.message
    deflated = fit_sizes(table_of_sizes(np.array([0, 1, 1, 1, 1, 1, 1, 2, 2])), "zero-inflated-poisson")
    assert isinstance(deflated.model, ZeroInflatedSize)
    assert deflated.model == ZeroInflatedSize(PoissonSize(10 / 9), 0.0)
    assert "fewer empty cells" in deflated.message


def test_bad_fit_options_are_refused() -> None:
    table = table_of_sizes(np.array([0, 1, 2]))
    with pytest.raises(ParameterError, match=r"did you mean 'negative-binomial'"):
        fit_sizes(table, "negativ-binomial")
    with pytest.raises(ParameterError, match=r"method must be one of ml, moments"):
        fit_sizes(table, method="bayes")
    with pytest.raises(ParameterError, match=r"moments are not offered for zero-inflated sizes"):
        fit_sizes(table, "zero-inflated-poisson", "moments")
    with pytest.raises(ParameterError, match=r"empty_cells must be a whole number, at least the 1 empty cells"):
        fit_sizes(table, empty_cells=0)
    with pytest.raises(ParameterError, match=r"empty_cells must be a whole number, .* got 2\.5"):
        fit_sizes(table, empty_cells=2.5)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"method must be one of ml, moments"):
        fit_dirichlet(table, "median")


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
    cells = _Cells(counts.astype(float), np.ones(counts.shape), np.ones(len(counts)))
    slope, curvature = _slope_and_curvature(alpha, cells)
    assert np.abs(slope).max() < 1e-8 * len(counts)
    assert np.linalg.eigvalsh(curvature).max() < 0
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
    assert fit.message == "1 labels have nobody: their alpha tends to 0"
    assert fit.model.alpha[1] == pytest.approx(1e-12)


def test_moments_need_two_whole_cells() -> None:
    table = FrequencyTable.from_counts([[4, 0, 2]], structural_zeros=[[False, True, False]])
    with pytest.raises(ParameterError, match=r"at least 2 non-empty cells .* got .*; fit by maximum likelihood"):
        fit_dirichlet(table, "moments")
