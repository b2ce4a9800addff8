"""Which category is the target in? Noisy counts of all C categories of a histogram, a prior over the categories.

The adversary knows everybody else's category, hence each cell's count without the target, and the target adds one to
exactly one cell. So cell c speaks for category c with the log likelihood ratio L_c of its own noisy count, and the
scores s_c = log prior_c + L_c are independent over the noise.

**Expected posterior of the true category.** 1/x = integral over u > 0 of e^{-ux} du turns E e^{s_0} / sum_c e^{s_c}
into a single integral of a product of expectations; with u = e^v it is analytic in v and decays at both ends, so the
trapezoidal rule is exact to rounding. It is evaluated at two step widths, and their difference is reported.

**Ranks.** Scores often tie; ties are broken by lot. Give every category an independent uniform ticket: given its own
score v and ticket w, the true category is beaten by category c with probability P(s_c > v) + w P(s_c = v),
independently over c. The number of those that beat it is then a sum of independent indicators, and w is integrated
out by Gauss-Legendre, exactly up to 400 categories (the integrand is a polynomial in w); beyond, by panels that halve
towards 0, where the chance to come first is decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import whole
from epsilens.errors import DataError, ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise import Noise
from epsilens.notebook import brief, facts_html
from epsilens.posterior.combined import EvidenceLaw, evidence, evidence_for_averages
from epsilens.posterior.noise_sums import is_listed
from epsilens.posterior.noises import MOST_COUNTED, one_noise
from epsilens.posterior.single import log_likelihood_ratio

special = LaterModule("scipy.special")

_MOST_NODES = 201
_MOST_WORK = 300_000_000
_MOST_RANK_WORK = 30_000_000
_CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class CategoryPosterior:
    """The adversary's posterior over the categories, and their order from most to least likely."""

    posterior: FloatArray
    prior: FloatArray

    __repr__ = brief
    _repr_html_ = facts_html

    @property
    def ranking(self) -> npt.NDArray[np.int64]:
        """Positions of the categories, most likely first; equal ones in the order given."""
        return np.argsort(-self.posterior, kind="stable").astype(np.int64)

    @property
    def risk_ratio(self) -> FloatArray:
        """Posterior over prior, per category; nan where the prior is 0."""
        with np.errstate(invalid="ignore"):
            return self.posterior / self.prior


@dataclass(frozen=True)
class ExpectedCategories:
    """Averages over the noise for a target whose true category is ``true_category``.

    ``posterior`` is the expected posterior of the true category, ``ranked_first`` the probability that the adversary
    ranks it first, ``within_first[m]`` that it is among the first m. Ties are broken by lot.
    """

    posterior: float
    risk_ratio: float
    ranked_first: float
    within_first: dict[int, float]
    true_category: int
    error: float

    __repr__ = brief
    _repr_html_ = facts_html


def categories(
    noisy: npt.ArrayLike,
    known: npt.ArrayLike,
    prior: npt.ArrayLike | None = None,
    rho: float | None = None,
    noise: Noise | None = None,
) -> CategoryPosterior:
    """The posterior over the target's category, given the noisy counts of a histogram.

    P(c | x*) proportional to pi_c f(x_c* - n_c - 1) / f(x_c* - n_c). Symbols: pi is ``prior`` (default: all equal),
    x_c* is ``noisy[c]``, n_c is ``known[c]``, the count without the target, f the law of the noise.

    Source: P4 Eq. (3.1), carried over from one category to C.
    Assumes independent noise in the cells, and that the adversary knows all cells but for the target.
    """
    law = one_noise(rho, noise)
    counts, without = as_floats(noisy), as_floats(known)
    if counts.ndim != 1 or counts.shape != without.shape:
        raise DataError(
            f"`noisy` and `known` must be lists of equal length, got {counts.size} and {without.size} counts"
        )
    if (without < 0).any() or (without != np.floor(without)).any():
        raise DataError("must be whole numbers >= 0", parameter="known")
    weights = _prior(prior, len(counts))
    scores = _log(weights) + log_likelihood_ratio(counts - without, law)
    return CategoryPosterior(as_floats(special.softmax(scores)), weights)


def expected_categories(
    true_category: int,
    prior: npt.ArrayLike | int,
    rho: float | None = None,
    noise: Noise | None = None,
    first: Sequence[int] = (1, 3, 10),
) -> ExpectedCategories:
    """How well the adversary will guess the target's category, on average over the noise.

    E[P(true | x*)], P(the true category ranks first), P(it is within the first m) for each m in ``first``. Symbols:
    ``prior`` is the vector pi, or the number C of equally likely categories; the known counts do not matter.

    Source: P4 Eq. (3.3), carried over from one category to C.
    Assumes what :func:`categories` assumes.
    """
    law = one_noise(rho, noise)
    own, log_priors, multiplicity, truth = _log_priors(true_category, prior)
    posterior, error = expected_share(law, own, log_priors, multiplicity)
    wanted = sorted({whole("a rank", m, 1) for m in (1, *first)})
    within = _rank_probabilities(law, own, log_priors, multiplicity, wanted)
    return ExpectedCategories(
        posterior,
        posterior / float(np.exp(own)),
        within[1],
        {m: within[m] for m in wanted if m in first},
        truth,
        error,
    )


