"""The message of one leaf: its prior times the likelihood of its noisy count, on all counts that matter.

Where prior and noise agree, these are the counts near the noisy one. Where they do not (a prior of mean 540, a noisy
count of 3,500), the product has its mode somewhere between, and is tiny everywhere: what is left out has to be small
next to the product, not next to 1. The counts between are then searched in intervals. On each the product is at most
the prior at one end times the noise at one end, because either rises up to its mode and falls from there; intervals
whose bound is negligible next to the largest product seen are dropped, the others divided, until what is left is short.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, cast

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.errors import DataError, ParameterError
from epsilens.noise import Noise
from epsilens.noise.published import CountNoise
from epsilens.posterior.trees.leaf_priors import LeafPrior, PmfLeaf
from epsilens.posterior.trees.messages import Message, from_log_weights, impossible

_GOOD_ENOUGH = math.log(1e-13)
_SMALLEST_TAIL = 1e-300
_SHORT = 4_096
_DENSE = 1_000_000
_LONGEST = 10_000_000
_PARTS = 16
_MOST_INTERVALS = 400_000


def leaf_message(prior: LeafPrior, noise: Noise, noisy: float, log_cut: float) -> Message:
    """The message of a leaf; ``noisy`` is nan where no noisy count was published.

    Assumes a prior that rises up to its mode and falls from there, or one that lists its counts, where more than a
    million counts lie between the prior and the noisy count.
    """
    law = None if math.isnan(noisy) else CountNoise(noise)
    if isinstance(prior, PmfLeaf):
        return _of_listed_counts(prior, law, noisy, log_cut)
    top = _highest(prior, log_cut)
    if law is None and top is None:
        raise DataError(
            "a leaf without a noisy count needs a proper prior", remedy="bound the uniform prior or use another"
        )
    if law is None:
        return _searched(prior, None, noisy, 0, cast("int", top), log_cut)
    reach = radius(noise, log_cut)
    low, high = max(0, int(noisy) - reach), int(min(max(0, int(noisy)) + reach, prior.ceiling))
    if top is None or (max(top, high) > _SHORT and high - low <= max(top, _SHORT)):
        near = _near(prior, law, noisy, low, high, log_cut)
        if top is None or near.log_lost <= _GOOD_ENOUGH:
            return near
    return _searched(prior, law, noisy, 0, max(top, high), log_cut)


@lru_cache(maxsize=64)
def _radius(noise: Any, log_cut: float) -> int:
    if log_cut > math.log(_SMALLEST_TAIL):
        return int(noise.reach(math.exp(log_cut)))
    law = CountNoise(noise)
    bar = float(law.logpmf(0.0)) + log_cut
    high = 1
    while float(law.logpmf(float(high))) > bar:
        high *= 2
    low = high // 2
    while high - low > max(1, high >> 40):
        middle = (low + high) // 2
        low, high = (middle, high) if float(law.logpmf(float(middle))) > bar else (low, middle)
    return high


def radius(noise: Noise, log_cut: float) -> int:
    """How far the noise reaches but for a share of e^``log_cut``; deeper than doubles go, by its density."""
    return _radius(cast("Any", noise), log_cut)


def _highest(prior: LeafPrior, log_cut: float) -> int | None:
    """A count beyond which the prior leaves about e^``log_cut``."""
    top = prior.highest(max(math.exp(log_cut), _SMALLEST_TAIL))
    if top is None or log_cut > math.log(_SMALLEST_TAIL):
        return top
    while top < prior.ceiling and float(prior.logpmf(as_floats([top]))[0]) > log_cut - math.log(top + 2.0):
        top = int(min(2 * top + 8, prior.ceiling))
    return top


def _log_weights(prior: LeafPrior, law: CountNoise | None, noisy: float, counts: FloatArray) -> FloatArray:
    """Log of the prior times the likelihood of the noisy count, relative to that of no noise at all."""
    if law is None:
        return prior.logpmf(counts)
    return prior.logpmf(counts) + (law.logpmf(noisy - counts) - float(law.logpmf(0.0)))


def _near(prior: LeafPrior, law: CountNoise, noisy: float, low: int, high: int, log_cut: float) -> Message:
    """The message on the counts near the noisy one; a prior is at most 1, so noise alone bounds what lies outside."""
    _refuse_too_long(high - low)
    weights = _log_weights(prior, law, noisy, np.arange(low, high + 1.0))
    message = from_log_weights(low, weights, log_cut, 0.0, prior.ceiling)
    if message.impossible:
        return impossible(np.inf)
    ends = law.logpmf(as_floats([noisy - low + 1.0, high + 1.0 - noisy])) - float(law.logpmf(0.0))
    outside = float(np.logaddexp(ends[0] if low else -np.inf, ends[1] if high < prior.ceiling else -np.inf))
    return _losing(message, outside + math.log(high - low + 1.0) - message.log_mass)


def _searched(prior: LeafPrior, law: CountNoise | None, noisy: float, low: int, high: int, log_cut: float) -> Message:
    """The message on those counts from ``low`` to ``high`` that matter.

    Beyond ``high`` lie at most e^``log_cut`` of the prior and of the noise. Past the larger of their modes both fall,
    so next to the product they weigh at most four times that over the probability of no noise.
    """
    dropped = -np.inf
    if high - low > _DENSE:
        low, high, dropped = _where_it_matters(prior, law, noisy, low, high, log_cut)
    _refuse_too_long(high - low)
    message = from_log_weights(
        low, _log_weights(prior, law, noisy, np.arange(low, high + 1.0)), log_cut, 0.0, prior.ceiling
    )
    beyond = log_cut + math.log(4.0) - (float(law.logpmf(0.0)) if law is not None else 0.0)
    if message.impossible:
        return message if high >= prior.ceiling else impossible(np.inf)
    return _losing(_losing(message, dropped), beyond if high < prior.ceiling else -np.inf)


def _of_listed_counts(prior: PmfLeaf, law: CountNoise | None, noisy: float, log_cut: float) -> Message:
    """The message of a prior that lists its counts, which may lie as far apart as they like."""
    weights = _log_weights(prior, law, noisy, prior.counts)
    kept = np.flatnonzero(weights > weights.max() + log_cut - math.log(len(weights)))
    if not len(kept):
        return impossible()
    low, high = int(prior.counts[kept[0]]), int(prior.counts[kept[-1]])
    _refuse_too_long(high - low)
    dense = np.full(high - low + 1, -np.inf)
    inside = slice(kept[0], kept[-1] + 1)
    dense[(prior.counts[inside] - low).astype(np.int64)] = weights[inside]
    message = from_log_weights(low, dense, log_cut, 0.0, prior.ceiling)
    return _losing(message, log_cut) if len(kept) < len(weights) else message


def _losing(message: Message, log_share: float) -> Message:
    lost = float(np.logaddexp(message.log_lost, log_share))
    return Message(message.low, message.logs, message.log_mass, lost, message.floor, message.ceiling)


def _where_it_matters(
    prior: LeafPrior, law: CountNoise | None, noisy: float, low: int, high: int, log_cut: float
) -> tuple[int, int, float]:
    """The run that holds all intervals which matter, and the log of what the others may hold next to it."""
    turns = [_mode(prior, high), *([] if law is None else [int(min(max(noisy, low), high))])]
    edges = np.unique(
        np.concatenate([np.linspace(low, high + 1, 257), turns, np.asarray(turns) + 1.0]).astype(np.int64)
    )
    starts, ends = edges[:-1], edges[1:] - 1
    dropped = -np.inf
    while True:
        at_starts = prior.logpmf(as_floats(starts)), _noise_at(law, noisy, as_floats(starts))
        at_ends = prior.logpmf(as_floats(ends)), _noise_at(law, noisy, as_floats(ends))
        best = max(float((at_starts[0] + at_starts[1]).max()), float((at_ends[0] + at_ends[1]).max()))
        bound = np.maximum(at_starts[0], at_ends[0]) + np.maximum(at_starts[1], at_ends[1])
        bound = bound + np.log(ends - starts + 1.0)
        kept = bound >= best + log_cut - math.log(len(bound)) if np.isfinite(best) else np.ones(len(bound), dtype=bool)
        if np.isfinite(best) and not kept.all():
            out = bound[~kept] - best
            dropped = float(np.logaddexp(dropped, out.max() + math.log(len(out))))
        starts, ends = starts[kept], ends[kept]
        if ends[-1] - starts[0] <= _DENSE or (ends == starts).all() or len(starts) * _PARTS > _MOST_INTERVALS:
            return int(starts[0]), int(ends[-1]), dropped
        steps = (ends - starts + _PARTS) // _PARTS
        pieces = starts[:, None] + steps[:, None] * np.arange(_PARTS)
        inside = pieces <= ends[:, None]
        last = np.minimum(pieces + steps[:, None] - 1, ends[:, None])
        starts, ends = pieces[inside], last[inside]


def _noise_at(law: CountNoise | None, noisy: float, counts: FloatArray) -> FloatArray:
    return np.zeros(len(counts)) if law is None else law.logpmf(noisy - counts) - float(law.logpmf(0.0))


def _mode(prior: LeafPrior, high: int) -> int:
    """Where a prior that rises and then falls is largest."""
    low = 0
    while high - low > 2:
        points = np.unique(np.linspace(low, high, 33).astype(np.int64))
        best = int(np.argmax(prior.logpmf(as_floats(points))))
        low, high = int(points[max(best - 1, 0)]), int(points[min(best + 1, len(points) - 1)])
    few = np.arange(low, high + 1.0)
    return int(few[np.argmax(prior.logpmf(few))])


def _refuse_too_long(length: int) -> None:
    if length > _LONGEST:
        raise ParameterError(
            f"the count of one leaf may lie anywhere among {length} whole numbers, at most {_LONGEST} are listed",
            remedy="use a larger `rho`, or a narrower leaf prior",
        )
