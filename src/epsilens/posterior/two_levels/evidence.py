"""What the parent's and the siblings' noisy counts add to the log odds, D(x2*, y*), in logarithms throughout.

D = log S_1 - log S_0 with S_j = sum over k2 of P(k2 | known + j m) f2(x2* - k2) fs(y* - k2 + known + j m); m is the
number of people who are there together or not at all, the model's ``family``.

**Uniform prior without bound.** With u = x2* - k2, a = x2* - known and w = y* - x2* + known, S_0 = C(w, a) and
S_1 = C(w + m, a - m), C(w, a) being the sum over u <= a of f2(u) fs(u + w). So every w needs one running sum along u,
and D is two of its entries: no product of matrices, and nothing grows with the true counts. Terms are taken next to the
largest of their row; a running sum that starts so far below it that it underflows is added up in logarithms.

Where the siblings' noise is the narrower the sums run along it, by the same token (:func:`_blocks_along_siblings`).

**Any other prior** is a product of two matrices, each row of the one and each column of the other taken next to its
largest entry; the few entries that underflow all the same are added up in logarithms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, as_floats
from epsilens.errors import DataError, ParameterError
from epsilens.noise.published import CountLaw
from epsilens.posterior.two_levels.parent_priors import UniformParent, counts_of
from epsilens.posterior.two_levels.posterior import TwoLevelModel

MOST_PAIRS = 30_000_000
"""Pairs of noisy counts of parent and siblings; more are refused."""

_MOST_SUMS = 60_000_000  # running sums of a block, each along all that the parent's noise may be
_UNDERFLOW = 1e-280
_BLOCK = 2_000_000
_MOST_PARENTS = 2_000_000
_MOST_LOG_TERMS = 200_000_000
_NEGLIGIBLE = 45.0  # nats


def is_flat(model: TwoLevelModel) -> bool:
    """Whether the parent's prior is uniform without bound."""
    return bool(model.parent_prior == UniformParent())


def refuse_too_many(parent: int, siblings: int, child: int = 1, most: int = MOST_PAIRS) -> None:
    """Refuse sums over more combinations of noisy counts than fit."""
    if (points := child * parent * siblings) > most:
        raise ParameterError(
            f"noise this large makes {points:.2g} combinations of noisy counts, too many to sum",
            remedy="such a level tells hardly anything: use a larger `rho` for it, fewer `siblings`, or one level",
        )


def plane_log_odds(
    model: TwoLevelModel, known: int, noisy_parent: FloatArray, noisy_siblings: FloatArray
) -> FloatArray:
    """D for every pair of these runs of noisy counts."""
    refuse_too_many(len(noisy_parent), len(noisy_siblings))
    if not is_flat(model):
        return _matrix_log_odds(model, known, noisy_parent, noisy_siblings)
    above = noisy_parent - known
    gaps = noisy_siblings[None, :] - noisy_parent[:, None] + known
    low = int(gaps.min())
    table = gap_log_odds(model, low, int(gaps.max()), int(above[0]), int(above[-1]))
    return explained(table[(gaps - low).astype(np.int64), np.arange(len(above))[:, None]])