def _log_priors(true_category: int, prior: npt.ArrayLike | int) -> tuple[float, FloatArray, npt.NDArray[np.int64], int]:
    """The log prior of the true category, the different ones of the others, and how often each occurs."""
    truth = whole("true_category", true_category, 0)
    if isinstance(prior, int):
        number = whole("the number of categories", prior, 2)
        if number > MOST_COUNTED:
            raise ParameterError(f"the number of categories must be at most {MOST_COUNTED:,}", got=number)
    else:
        weights = _prior(prior, None)
        number = len(weights)
    if truth >= number:
        raise ParameterError(f"must be below the number of categories ({number})", parameter="true_category", got=truth)
    if isinstance(prior, int):
        return -float(np.log(number)), np.full(1, -np.log(number)), np.full(1, number - 1, dtype=np.int64), truth
    if weights[truth] <= 0:
        raise ParameterError(
            "the `prior` of the true category must be > 0", remedy="an adversary who rules it out never finds it"
        )
    others = np.delete(weights, truth)
    log_priors, multiplicity = np.unique(_log(others[others > 0]), return_counts=True)
    return float(np.log(weights[truth])), log_priors, multiplicity, truth


def _prior(prior: npt.ArrayLike | None, size: int | None) -> FloatArray:
    """A probability vector, checked."""
    if prior is None:
        return np.full(size or 0, 1.0 / (size or 1))
    weights = as_floats(prior)
    if weights.ndim != 1 or len(weights) < 2 or (size is not None and len(weights) != size):
        raise ParameterError("must hold one probability per category", parameter="prior", got=weights.size)
    if not np.isfinite(weights).all() or (weights < 0).any() or abs(weights.sum() - 1.0) > 1e-9:
        raise ParameterError(f"must be >= 0 everywhere and sum to 1, it sums to {weights.sum():g}", parameter="prior")
    return weights


