"""The risks of people under a disclosure avoidance system: homogeneity and posterior risk of the same table.

Noise, suppression and swapping hide occupied cells independently of each other, so the homogeneity attack has an exact
success probability against them; against the others a release is attacked, and releases are averaged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.system import System
from epsilens.checks import did_you_mean, probability
from epsilens.choice.spread import Spread, spread
from epsilens.errors import ParameterError
from epsilens.homogeneity.by_value import ShownValue, harm_shown, shown_values
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.shown import shown_alone
from epsilens.notebook import brief


def cells_by_label(histogram: Histogram, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A quantity per universe cell as (combinations of quasi-identifiers, labels), behind any further axes before."""
    before = values.ndim - histogram.counts.ndim
    axes = [before + axis for axis in histogram.axes(histogram.quasi_identifiers)]
    moved = np.moveaxis(values, axes, range(before, before + len(axes)))
    return moved.reshape(*moved.shape[:before], math.prod(moved.shape[before : before + len(axes)]), -1)


@dataclass(frozen=True, eq=False)
class ShownPeople:
    """What cells of a release show of the people in them: rows are combinations of quasi-identifiers."""

    values: tuple[str, ...]
    weights: FloatArray
    """How much each value harms whoever is shown to have it."""
    counts: IntArray
    """People by combination and value."""
    alone: FloatArray
    """P(value k is the only one that combination i shows)."""

    __repr__ = brief

    @staticmethod
    def of(histogram: Histogram, alone: FloatArray) -> ShownPeople:
        """What is shown of the people of ``histogram``."""
        values = tuple(" | ".join(parts) for parts in histogram.label_values)
        counts = cells_by_label(histogram, np.asarray(histogram.counts, dtype=np.int64))
        return ShownPeople(values, histogram.label_weights, counts, alone)

    @property
    def risk(self) -> float:
        """Sum over k of w_k times the share of people who have k and whose cell shows it alone."""
        sizes = self.counts.sum(axis=1)
        weighed = match_weights(self.counts, "share") * self.weights * self.alone
        return float((sizes / sizes.sum()) @ weighed.sum(axis=1))

    @property
    def by_value(self) -> tuple[ShownValue, ...]:
        """Who is shown as what, in shares of people: rightly who has the value, wrongly whoever else is in the cell."""
        return shown_values(self.values, self.weights, self.counts, self.alone)

    @property
    def totals(self) -> dict[str, float]:
        """Shares of people shown rightly and wrongly with a single value, and with a harmful one."""
        found = self.by_value
        harm = harm_shown(found)
        return {
            "shown_right": math.fsum(entry.shown_right for entry in found),
            "shown_wrong": math.fsum(entry.shown_wrong for entry in found),
            "harmful_right": harm.right,
            "harmful_wrong": harm.wrong,
        }

    @property
    def spread(self) -> Spread:
        """The risks of single people: who has value k in combination i is at w_k P(i shows k alone)."""
        return spread((self.weights * self.alone).ravel(), self.counts.ravel())

    @property
    def is_realised(self) -> bool:
        """Whether nothing is left to chance: whoever is in the table is shown for certain, or certainly not."""
        alone = self.alone[self.counts > 0]
        return bool(((alone == 0.0) | (alone == 1.0)).all())


def shown_people(system: System, histogram: Histogram) -> ShownPeople | None:
    """What a system shows of whom, exactly; None where it has to be simulated."""
    shown = system.shown_probabilities(histogram)
    if shown is None:
        return None
    a = cells_by_label(histogram, shown)
    return ShownPeople.of(histogram, shown_alone(a, 1.0 - a))


def homogeneity_risk(system: System, histogram: Histogram) -> float | None:
    """The share of people in cells that show a single label, and it is theirs; None where it has to be simulated.

    sum over cells of n_i / n sum_k w_k (n_ik / n_i) a_ik prod_{j != k} (1 - a_ij), with a_ik the probability that the
    release shows somebody with label k in cell i and w_k how much it harms to be shown with k (1 by default). For noisy
    counts it is ``homogeneity.local(match="share")``, weighted.
    """
    found = shown_people(system, histogram)
    return None if found is None else found.risk


def alone_in_releases(system: System, histogram: Histogram, releases: Sequence[FloatArray]) -> BoolArray:
    """Whether a release shows value k alone in combination i: (releases, combinations of quasi-identifiers, labels)."""
    truth = as_floats(histogram.counts)
    visible = cells_by_label(histogram, np.stack([system.visible(truth, released) for released in releases]))
    return np.asarray(visible & (np.count_nonzero(visible, axis=-1) == 1)[..., None])


