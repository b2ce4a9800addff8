"""What every noise law can do.

A law is a cdf: every risk in Epsilens is written once against :class:`AnyNoise`, never once per mechanism. Methods
follow scipy's names: ``cdf(x) = P(X <= x)``, ``sf(x) = P(X > x)``. All our laws are symmetric about 0, so a law states
its upper tail only, once plainly and once in logarithms; the cdf, the survival function and their logarithms follow
here, with the small side always computed directly and never as one minus the large one.

Whatever else anybody asks of a law is a member of it too: what it is called, its size, how far it reaches, its largest
privacy loss, how steeply it changes with its size, which secure sampler draws it. Each has a default that follows from
the tail and the density; a law that knows a closed form states that. So a new law is one class, and its line in
``mechanisms`` makes it work everywhere.
"""

from __future__ import annotations

import dataclasses
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar, Literal, Protocol, Self, TypeAlias, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.checks import kind_of
from epsilens.errors import ParameterError

SecureSampler: TypeAlias = Literal["laplace", "gaussian"]
"""The families of secure samplers that ``release`` has."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_FAN = 16  # points at which a reach is looked for at once
_SAFE_SIDE = 1.005
_FURTHEST = 1e305
_FAR = 1e4  # in sizes of a law: where its privacy loss has come to rest, or never will


class AnyNoise(Protocol):
    """What a risk asks of a law: its cdf and what follows from it. It need not be symmetric, nor have a size."""

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


class Noise(AnyNoise, Protocol):
    """A law of noise that a mechanism adds to counts: symmetric about 0, with one parameter, its size."""

    @property
    def name(self) -> str:
        """What the law is called in code, on the command line and in files: ``discrete-laplace``."""
        ...

    @property
    def title(self) -> str:
        """What it is called in a sentence: ``discrete Laplace``."""
        ...

    @property
    def parameter(self) -> str:
        """What the law's size is called: ``scale`` or ``sigma``."""
        ...

    @property
    def size(self) -> float:
        """The law's only parameter."""
        ...

    def of_size(self, size: float) -> Self:
        """The same law with another size."""
        ...

    @property
    def secure_sampler(self) -> SecureSampler | None:
        """The family of secure samplers that can draw it; None where none can, so that it cannot be released."""
        ...

    @property
    def has_delta(self) -> bool:
        """Whether its privacy loss has no bound, so that its promise needs a delta."""
        ...

    @property
    def rotates(self) -> bool:
        """Whether independent draws look alike in every direction: to move several counts is then to move one."""
        ...

    @property
    def steepest(self) -> float | None:
        """The most that P(a label is shown) changes per unit of the log of the size; None where no bound is known."""
        ...

    @property
    def sharpest_bend(self) -> float | None:
        """The most that this change changes itself per unit of the log of the size; None where no bound is known."""
        ...

    @property
    def geometric_rate(self) -> float | None:
        """The r with P(Z = k + 1) = e^-r P(Z = k) for every k >= 1, Z being rounded; None where there is none."""
        ...

    def reach(self, tail: float) -> int:
        """The smallest whole T with P(|Z| > T) <= ``tail``, Z being the noise, rounded half up."""
        ...

    def log_ratio(self, x: npt.ArrayLike) -> FloatArray:
        """Log f(x - 1) - log f(x), f being the density, or the probability of a whole number."""
        ...

    def largest_loss(self, moved: float = 1) -> float:
        """The largest privacy loss when ``moved`` counts change by one each; inf where it has no bound."""
        ...

    def known_delta(self, epsilon: float, moved: int) -> float | None:
        """The delta of the noise as it is, not rounded, in closed form; None where there is none."""
        ...

    def known_absolute_sum(self, terms: int) -> float | None:
        """E|X_1 + ... + X_m| of ``terms`` draws as they are, in closed form; None where there is none."""
        ...

    def approximate_sum(self, terms: int) -> Noise | None:
        """The single law by which a sum of ``terms`` draws may be approximated; None where there is none."""
        ...

    def exact_sum(self, terms: int) -> AnyNoise | None:
        """The law of the sum of ``terms`` draws as they are; None where it is not known."""
        ...

    def tails_of_sums(self, terms: IntArray, x: FloatArray) -> FloatArray | None:
        """The upper tail of sums of m draws for many m (``terms``) and x at a time; None where one asks one by one.

        Of whole numbers P(sum >= x) for whole x >= 1, otherwise P(sum > x) for x >= 0; what is below e^-80 may be 0.
        """
        ...

    def known_characteristic(self, angles: FloatArray) -> FloatArray | None:
        """E cos(u X) for each angle u, in closed form; None where there is none."""
        ...

    def known_log_moments(self, rates: FloatArray) -> FloatArray | None:
        """Log E e^(u X) for each rate u, or a bound of it from above; infinity where the mean is infinite."""
        ...


