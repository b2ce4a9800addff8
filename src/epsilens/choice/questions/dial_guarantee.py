"""What the noise guarantees at one budget, whatever the data are: two worlds, and what a belief can become.

A person is in the table, or is not (or has one record or another one). Somebody who knows everything else sees all that
is published and decides which. Three numbers say how well this can go: how many of 100 possible releases convince them
if it is true, how many if it is not, and by which factor the odds of a belief can rise. None of them is computed from
data: they follow from the mechanism, the budget and the declarations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from epsilens.budget import count_sensitivity, counts_moved
from epsilens.checks import positive, probability
from epsilens.lazy import LaterModule
from epsilens.noise import MECHANISMS, Noise
from epsilens.noise.composed_loss import loss_of
from epsilens.notebook import brief

special = LaterModule("scipy.special")

USUALLY = 1e-6
"""How often a factor of odds may be exceeded where the noise has no largest one and no delta was declared."""

Basis: TypeAlias = Literal["epsilon", "law", "rho"]


@dataclass(frozen=True)
class Guarantee:
    """What holds for every person and every data set at one budget. Not computed from data."""

    right: float
    """Share of possible releases that convince the attacker where it is true, when errors of both kinds are as few as
    they can be together."""
    log_odds: float
    """By how much the log odds of a belief can rise."""
    chance: float
    """How often they may rise further: 0 for pure budgets."""
    basis: Basis
    """Whether it is the bound that epsilon sets for every mechanism, the law of the noise, or a bound from its rho."""

    __repr__ = brief

    @property
    def wrong(self) -> float:
        """Share of possible releases that convince the attacker although it is not true."""
        return 1.0 - self.right

    def belief(self, prior: float) -> float:
        """What a belief of ``prior`` can become at most: p F / (1 - p + p F), with F the factor of the odds."""
        return float(special.expit(special.logit(probability("prior", prior)) + self.log_odds))


def guarantee_of_epsilon(epsilon: float) -> Guarantee:
    """What epsilon-DP guarantees for every mechanism: e^epsilon / (1 + e^epsilon), and odds times e^epsilon.

    Whoever decides by a set S of outputs is right with probability P(S) in one world and 1 - Q(S) in the other, and
    P(S) <= e^epsilon Q(S), 1 - Q(S) <= e^epsilon (1 - P(S)). If both errors are equal, Q(S) = 1 - P(S), so that
    P(S) <= e^epsilon (1 - P(S)). Randomised response reaches it, and so does discrete Laplace noise on one count.
    Symbols: P(S) is ``right``, Q(S) is ``wrong``.

    Source: P0 Eq. (1) with delta = 0, for S and for its complement.
    """
    value = positive("epsilon", epsilon)
    return Guarantee(float(special.expit(value)), value, 0.0, "epsilon")


def guarantee_of_noises(noises: Sequence[Noise], neighbours: str, chance: float | None = None) -> Guarantee:
    """What the noise itself guarantees where a person is in one count of every table, from the law of its loss.

    The best test has P(S) - Q(S) = V, the total variation distance. Noise is symmetric, so reflection swaps the two
    worlds; with a coin where the evidence is even, errors of both kinds are equal and P(S) = (1 + V) / 2. The factor of
    the odds is the one exceeded with probability ``chance`` at most. Symbols: P(S) is ``right``, Q(S) is ``wrong``.

    Source: P0 Eq. (1) at epsilon = 0 for V, and P0 Eq. (2) for the factor.
    Assumes independent noise in all counts.
    """
    often = USUALLY if chance is None else probability("chance", chance)
    loss = loss_of(noises, counts_moved(neighbours))
    largest = loss.largest(1.0 - often)
    if math.isinf(largest):  # so rare that nothing can be left out of 1: the bound of rho still tells
        moved = count_sensitivity(neighbours, 2)
        largest = guarantee_of_rho(math.fsum(0.5 * (moved / noise.size) ** 2 for noise in noises), often).log_odds
    return Guarantee(0.5 * (1.0 + min(1.0, loss.advantage())), largest, often, "law")


def guarantee_of_rho(rho: float, chance: float | None = None) -> Guarantee:
    """What rho-zCDP guarantees for every mechanism.

    The divergence of Kullback and Leibler between both worlds is at most rho, so that V <= sqrt(rho / 2) (Pinsker) and
    V <= sqrt(1 - e^-rho) (Bretagnolle and Huber), and P(S) <= (1 + V) / 2 where both errors are equal. The loss exceeds
    rho + 2 sqrt(rho log(1 / c)) with probability c at most, by Markov's inequality for its moments. Symbols: c is
    ``chance``, P(S) is ``right``.

    Assumes zCDP, whose moments of the loss of order a are at most e^((a - 1) a rho).
    """
    value, often = positive("rho", rho), USUALLY if chance is None else probability("chance", chance)
    distance = min(math.sqrt(0.5 * value), math.sqrt(-math.expm1(-value)))
    largest = value + 2.0 * math.sqrt(value * -math.log(often))
    return Guarantee(0.5 * (1.0 + distance), largest, often, "rho")


def guarantee(
    mechanism: str,
    budget: float,
    noises: Sequence[Noise],
    neighbours: str,
    *,
    delta: float | None = None,
    rho: bool = False,
    shares: Sequence[float] = (1.0,),
    rows: int = 1,
) -> Guarantee:
    """The guarantee of a budget of a mechanism, ``noises`` being those that it adds, one per level or table.

    Pure budgets have the bound of epsilon, over all levels or tables. Other noise answers for itself; where a person
    may be in many counts at once, from its rho: the sum of Delta^2 / (2 sigma^2) over levels, with Delta the l2
    sensitivity of one of them. ``rows`` is how many rows a person may have.
    """
    if not rho and not MECHANISMS[mechanism].has_delta:
        return guarantee_of_epsilon(budget * math.fsum(shares))
    if rows == 1:
        return guarantee_of_noises(noises, neighbours, delta)
    moved = count_sensitivity(neighbours, 2, rows)
    return guarantee_of_rho(math.fsum(0.5 * (moved / noise.size) ** 2 for noise in noises), delta)
