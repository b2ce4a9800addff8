"""The two-level adversary's expected risk for many parents at once.

What the parent's and the siblings' noisy counts add to the log odds, D(x2*, y*), depends on the noise and on the number
of siblings, not on the true counts; these only say how likely each (x2*, y*) is. So for all parents with the same
number of siblings D is computed once, by x2* and by the gap between y* and x2*, turned into what is averaged (the
posterior or the decision, each averaged over the child's noise), and every parent is one sum: the same weights, at its
place along x2*.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.checks import probability, whole
from epsilens.noise import Noise
from epsilens.noise.published import NEGLIGIBLE
from epsilens.posterior.odds import log_odds
from epsilens.posterior.two_levels.evidence import explained, gap_log_odds, refuse_too_many
from epsilens.posterior.two_levels.expected import child_evidence
from epsilens.posterior.two_levels.posterior import two_level_model

_MOST_AT_ONCE = 20_000_000
_LONGEST_GROUP = 6


def expected_two_level_of_many(
    parents: Sequence[int],
    siblings: int,
    noise: tuple[Noise, Noise],
    prior: float = 0.5,
    decisions: bool = True,
    family: int = 1,
) -> tuple[FloatArray, FloatArray]:
    """:func:`expected_two_level` of a unique person for every parent: expected posteriors, and right decisions.

    sum over (x2*, y*) of f2(x2* - x2) fs(y* - (x2 - m)) G(D(x2*, y*)), G(D) = sum over x1* of f1(x1* - m) / (1 +
    e^-(l1(x1*) + D)), or of f1(x1* - m) 1[l1(x1*) + D > 0] for decisions (nan unless asked for). Symbols: x2 runs over
    ``parents``, d is ``siblings``, f1 and f2 are ``noise``, p is ``prior``, m is ``family`` (1 in print).

    Source: P4 Eqs. (3.3), (3.6) with section 3.2.
    Assumes what :func:`two_level` assumes, and that the adversary knows of nobody like the target in the group.
    """
    model = two_level_model(None, noise, siblings, None, None, False, family)
    p, m = probability("prior", prior), model.family
    true = np.unique(np.asarray([whole("parent", parent, m) for parent in parents]))
    reach, reach_siblings = model.parent.reach(NEGLIGIBLE), model.siblings.reach(NEGLIGIBLE)
    refuse_too_many(2 * reach + 1, 2 * (reach + reach_siblings) + 1)
    seen = child_evidence(model, m, log_odds(p))
    # w = y* - x2* + k does not depend on the parent's true count, and a = x2* does
    low, high = -m - reach_siblings - reach, -m + reach_siblings + reach
    eta2, gap = np.arange(-reach, reach + 1.0), np.arange(low, high + 1.0)
    etas = gap[:, None] + eta2 + m
    inside = np.abs(etas) <= reach_siblings
    weights = np.zeros(inside.shape)
    weights[inside] = np.exp(model.siblings.logpmf(etas[inside]))
    weights *= np.exp(model.parent.logpmf(eta2))
    found = np.full((2, len(true)), np.nan)
    for group in _neighbours(true, 2 * reach + 1):
        first, last = int(group[0]) - reach, int(group[-1]) + reach
        refuse_too_many(len(gap), last - first + 1, most=_MOST_AT_ONCE)
        plane = gap_log_odds(model, low, high, first, last)
        plane = explained(plane, _reached(group - first - reach, inside, plane.shape))
        gains = [seen.posterior(plane), *([seen.yes(plane)] if decisions else [])]
        for i, start in zip(np.searchsorted(true, group).tolist(), (group - group[0]).tolist(), strict=True):
            for j, gain in enumerate(gains):
                found[j, i] = min(1.0, float((gain[:, start : start + len(eta2)] * weights).sum()))
    where = np.searchsorted(true, np.asarray(parents))
    return as_floats(found[0, where]), as_floats(found[1, where])


def _neighbours(true: IntArray, near: int) -> list[IntArray]:
    """Parent counts in groups whose noisy counts overlap, none of them too long."""
    cuts = [0]
    for i in range(1, len(true)):
        if true[i] - true[i - 1] > near or true[i] - true[cuts[-1]] > _LONGEST_GROUP * near:
            cuts.append(i)
    return [true[start:stop] for start, stop in zip(cuts, [*cuts[1:], len(true)], strict=True)]


def _reached(starts: IntArray, inside: BoolArray, shape: tuple[int, ...]) -> BoolArray:
    """Which pairs some true parent count can lead to."""
    reached = np.zeros(shape, dtype=bool)
    for start in starts.tolist():
        reached[:, start : start + inside.shape[1]] |= inside
    return reached
