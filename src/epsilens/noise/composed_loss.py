"""The privacy loss of several levels of counts: each has its own noise, and the losses of independent noises add up.

The law of one count's loss is a list of losses with their probabilities. Laplace laws have three different losses at
most, so sums of many are enumerated. Other lists are put on a lattice, rounded up, and convolved: every loss is
overstated by a lattice step per count at most, so that exceedances, advantages and tests come out on the safe side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import probability
from epsilens.errors import ParameterError
from epsilens.noise.law import Noise
from epsilens.noise.loss import TIE, PrivacyLoss

MOST_LOSSES = 20_000
"""Sums with more different losses than this are put on a lattice."""
_LATTICE = 1 << 15
_SMALLEST = 1e-17  # what is below this on a lattice is rounding error of the transforms, and is left out


@dataclass(frozen=True, eq=False)
class LossLaw:
    """A list of losses in ascending order with the probability of each; on the safe side where it is on a lattice."""

    losses: FloatArray
    mass: FloatArray
    left_out: float = 0.0
    """No more probability than this is missing from the list."""

    def share_above(self, loss: float) -> float:
        """P(loss > ``loss``), or slightly more."""
        return min(1.0, float(self.mass[self.losses > loss + TIE].sum()) + self.left_out)


@dataclass(frozen=True)
class ComposedLoss:
    """The privacy loss when one person changes ``moved`` counts at each of several levels."""

    noises: tuple[Noise, ...]
    moved: int = 1

    def __post_init__(self) -> None:
        if not self.noises:
            raise ParameterError("must have the noise of at least one level", parameter="noises")

    @cached_property
    def _sum(self) -> LossLaw:
        """The law of the loss under the true table."""
        parts = [part for noise in self.noises for part in repeat(PrivacyLoss(noise).law_of_one_count, self.moved)]
        return law_of_sum(parts)

    @property
    def _law(self) -> tuple[FloatArray, FloatArray]:
        """Losses in ascending order, and the probability of each under the true table."""
        return self._sum.losses, self._sum.mass

    def exceedance(self, loss: float) -> float:
        """P(privacy loss > ``loss``) under the true tables, or slightly more.

        The sum over all levels and counts of independent losses, each log f(z) / f(z + 1).

        Source: P0 Eq. (2), the upper side of it, as `PrivacyLoss.exceedance` says; for several levels' own laws.
        Assumes independent noise at all levels.
        """
        return self._sum.share_above(loss)

    def largest(self, confidence: float = 1.0) -> float:
        """The loss exceeded with probability at most 1 - ``confidence``; inf for Gaussian noise and certainty."""
        if confidence == 1.0:
            return sum(noise.largest_loss(self.moved) for noise in self.noises)
        losses, mass = self._law
        bar = 1.0 - probability("confidence", confidence)
        above = np.append(np.cumsum(mass[::-1])[::-1][1:], 0.0)  # P(loss > each of the losses)
        return max(0.0, float(losses[np.argmax(above <= bar)]))

    def delta(self, epsilon: float) -> float:
        """The delta at ``epsilon``, or slightly more."""
        losses, mass = self._law
        over = losses > epsilon
        return float(-(mass[over] @ np.expm1(epsilon - losses[over])))

    def advantage(self) -> float:
        """Membership advantage over all levels, or slightly more: TPR - FPR of the best test, which is delta(0).

        Source: P0 Eq. (1) at epsilon = 0.
        """
        return self.delta(0.0)

    def trade_off(self, false_alarms: npt.ArrayLike) -> FloatArray:
        """The least share of misses of any test that raises false alarms with this probability, or slightly less.

        The best test alarms at the largest losses L first: each adds P(L) to the hits and e^-L P(L) to the alarms.

        Source: P0 Eq. (1), every pair (epsilon, delta) of which is a line below the curve.
        """
        losses, mass = self._law
        with np.errstate(divide="ignore"):
            neighbour = np.exp(np.minimum(np.log(mass) - losses, 0.0))
        alarms = np.append(0.0, np.cumsum(neighbour[::-1]))
        misses = 1.0 - np.append(0.0, np.cumsum(mass[::-1]))
        return as_floats(np.clip(np.interp(as_floats(false_alarms), alarms, misses, right=0.0), 0.0, 1.0))


def law_of_sum(parts: Sequence[tuple[FloatArray, FloatArray]]) -> LossLaw:
    """The law of a sum of independent losses, each given as a list: enumerated, or on a lattice if that is too long."""
    losses, mass = parts[0]
    for more, weights in parts[1:]:
        if len(losses) * len(more) > MOST_LOSSES:
            return _on_a_lattice(parts)
        losses, mass = _merged((losses[:, None] + more).ravel(), np.outer(mass, weights).ravel())
    return LossLaw(losses, mass)


def _merged(losses: FloatArray, mass: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Losses in ascending order; those that differ by rounding error only are one, the largest of them."""
    order = np.argsort(losses)
    ordered = losses[order]
    last = np.append(np.diff(ordered) > TIE, True)
    which = np.append(0, np.cumsum(last)[:-1])
    return ordered[last], as_floats(np.bincount(which, weights=mass[order]))


def _on_a_lattice(parts: Sequence[tuple[FloatArray, FloatArray]]) -> LossLaw:
    """The sum of all parts by Fourier transforms, every loss rounded up to a multiple of one step."""
    lowest = [float(losses[0]) for losses, _ in parts]
    span = sum(float(losses[-1]) for losses, _ in parts) - sum(lowest)
    step = span / (_LATTICE - 2 * len(parts))
    product = np.ones(_LATTICE // 2 + 1, dtype=np.complex128)
    for losses, mass in parts:
        places = np.ceil((losses - losses[0]) / step - 1e-9).astype(np.int64)
        product *= np.fft.rfft(np.bincount(places, weights=mass, minlength=_LATTICE))
    mass = np.maximum(np.fft.irfft(product, _LATTICE), 0.0)
    kept = as_floats(np.where(mass > _SMALLEST, mass, 0.0))
    return LossLaw(as_floats(sum(lowest) + step * np.arange(_LATTICE)), kept, _LATTICE * _SMALLEST)


def loss_of(noises: Sequence[Noise], moved: int) -> PrivacyLoss | ComposedLoss:
    """The loss of one level, exact unless its noise is very wide, or of several."""
    one = PrivacyLoss(noises[0], moved)
    return one if len(noises) == 1 and not one.is_wide else ComposedLoss(tuple(noises), moved)
