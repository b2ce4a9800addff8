"""The worst case on the same dial: what somebody who knows everything but one bit could get out of the release.

A homogeneity attack is one concrete attack; these are the limits that no attack on one person exceeds. All follow from
the law of the privacy loss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from epsilens.budget import counts_moved
from epsilens.checks import positive, probability
from epsilens.noise import Noise
from epsilens.noise.composed_loss import loss_of


def epsilon_advantage(epsilon: float) -> float:
    """The largest membership advantage that epsilon-DP permits: (e^epsilon - 1) / (e^epsilon + 1)."""
    return math.tanh(0.5 * epsilon)


@dataclass(frozen=True)
class WorstCase:
    """Worst-case companions of one noise."""

    advantage: float
    odds_factor: float
    """How much the odds of being there can rise: the exponential of the largest loss, inf where there is none."""
    odds_factor_usually: float
    """The factor that is exceeded with probability 1e-6 at most."""
    posterior: float
    """The largest posterior of somebody who was thought to be there with probability ``prior``."""
    prior: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, which has no infinity."""
        return {name: value if math.isfinite(value) else None for name, value in vars(self).items()}


def worst_case_of(noise: Noise | Sequence[Noise], neighbours: str = "add-remove", prior: float = 0.5) -> WorstCase:
    """Advantage, odds and posterior in the worst case, of one table or of several levels, each with its own noise.

    posterior <= p F / (1 - p + p F) with F the odds factor, here the one exceeded with probability 1e-6 at most.
    Symbols: p is ``prior``.

    Source: P4 Eq. (3.1), with the likelihood ratio at its largest.
    Assumes that a person is counted in one group of every level, and may change it in all of them at once.
    """
    p = probability("prior", prior)
    loss = loss_of(noise if isinstance(noise, Sequence) else (noise,), counts_moved(neighbours))
    surely, usually = _exp(loss.largest()), _exp(loss.largest(1.0 - 1e-6))
    return WorstCase(loss.advantage(), surely, usually, 1.0 / (1.0 + (1.0 - p) / (p * usually)), p)


def worst_case_permitted(epsilon: float, prior: float = 0.5) -> WorstCase:
    """The limits that epsilon-DP alone sets, whatever the mechanism: F = e^epsilon, reached by some pure mechanism.

    For a person with several rows, whose counts may all change at once, in one cell or in many. Symbols as in
    :func:`worst_case_of`.

    Source: P4 Eq. (3.1), with the likelihood ratio at its largest.
    Assumes pure DP.
    """
    p, factor = probability("prior", prior), _exp(positive("epsilon", epsilon))
    return WorstCase(epsilon_advantage(epsilon), factor, factor, 1.0 / (1.0 + (1.0 - p) / (p * factor)), p)


def _exp(x: float) -> float:
    return math.exp(x) if x < 700.0 else math.inf
