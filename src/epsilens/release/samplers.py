"""Secure noise: OpenDP's samplers, on whole vectors, checked against OpenDP's own privacy map.

A law of ``noise`` says which noise honours a budget on paper. Before it is drawn, OpenDP's map of the very measurement
that will draw it is asked what it costs, and where rounding puts that a digit above the budget, the scale is raised by
the least possible step until it does not. So what the ledger charges is never less than what OpenDP proves.

Draws come from the operating system's randomness through OpenDP. There is no seed.

**Continuous noise.** Mironov (2012) attacks textbook samplers: ``count + scale * log(u)`` in floating-point numbers can
give other numbers for a count than for its neighbour. With a count of 1 the noise that leads to 0 < y < 1/4 lies
between -1 and -1/2, where doubles are 2^-53 apart, so that y is a multiple of 2^-53; with a count of 0 it is mostly
not. Such a y proves which count it was, whatever epsilon is.

OpenDP's samplers do not do that, so that the option stays (``allow_continuous``). They draw a whole number of steps of
2^k from the *discrete* law of scale / 2^k, in exact arithmetic, add it to the count, exactly, and round the sum once to
the nearest double. k is :data:`LATTICE`, the finest step that doubles have: every double is a multiple of it, so that
the count is not rounded before (OpenDP then states no price for that, and refuses a vector of unknown length for any
coarser k), and the law is discrete Laplace or discrete Gaussian noise on one lattice for every count. What is published
is a function of a draw on that lattice, the same function for all tables: nothing is lost by it, and every double can
be published from every table. ``tests/unit/release/test_samplers.py`` looks at the low-order bits as Mironov does,
finds the same for neighbouring counts, and finds the hole in numpy's sampler.
"""

from __future__ import annotations

import math
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
from epsilens.threads import usable_cores

NumberArray: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.float64]

CHUNK = 20_000
"""Cells drawn by one call: large enough to hide its overhead, small enough that its Python list is no burden."""
MAX_STEPS = 200

LATTICE = -1074
"""Continuous noise is drawn on the multiples of 2 to this power, whatever the data: all doubles are among them."""

CONTINUOUS_CAVEAT = (
    "Continuous noise on a computer is not continuous: textbook implementations leak through the low-order bits of "
    "floating-point numbers (Mironov 2012). Here noise is drawn exactly, as a whole number of steps of "
    f"2^{LATTICE}, and its sum with the count is rounded once, to the nearest 64-bit number: the lattice is the same "
    "for every count, and every such number can be published from every table. A proof for whole numbers is simpler "
    "still: prefer discrete-laplace or discrete-gaussian, and do not publish more digits than anybody needs."
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
            with ThreadPoolExecutor(usable_cores()) as workers:
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
    # lazy: the only place that knows OpenDP; and not by its prelude, which imports all of scikit-learn where that is
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_gaussian, make_laplace
    from opendp.metrics import l1_distance, l2_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    # "i64" and not int: OpenDP reads int as 32 bits.
    atom = atom_domain(T="i64") if law.integer_valued else atom_domain(T="f64", nan=False)
    domain = vector_domain(atom)
    k = None if law.integer_valued else LATTICE
    if law.secure_sampler == "gaussian":
        return make_gaussian(domain, l2_distance(T="f64"), scale=law.size, k=k), float(sensitivity)
    if law.integer_valued:
        return make_laplace(domain, l1_distance(T="i64"), scale=law.size, k=k), int(sensitivity)
    return make_laplace(domain, l1_distance(T="f64"), scale=law.size, k=k), float(sensitivity)
