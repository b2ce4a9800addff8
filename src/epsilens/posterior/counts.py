"""Published counts: whole numbers, each the true count plus noise.

An integer-valued law is taken as it is. A continuous law is rounded half up before publication, as everywhere in
Epsilens, so that its probability of k is ``noise.pmf(k)``. Everything in this room sees noise through
:class:`CountLaw` alone: the logarithm of a probability of a whole number, and how far the law reaches.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from epsilens.budget import ZCDP
from epsilens.errors import ParameterError
from epsilens.noise import Noise, calibrate
from epsilens.noise.law import FloatArray, as_floats

NEGLIGIBLE = 1e-13
"""Noise beyond the reach at this tail probability is left out of an expectation; its probability bounds the error."""

TIE = 1e-9
"""Log odds this close to the bar are equal to it: rounding must not decide which way an adversary leans."""

_UNDERFLOW = 1e-200


class CountLaw(Protocol):
    """A law on the whole numbers, symmetric about 0."""

    def logpmf(self, k: npt.ArrayLike) -> FloatArray:
        """Log P(Z = k) for whole k."""
        ...

    def reach(self, tail: float) -> int:
        """A T with P(|Z| > T) <= tail."""
        ...


@dataclass(frozen=True)
class CountNoise:
    """The noise of one published count."""

    noise: Noise

    def logpmf(self, k: npt.ArrayLike) -> FloatArray:
        """Log P(Z = k); for a rounded law far from 0, where the pmf underflows, from the logarithms of its tails."""
        points = as_floats(k)
        if self.noise.integer_valued:
            return self.noise.logdensity(points)
        pmf = self.noise.pmf(points)
        distance = np.maximum(np.abs(points), 1.0)
        near, far = self.noise.logsf(distance - 0.5), self.noise.logsf(distance + 0.5)
        with np.errstate(divide="ignore"):
            tail_form = near + np.log(-np.expm1(np.minimum(far - near, 0.0)))
            return np.where(pmf > _UNDERFLOW, np.log(np.maximum(pmf, _UNDERFLOW)), tail_form)

    def reach(self, tail: float) -> int:
        """The smallest T with P(|Z| > T) <= tail."""
        return _reach(cast("Hashable", self.noise), tail)


@lru_cache(maxsize=512)
def _reach(noise: Any, tail: float) -> int:
    target = math.log(tail / 2.0)
    high = max(1, math.ceil(8.0 * math.sqrt(noise.variance)))
    while float(noise.logsf(high + 0.5)) > target:
        high *= 2
    low = -1  # P(|Z| > -1) = 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if float(noise.logsf(middle + 0.5)) <= target else (middle, high)
    return high


def within_reach(law: CountLaw, tail: float = NEGLIGIBLE) -> tuple[FloatArray, FloatArray]:
    """The whole numbers that noise takes but for a probability of at most ``tail``, and their log probabilities."""
    reach = law.reach(tail)
    points = np.arange(-reach, reach + 1, dtype=np.float64)
    return points, law.logpmf(points)


def one_noise(rho: float | None, noise: Noise | None) -> Noise:
    """The law of one count's noise: discrete Gaussian at ``rho``, or the ``noise`` given.

    Definition: P(X* = x + k) proportional to exp(-rho k^2), k a whole number; sigma = 1 / sqrt(2 rho).

    Source: P4 Eq. (2.1).
    """
    if (rho is None) == (noise is None):
        raise ParameterError("give either rho or noise, and not both; rho means discrete Gaussian noise")
    return noise if noise is not None else calibrate("discrete-gaussian", ZCDP(rho))  # type: ignore[arg-type]


def several_noises(
    rho: Sequence[float] | None, noise: Sequence[Noise] | None, least: int, what: str, most: int | None = None
) -> tuple[Noise, ...]:
    """One law per level or release, from budgets or from laws."""
    given = rho if rho is not None else noise
    if (rho is None) == (noise is None) or given is None:
        raise ParameterError(f"give either rho or noise, one per {what}, and not both")
    if isinstance(given, (int, float)) or not hasattr(given, "__len__"):
        raise ParameterError(f"rho and noise are sequences here, one entry per {what}, lowest or first one first")
    if len(given) < least or (most is not None and len(given) > most):
        wanted = f"{least}" if most == least else f"at least {least}"
        raise ParameterError(f"{wanted} entries of rho or noise are needed, one per {what}, got {len(given)}")
    if rho is not None:
        return tuple(one_noise(value, None) for value in rho)
    return tuple(noise or ())


def whole(name: str, value: float, least: int | None = None) -> int:
    """``value`` as an int, refused unless it is a whole number, and one that is not below ``least``."""
    try:
        number = int(value)
        exact = number == value
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{name} must be a whole number, got {value!r}") from None
    if not exact:
        raise ParameterError(f"{name} must be a whole number, got {value:g}; counts are published as whole numbers")
    if least is not None and number < least:
        raise ParameterError(f"{name} must be >= {least}, got {number}")
    return number


def log_odds(probability: float) -> float:
    """log(p / (1 - p))."""
    return math.log(probability) - math.log1p(-probability)
