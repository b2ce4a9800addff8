"""The prior of the leaves, fitted to what was released about them.

Each noisy count's likelihood is a sum over the counts that may lie behind it, taken in logarithms around its largest
term, so that no count is too far from the others to have its say.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import one_of
from epsilens.errors import DataError, ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise import Noise
from epsilens.noise.law import checked_noise
from epsilens.noise.published import CountNoise
from epsilens.posterior.noises import MOST_COUNTED, countable_noise
from epsilens.posterior.trees.leaf_messages import radius
from epsilens.posterior.trees.leaf_priors import LEAF_FAMILIES, LeafPrior, NegativeBinomialLeaf, PoissonLeaf

optimize = LaterModule("scipy.optimize")

_TAIL = 37.0  # nats: terms this far below the largest are left out, e^-37 = 1e-16
_DEEPEST = 20_000.0
_MOST_TERMS = 5_000_000
_AT_ONCE = 1_000_000
_FEW = 2_000_000
_SLICE = 2_000
_CLEARLY_POSITIVE = 1e-16
_LONGEST_TABLE = 4_000_000
_LARGEST_LOG_MEAN = math.log(MOST_COUNTED) - 1e-9  # rounded, it must not be above that


def fit_leaf_prior(noisy: npt.ArrayLike, noise: Noise, family: str = "poisson") -> LeafPrior:
    """The Poisson or negative binomial law under which the noisy counts of many groups are most likely.

    Maximises sum_i log sum_n P(n) f(x_i* - n), the likelihood of what was released, so it needs no confidential data.
    Symbols: x_i* is ``noisy[i]``, f the law of ``noise``, P the law fitted.
    """
    countable_noise(checked_noise(noise))
    one_of("leaf_prior", family, LEAF_FAMILIES)
    counts = as_floats(noisy).ravel()
    counts = counts[np.isfinite(counts)]
    if not len(counts):
        raise DataError(f"no noisy counts to fit a {family} prior to", remedy="give the `leaf_prior`")
    refuse_uncountable(counts)
    values, times = np.unique(counts, return_counts=True)
    likelihoods = _few_likelihoods(noise, values)

    def misfit(prior: LeafPrior) -> float:
        if likelihoods is None:
            return -float(times @ log_likelihoods(prior, noise, values))
        sums = likelihoods @ np.exp(prior.logpmf(np.arange(likelihoods.shape[1], dtype=np.float64)))
        far = sums < _CLEARLY_POSITIVE
        logs = np.log(np.where(far, 1.0, sums))
        logs[far] = log_likelihoods(prior, noise, values[far])
        return -float(times @ logs)

    start = math.log(max(float(counts.mean()), 0.02))
    furthest = min(max(start, 0.0) + 3.0, _LARGEST_LOG_MEAN)  # twenty times the mean of the noisy counts
    best = optimize.minimize_scalar(
        lambda log_mean: misfit(PoissonLeaf(math.exp(log_mean))),
        bounds=(math.log(1e-4), furthest),
        method="bounded",
        options={"xatol": min(1e-6, 0.01 * math.exp(-0.5 * max(start, 0.0)))},  # of a mean m, 0.01 sqrt(m)
    )
    poisson = PoissonLeaf(math.exp(float(best.x)))
    if family == "poisson":
        return poisson

    def clipped(log_parameters: FloatArray) -> NegativeBinomialLeaf:
        log_mean, log_size = np.clip(log_parameters, [math.log(1e-4), math.log(1e-3)], [furthest, math.log(1e6)])
        return NegativeBinomialLeaf(math.exp(log_mean), math.exp(log_size))

    first = math.log(poisson.mean)
    result = optimize.minimize(
        lambda x: misfit(clipped(as_floats(x))),
        [first, 0.0],
        method="Nelder-Mead",
        options={
            "initial_simplex": [[first, 0.0], [first + 0.5, 0.0], [first, -1.0]],  # wide enough for both to be sought
            "xatol": 1e-4,
            "fatol": 1e-7,
            "maxiter": 400,
        },
    )
    return clipped(as_floats(result.x))


def _few_likelihoods(noise: Noise, values: FloatArray) -> FloatArray | None:
    """f(x - n) for every noisy count x and every count n up to where noise leaves 1e-30; None where they are many.

    A sum over them that is above 1e-16 lacks at most 1e-14 of itself, since a prior is at most 1.
    """
    reach = radius(noise, math.log(1e-30))
    longest = max(float(values[-1]), 0.0) + reach + 1.0
    if longest * len(values) > _FEW or longest > 8.0 * len(values) * (2 * reach + 1):
        return None
    return np.exp(CountNoise(noise).logpmf(values[:, None] - np.arange(longest)))


def refuse_uncountable(counts: FloatArray) -> None:
    """Refuse noisy counts so large that a double cannot tell them from their neighbours."""
    if (np.abs(counts[np.isfinite(counts)]) > MOST_COUNTED).any():
        raise ParameterError(
            f"must lie within {MOST_COUNTED:,} of 0: larger counts cannot be told from their neighbours",
            parameter="noisy",
        )


def log_likelihoods(prior: LeafPrior, noise: Noise, values: FloatArray) -> FloatArray:
    """Log sum over n of P(n) f(x - n) for every noisy count x in ``values``.

    A log-concave prior (Poisson, or negative binomial of size 1 and more) is summed around the largest term, which
    lies between the noisy count and the prior's mean; terms e^-37 of the largest and smaller are left out on either
    side, where the terms fall ever faster. Any other prior is at most 1, so noise that reaches beyond e^-37 of the sum
    bounds what is left out.
    """
    margin = radius(noise, -_TAIL)
    logpmf = _looked_up(prior, values, margin)
    _refuse_too_many(len(values), 2 * margin + 1)
    size = max(1, min(_SLICE, _AT_ONCE // (2 * margin + 1)))
    slices = [values[i : i + size] for i in range(0, len(values), size)]
    return np.concatenate([np.empty(0), *(_of_slice(prior, logpmf, noise, some) for some in slices)])


def _refuse_too_many(values: int, terms: int) -> None:
    """Refuse a likelihood that takes too long: every noisy count has its own sum, as long as noise is wide."""
    if values * terms > _MOST_TERMS:
        raise ParameterError(
            f"to fit a prior takes {values * terms:.1g} terms at a time, {terms:,} for each of {values:,} different "
            f"noisy counts; at most {_MOST_TERMS:.0g} are tried",
            remedy="give the `leaf_prior`, or use a larger `rho`",
        )


def _of_slice(
    prior: LeafPrior, logpmf: Callable[[FloatArray], FloatArray], noise: Noise, values: FloatArray
) -> FloatArray:
    """:func:`log_likelihoods` of a few values; ``logpmf`` is the prior's."""
    concave = isinstance(prior, PoissonLeaf) or (isinstance(prior, NegativeBinomialLeaf) and prior.size >= 1.0)
    law = CountNoise(noise)
    found = np.empty(len(values))
    centre = _modes(prior, logpmf, law, values) if concave else np.maximum(np.rint(values), 0.0)
    width = np.full(len(values), radius(noise, -_TAIL - 8.0))
    todo = np.arange(len(values))
    while len(todo):
        half = int(width[todo].max())
        _refuse_too_many(len(todo), 2 * half + 1)
        counts = centre[todo, None] + np.arange(-half, half + 1.0)
        possible = np.maximum(counts, 0.0)
        terms = np.where(counts >= 0, logpmf(possible) + law.logpmf(values[todo, None] - possible), -np.inf)
        largest = terms.max(axis=1)
        total = largest + np.log(np.exp(terms - largest[:, None]).sum(axis=1))
        found[todo] = total
        if concave:
            bar = largest - _TAIL
            short = ((terms[:, 0] > bar) & (counts[:, 0] > 0)) | (terms[:, -1] > bar)
            width[todo] = 4 * half + 1
        else:
            deep = np.clip(total - float(law.logpmf(0.0)), -_DEEPEST, 0.0)
            wanted = np.asarray([radius(noise, float(depth) - _TAIL) for depth in np.floor(deep)])
            short = wanted > half
            width[todo] = wanted
        todo = todo[short]
    return found


