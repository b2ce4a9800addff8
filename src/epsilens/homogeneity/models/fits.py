"""Fitted size models, with a report that says how they were fitted and whether the fit can be trusted.

The cells of a table exist, so by default a size law is fitted truncated to n >= 1. Compare :attr:`Fit.aic` between laws
fitted in the same way: the smaller describes the sizes better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import one_of
from epsilens.errors import ParameterError, speaking_of
from epsilens.homogeneity.fit import GIVEN, Fit
from epsilens.homogeneity.models.posterior_rate import posterior_mean_rate
from epsilens.homogeneity.models.sizes import (
    SIZE_MODELS,
    NegativeBinomialSize,
    PoissonSize,
    SizeModel,
    ZeroInflatedSize,
    checked_size_model,
    plain_pmf,
    truncated_pmf,
)
from epsilens.homogeneity.products import numbered
from epsilens.lazy import LaterModule
from epsilens.table import declared_cells
from epsilens.table.frequency import FrequencyTable, checked_table

optimize = LaterModule("scipy.optimize")
special = LaterModule("scipy.special")

METHODS = ("ml", "moments")
SIZE_FITS = (*METHODS, "bayes")
"""How a law of sizes is fitted: maximum likelihood, moments, or the mean of a posterior."""

TINY = 1e-12
"""Stands for a parameter whose best value is 0: nearer than any result can tell."""
_SHAPES = (1e-6, 1e5)  # beyond them a negative binomial law cannot be told from its limits


@dataclass(frozen=True, eq=False)
class _Sizes:
    """Distinct sizes >= 1, how many cells have each, and how many cells are empty."""

    values: FloatArray
    weights: FloatArray
    empty: int

    @property
    def occupied(self) -> float:
        return float(self.weights.sum())

    @property
    def people(self) -> float:
        return float(self.values @ self.weights)

    def with_empty(self) -> _Sizes:
        """The same cells, the empty ones listed as size 0."""
        if self.empty == 0:
            return self
        return _Sizes(np.append(self.values, 0.0), np.append(self.weights, float(self.empty)), 0)


def fit_sizes(
    table: FrequencyTable,
    model: str = "poisson",
    method: str = "ml",
    truncated: bool = True,
    empty_cells: int | None = None,
) -> Fit[SizeModel]:
    """Fit a law of cell sizes.

    ``method="ml"`` is maximum likelihood, of the law truncated to n >= 1 (``truncated``, on the non-empty cells) or
    of the plain law on all cells; ``"moments"`` matches mean and variance of the plain law. For a Poisson law the
    last two are the mean size. ``"bayes"`` is the posterior mean of a Poisson rate (:func:`posterior_mean_rate`); a
    negative binomial law already is a Poisson law with a gamma prior for each cell's own rate. ``empty_cells``: how
    many cells of the universe are empty, where that is known; by default those of the table and, for a zero-inflated
    law, those of the universe that was declared when it was read. Such a law needs them: non-empty cells alone do not
    tell how many are missing.

    Source: P0 section 4.1; section 5.2, footnote 6 (plain Poisson means)
    """
    checked_table(table)
    one_of("size_model", model, SIZE_MODELS)
    _check_method(model, method)
    inflated = model.startswith("zero-inflated")
    if inflated and empty_cells is None:
        empty_cells = declared_cells.empty_cells(table)
    sizes = _sizes_of(table, empty_cells)
    family = model.removeprefix("zero-inflated-")
    if method == "moments":
        return _by_moments(sizes.with_empty(), family)
    if method == "bayes":
        return _by_posterior(sizes if truncated else sizes.with_empty(), truncated)
    if inflated:
        return _zero_inflated(sizes, family)
    return _by_likelihood(sizes if truncated else sizes.with_empty(), family, truncated)


def resolved_sizes(
    table: FrequencyTable, model: object, size_fit: str = "ml", truncated: bool = True
) -> Fit[SizeModel]:
    """The law of that name fitted to ``table``, or ``model`` itself with how well the table agrees with it."""
    checked = check_size_fit(model, size_fit)
    if isinstance(checked, str):
        return fit_sizes(table, checked, size_fit, truncated)
    sizes = _sizes_of(table, None)
    return _report(checked, GIVEN, sizes if truncated else sizes.with_empty(), truncated, 0)


def check_size_fit(model: object, size_fit: str | None = None) -> SizeModel | str:
    """:func:`checked_size_model`, refused together with a way to fit it that it does not have."""
    checked = checked_size_model(model)
    if size_fit is None:
        return checked
    with speaking_of(method="size_fit"):
        if isinstance(checked, str):
            _check_method(checked, size_fit)
        elif one_of("method", size_fit, SIZE_FITS) != "ml":
            raise ParameterError(
                "fits a law that has no parameters yet, and `size_model` has them; leave one of the two out",
                parameter="method",
            )
    return checked


def _check_method(model: str, method: str) -> None:
    one_of("method", method, SIZE_FITS)
    if method == "moments" and model.startswith("zero-inflated"):
        raise ParameterError("moments are not offered for zero-inflated sizes", remedy="use `method=ml`")
    if method == "bayes" and model != "poisson":
        raise ParameterError(
            "`method=bayes` is offered for Poisson sizes only",
            remedy="a negative binomial law is Poisson with a prior for every cell already: use `method=ml`",
        )


def _sizes_of(table: FrequencyTable, empty_cells: int | None) -> _Sizes:
    vectors, multiplicities = table.sparse_signatures()
    values, where = numbered(vectors.sizes)
    weights = np.bincount(where, weights=multiplicities)
    empty = int(weights[values == 0].sum())
    if empty_cells is not None:
        if empty_cells != int(empty_cells) or empty_cells < empty:
            raise ParameterError(
                f"must be a whole number, at least the {empty} empty cells of the table",
                parameter="empty_cells",
                got=empty_cells,
            )
        empty = int(empty_cells)
    if not (values > 0).any():
        raise ParameterError("all cells are empty: sizes need at least one cell with people in it")
    return _Sizes(as_floats(values[values > 0]), as_floats(weights[values > 0]), empty)


def _by_likelihood(sizes: _Sizes, family: str, truncated: bool) -> Fit[SizeModel]:
    how = "maximum likelihood, truncated to n >= 1" if truncated else "maximum likelihood, plain law"
    mean = sizes.people / sizes.occupied
    if truncated and mean == 1.0:
        law: SizeModel = PoissonSize(TINY) if family == "poisson" else NegativeBinomialSize(1.0, TINY)
        note = "every cell has one person: the rate tends to 0, and the truncated law to the size 1"
        return _report(law, how, sizes, truncated, 1 if family == "poisson" else 2, note)
    if family == "poisson":
        return _report(PoissonSize(_rate_for(mean) if truncated else mean), how, sizes, truncated, 1)
    return _negative_binomial(sizes, how, truncated)


def _rate_for(mean: float) -> float:
    """The rate whose Poisson law, truncated to n >= 1, has this mean: rate / (1 - e^-rate) = mean."""
    return float(optimize.brentq(lambda rate: rate / -math.expm1(-rate) - mean, TINY, mean, xtol=1e-300, rtol=1e-15))


def _mean_for(mean: float, shape: float) -> float:
    """The plain mean of the negative binomial law of that shape whose truncated mean is ``mean``."""

    def excess(log_plain: float) -> float:
        return NegativeBinomialSize(shape, math.exp(log_plain)).occupied * mean / math.exp(log_plain) - 1.0

    low = math.log(mean)
    while excess(low) < 0:
        low -= 2.0
    return math.exp(float(optimize.brentq(excess, low, math.log(mean), xtol=1e-15))) if low < math.log(mean) else mean


def _negative_binomial(sizes: _Sizes, how: str, truncated: bool) -> Fit[SizeModel]:
    """Profile likelihood: each shape has its own best mean, and the score in the shape is scanned for a root."""
    mean = sizes.people / sizes.occupied

    def at(log_shape: float) -> NegativeBinomialSize:
        shape = math.exp(log_shape)
        return NegativeBinomialSize(shape, _mean_for(mean, shape) if truncated else mean)

    def score(log_shape: float) -> float:
        law = at(log_shape)
        r, log_hit = law.shape, -math.log1p(law.scale)
        slope = (
            float(sizes.weights @ (special.digamma(sizes.values + r) - special.digamma(r))) + sizes.occupied * log_hit
        )
        if truncated:
            slope += sizes.occupied * log_hit * (1.0 / law.occupied - 1.0)
        return slope

    grid = np.log(np.geomspace(*_SHAPES, 45))
    heights = np.array([_log_likelihood(at(t), sizes, truncated) for t in grid])
    best = int(heights.argmax())
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    if score(low) > 0 > score(high):
        law = at(float(optimize.brentq(score, low, high, xtol=1e-14)))
        return _report(law, how, sizes, truncated, 2)
    if best > len(grid) // 2:
        note = "the sizes spread no more than Poisson sizes: the shape tends to infinity; use the Poisson law"
    else:
        note = "the shape tends to 0: the truncated law is the logarithmic series law"
    return _report(at(grid[-1] if best > len(grid) // 2 else grid[0]), how, sizes, truncated, 2, note)


def _by_moments(sizes: _Sizes, family: str) -> Fit[SizeModel]:
    """Rate = mean; negative binomial: shape = mean^2 / (variance - mean)."""
    mean = sizes.people / sizes.occupied
    if family == "poisson":
        return _report(PoissonSize(mean), "moments of the plain law", sizes, False, 1)
    variance = float(sizes.weights @ (sizes.values - mean) ** 2) / max(sizes.occupied - 1.0, 1.0)
    if variance <= mean:
        note = "the variance is not above the mean: the shape tends to infinity; use the Poisson law"
        return _report(NegativeBinomialSize(_SHAPES[1], mean), "moments of the plain law", sizes, False, 2, note)
    law = NegativeBinomialSize(mean**2 / (variance - mean), mean)
    return _report(law, "moments of the plain law", sizes, False, 2)


def _by_posterior(sizes: _Sizes, truncated: bool) -> Fit[SizeModel]:
    law = PoissonSize(posterior_mean_rate(sizes.people, sizes.occupied, truncated))
    how = f"posterior mean, prior rate^(-1/2), {'truncated to n >= 1' if truncated else 'plain law'}"
    return _report(law, how, sizes, truncated, 1)


def _zero_inflated(sizes: _Sizes, family: str) -> Fit[SizeModel]:
    """The likelihood splits: non-empty cells fit the truncated base, the number of empty ones the share."""
    base_fit = _by_likelihood(sizes, family, truncated=True)
    base = base_fit.model
    assert isinstance(base, PoissonSize | NegativeBinomialSize)
    how = "maximum likelihood, base truncated to n >= 1"
    cells = sizes.with_empty()
    parameters = base_fit.n_parameters + 1
    if sizes.empty == 0:
        note = "no empty cells are known, so the share of structurally empty ones cannot be identified; it is set to 0"
        law = ZeroInflatedSize(base, 0.0)
        return _report(law, how, sizes, True, parameters, note)
    share = 1.0 - sizes.occupied / cells.occupied / base.occupied
    if share >= 0:
        law = ZeroInflatedSize(base, share)
        return _report(law, how, cells, False, parameters, base_fit.message)
    plain = _by_likelihood(cells, family, truncated=False).model
    assert isinstance(plain, PoissonSize | NegativeBinomialSize)
    note = "there are fewer empty cells than the base law expects: the inflation tends to 0"
    return _report(ZeroInflatedSize(plain, 0.0), how, cells, False, parameters, note)


def _log_likelihood(law: SizeModel, sizes: _Sizes, truncated: bool) -> float:
    """Sum over cells of log P(n), or of log P(n | n >= 1)."""
    value = float(sizes.weights @ law.logpmf(sizes.values))
    return value - sizes.occupied * math.log(law.occupied) if truncated else value


def _report(
    law: SizeModel, how: str, sizes: _Sizes, truncated: bool, n_parameters: int, note: str = ""
) -> Fit[SizeModel]:
    likelihood = _log_likelihood(law, sizes, truncated)
    apart = _distance(law, sizes, truncated)
    return Fit(law, how, likelihood, n_parameters, round(sizes.occupied), bool(note), note, apart)


def _distance(law: SizeModel, sizes: _Sizes, truncated: bool) -> float:
    """Total variation: half the sum over all sizes of |share of cells - P(n)|; where no cell is, the law's own rest."""
    shares = sizes.weights / sizes.occupied
    chances = (truncated_pmf if truncated else plain_pmf)(law, sizes.values)
    return float(0.5 * (np.abs(shares - chances).sum() + max(1.0 - float(chances.sum()), 0.0)))