def blocks(
    model: TwoLevelModel, known: int, child: int, parent: int, reach_parent: int, reach_siblings: int
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """D and the probability under the truth of all noisy counts within these reaches, block by block."""
    eta2 = np.arange(-reach_parent, reach_parent + 1.0)
    weight2 = np.exp(model.parent.logpmf(eta2))
    refuse_too_many(len(eta2), 2 * reach_siblings + 1)
    if is_flat(model):
        if reach_siblings < reach_parent:
            yield from _blocks_along_siblings(model, known, child, parent, reach_parent, reach_siblings)
            return
        first, last = parent - reach_parent - known, parent + reach_parent - known
        # y* = w + a stays within reach of parent - child
        low, high = parent - child - reach_siblings - last, parent - child + reach_siblings - first
        refuse_too_many(len(eta2), high - low + 1, most=_MOST_SUMS)
        step = max(1, _BLOCK // len(eta2))
        for start in range(low, high + 1, step):
            stop = min(start + step - 1, high)
            etas = np.arange(start, stop + 1.0)[:, None] + (eta2 + (parent - known)) - (parent - child)
            inside = np.abs(etas) <= reach_siblings
            weights = np.zeros(etas.shape)
            weights[inside] = np.exp(model.siblings.logpmf(etas[inside]))
            yield explained(gap_log_odds(model, start, stop, first, last), inside), weights * weight2
        return
    step = max(1, _BLOCK // len(eta2))
    for start in range(-reach_siblings, reach_siblings + 1, step):
        etas = np.arange(start, min(start + step - 1, reach_siblings) + 1.0)
        weights = weight2[:, None] * np.exp(model.siblings.logpmf(etas))
        yield _matrix_log_odds(model, known, parent + eta2, (parent - child) + etas), weights


def _blocks_along_siblings(
    model: TwoLevelModel, known: int, child: int, parent: int, reach_parent: int, reach_siblings: int
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """:func:`blocks` under the flat prior where the siblings' noise is the narrower: by w and y*.

    With v = u + w the sums run along v <= y* for both S_0 and S_1, over f2(v - w) fs(v) and f2(v - w - m) fs(v): they
    are as long as the siblings' noise is wide, and not as the parent's.
    """
    middle = parent - child
    first, last = middle - reach_siblings, middle + reach_siblings
    noisy = np.arange(first, last + 1.0)
    weight = np.exp(model.siblings.logpmf(noisy - middle))
    low, high = first - parent - reach_parent + known, last - parent + reach_parent + known
    refuse_too_many(len(noisy), high - low + 1, most=_MOST_SUMS)
    step = max(1, _BLOCK // len(noisy))
    for start in range(low, high + 1, step):
        stop = min(start + step - 1, high)
        eta2 = noisy - np.arange(start, stop + 1.0)[:, None] + (known - parent)
        inside = np.abs(eta2) <= reach_parent
        weights = np.zeros(eta2.shape)
        weights[inside] = np.exp(model.parent.logpmf(eta2[inside]))
        yield explained(_sibling_log_odds(model, start, stop, first, last), inside), weights * weight


def _sibling_log_odds(model: TwoLevelModel, low: int, high: int, first: int, last: int) -> FloatArray:
    """D for w = ``low`` .. ``high`` (rows) and y* = ``first`` .. ``last`` (columns), under the flat prior.

    The sum over v <= y* of f2(v - w) fs(v) is C(-w, y*) with the two laws exchanged.
    """
    exchanged = replace(model, parent=model.siblings, siblings=model.parent)
    m = model.family
    margin = _margin(exchanged, -high - m, -low)
    furthest = min(last, margin + 1)
    sums = _running_sums(exchanged, -high - m, -low, min(first, furthest), furthest, margin)
    table = np.concatenate(list(sums))
    with np.errstate(invalid="ignore"):
        found = (table[:-m] - table[m:])[::-1]
    if (more := last - first + 1 - found.shape[1]) > 0:
        found = np.concatenate([found, np.repeat(found[:, -1:], more, axis=1)], axis=1)
    return as_floats(found[:, : last - first + 1])


def gap_log_odds(model: TwoLevelModel, low: int, high: int, first: int, last: int) -> FloatArray:
    """D for w = ``low`` .. ``high`` (rows) and a = ``first`` .. ``last`` (columns), under the flat prior.

    It is nan where no parent count is possible.
    """
    m = model.family
    margin = _margin(model, low, high + m)
    # the sums have all their terms from u = margin on: further columns are like this one
    furthest = min(last, margin + m)
    refuse_too_many(furthest - min(first, margin + m) + m + 1, high - low + m + 1, most=_MOST_SUMS)
    table = np.concatenate(list(_running_sums(model, low, high + m, min(first, margin + m) - m, furthest, margin)))
    with np.errstate(invalid="ignore"):
        found = table[m:, :-m] - table[:-m, m:]
    if (more := last - first + 1 - found.shape[1]) > 0:
        found = np.concatenate([found, np.repeat(found[:, -1:], more, axis=1)], axis=1)
    return as_floats(found[:, : last - first + 1])


def explained(plane: FloatArray, wanted: BoolArray | None = None) -> FloatArray:
    """D, refused where it is not defined and ``wanted``; elsewhere 0."""
    if (undefined := np.isnan(plane)).any():
        if wanted is None or (undefined & wanted).any():
            raise DataError(
                "some noisy counts that can occur have no explanation under the parent's prior",
                remedy="widen `parent_prior`",
            )
        return np.where(undefined, 0.0, plane)
    return as_floats(plane)


def _margin(model: TwoLevelModel, low: int, high: int) -> int:
    """Where the terms f2(u) fs(u + w) are negligible next to the largest of their row, w = ``low`` .. ``high``.

    That one is at least f2(0) fs(w), and at least f2(w) fs(0).
    """
    middle = float(model.siblings.logpmf(0.0)), float(model.parent.logpmf(0.0))
    ends = as_floats([low, high])
    below = np.minimum(middle[0] - model.siblings.logpmf(ends), middle[1] - model.parent.logpmf(ends))
    return radius_of(model.parent, _NEGLIGIBLE + float(below.max()))


def _running_sums(
    model: TwoLevelModel, low: int, high: int, first: int, last: int, margin: int
) -> Iterator[FloatArray]:
    """Log C(w, a) for w = ``low`` .. ``high`` and a = ``first`` .. ``last``, some rows at a time."""
    start = min(-margin, first - margin)
    if last - start > _MOST_PARENTS:
        refuse_too_many(last - start, high - low + 1, most=_MOST_PARENTS)
    u = np.arange(start, last + 1.0)
    parent = model.parent.logpmf(u)
    siblings = model.siblings.logpmf(np.arange(start + low, last + high + 1.0))
    rows = max(1, _BLOCK // len(u))
    for begin in range(0, high - low + 1, rows):
        some = min(rows, high - low + 1 - begin)
        windows = np.lib.stride_tricks.sliding_window_view(siblings[begin : begin + some + len(u) - 1], len(u))
        terms = windows + parent
        largest = terms.max(axis=1, keepdims=True)
        largest = np.where(np.isfinite(largest), largest, 0.0)
        sums = np.cumsum(np.exp(terms - largest), axis=1)[:, first - start :]
        with np.errstate(divide="ignore"):
            logs = np.log(sums) + largest
        if (lost := sums[:, 0] < _UNDERFLOW).any():
            logs[lost] = np.logaddexp.accumulate(terms[lost], axis=1)[:, first - start :]
        yield as_floats(logs)


def radius_of(law: CountLaw, depth: float) -> int:
    """The distance from which on the law is below e^-depth of its largest probability."""
    bar = float(law.logpmf(0.0)) - depth
    high = 1
    while float(law.logpmf(float(high))) > bar:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if float(law.logpmf(float(middle))) > bar else (low, middle)
    return high


def _matrix_log_odds(
    model: TwoLevelModel, known: int, noisy_parent: FloatArray, noisy_siblings: FloatArray
) -> FloatArray:
    absent, present = (
        _log_product(*parent_factors(model, known + j, noisy_parent, noisy_siblings)[:2]) for j in (0, model.family)
    )
    with np.errstate(invalid="ignore"):
        return explained(present - absent)


def parent_factors(
    model: TwoLevelModel, child: int, noisy_parent: FloatArray, noisy_siblings: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Log of P(k2 | k1) f2(x2* - k2), by x2* and k2; of fs(y* - (k2 - k1)), by k2 and y*; and k2. k1 is ``child``."""
    margin = radius_of(model.parent, _NEGLIGIBLE)
    low2, high2 = noisy_parent.min(), noisy_parent.max()
    low1, high1 = noisy_siblings.min() + child, noisy_siblings.max() + child
    # nothing matters beyond both noisy counts; nor so far from the parent's that even the siblings' cannot bring it up
    gap = max(abs(high1 - low2), abs(high2 - low1))
    depth = float(model.siblings.logpmf(0.0) - model.siblings.logpmf(gap))
    far = radius_of(model.parent, _NEGLIGIBLE + depth) if np.isfinite(depth) else margin + int(gap)
    lowest, highest = max(min(low1, low2), low2 - far + margin), min(max(high1, high2), high2 + far - margin)
    parents = counts_of(model.parent_prior, child, int(lowest), int(highest), margin, _MOST_PARENTS)
    refuse_too_many(len(noisy_parent), max(len(parents), 1))
    refuse_too_many(max(len(parents), 1), len(noisy_siblings))
    prior = model.parent_prior.logpmf(parents, child)
    parents, prior = parents[np.isfinite(prior)], prior[np.isfinite(prior)]
    return (
        as_floats(prior + model.parent.logpmf(noisy_parent[:, None] - parents)),
        model.siblings.logpmf(noisy_siblings - (parents[:, None] - child)),
        parents,
    )


def _log_product(left: FloatArray, right: FloatArray) -> FloatArray:
    """Log of the product of two matrices given by the logs of their entries, which are positive."""
    if not left.shape[1]:
        return np.full((len(left), right.shape[1]), -np.inf)
    tops, sides = left.max(axis=1), right.max(axis=0)
    tops, sides = np.where(np.isfinite(tops), tops, 0.0), np.where(np.isfinite(sides), sides, 0.0)
    product = np.exp(left - tops[:, None]) @ np.exp(right - sides)
    with np.errstate(divide="ignore"):
        logs = np.log(product) + tops[:, None] + sides
    lost = product < _UNDERFLOW
    if (terms := int(lost.sum()) * left.shape[1]) > _MOST_LOG_TERMS:
        raise ParameterError(
            f"the parent's prior lies so far from the noisy counts that {terms:.2g} terms have to be summed one by one",
            remedy="widen `parent_prior`",
        )
    for i in np.flatnonzero(lost.any(axis=1)).tolist():
        columns = np.flatnonzero(lost[i])
        for part in np.array_split(columns, max(1, len(columns) * left.shape[1] // _BLOCK)):
            entries = left[i][:, None] + right[:, part]
            largest = entries.max(axis=0)
            safe = np.where(np.isfinite(largest), largest, 0.0)
            with np.errstate(divide="ignore"):
                logs[i, part] = safe + np.log(np.exp(entries - safe).sum(axis=0))
    return as_floats(logs)