def _log(weights: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return as_floats(np.log(weights))


def expected_share(
    noise: Noise, own: float, log_priors: FloatArray, multiplicity: npt.NDArray[np.int64]
) -> tuple[float, float]:
    """E e^{s_0} / sum_c e^{s_c} by the trapezoidal rule in v, and how much halving the step changed it.

    ``own`` is the log prior of the true category; ``log_priors`` are those of the others, each ``multiplicity`` times.
    """
    there, elsewhere = evidence_for_averages(noise, present=True), evidence_for_averages(noise, present=False)
    lowest = min(own + there.clipped[0], log_priors.min(initial=own) + elsewhere.clipped[0])
    highest = max(own + there.clipped[-1], log_priors.max(initial=own) + elsewhere.clipped[-1])
    step = 1.0 / 8.0
    # to the left the integrand falls like e^{v + s}, to the right like exp(-e^{v + s})
    v = np.arange(-highest - 45.0 - np.log1p(float(multiplicity.sum())), -lowest + 8.0, step / 2.0)
    if (work := len(v) * len(elsewhere.values) * (len(log_priors) + 1.0)) > _MOST_WORK:
        raise ParameterError(
            f"an average over {len(log_priors)} different priors at this noise takes {work:.1g} terms, at most "
            f"{_MOST_WORK:.0g} are summed",
            remedy="use a larger `rho`, or fewer different priors",
        )

    def averaged(law: EvidenceLaw, shift: float, tilted: bool) -> FloatArray:
        """E e^x exp(-e^x), or E exp(-e^x) - 1, with x = v + shift + L."""
        out = np.empty_like(v)
        size = max(1, 2_000_000 // len(law.values))
        for i in range(0, len(v), size):
            exponent = np.minimum(v[i : i + size, None] + shift + law.clipped, 700.0)
            each = np.exp(exponent - np.exp(exponent)) if tilted else np.expm1(-np.exp(exponent))
            out[i : i + size] = each @ law.weights
        return out

    log_product = np.zeros_like(v)
    with np.errstate(divide="ignore"):
        for log_prior, times in zip(log_priors, multiplicity, strict=True):
            log_product += times * np.log1p(np.maximum(averaged(elsewhere, float(log_prior), False), -1.0))
    integrand = averaged(there, own, True) * np.exp(log_product)
    fine, coarse = 0.5 * step * integrand.sum(), step * integrand[::2].sum()
    return float(min(fine, 1.0)), float(abs(fine - coarse)) + 1e-13


def _rank_probabilities(
    noise: Noise, own: float, log_priors: FloatArray, multiplicity: npt.NDArray[np.int64], wanted: Sequence[int]
) -> dict[int, float]:
    """P(the true category is among the first m), for each m wanted."""
    total = int(multiplicity.sum())
    if not total:  # every other category is impossible
        return dict.fromkeys(wanted, 1.0)
    if not is_listed(noise):
        raise ParameterError(
            "ranks of categories are computed for noise whose values can be listed, and this is too wide",
            remedy="use a larger `rho`",
        )
    there, elsewhere = evidence(noise, present=True), evidence(noise, present=False)
    tickets, ticket_weights = _tickets(total)
    deepest = min(max(wanted), total + 1) if len(log_priors) > 1 else len(wanted)
    cells = len(there.values) * len(tickets) * deepest * (len(log_priors) if len(log_priors) == 1 else deepest + 1.0)
    if cells * len(log_priors) > _MOST_RANK_WORK:
        raise ParameterError(
            f"ranks among {total + 1} categories of {len(log_priors)} different priors at this noise take "
            f"{cells * len(log_priors):.1g} terms, at most {_MOST_RANK_WORK:.0g} are summed",
            remedy="use a larger `rho`, fewer different priors, or a smaller rank in `first`",
        )
    reached = np.zeros(deepest)
    size = max(1, _CELLS_AT_ONCE // (len(tickets) * deepest))
    for start in range(0, len(there.values), size):
        block = slice(start, start + size)
        reached += np.einsum(
            "jab,a,b->j",
            _ahead(own + there.values[block], elsewhere, log_priors, multiplicity, tickets, wanted, deepest),
            there.weights[block],
            ticket_weights,
        )
    if len(log_priors) == 1:
        return {m: min(1.0, float(chance)) for m, chance in zip(wanted, reached, strict=True)}
    cumulative = np.minimum(np.cumsum(reached), 1.0)
    return {m: float(cumulative[min(m, deepest) - 1]) for m in wanted}


def _ahead(
    scores: FloatArray,
    elsewhere: EvidenceLaw,
    log_priors: FloatArray,
    multiplicity: npt.NDArray[np.int64],
    tickets: FloatArray,
    wanted: Sequence[int],
    deepest: int,
) -> FloatArray:
    """P(exactly j others are ahead), j < ``deepest``, by score and ticket; with one prior P(fewer than m), m wanted."""
    found: FloatArray | None = None
    for log_prior, times in zip(log_priors, multiplicity, strict=True):
        bars = scores - log_prior
        ahead = elsewhere.above(bars + elsewhere.tie)
        level = elsewhere.above(bars - elsewhere.tie) - ahead
        chance = np.clip(ahead[:, None] + tickets * np.maximum(level, 0.0)[:, None], 0.0, 1.0)
        if len(log_priors) == 1:
            return np.stack([_fewer_than(m, int(times), chance) for m in wanted])
        group = _binomial_start(int(times), chance, deepest)
        if found is None:
            found = group
            continue
        combined = np.empty_like(group)
        for j in range(deepest):
            combined[j] = np.einsum("iab,iab->ab", found[: j + 1], group[j::-1])
        found = combined
    assert found is not None
    return found


def _tickets(total: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights on (0, 1): exact for polynomials of degree ``total``, or crowded towards 0 where that is high.

    With very many others one needs a ticket of about one over their number to come first, so that panels halve until
    they are shorter than that.
    """
    if total <= 2 * _MOST_NODES - 2:
        nodes, weights = np.polynomial.legendre.leggauss(total // 2 + 1)
        return 0.5 * (nodes + 1.0), 0.5 * weights
    nodes, weights = np.polynomial.legendre.leggauss(16)
    ends = np.append(0.0, 0.5 ** np.arange(total.bit_length() + 6, -1.0, -1.0))
    widths = np.diff(ends)
    points = ends[:-1, None] + 0.5 * widths[:, None] * (nodes + 1.0)
    return points.ravel(), (0.5 * widths[:, None] * weights).ravel()


def _fewer_than(m: int, times: int, chance: FloatArray) -> FloatArray:
    """P(Binomial(times, chance) < m) = I_{1 - chance}(times - m + 1, m), the small side directly."""
    if m > times:
        return np.ones(chance.shape)
    return as_floats(1.0 - special.betainc(float(m), times - m + 1.0, chance))


def _binomial_start(times: int, chance: FloatArray, size: int) -> FloatArray:
    """P(Binomial(times, chance) = j) for j = 0 .. size - 1."""
    j = np.arange(size).reshape(-1, *(1,) * chance.ndim)
    possible = np.minimum(j, times)
    log_choose = special.gammaln(times + 1) - special.gammaln(possible + 1) - special.gammaln(times - possible + 1)
    log_pmf = log_choose + special.xlogy(possible, chance) + special.xlog1py(times - possible, -chance)
    return as_floats(np.where(j <= times, np.exp(log_pmf), 0.0))
