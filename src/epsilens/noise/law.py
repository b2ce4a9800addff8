"""What every noise law can do.

A law is a cdf: every risk in Epsilens is written once against :class:`Noise`, never once per mechanism. Methods follow
scipy's names: ``cdf(x) = P(X <= x)``, ``sf(x) = P(X > x)``. All our laws are symmetric about 0, so a law states its
upper tail only, once plainly and once in logarithms; the cdf, the survival function and their logarithms follow here,
with the small side always computed directly and never as one minus the large one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Protocol, cast

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, FloatArray, as_floats
from epsilens.checks import kind_of
from epsilens.errors import ParameterError


class Noise(Protocol):
    """A law of noise that is added to counts."""

    @property
    def integer_valued(self) -> bool:
        """Whether the noise takes whole numbers only."""
        ...

    @property
    def variance(self) -> float:
        """The variance."""
        ...

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X <= x)."""
        ...

    def sf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X > x)."""
        ...

    def logcdf(self, x: npt.ArrayLike) -> FloatArray:
        """Log P(X <= x)."""
        ...

    def logsf(self, x: npt.ArrayLike) -> FloatArray:
        """Log P(X > x)."""
        ...

    def density(self, x: npt.ArrayLike) -> FloatArray:
        """The density at x; of an integer-valued law the probability of x, 0 between whole numbers."""
        ...

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log of :meth:`density`."""
        ...

    def pmf(self, k: npt.ArrayLike) -> FloatArray:
        """P(X rounded half up = k) for whole k: what is published. Of an integer-valued law simply P(X = k)."""
        ...

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws for simulation. A real release uses the secure samplers of ``release``."""
        ...


def checked_noise(noise: object, parameter: str = "noise") -> Noise:
    """``noise``, refused with the way to make one unless it is a law of noise; public functions begin with this."""
    if isinstance(noise, type) or not all(hasattr(noise, name) for name in ("cdf", "sf", "integer_valued")):
        raise ParameterError(
            f"must be a law of noise, not {repr(noise) if isinstance(noise, str) else kind_of(noise)}",
            parameter=parameter,
            remedy="make one with calibrate(mechanism, budget), or with LaplaceNoise(scale)",
        )
    return cast("Noise", noise)


class SymmetricLaw(ABC):
    """cdf, sf and their logarithms of a law that is symmetric about 0, from its upper tail.

    A continuous law gives ``tail(x) = P(X > x)`` for x >= 0; an integer-valued one ``tail(m) = P(X >= m)`` for
    m = 1, 2, ...
    """

    integer_valued: ClassVar[bool]

    @abstractmethod
    def tail(self, x: FloatArray) -> FloatArray:
        """The upper tail."""

    @abstractmethod
    def logtail(self, x: FloatArray) -> FloatArray:
        """Log of :meth:`tail`."""

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X <= x)."""
        lower, start = self._side_and_start(as_floats(x))
        tail = self.tail(start)
        return np.where(lower, tail, 1.0 - tail)

    def sf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X > x)."""
        lower, start = self._side_and_start(as_floats(x))
        tail = self.tail(start)
        return np.where(lower, 1.0 - tail, tail)

    def logcdf(self, x: npt.ArrayLike) -> FloatArray:
        """Log P(X <= x)."""
        lower, start = self._side_and_start(as_floats(x))
        return np.where(lower, self.logtail(start), np.log1p(-self.tail(start)))

    def logsf(self, x: npt.ArrayLike) -> FloatArray:
        """Log P(X > x)."""
        lower, start = self._side_and_start(as_floats(x))
        return np.where(lower, np.log1p(-self.tail(start)), self.logtail(start))

    def _side_and_start(self, x: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Is the lower side the small one, and where does the small tail start?"""
        if not self.integer_valued:
            return x < 0, np.abs(x)
        m = np.floor(x)  # X <= x means X <= m; the small tail is {X <= m} for m < 0, {X >= m + 1} otherwise
        return m < 0, np.where(m < 0, -m, m + 1)
