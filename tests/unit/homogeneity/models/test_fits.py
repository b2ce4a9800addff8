from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity import NegativeBinomialSize, PoissonSize, ZeroInflatedSize, fit_dirichlet, fit_sizes
from epsilens.homogeneity.models.fits import check_size_fit, resolved_sizes
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
        fit_sizes(table, method="guess")
    with pytest.raises(ParameterError, match=r"moments are not offered for zero-inflated sizes"):
        fit_sizes(table, "zero-inflated-poisson", "moments")
    with pytest.raises(ParameterError, match=r"empty_cells must be a whole number, at least the 1 empty cells"):
        fit_sizes(table, empty_cells=0)
    with pytest.raises(ParameterError, match=r"empty_cells must be a whole number, .* got 2\.5"):
        fit_sizes(table, empty_cells=2.5)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"method must be one of ml, moments"):
        fit_dirichlet(table, "median")


def test_bayes_is_offered_for_poisson_sizes(poisson_sizes: np.ndarray) -> None:
    table = table_of_sizes(poisson_sizes)
    plain = fit_sizes(table, method="bayes", truncated=False)
    assert plain.model == PoissonSize((poisson_sizes.sum() + 0.5) / len(poisson_sizes))
    assert plain.method == "posterior mean, prior rate^(-1/2), plain law"
    assert fit_sizes(table, method="bayes").parameters["rate"] == pytest.approx(1.7, abs=0.05)
    for model in ("negative-binomial", "zero-inflated-poisson"):
        with pytest.raises(ParameterError, match=r"method='bayes' is offered for Poisson sizes only"):
            fit_sizes(table, model, "bayes")


def test_a_law_is_given_or_fitted_and_not_both() -> None:
    table = table_of_sizes(np.array([1, 2, 2, 5]))
    given = resolved_sizes(table, "poisson=2.5")
    assert (given.model, given.method, given.n_parameters) == (PoissonSize(2.5), "as given", 0)
    assert given.log_likelihood == pytest.approx(log_likelihood(PoissonSize(2.5), np.array([1, 2, 2, 5]), True))
    assert resolved_sizes(table, "poisson", "moments").model == PoissonSize(2.5)
    assert resolved_sizes(table, "poisson", "ml", truncated=False).model == PoissonSize(2.5)
    with pytest.raises(ParameterError, match=r"size_fit fits a law that has no parameters yet"):
        resolved_sizes(table, "poisson=2.5", "bayes")
    with pytest.raises(ParameterError, match=r"size_fit='ml'"):
        check_size_fit("zero-inflated-poisson", "moments")


def test_the_distance_is_the_total_variation() -> None:
    sizes = np.array([1, 1, 2, 4])
    for truncated, pmf in ((True, truncated_pmf), (False, plain_pmf)):
        fit = fit_sizes(table_of_sizes(sizes), truncated=truncated)
        every = np.arange(0, 60)
        shares = np.array([(sizes == n).mean() for n in every])
        assert fit.distance == pytest.approx(0.5 * np.abs(shares - pmf(fit.model, every)).sum(), abs=1e-12)