def _looked_up(prior: LeafPrior, values: FloatArray, margin: int) -> Callable[[FloatArray], FloatArray]:
    """The prior's logarithms, from a table where many are asked for."""
    longest = max(float(values.max(initial=0.0)), float(getattr(prior, "mean", 0.0))) + 8.0 * margin + 8.0
    if longest > _LONGEST_TABLE or longest > len(values) * margin:
        return prior.logpmf
    table = prior.logpmf(np.arange(longest))

    def logpmf(n: FloatArray) -> FloatArray:
        if n.size and n.max() >= len(table):
            return prior.logpmf(n)
        return table[n.astype(np.int64)]

    return logpmf


def _modes(
    prior: LeafPrior, logpmf: Callable[[FloatArray], FloatArray], law: CountNoise, values: FloatArray
) -> FloatArray:
    """Where P(n) f(x - n) is largest, for every x: both factors are log-concave, so the slope changes sign once."""
    mean = float(getattr(prior, "mean", 0.0))
    low = np.maximum(np.floor(np.minimum(values, mean)) - 1.0, 0.0)  # the product rises up to here, or it is 0
    high = np.maximum(np.ceil(np.maximum(values, mean)), 0.0) + 1.0  # from here on it falls
    while (high > low).any():
        middle = np.floor(0.5 * (low + high))
        upwards = logpmf(middle + 1.0) - logpmf(middle)
        upwards = upwards + law.logpmf(values - middle - 1.0) - law.logpmf(values - middle)
        rises = upwards > 0.0
        low, high = np.where(rises & (high > low), middle + 1.0, low), np.where(rises, high, middle)
    return as_floats(high)