def shown_by_release(system: System, histogram: Histogram, released: FloatArray) -> ShownPeople:
    """What one release shows of whom."""
    return ShownPeople.of(histogram, alone_in_releases(system, histogram, [released])[0].astype(np.float64))


def shown_totals(histogram: Histogram, alone: npt.NDArray[Any]) -> dict[str, FloatArray]:
    """The homogeneity risk and the totals of :class:`ShownPeople` of each release that shows these values ``alone``.

    All of them are sums over values k of right_k = sum_i n_ik a_ik / n and wrong_k = sum_i (n_i - n_ik) a_ik / n.
    Symbols: n_ik are the people of combination i with value k, n_i all of them, n everybody; a_ik is ``alone``.
    """
    counts = cells_by_label(histogram, as_floats(histogram.counts))
    sizes, weights = counts.sum(axis=1), histogram.label_weights
    right = np.einsum("ik,rik->rk", counts, alone) / sizes.sum()
    wrong = np.einsum("i,rik->rk", sizes, alone) / sizes.sum() - right
    harmful = weights > 0
    return {
        "homogeneity_risk": right @ weights,
        "shown_right": right.sum(axis=1),
        "shown_wrong": wrong.sum(axis=1),
        "harmful_right": right[:, harmful].sum(axis=1),
        "harmful_wrong": wrong[:, harmful].sum(axis=1),
    }


def homogeneity_of_release(system: System, histogram: Histogram, released: FloatArray) -> float:
    """:func:`homogeneity_risk` of one release."""
    return float(shown_totals(histogram, alone_in_releases(system, histogram, [released]))["homogeneity_risk"][0])


def shown_without_protection(histogram: Histogram) -> ShownPeople:
    """What the table itself shows of whom."""
    present = cells_by_label(histogram, np.asarray(histogram.counts) > 0)
    return ShownPeople.of(histogram, (present & (present.sum(axis=1, keepdims=True) == 1)).astype(np.float64))


def posterior_risk(system: System, histogram: Histogram, prior: float = 0.5) -> float:
    """What an adversary who knows everybody else will believe, on average, about a person's being in the table.

    The expected posterior probability, averaged over the people of the table, for an adversary with ``prior``: what the
    system itself says, or where all it does is to add noise, ``posterior.expected_single_level`` of that noise.
    """
    return _average(*_beliefs(system, histogram, prior))


def posterior_of_people(system: System, histogram: Histogram, prior: float = 0.5) -> tuple[float, Spread]:
    """:func:`posterior_risk`, and how what the adversary will believe is spread over people; harm plays no part."""
    belief, people = _beliefs(system, histogram, prior)
    return _average(belief, people), spread(belief, people)


def posterior_spread(system: System, histogram: Histogram, prior: float = 0.5) -> Spread:
    """How what the adversary will believe, on average over the noise, is spread over people; harm plays no part."""
    return posterior_of_people(system, histogram, prior)[1]


def _average(belief: FloatArray, people: IntArray) -> float:
    return float(people @ belief / people.sum())


def _beliefs(system: System, histogram: Histogram, prior: float) -> tuple[FloatArray, IntArray]:
    """The expected posterior by the count of a person's cell, and how many people are in cells with that count."""
    probability("prior", prior)
    counts = np.asarray(histogram.counts, dtype=np.int64).ravel()
    noise = system.added_noise
    if noise is not None:
        from epsilens import posterior

        found = posterior.expected_single_level(prior=prior, noise=noise.law, rounded=noise.rounded).posterior
        return as_floats([found]), counts.sum(keepdims=True)
    occupied, cells = np.unique(counts[counts > 0], return_counts=True)
    belief = system.expected_posterior(occupied, prior)
    if belief is None:
        raise ParameterError(f"{system.name} states neither its noise nor what an adversary will believe")
    return as_floats(belief), occupied * cells


def refuse_unknown_risk(kind: str) -> str:
    """``homogeneity`` or ``posterior``."""
    kinds = ("homogeneity", "posterior")
    if kind not in kinds:
        raise ParameterError(
            f"the risk to hold equal must be homogeneity or posterior, got {kind!r}{did_you_mean(kind, kinds)}"
        )
    return kind
