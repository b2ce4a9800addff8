"""The sampler of P4, section 3.2, as a Markov chain that is solved and not run.

From X1 it draws X2 by Eq. (3.9), from X2 a new X1 by Eq. (3.8). What follows of X1 alone is a chain of two states, so
that its stationary law, and how much its draws depend on one another, have closed forms. With ``asks`` a state X1 that
is larger than X2 is left out, as Eq. (3.8) says; without, it is drawn all the same.

Arrays broadcast: the noisy counts of block, block group and siblings may be numbers or arrays of one shape.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.lazy import LaterModule
from epsilens.reproduce.p4.setting import RHO_BLOCK, RHO_GROUP, SIBLINGS

special = LaterModule("scipy.special")

_FAR = 12.0
"""Standard deviations beyond the noisy counts to which the parent's count is listed."""


@dataclass(frozen=True, eq=False)
class Chain:
    """Where the chain is in the long run, and how far one draw depends on the one before."""

    present: FloatArray
    """The share of draws with the larger X1."""
    carried: FloatArray
    """The correlation of X1 from one draw to the next."""
    parents: FloatArray
    """Counts of the parent, and along the last axis of the next two their probabilities given either X1."""
    given_absent: FloatArray
    given_present: FloatArray

    @property
    def parent_pmf(self) -> FloatArray:
        """The share of draws with each count of the parent."""
        here = self.present[..., None]
        return as_floats((1.0 - here) * self.given_absent + here * self.given_present)

    def error(self, draws: float) -> FloatArray:
        """The standard error of the share of draws with the larger X1."""
        spread = self.present * (1.0 - self.present) * (1.0 + self.carried) / (1.0 - self.carried)
        return as_floats(np.sqrt(spread / draws))

    def parent_error(self, parent: int, draws: float) -> float:
        """The standard error of the share of draws with this count of the parent; of one chain."""
        k = int(parent - self.parents[0])
        share = float(self.parent_pmf[k])
        between = float(self.present * (1.0 - self.present) * (self.given_present[k] - self.given_absent[k]) ** 2)
        carried = float(self.carried)
        return math.sqrt((share * (1.0 - share) + 2.0 * between * carried / (1.0 - carried)) / draws)


def chain(
    noisy: npt.ArrayLike,
    noisy_parent: npt.ArrayLike,
    noisy_siblings: npt.ArrayLike,
    asks: bool = True,
    rho: tuple[float, float] = (RHO_BLOCK, RHO_GROUP),
    siblings: int = SIBLINGS,
    prior: float = 0.5,
    known: int = 0,
) -> Chain:
    """The chain at these noisy counts, with the uniform prior on the parent's count."""
    x1, x2, y = as_floats(noisy), as_floats(noisy_parent), as_floats(noisy_siblings)
    far = math.ceil(_FAR / math.sqrt(2.0 * (rho[1] + rho[0] / siblings))) + 2
    low = min(float(x2.min()), float(y.min()) + known) - far
    high = max(float(x2.max()), float(y.max()) + known) + far
    parents = np.arange(max(known, low), max(known, high) + far + 1.0)
    given = [_given(known + more, parents, x2[..., None], y[..., None], rho, siblings) for more in (0, 1)]
    odds = math.log(prior / (1.0 - prior)) + _step(parents, x1[..., None], y[..., None], known, rho[0], siblings)
    to_present = special.expit(odds)
    if asks:
        to_present = np.where(parents >= known + 1, to_present, 0.0)
    up = np.einsum("...k,...k->...", given[0], to_present)
    down = np.einsum("...k,...k->...", given[1], 1.0 - to_present)
    return Chain(as_floats(up / (up + down)), as_floats(1.0 - up - down), parents, *given)


def _given(
    child: int, parents: FloatArray, x2: FloatArray, y: FloatArray, rho: tuple[float, float], siblings: int
) -> FloatArray:
    """Eq. (3.9), divided by its sum."""
    both = rho[1] + rho[0] / siblings
    centre = (rho[1] * x2 + rho[0] / siblings * (y + child)) / both
    logs = np.where(parents >= child, -both * (parents - centre) ** 2, -np.inf)
    weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return as_floats(weights / weights.sum(axis=-1, keepdims=True))


def _step(parents: FloatArray, x1: FloatArray, y: FloatArray, known: int, rho: float, siblings: int) -> FloatArray:
    """Log odds of the larger X1 by Eq. (3.8), its prior apart."""
    centre = (siblings * x1 + (parents - y)) / (siblings + 1)
    return as_floats((siblings + 1) / siblings * rho * ((known - centre) ** 2 - (known + 1 - centre) ** 2))
