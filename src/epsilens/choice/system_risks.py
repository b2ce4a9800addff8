"""The risks of people under a disclosure avoidance system: homogeneity and posterior risk of the same table.

Noise, suppression and swapping hide occupied cells independently of each other, so the homogeneity attack has an exact
success probability against them; against the others a release is attacked, and releases are averaged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from epsilens.arrays import BoolArray, FloatArray, as_floats
from epsilens.avoidance.anonymity import DPKAnonymity
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.avoidance.suppression import DPSuppression, Suppression
from epsilens.avoidance.system import System
from epsilens.checks import probability
from epsilens.errors import ParameterError
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.shown import shown_alone


def cells_by_label(histogram: Histogram, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A quantity per universe cell as (combinations of quasi-identifiers, labels)."""
    axes = histogram.axes(histogram.quasi_identifiers)
    moved = np.moveaxis(values, axes, range(len(axes)))
    return moved.reshape(int(np.prod(moved.shape[: len(axes)])), -1)


def homogeneity_risk(system: System, histogram: Histogram) -> float | None:
    """The share of people in cells that show a single label, and it is theirs; None where it has to be simulated.

    sum over cells of n_i / n sum_k (n_ik / n_i) a_ik prod_{j != k} (1 - a_ij), with a_ik the probability that the
    release shows somebody with label k in cell i. For noisy counts it is ``homogeneity.local(match="share")``,
    weighted.
    """
    shown = system.shown_probabilities(histogram)
    if shown is None:
        return None
    a = cells_by_label(histogram, shown)
    return _average(histogram, shown_alone(a, 1.0 - a))


def homogeneity_of_release(system: System, histogram: Histogram, released: FloatArray) -> float:
    """The same for one release."""
    visible = cells_by_label(histogram, visible_cells(system, as_floats(histogram.counts), released))
    alone = visible & (visible.sum(axis=1, keepdims=True) == 1)
    return _average(histogram, alone.astype(np.float64))


def homogeneity_without_protection(histogram: Histogram) -> float:
    """The share of people in cells that have a single label."""
    present = cells_by_label(histogram, np.asarray(histogram.counts) > 0)
    return _average(histogram, (present & (present.sum(axis=1, keepdims=True) == 1)).astype(np.float64))


def visible_cells(system: System, counts: FloatArray, released: FloatArray) -> BoolArray:
    """Where a reader sees somebody; a replacement of suppression is known to stand for few or none."""
    if isinstance(system, Suppression | DPSuppression):
        ambiguous = (counts == 0.5 * system.k) | (counts == system.k // 2)  # a true count that looks like a replacement
        return np.asarray((released == counts) & (counts > 0) & ~ambiguous)
    return np.asarray(released >= 0.5)


def _average(histogram: Histogram, alone: FloatArray) -> float:
    counts = cells_by_label(histogram, np.asarray(histogram.counts, dtype=np.int64))
    sizes = counts.sum(axis=1)
    return float((sizes / sizes.sum()) @ (match_weights(counts, "share") * alone).sum(axis=1))


def posterior_risk(system: System, histogram: Histogram, prior: float = 0.5) -> float:
    """What an adversary who knows everybody else will believe, on average, about a person's being in the table.

    The expected posterior probability, averaged over the people of the table, for an adversary with ``prior``. Noisy
    counts: that of ``posterior.expected_single_level``, without the little that clipping hides. Suppression: exact; a
    published count gives the person away. Swapping and k-anonymity publish the number of people, so it is 1. DP
    k-anonymity: that of the sample itself, which is at least that of anything made from it.
    """
    probability("prior", prior)
    counts = np.asarray(histogram.counts, dtype=np.int64).ravel()
    occupied, cells = np.unique(counts[counts > 0], return_counts=True)
    people = occupied * cells / counts.sum()
    if isinstance(system, NoisyCounts):
        from epsilens import posterior

        rounded = system.rounded or system.noise.integer_valued
        return float(posterior.expected_single_level(prior=prior, noise=system.noise, rounded=rounded).posterior)
    if isinstance(system, Suppression):
        without = as_floats(system.release(occupied - 1))
        return float(people @ np.where(without == as_floats(system.release(occupied)), prior, 1.0))
    if isinstance(system, DPSuppression):
        return float(people @ _suppressed_posterior(system, as_floats(occupied), prior))
    if isinstance(system, DPKAnonymity):
        return float(people @ np.array([_sampled_posterior(int(x), system.beta, prior) for x in occupied]))
    return 1.0


def _suppressed_posterior(system: DPSuppression, x: FloatArray, prior: float) -> FloatArray:
    """The count x is published, and tells all, or hidden, which is a little likelier without the person."""
    noise, k = system.noise, system.k
    if system.reading == "equation-2":
        half = 0.5 * k
        readable = x != half
        hidden, hidden_without = noise.cdf(k - x), noise.cdf(k - x + 1.0)
        hidden = np.where(readable, hidden, 1.0)
        hidden_without = np.where(x - 1.0 == half, 1.0, hidden_without)
        return 1.0 - hidden + hidden * _believed(hidden, hidden_without, prior)
    hidden = noise.sf(x - k)  # the threshold is above x
    # Half the threshold is published in every hidden cell: only the pair of numbers around an odd x tells x from x - 1.
    # Without the one person of a cell its true count is 0, which half a threshold below 2 looks like as well.
    top = np.where(x % 2 == 1, x + 1.0, x)
    with_person, without = noise.sf(x - k) - noise.sf(top - k), noise.sf(x - 1.0 - k) - noise.sf(top - k)
    without = np.where(x == 1, noise.cdf(2.0 - k), without)
    odd = (x % 2 == 1) & (with_person > 0)
    near = np.where(odd, with_person * _believed(with_person, without, prior), 0.0)
    return 1.0 - hidden + near + np.where(odd, hidden - with_person, hidden) * prior


def _sampled_posterior(x: int, beta: float, prior: float) -> float:
    """The adversary sees how many of the x (or x - 1) people of the cell were sampled."""
    seen = np.arange(x + 1)
    p, q = stats.binom.pmf(seen, x, beta), stats.binom.pmf(seen, x - 1, beta)
    return float(p @ _believed(as_floats(p), as_floats(q), prior))


def _believed(p: FloatArray, q: FloatArray, prior: float) -> FloatArray:
    total = prior * p + (1.0 - prior) * q
    return as_floats(np.where(total > 0, prior * p / np.where(total > 0, total, 1.0), prior))


def refuse_unknown_risk(kind: str) -> str:
    """``homogeneity`` or ``posterior``."""
    if kind not in ("homogeneity", "posterior"):
        raise ParameterError("the risk to hold equal must be homogeneity or posterior", got=kind)
    return kind