def has_privacy_loss(noise: object) -> TypeGuard[Noise]:
    """Whether a law answers for its privacy; one that only has a cdf is worth what somebody states for it."""
    return hasattr(noise, "largest_loss")


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
    """What follows for a law that is symmetric about 0: a frozen dataclass whose one field is its size.

    A continuous law gives ``tail(x) = P(X > x)`` for x >= 0; an integer-valued one ``tail(m) = P(X >= m)`` for
    m = 1, 2, ... Besides a law gives the logarithms of its tail and of its density, its variance and seeded draws.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    integer_valued: ClassVar[bool]
    secure_sampler: ClassVar[SecureSampler | None] = None
    rotates: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        """A law that does not say what it is called is called as its class: ``LogisticNoise`` is ``logistic``."""
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__.removesuffix("Noise")).lower()
        if "title" not in vars(cls):
            cls.title = cls.name.replace("-", " ")

    @abstractmethod
    def tail(self, x: FloatArray) -> FloatArray:
        """The upper tail."""

    @abstractmethod
    def logtail(self, x: FloatArray) -> FloatArray:
        """Log of :meth:`tail`."""

    @abstractmethod
    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log of the density; of an integer-valued law log P(X = x), minus infinity between whole numbers."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """The variance."""

    @abstractmethod
    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws."""

    @property
    def parameter(self) -> str:
        """The name of the law's one field."""
        return dataclasses.fields(cast("Any", self))[0].name

    @property
    def size(self) -> float:
        """The value of the law's one field."""
        return float(getattr(self, self.parameter))

    def of_size(self, size: float) -> Self:
        """The same law with another size."""
        return cast("Self", dataclasses.replace(cast("Any", self), **{self.parameter: size}))

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

    def density(self, x: npt.ArrayLike) -> FloatArray:
        """The density at x; of an integer-valued law P(X = x), 0 between whole numbers."""
        return np.exp(self.logdensity(x))

    def pmf(self, k: npt.ArrayLike) -> FloatArray:
        """P(X rounds to k), a difference of two tails.

        Where the density is flat over the interval (:meth:`_is_flat`) the two tails are close together and their
        difference would cancel, so the density is integrated instead; twelve Gauss-Legendre nodes are then exact to a
        double.
        """
        if self.integer_valued:
            return self.density(k)
        distance = np.abs(as_floats(k))
        outside = self.tail(distance + 0.5)
        difference = np.where(distance == 0, 1.0 - 2.0 * outside, self.tail(np.abs(distance - 0.5)) - outside)
        flat = self._is_flat(distance)
        if not flat.any():
            return difference
        # around 0, where a law may have a kink, one half of the interval stands for both
        within = np.where(distance[..., None] == 0, 0.25 * (_NODES + 1.0), 0.5 * _NODES)
        area = 0.5 * (self.density(distance[..., None] + within) @ _WEIGHTS)
        return np.where(flat, area, difference)

    def _is_flat(self, distance: FloatArray) -> BoolArray:
        """Whether the log of the density changes by less than 1 within 1/2 of a whole number, and smoothly so."""
        if self.size < 1.0:
            return np.zeros(distance.shape, dtype=bool)
        lower, upper = self.logdensity(np.maximum(distance, 0.5) - 0.5), self.logdensity(distance + 0.5)
        return np.asarray(np.abs(upper - lower) < 1.0)

    def reach(self, tail: float) -> int:
        """The smallest whole T with P(|Z| > T) <= ``tail``; beyond 2^50 up to as many digits as a double has."""
        return _reach(self, tail)

    def log_ratio(self, x: npt.ArrayLike) -> FloatArray:
        """Log f(x - 1) - log f(x): a difference, which a law with a closed form states without cancellation."""
        points = as_floats(x)
        return self.logdensity(points - 1.0) - self.logdensity(points)

    @property
    def has_delta(self) -> bool:
        """Whether :meth:`largest_loss` is infinite."""
        return math.isinf(self.largest_loss())

    def largest_loss(self, moved: float = 1) -> float:
        """``moved`` times the largest log f(x) / f(x + 1), from the density at many x, and on the safe side.

        The mean slope of the log density over a twentieth of the size (at least over one person) is followed out to
        10^4 sizes. Where it still grows there it has no bound.

        Assumes a density that is smooth on either side of 0 at the scale of its size, and falls away from 0.
        """
        return moved * _largest_loss(self)

    @property
    def steepest(self) -> float | None:
        """The maximum of u f(u), with f the density.

        With b the size, P(X > x) is a function of u = x / b, so that its change per unit of log b is u f(u). A law on
        whole numbers is not such a function, and states its own bound or has none.
        """
        return None if self.integer_valued else _steepest(self)

    @property
    def sharpest_bend(self) -> float | None:
        """None: a law states its own bound or has none, since a density may have kinks."""
        return None

    @property
    def geometric_rate(self) -> float | None:
        """None: most laws have none."""
        return None

    def known_delta(self, epsilon: float, moved: int) -> float | None:
        """None: most laws have no closed form."""
        return None

    def known_absolute_sum(self, terms: int) -> float | None:
        """None: most laws have no closed form."""
        return None

    def approximate_sum(self, terms: int) -> Noise | None:
        """None: a sum of draws has another law."""
        return None

    def exact_sum(self, terms: int) -> AnyNoise | None:
        """None: of most laws it is not known."""
        return None

    def tails_of_sums(self, terms: IntArray, x: FloatArray) -> FloatArray | None:
        """None: most laws are asked for one sum after another."""
        return None

    def known_characteristic(self, angles: FloatArray) -> FloatArray | None:
        """None: most laws have no closed form."""
        return None

    def known_log_moments(self, rates: FloatArray) -> FloatArray | None:
        """None: most laws have no closed form."""
        return None

    def _side_and_start(self, x: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Is the lower side the small one, and where does the small tail start?"""
        if not self.integer_valued:
            return x < 0, np.abs(x)
        m = np.floor(x)  # X <= x means X <= m; the small tail is {X <= m} for m < 0, {X >= m + 1} otherwise
        return m < 0, np.where(m < 0, -m, m + 1)


def spread_of(noise: AnyNoise) -> float:
    """The standard deviation, refused where the variance is beyond any number."""
    if not math.isfinite(noise.variance):
        raise ParameterError("the variance of so wide a noise is beyond any number", remedy="take a larger budget")
    return math.sqrt(noise.variance)


def reach_of(noise: AnyNoise, tail: float) -> int:
    """The smallest whole T with at most half of ``tail`` beyond it on either side, for any law, rounded half up."""
    if isinstance(noise, SymmetricLaw):
        return noise.reach(tail)

    def inside(distance: FloatArray) -> BoolArray:
        return np.asarray(np.maximum(noise.sf(distance + 0.5), noise.cdf(-distance - 0.5)) <= 0.5 * tail)

    return _first_inside(inside, math.sqrt(noise.variance))


@lru_cache(maxsize=512)
def _reach(noise: Any, tail: float) -> int:
    """The smallest T with log P(X >= T + 1/2) <= log(tail / 2)."""
    target = math.log(0.5 * tail)
    return _first_inside(lambda distance: noise.logsf(distance + 0.5) <= target, noise.size)


def _first_inside(inside: Callable[[FloatArray], BoolArray], spread: float) -> int:
    """The first whole number >= 0 inside, from which on all are; looked for at several numbers at once."""
    high = max(1, math.ceil(min(8.0 * spread, _FURTHEST)))
    while not inside(as_floats(high)):
        high *= 2
        if high > _FURTHEST:
            raise ParameterError("the noise reaches further than any number", remedy="take a larger budget")
    low = -1
    while high - low > max(1, high >> 50):
        parts = min(_FAN, high - low)
        points = [low + (high - low) * i // parts for i in range(1, parts)]
        within = inside(as_floats(points))
        first = int(np.argmax(within)) if within.any() else parts - 1
        low, high = [low, *points][first], [*points, high][first]
    return high


@lru_cache(maxsize=512)
def _largest_loss(noise: Any) -> float:
    start = np.append(0.0, np.geomspace(1e-4, _FAR, 1601)) * max(noise.size, 1e-9)
    step = max(1.0, 0.05 * noise.size)
    if noise.integer_valued:
        start, step = np.unique(np.rint(start)), float(math.ceil(step))
    losses = (noise.logdensity(start) - noise.logdensity(start + step)) / step
    if not np.isfinite(losses).all():
        return math.inf
    last, before = float(losses[-1]), float(losses[np.searchsorted(start, 0.1 * start[-1])])
    if last > before * 1.01:
        return math.inf
    return max(float(losses.max()), last + max(last - before, 0.0))


@lru_cache(maxsize=512)
def _steepest(noise: Any) -> float:
    u = np.linspace(0.0, 60.0, 60_001)[1:]
    return _SAFE_SIDE * float((u * noise.size * noise.density(u * noise.size)).max())
