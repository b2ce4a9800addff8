"""The two-level adversary's expected risk for many parents at once.

What the parent's and the siblings' noisy counts add to the log odds, D(x2*, y*), depends on the noise and on the number
of siblings, not on the true counts; these only say how likely each (x2*, y*) is. So for all parents with the same
number of siblings D is computed once on a plane, turned into what is averaged (the posterior or the decision, each
averaged over the child's noise), and every parent is one bilinear form: its weights, at its place in the plane.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import special

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import probability, whole
from epsilens.noise import Noise
from epsilens.noise.published import CountNoise, within_reach
from epsilens.posterior.odds import TIE, log_odds
from epsilens.posterior.single import log_likelihood_ratio
from epsilens.posterior.two_levels.expected import plane_log_odds, refuse_too_many
from epsilens.posterior.two_levels.posterior import two_level_model

_STEP = 0.045
"""Between the nodes of the averaged logistic function: its sixth derivative is at most 0.41 in size, so that the
quintic through values, slopes and bends is off by 0.41 _STEP^6 / 46080 = 7.4e-14 at most."""
_BLOCK = 2_000_000


def expected_two_level_of_many(
    parents: Sequence[int], siblings: int, noise: tuple[Noise, Noise], prior: float = 0.5, decisions: bool = True
) -> tuple[FloatArray, FloatArray]:
    """:func:`expected_two_level` of a unique person for every parent: expected posteriors, and right decisions.

    sum over (x2*, y*) of f2(x2* - x2) fs(y* - (x2 - 1)) G(D(x2*, y*)), G(D) = sum over x1* of f1(x1* - 1) / (1 +
    e^-(l1(x1*) + D)), or of f1(x1* - 1) 1[l1(x1*) + D > 0] for decisions (nan unless asked for). Symbols: x2 runs over
    ``parents``, d is ``siblings``, f1 and f2 are ``noise``, p is ``prior``.

    Source: P4 Eqs. (3.3), (3.6) with section 3.2.
    Assumes what :func:`two_level` assumes, and that the adversary knows of nobody like the target in the group.
    """
    model = two_level_model(None, noise, siblings, None, None, False)
    p = probability("prior", prior)
    true = np.unique(np.asarray([whole("parent", parent, 1) for parent in parents]))
    (eta1, log1), (eta2, log2) = within_reach(CountNoise(model.child)), within_reach(model.parent)
    etas, logs = within_reach(model.siblings)
    noisy_parent = np.arange(true[0] + eta2[0], true[-1] + eta2[-1] + 1.0)
    noisy_siblings = np.arange(true[0] - 1.0 + etas[0], true[-1] + etas[-1])
    refuse_too_many(1, len(noisy_parent), len(noisy_siblings))
    reached = _reached(true, noisy_parent, eta2[-1], noisy_siblings + 1.0, etas[-1])
    plane = np.zeros(reached.shape)
    plane[reached] = plane_log_odds(model, 0, noisy_parent, noisy_siblings, reached)[reached]
    child_odds, child_weight = log_odds(p) + log_likelihood_ratio(1.0 + eta1, model.child), np.exp(log1)
    gains = [_averaged_logistic(plane, child_odds, child_weight)]
    if decisions:
        order = np.argsort(child_odds)
        above = np.append(np.cumsum(child_weight[order][::-1])[::-1], 0.0)
        gains.append(above[np.searchsorted(child_odds[order], TIE - plane, side="right")])
    weights2, weights_s = np.exp(log2), np.exp(logs)
    found = np.full((2, len(true)), np.nan)
    for i, start in enumerate((true - true[0]).tolist()):
        for j, gain in enumerate(gains):
            box = gain[start : start + len(eta2), start : start + len(etas)]
            found[j, i] = min(1.0, float(weights2 @ box @ weights_s))
    where = np.searchsorted(true, np.asarray(parents))
    return as_floats(found[0, where]), as_floats(found[1, where])


def _reached(
    true: npt.NDArray[np.int64], noisy_parent: FloatArray, parent_reach: float, totals: FloatArray, reach: float
) -> npt.NDArray[np.bool_]:
    """Which pairs some true parent count can lead to; ``totals`` are the siblings' noisy counts plus the child's."""
    low = np.maximum(noisy_parent[:, None] - parent_reach, totals - reach)
    high = np.minimum(noisy_parent[:, None] + parent_reach, totals + reach)
    return np.asarray(np.searchsorted(true, high, side="right") > np.searchsorted(true, low, side="left"))


def _averaged_logistic(plane: FloatArray, child_odds: FloatArray, child_weight: FloatArray) -> FloatArray:
    """G(D) at every D of the plane: directly, or through nodes where there are fewer of them than pairs."""
    low, high = float(plane.min()), float(plane.max())
    if not np.isfinite(high - low) or (nodes := int((high - low) / _STEP) + 2) >= plane.size:
        return _means(plane.ravel(), child_odds, child_weight)[0].reshape(plane.shape)
    grid = as_floats(np.linspace(low, high, nodes))
    width = grid[1] - grid[0]
    value, slope, bend = _means(grid, child_odds, child_weight)
    position = (plane - low) / width
    left = np.minimum(position.astype(np.int64), nodes - 2)
    t = position - left
    # the quintic on [0, 1] with these values, slopes and bends at its ends, in Horner's form
    rise, d0, d1 = value[1:] - value[:-1], width * slope[:-1], width * slope[1:]
    c0, c1 = 0.5 * width**2 * bend[:-1], 0.5 * width**2 * bend[1:]
    third = 10.0 * rise - 6.0 * d0 - 4.0 * d1 - 3.0 * c0 + c1
    fourth = -15.0 * rise + 8.0 * d0 + 7.0 * d1 + 3.0 * c0 - 2.0 * c1
    fifth = 6.0 * rise - 3.0 * (d0 + d1) - c0 + c1
    result = fifth[left]
    for coefficient in (fourth, third, c0, d0, value):
        result = result * t + coefficient[left]
    return as_floats(result)


def _means(points: FloatArray, child_odds: FloatArray, child_weight: FloatArray) -> tuple[FloatArray, ...]:
    """G and its first two derivatives."""
    values, slopes, bends = (np.empty(len(points)) for _ in range(3))
    size = max(1, _BLOCK // len(child_odds))
    for start in range(0, len(points), size):
        block = slice(start, start + size)
        logistic = special.expit(points[block, None] + child_odds)
        slope = logistic * (1.0 - logistic)
        values[block] = logistic @ child_weight
        slopes[block] = slope @ child_weight
        bends[block] = (slope * (1.0 - 2.0 * logistic)) @ child_weight
    return values, slopes, bends
