"""The privacy loss of published counts: log P(o) / Q(o) of a published output o under two neighbouring tables.

Published counts are whole numbers: continuous noise is rounded, as everywhere in Epsilens.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import counts_moved
from epsilens.checks import probability
from epsilens.errors import ParameterError
from epsilens.noise.divergence import noise_delta
from epsilens.noise.law import Noise
from epsilens.noise.published import CountNoise, within_reach

TIE = 1e-12
"""Losses that differ by rounding error only are equal."""
_CURVE = 61
_NEGLIGIBLE = 1e-18
_LONGEST = 1 << 13
_BLOCKS = 1 << 16


@dataclass(frozen=True)
class PrivacyLoss:
    """The privacy loss of published counts when one person comes or goes, or (``moved = 2``) changes cell or label."""

    noise: Noise
    moved: int = 1

    def __post_init__(self) -> None:
        if self.moved not in (1, 2):
            raise ParameterError(
                "must be 1 (one person comes or goes) or 2 (one changes cell or label)",
                parameter="moved",
                got=self.moved,
            )

    @staticmethod
    def of(noise: Noise, neighbours: str) -> PrivacyLoss:
        """The loss between ``neighbours``."""
        return PrivacyLoss(noise, counts_moved(neighbours))

    @cached_property
    def _one_count(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Losses in ascending order and the probability of each, under the true table and under its neighbour."""
        return _losses(self.noise, self.noise)

    @property
    def is_wide(self) -> bool:
        """Whether the noise is too wide for sums over all whole numbers that it reaches."""
        return CountNoise(self.noise).reach(_NEGLIGIBLE) > _LONGEST

    @property
    def law_of_one_count(self) -> tuple[FloatArray, FloatArray]:
        """The different losses of one count in ascending order, and the probability of each under the true table."""
        return _distinct(*self._one_count[:2])

    def exceedance(self, loss: float) -> float:
        """P(privacy loss > ``loss``) under the true table: one side, the one that can accuse somebody.

        With two counts the losses of independent noises add up: sum over the first of P(second > loss - first).

        Source: P0 Eq. (2), the upper side of it: print bounds P(|loss| > epsilon), and this is P(loss > epsilon). For
        epsilon >= 0 the other side is the smaller one: the noise is symmetric, so P(loss < -epsilon) is the sum of
        e^-L P(L) over the losses L > epsilon, and both sides together are at most 1 + e^-epsilon times this one.
        """
        losses, mass, _ = self._one_count
        return share_above(losses, mass, self.moved, loss)

    def exceedance_either_side(self, loss: float) -> float:
        """P(|privacy loss| > ``loss``) under the true table, of published (rounded) counts.

        P(L > l) + P(L < -l); the lower side is the upper one of -L. Symbols: l is ``loss``, at least 0.

        Source: P0 Eq. (2), whose delta this is at l = epsilon.
        """
        if loss < 0:
            raise ParameterError("must be >= 0", parameter="loss", got=loss)
        losses, mass, _ = self._one_count
        below = share_above(-losses[::-1], mass[::-1], self.moved, loss)
        return min(1.0, self.exceedance(loss) + below)

    def largest(self, confidence: float = 1.0) -> float:
        """The loss exceeded with probability at most 1 - ``confidence``; inf for Gaussian noise and certainty."""
        if confidence == 1.0:
            return self.noise.largest_loss(self.moved)
        losses, _, _ = self._one_count
        bar = 1.0 - probability("confidence", confidence)
        low, high = -1e-9, self.moved * float(losses[-1]) + 1e-9
        for _ in range(200):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.exceedance(middle) <= bar else (middle, high)
        return high

    def delta(self, epsilon: float) -> float:
        """The exact delta at ``epsilon``."""
        return noise_delta(self.noise, epsilon, self.moved)

    def advantage(self) -> float:
        """Membership advantage: how much more often than by chance an all-knowing adversary tells the two tables apart.

        TPR - FPR of the best test = total variation distance = delta(0). Under epsilon-DP at most tanh(epsilon / 2).

        Source: P0 Eq. (1) at epsilon = 0.
        """
        return self.delta(0.0)

    def trade_off(self, false_alarms: npt.ArrayLike) -> FloatArray:
        """f(alpha): the least share of misses of any test that raises false alarms with probability alpha.

        f(alpha) = sup over epsilon >= 0 of max(0, 1 - delta - e^epsilon alpha, e^-epsilon (1 - delta - alpha)) with
        delta = delta(epsilon); for one count directly from the best test, which alarms at the largest losses. Symbols:
        alpha is ``false_alarms``. For two counts the supremum is taken over a grid of epsilon, on the safe side.

        Source: P0 Eq. (1), every pair (epsilon, delta) of which is a line below the curve.
        """
        alpha = as_floats(false_alarms)
        losses, mass, neighbour = self._one_count
        if self.moved == 1:  # the best test alarms at the largest losses first; between two of them it tosses a coin
            alarms = np.append(0.0, np.cumsum(neighbour[::-1]))
            misses = 1.0 - np.append(0.0, np.cumsum(mass[::-1]))
            return as_floats(np.clip(np.interp(alpha, alarms, misses, right=0.0), 0.0, 1.0))
        grid = np.linspace(0.0, 2.0 * min(float(losses[-1]), 30.0), _CURVE)
        delta = as_floats([self.delta(float(epsilon)) for epsilon in grid])
        first = 1.0 - delta - np.exp(grid) * alpha[..., None]
        second = np.exp(-grid) * (1.0 - delta - alpha[..., None])
        return as_floats(np.maximum(0.0, np.maximum(first, second).max(axis=-1)))


