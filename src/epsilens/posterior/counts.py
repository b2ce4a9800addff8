"""Published counts: whole numbers, each the true count plus noise.

An integer-valued law is taken as it is. A continuous law is rounded half up before publication, as everywhere in
Epsilens, so that its probability of k is ``noise.pmf(k)``. Everything in this room sees noise through
:class:`CountLaw` alone: the logarithm of a probability of a whole number, and how far the law reaches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from epsilens.budget import ZCDP
from epsilens.errors import ParameterError
from epsilens.noise import Noise, calibrate
from epsilens.noise.law import checked_noise

TIE = 1e-9
"""Log odds this close to the bar are equal to it: rounding must not decide which way an adversary leans."""


def one_noise(rho: float | None, noise: Noise | None) -> Noise:
    """The law of one count's noise: discrete Gaussian at ``rho``, or the ``noise`` given.

    Definition: P(X* = x + k) proportional to exp(-rho k^2), k a whole number; sigma = 1 / sqrt(2 rho).

    Source: P4 Eq. (2.1).
    """
    if (rho is None) == (noise is None):
        raise ParameterError("give either rho or noise, and not both; rho means discrete Gaussian noise")
    return checked_noise(noise) if noise is not None else calibrate("discrete-gaussian", ZCDP(rho))  # type: ignore[arg-type]


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
    return tuple(checked_noise(law) for law in noise or ())


def log_odds(probability: float) -> float:
    """log(p / (1 - p))."""
    return math.log(probability) - math.log1p(-probability)
