"""Secure noise: OpenDP's samplers, on whole vectors, checked against OpenDP's own privacy map.

A law of ``noise`` says which noise honours a budget on paper. Before it is drawn, OpenDP's map of the very measurement
that will draw it is asked what it costs, and where rounding puts that a digit above the budget, the scale is raised by
the least possible step until it does not. So what the ledger charges is never less than what OpenDP proves.

Draws come from the operating system's randomness through OpenDP. There is no seed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.noise.mechanisms import releasable

NumberArray: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.float64]

CHUNK = 20_000
"""Cells drawn by one call: large enough to hide its overhead, small enough that its Python list is no burden."""
MAX_STEPS = 200

CONTINUOUS_CAVEAT = (
    "Continuous noise on a computer is not continuous: textbook implementations leak through the low-order bits of "
    "floating-point numbers (Mironov 2012). OpenDP draws on a fine grid and accounts for the rounding, but a proof for "
    "whole numbers is simpler: prefer discrete-laplace or discrete-gaussian, and do not publish more digits than "
    "anybody needs."
)


@dataclass(frozen=True, eq=False)
class SecureNoise:
    """A law with the measurement that draws it, and the price that OpenDP's map puts on it."""

    law: Noise
    measurement: Any
    price: float
    """Epsilon (Laplace) or rho (Gaussian) at the sensitivity, according to OpenDP."""

    def added(self, counts: npt.NDArray[np.int64], progress: Callable[[int], None] | None = None) -> NumberArray:
        """``counts`` with fresh noise; ``progress`` is told how many cells each step has done."""
        noisy: NumberArray = np.zeros(len(counts), np.int64) if self.law.integer_valued else np.zeros(len(counts))
        starts = range(0, len(counts), CHUNK)

        def draw(start: int) -> int:
            # OpenDP leaves Python's lock while it samples, so chunks of a large table are drawn side by side.
            chunk = counts[start : start + CHUNK].astype(noisy.dtype)
            noisy[start : start + CHUNK] = self.measurement(chunk)
            return len(chunk)

        if len(starts) < 2:
            done = map(draw, starts)
            _tell(progress, done)
        else:
            with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as workers:
                try:
                    _tell(progress, workers.map(draw, starts))
                except BaseException:  # an interrupt should not wait for the whole table
                    workers.shutdown(wait=False, cancel_futures=True)
                    raise
        return noisy


def secure(law: Noise, sensitivity: float, limit: Decimal) -> SecureNoise:
    """OpenDP's measurement for ``law``, with a price of at most ``limit`` at ``sensitivity``."""
    allowed = Fraction(limit)
    for _ in range(MAX_STEPS):
        measurement, distance = _measurement(law, sensitivity)
        price = float(measurement.map(distance))
        if Fraction(price) <= allowed:
            return SecureNoise(law, measurement, price)
        law = law.of_size(math.nextafter(law.size, math.inf))
    raise ParameterError(f"no scale honours {limit} exactly", remedy="give the budget with fewer digits")


def refuse_without_sampler(law: Noise) -> None:
    """Refuse to release noise that nobody can draw securely."""
    if law.secure_sampler is None:
        raise ParameterError(
            f"{law.title} noise has no secure sampler, so it cannot be released",
            remedy=f"use one of {', '.join(releasable())}",
        )


def opendp_price(law: Noise, sensitivity: float) -> float:
    """What ``law`` costs at ``sensitivity`` according to OpenDP: epsilon of a Laplace law, rho of a Gaussian one."""
    measurement, distance = _measurement(law, sensitivity)
    return float(measurement.map(distance))


def opendp_version() -> str:
    """The version of OpenDP."""
    from importlib.metadata import version

    return version("opendp")


def _tell(progress: Callable[[int], None] | None, done: Any) -> None:
    for cells in done:
        if progress is not None:
            progress(cells)


def _measurement(law: Noise, sensitivity: float) -> tuple[Any, float | int]:
    """OpenDP's measurement on vectors, and the sensitivity in the type of its metric."""
    refuse_without_sampler(law)
    import opendp.prelude as dp  # lazy: the only place that knows OpenDP

    dp.enable_features("contrib")
    # "i64" and not int: OpenDP reads int as 32 bits.
    atom = dp.atom_domain(T="i64") if law.integer_valued else dp.atom_domain(T="f64", nan=False)
    domain = dp.vector_domain(atom)
    if law.secure_sampler == "gaussian":
        return dp.m.make_gaussian(domain, dp.l2_distance(T="f64"), scale=law.size), float(sensitivity)
    if law.integer_valued:
        return dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=law.size), int(sensitivity)
    return dp.m.make_laplace(domain, dp.l1_distance(T="f64"), scale=law.size), float(sensitivity)
