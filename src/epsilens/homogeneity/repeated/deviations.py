"""How far published counts that are fitted to one another lie from the true ones.

Chernoff's bound of what adds up along the way: P(X >= x) <= E exp(t X - t x) for every t > 0. All noise is rounded to
whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.noise.law import AnyNoise
from epsilens.noise.whole_number_sums import TAIL, reach

_FURTHEST = 1 << 15
"""Beyond, moments are not summed."""
_SLOPES = np.geomspace(0.1, 60.0, 200)
"""Values of t, in units of the reach of a law."""


@dataclass(frozen=True, eq=False)
class Deviation:
    """Log E exp(t z) of what a published count deviates by, z, for many t of either sign, or a bound of it."""

    log_moments: Callable[[FloatArray], FloatArray]
    far: int
    """A distance that z exceeds on either side with probability at most :data:`TAIL`."""

    @staticmethod
    def of_root(noise: AnyNoise) -> Deviation:
        """Of a count that has only its own noise."""
        return Deviation(lambda t: log_moments(noise, t), reach(noise))

    @staticmethod
    def largest(several: Sequence[Deviation]) -> Deviation:
        """Of a count that deviates like one of several."""
        if len(several) == 1:
            return several[0]
        return Deviation(
            lambda t: as_floats(np.max([one.log_moments(t) for one in several], axis=0)),
            max(one.far for one in several),
        )

    def of_child(self, noise: AnyNoise, kappa: int) -> Deviation:
        """Of one of ``kappa`` counts that share the gap to this one.

        Child k deviates by e_k + g with g = floor(D / kappa + 1/2), D = q - n - sum over j of e_j, and q is clipped at
        0 before the gap is shared, which takes q - n nowhere but nearer to 0. An only child is as its parent is.
        """
        if kappa == 1:
            return Deviation(self._clipped, self.far)

        def moments(t: FloatArray) -> FloatArray:
            own, others = log_moments(noise, t * (1.0 - 1.0 / kappa)), log_moments(noise, -t / kappa)
            return as_floats(0.5 * np.abs(t) + self._clipped(t / kappa) + own + (kappa - 1) * others)

        plain = (reach(noise) * (kappa - 1) + sum_reach(noise, kappa - 1) + self.far) // kappa + 2
        if max(reach(noise), self.far) > _FURTHEST:
            return Deviation(moments, plain)
        return Deviation(moments, min(plain, _distance(moments, max(reach(noise), self.far / kappa))))

    def furthest_share(self, noise: AnyNoise, kappa: int) -> int:
        """A g that no share of the gap exceeds on either side, but with probability at most :data:`TAIL`."""

        def moments(t: FloatArray) -> FloatArray:
            return as_floats(self._clipped(t) + kappa * log_moments(noise, -t))

        return _distance(moments, max(reach(noise), self.far)) // kappa + 1

    def _clipped(self, t: FloatArray) -> FloatArray:
        """Log E exp(t max(z, -n)), n >= 0: one of both exponents is at most the larger of t z and 0."""
        return as_floats(np.logaddexp(0.0, self.log_moments(t)))


def log_moments(noise: AnyNoise, t: FloatArray) -> FloatArray:
    """Log E exp(t e) of the noise, as far as it reaches."""
    far = reach(noise)
    steps = np.arange(-far, far + 1.0)
    exponents = np.outer(t, steps)
    largest = exponents.max(axis=1)
    return as_floats(largest + np.log(np.exp(exponents - largest[:, None]) @ noise.pmf(steps)))


def sum_reach(noise: AnyNoise, number: int) -> int:
    """A distance that the sum of ``number`` noises exceeds on either side with probability at most :data:`TAIL`.

    The smaller of ``number`` times the reach of one and Chernoff's bound.
    """
    far = reach(noise)
    if number <= 1 or far > _FURTHEST:
        return far * number
    return min(number * far, _distance(lambda t: number * log_moments(noise, t), far))


def _distance(moments: Callable[[FloatArray], FloatArray], scale: float) -> int:
    """The distance x at which exp(log E exp(t X) - t x) falls to :data:`TAIL` for some t, on both sides."""
    slopes = _SLOPES / scale
    return max(math.ceil(float(((moments(sign * slopes) - math.log(TAIL)) / slopes).min())) for sign in (1.0, -1.0))