def share_above(losses: FloatArray, mass: FloatArray, moved: int, loss: float) -> float:
    """P(sum of ``moved`` (1 or 2) losses > ``loss``), from the losses of one count in ascending order."""
    above = np.append(np.cumsum(mass[::-1])[::-1], 0.0)
    if moved == 1:
        return float(above[np.searchsorted(losses, loss + TIE, side="right")])
    return min(1.0, float(mass @ above[np.searchsorted(losses, loss - losses + TIE, side="right")]))


def greatest_losses(narrow: Noise, wide: Noise) -> tuple[FloatArray, FloatArray]:
    """The losses of one count, each the greatest over all sizes between two, with its probability under ``wide``.

    For outputs z >= 0 that of ``narrow``, for others that of ``wide``: see ``loss_range``.
    """
    return _distinct(*_losses(narrow, wide)[:2])


def _distinct(losses: FloatArray, mass: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Different losses in ascending order; those that differ by rounding error only are one, the largest of them."""
    last = np.append(np.diff(losses) > TIE, True)
    which = np.append(0, np.cumsum(last)[:-1])
    return losses[last], as_floats(np.bincount(which, weights=mass))


def _losses(narrow: Noise, wide: Noise) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Losses in ascending order (z >= 0: of ``narrow``), and the probabilities of ``wide`` under both tables."""
    law = CountNoise(wide)
    if wide.geometric_rate is not None:
        return _four_losses(narrow, wide)
    if law.reach(_NEGLIGIBLE) > _LONGEST:
        return _by_blocks(narrow, wide)
    points, log_p = within_reach(law, _NEGLIGIBLE)
    log_q = law.logpmf(points + 1.0)
    losses = log_p - log_q
    if narrow != wide:
        losses = np.where(points >= 0, _loss_at(narrow, points), losses)
    order = np.argsort(losses, kind="stable")
    return losses[order], np.exp(log_p[order]), np.exp(log_q[order])


def _loss_at(noise: Noise, z: FloatArray) -> FloatArray:
    """The loss of one count at the output ``z``."""
    law = CountNoise(noise)
    return law.logpmf(z) - law.logpmf(z + 1.0)


def _four_losses(narrow: Noise, wide: Noise) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Losses of laws with a geometric rate: one size left of -1, the same right of 0, those next to the middle."""
    log_pmf = CountNoise(wide).logpmf([0.0, 1.0, 2.0])
    p0, p1 = np.exp(log_pmf[:2])
    below, above_zero = -np.diff(log_pmf), -np.diff(CountNoise(narrow).logpmf([0.0, 1.0, 2.0]))
    above, beyond = float(wide.sf(0.5)), float(wide.sf(1.5))  # P(Z >= 1), P(Z >= 2)
    losses = as_floats([-below[1], -below[0], *above_zero])
    return losses, as_floats([beyond, p1, p0, above]), as_floats([above, p0, p1, beyond])


def _by_blocks(narrow: Noise, wide: Noise) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Losses of wide laws, whole numbers taken together in blocks, each with the largest loss in it."""
    reach = CountNoise(wide).reach(_NEGLIGIBLE)
    # a block holds what is above one end, up to the next
    ends = np.linspace(-reach - 1.0, float(reach), min(_BLOCKS, 2 * reach + 2)).round()
    losses = _loss_at(wide, ends[1:])
    if narrow != wide:
        losses = np.where(ends[1:] >= 0, _loss_at(narrow, ends[1:]), losses)
    return as_floats(np.maximum.accumulate(losses)), _mass(wide, ends), _mass(wide, ends + 1.0)


def _mass(noise: Noise, ends: FloatArray) -> FloatArray:
    """P(each block between ends), from the tail on its own side, where nothing cancels."""
    above, below = noise.sf(ends + 0.5), noise.cdf(ends + 0.5)
    return as_floats(np.where(ends[1:] > 0, above[:-1] - above[1:], below[1:] - below[:-1]))
