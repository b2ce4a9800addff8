"""The noise of published counts as callers name it: by its budget, or as a law.

An integer-valued law is taken as it is. A continuous law is rounded half up before publication, as everywhere in
Epsilens. Everything in this room sees noise through :class:`~epsilens.noise.published.CountLaw` alone: the logarithm of
a probability of a whole number, and how far the law reaches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epsilens.budget import ZCDP
from epsilens.checks import whole
from epsilens.errors import ParameterError
from epsilens.noise import Noise, calibrate
from epsilens.noise.law import checked_noise

SMALLEST, LARGEST = 1e-120, 1e13
"""The sizes of noise that counts can tell apart: beyond, its square is not a number, or its steps not whole."""


def countable_noise(noise: Noise) -> Noise:
    """``noise``, refused where it is so wide, or so narrow, that sums over whole numbers mean nothing."""
    size = getattr(noise, "size", 1.0)
    if not SMALLEST <= size <= LARGEST:
        raise ParameterError(
            f"the adversary's sums take noise of a size between {SMALLEST:g} and {LARGEST:g}, this has {size:.3g}",
            remedy="take a larger budget" if size > 1.0 else "take a smaller budget",
        )
    return noise


MOST_COUNTED = 2**53
"""Counts beyond this cannot be told from their neighbours."""


def countable(name: str, count: Any, least: int | None = None) -> int:
    """``count`` as an int, refused unless it is a whole number that can be told from its neighbours."""
    number = whole(name, count, least)
    if abs(number) > MOST_COUNTED:
        raise ParameterError(
            f"must lie within {MOST_COUNTED:,} of 0: larger counts cannot be told from their neighbours", parameter=name
        )
    return number


def family_size(family: Any) -> int:
    """How many people share what is to be learnt, refused unless it is a whole number of at least one."""
    if (members := countable("family", family)) < 1:
        raise ParameterError(
            "must be >= 1", parameter="family", got=members, remedy="1 is a person who shares it with nobody"
        )
    return members


def one_noise(rho: float | None, noise: Noise | None) -> Noise:
    """The law of one count's noise: discrete Gaussian at ``rho``, or the ``noise`` given.

    Definition: P(X* = x + k) proportional to exp(-rho k^2), k a whole number; sigma = 1 / sqrt(2 rho).

    Source: P4 Eq. (2.1).
    """
    if noise is not None and rho is None:
        return countable_noise(checked_noise(noise))
    if rho is None or noise is not None:
        raise ParameterError("give either `rho` or `noise`, and not both", remedy="`rho` means discrete Gaussian noise")
    return countable_noise(calibrate("discrete-gaussian", ZCDP(rho)))


def several_noises(
    rho: Sequence[float] | None, noise: Sequence[Noise] | None, least: int, what: str, most: int | None = None
) -> tuple[Noise, ...]:
    """One law per level or release, from budgets or from laws."""
    given = rho if rho is not None else noise
    if (rho is None) == (noise is None) or given is None:
        raise ParameterError(f"give either `rho` or `noise`, one per {what}, and not both")
    name = "rho" if rho is not None else "noise"
    if isinstance(given, (int, float)) or not hasattr(given, "__len__"):
        raise ParameterError(f"must be a sequence, one entry per {what}, lowest or first one first", parameter=name)
    if len(given) < least or (most is not None and len(given) > most):
        wanted = f"{least}" if most == least else f"at least {least}"
        entries = "entry" if wanted.endswith(" 1") else "entries"
        raise ParameterError(f"must have {wanted} {entries}, one per {what}", parameter=name, got=len(given))
    if rho is not None:
        return tuple(one_noise(value, None) for value in rho)
    return tuple(countable_noise(checked_noise(law)) for law in noise or ())
