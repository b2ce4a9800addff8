"""The risks of people under a disclosure avoidance system: homogeneity and posterior risk of the same table.

Noise, suppression and swapping hide occupied cells independently of each other, so the homogeneity attack has an exact
success probability against them; against the others a release is attacked, and releases are averaged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance.histogram import Histogram
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
    visible = cells_by_label(histogram, system.visible(as_floats(histogram.counts), released))
    alone = visible & (visible.sum(axis=1, keepdims=True) == 1)
    return _average(histogram, alone.astype(np.float64))


def homogeneity_without_protection(histogram: Histogram) -> float:
    """The share of people in cells that have a single label."""
    present = cells_by_label(histogram, np.asarray(histogram.counts) > 0)
    return _average(histogram, (present & (present.sum(axis=1, keepdims=True) == 1)).astype(np.float64))


def _average(histogram: Histogram, alone: FloatArray) -> float:
    counts = cells_by_label(histogram, np.asarray(histogram.counts, dtype=np.int64))
    sizes = counts.sum(axis=1)
    return float((sizes / sizes.sum()) @ (match_weights(counts, "share") * alone).sum(axis=1))


def posterior_risk(system: System, histogram: Histogram, prior: float = 0.5) -> float:
    """What an adversary who knows everybody else will believe, on average, about a person's being in the table.

    The expected posterior probability, averaged over the people of the table, for an adversary with ``prior``: what the
    system itself says, or where all it does is to add noise, ``posterior.expected_single_level`` of that noise.
    """
    probability("prior", prior)
    noise = system.added_noise
    if noise is not None:
        from epsilens import posterior

        return float(posterior.expected_single_level(prior=prior, noise=noise.law, rounded=noise.rounded).posterior)
    counts = np.asarray(histogram.counts, dtype=np.int64).ravel()
    occupied, cells = np.unique(counts[counts > 0], return_counts=True)
    belief = system.expected_posterior(occupied, prior)
    if belief is None:
        raise ParameterError(f"{system.name} states neither its noise nor what an adversary will believe")
    return float((occupied * cells) @ belief / counts.sum())


def refuse_unknown_risk(kind: str) -> str:
    """``homogeneity`` or ``posterior``."""
    if kind not in ("homogeneity", "posterior"):
        raise ParameterError("the risk to hold equal must be homogeneity or posterior", got=kind)
    return kind
