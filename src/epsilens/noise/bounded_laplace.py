"""Laplace noise for a statistic with known bounds: the law of what is released, given the true value.

A statistic with true value t in [l, u] receives Laplace noise of scale b, and the release must lie in [l, u] too:

* **truncated**: noise is drawn again until the sum lies inside, density e^(-|x - t| / b) / (b C(t)) on [l, u] with
  C(t) = (1 - e^(-(t - l) / b)) + (1 - e^(-(u - t) / b));
* **clamped** (boundary-inflated truncated): what falls outside is moved to the nearer bound, so that the bounds have
  probabilities e^(-(t - l) / b) / 2 and e^(-(u - t) / b) / 2.

Clamping is post-processing and costs nothing. Truncation costs up to twice the budget, because C(t) depends on the
data: :func:`truncated_epsilon` says what, :func:`truncated_scale` gives the scale that makes up for it.

These are laws of a released value between its bounds, not of noise symmetric about 0, so they are no ``Noise``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import PureDP
from epsilens.checks import finite, positive
from epsilens.errors import ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise.laplace import LaplaceNoise

optimize = LaterModule("scipy.optimize")
special = LaterModule("scipy.special")


@dataclass(frozen=True)
class TruncatedLaplace:
    """The release of a statistic with value ``centre`` under Laplace noise drawn again until it lies in the bounds."""

    centre: float
    scale: float
    lower: float
    upper: float

    def __post_init__(self) -> None:
        _check(self)

    @property
    def _mass_sides(self) -> tuple[float, float]:
        """1 - e^(-distance / b) to the lower and to the upper bound; together C(t)."""
        return -math.expm1(-(self.centre - self.lower) / self.scale), -math.expm1(
            -(self.upper - self.centre) / self.scale
        )

    @property
    def _normaliser(self) -> float:
        return sum(self._mass_sides)

    @property
    def probability_inside(self) -> float:
        """C(t) / 2: how likely a single draw of noise needs no repetition."""
        return 0.5 * self._normaliser

    def density(self, x: npt.ArrayLike) -> FloatArray:
        """e^(-|x - t| / b) / (b C(t)) inside the bounds, 0 outside."""
        return np.exp(self.logdensity(x))

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log of :meth:`density`."""
        points = as_floats(x)
        inside = (points >= self.lower) & (points <= self.upper)
        height = -np.abs(points - self.centre) / self.scale - math.log(self._normaliser) - math.log(self.scale)
        return np.where(inside, height, -np.inf)

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X <= x); the small side is computed directly."""
        below, above, left = self._tails(x)
        return np.where(left, below, 1.0 - above)

    def sf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X > x); the small side is computed directly."""
        below, above, left = self._tails(x)
        return np.where(left, 1.0 - below, above)

    def _tails(self, x: npt.ArrayLike) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
        """P(X <= x) for x left of the centre, P(X > x) for x right of it, and which of the two it is."""
        points = np.clip(as_floats(x), self.lower, self.upper)
        distance = np.exp(-np.abs(points - self.centre) / self.scale)
        below = -distance * np.expm1(-(points - self.lower) / self.scale) / self._normaliser
        above = -distance * np.expm1(-(self.upper - points) / self.scale) / self._normaliser
        return below, above, points < self.centre

    def quantile(self, q: npt.ArrayLike) -> FloatArray:
        """The x with P(X <= x) = q."""
        return _truncated_quantiles(_shares(q), self.centre, self.scale, self.lower, self.upper)

    def upper_quantile(self, p: npt.ArrayLike) -> FloatArray:
        """The x with P(X > x) = p: for p too small for 1 - p, the quantile of the law mirrored at 0."""
        return -_truncated_quantiles(_shares(p), -self.centre, self.scale, -self.upper, -self.lower)

    @property
    def bias(self) -> float:
        """E(X) - t = b (G2(c) - G2(a)) / C(t), with G2(z) = 1 - (1 + z) e^(-z) and a, c the bounds' distances / b."""
        toward_lower = _partial_moment(1, self.centre - self.lower, self.scale)
        toward_upper = _partial_moment(1, self.upper - self.centre, self.scale)
        return (toward_upper - toward_lower) / self._normaliser

    @property
    def mean(self) -> float:
        """E(X)."""
        return self.centre + self.bias

    @property
    def mse(self) -> float:
        """E((X - t)^2) = b^2 (G3(c) + G3(a)) / C(t), with G3(z) the integral of y^2 e^(-y) from 0 to z."""
        toward_lower = _partial_moment(2, self.centre - self.lower, self.scale)
        toward_upper = _partial_moment(2, self.upper - self.centre, self.scale)
        return (toward_upper + toward_lower) / self._normaliser

    @property
    def variance(self) -> float:
        """E((X - t)^2) - bias^2; the first is at least 4/3 of the second, so little cancels."""
        return self.mse - self.bias**2

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws by inversion: the law of resampling until inside, without its unbounded loop."""
        return truncated_draws(np.full(size, self.centre), self.scale, self.lower, self.upper, rng)


@dataclass(frozen=True)
class ClampedLaplace:
    """The release of a statistic with value ``centre`` under Laplace noise, moved to the nearer bound if outside."""

    centre: float
    scale: float
    lower: float
    upper: float

    def __post_init__(self) -> None:
        _check(self)

    @property
    def _noise(self) -> LaplaceNoise:
        return LaplaceNoise(self.scale)

    @property
    def mass_at_lower(self) -> float:
        """P(X = l) = e^(-(t - l) / b) / 2."""
        return float(self._noise.cdf(self.lower - self.centre))

    @property
    def mass_at_upper(self) -> float:
        """P(X = u) = e^(-(u - t) / b) / 2."""
        return float(self._noise.sf(self.upper - self.centre))

    def density(self, x: npt.ArrayLike) -> FloatArray:
        """The density strictly between the bounds, that of the noise; the bounds themselves have probabilities."""
        return np.exp(self.logdensity(x))

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        """Log of :meth:`density`."""
        points = as_floats(x)
        inside = (points > self.lower) & (points < self.upper)
        return np.where(inside, self._noise.logdensity(points - self.centre), -np.inf)

    def pmf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X = x): positive at the two bounds only."""
        points = as_floats(x)
        at_lower = np.where(points == self.lower, self.mass_at_lower, 0.0)
        return np.where(points == self.upper, self.mass_at_upper, at_lower)

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X <= x)."""
        points = as_floats(x)
        inner = np.where(points < self.lower, 0.0, self._noise.cdf(points - self.centre))
        return np.where(points >= self.upper, 1.0, inner)

    def sf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X > x)."""
        points = as_floats(x)
        inner = np.where(points < self.lower, 1.0, self._noise.sf(points - self.centre))
        return np.where(points >= self.upper, 0.0, inner)

    def quantile(self, q: npt.ArrayLike) -> FloatArray:
        """The smallest x with P(X <= x) >= q: the quantile of the unbounded release, clamped."""
        shares = _shares(q)
        with np.errstate(divide="ignore"):  # log 0 is -inf, which the clamp turns into a bound
            lower_half = np.log(2.0 * np.minimum(shares, 0.5))
            upper_half = -np.log(2.0 * np.minimum(1.0 - shares, 0.5))
        return np.clip(self.centre + self.scale * (lower_half + upper_half), self.lower, self.upper)

    def upper_quantile(self, p: npt.ArrayLike) -> FloatArray:
        """The x with P(X > x) = p, clamped: for p too small for 1 - p."""
        mirrored = ClampedLaplace(-self.centre, self.scale, -self.upper, -self.lower)
        return -mirrored.quantile(p)

    @property
    def bias(self) -> float:
        """E(X) - t = (b / 2) (e^(-(t - l) / b) - e^(-(u - t) / b)): towards the middle of the interval."""
        toward_lower = math.expm1(-(self.centre - self.lower) / self.scale)
        toward_upper = math.expm1(-(self.upper - self.centre) / self.scale)
        return 0.5 * self.scale * (toward_lower - toward_upper)

    @property
    def mean(self) -> float:
        """E(X)."""
        return self.centre + self.bias

    @property
    def mse(self) -> float:
        """E((X - t)^2) = b^2 (G2(a) + G2(c)), with G2(z) = 1 - (1 + z) e^(-z) and a, c the bounds' distances / b.

        The part y^2 e^(-y) inside and the squared distance times the mass at the bound add up to 2 G2 on either side.
        """
        return self.scale * (
            _partial_moment(1, self.centre - self.lower, self.scale)
            + _partial_moment(1, self.upper - self.centre, self.scale)
        )

    @property
    def variance(self) -> float:
        """E((X - t)^2) - bias^2; the first is at least twice the second, so little cancels."""
        return self.mse - self.bias**2

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Seeded draws."""
        return np.clip(self.centre + self._noise.sample(size, rng), self.lower, self.upper)


def truncated_epsilon(scale: float, sensitivity: float, lower: float, upper: float) -> float:
    """The exact epsilon of releasing a statistic with truncated Laplace noise of ``scale``.

    For true values t and t' the loss is at most |t - t'| / b + log(C(t') / C(t)). It grows with |t - t'| and, since C
    is log-concave, is largest with t at a bound. With D = ``sensitivity``, a = D / b and c = (u - l - D) / b that is
    epsilon = a + log(1 + (1 - e^(-a)) (1 - e^(-c)) / (1 - e^(-a - c))).
    It is D / b, the epsilon of the unbounded noise, where D = u - l, and nears 2 D / b where D << b << u - l.

    Source: P3 section 6 names the law (its main paper's); the loss is that of Holohan et al. 2020, in closed form.
    Assumes that the true value is one number that may lie anywhere in the public [lower, upper].
    """
    b, moved, room = _interval(scale, sensitivity, lower, upper)
    near, far = moved / b, (room - moved) / b
    return near + math.log1p(math.expm1(-near) * math.expm1(-far) / -math.expm1(-near - far))


def truncated_scale(budget: PureDP, sensitivity: float, lower: float, upper: float) -> float:
    """The smallest scale at which truncated Laplace noise honours ``budget``; between D / epsilon and 2 D / epsilon.

    :func:`truncated_epsilon` falls as the scale grows (both facts follow from z / (e^z - 1) falling in z), so the root
    is unique.
    """
    _, moved, _ = _interval(1.0, sensitivity, lower, upper)
    low, high = moved / budget.epsilon, 2.0 * moved / budget.epsilon

    def excess(scale: float) -> float:
        return truncated_epsilon(scale, sensitivity, lower, upper) - budget.epsilon

    if excess(low) <= 0.0:
        return low
    scale = float(optimize.brentq(excess, low, high * (1.0 + 1e-12), xtol=1e-300, rtol=1e-14))
    while excess(scale) > 0.0:  # the last digit must not err on the unsafe side
        scale *= 1.0 + 1e-15
    return scale


def clamped_epsilon(scale: float, sensitivity: float) -> float:
    """The epsilon of clamped Laplace noise: D / b, that of the noise itself, since clamping is post-processing.

    It is also exact: two true values D apart, released inside the bounds, differ by just that factor.
    """
    return positive("sensitivity", sensitivity) / positive("scale", scale)


def clamped_scale(budget: PureDP, sensitivity: float) -> float:
    """The smallest scale at which clamped Laplace noise honours ``budget``: D / epsilon."""
    return positive("sensitivity", sensitivity) / budget.epsilon


def truncated_draws(
    centres: npt.ArrayLike, scale: float, lower: float, upper: float, rng: np.random.Generator
) -> FloatArray:
    """One seeded draw of :class:`TruncatedLaplace` for each of ``centres``, which must lie in [lower, upper]."""
    points = as_floats(centres)
    if not np.all((points >= lower) & (points <= upper)):
        raise ParameterError(
            f"must all lie in [{lower:g}, {upper:g}]", parameter="centres", remedy="clamp the statistics first"
        )
    b = positive("scale", scale)
    return _truncated_quantiles(rng.random(points.shape), points, b, finite("lower", lower), finite("upper", upper))


def _truncated_quantiles(
    q: FloatArray, centre: FloatArray | float, scale: float, lower: float, upper: float
) -> FloatArray:
    """Solve (e^y - e^(-a)) / C = q for y = (x - t) / b left of the centre, and its mirror image right of it."""
    a, c = (as_floats(centre) - lower) / scale, (upper - as_floats(centre)) / scale
    mass_a, mass_c = -np.expm1(-a), -np.expm1(-c)
    normaliser = mass_a + mass_c
    left = q * normaliser < mass_a
    distance = np.where(left, a, c)
    mass = np.where(left, mass_a, mass_c)
    outside = np.where(left, q, 1.0 - q) * normaliser  # of C: what lies between the bound and x
    # near bounds (in units of b) work with 1 - e^(-a), which is small; far bounds with e^(-a), which is
    near = distance < 0.5
    with np.errstate(
        divide="ignore"
    ):  # log 0 at a bound further away than any double; the clip below returns the bound
        y = np.where(near, np.log1p(np.where(near, outside - mass, 0.0)), np.log(np.exp(-distance) + outside))
    return np.clip(centre + np.where(left, scale * y, -scale * y), lower, upper)


def _partial_moment(power: int, distance: float, scale: float) -> float:
    """Integral of y^k e^(-y / b) / b over [0, distance], neither over- nor underflowing for distance << b."""
    z = distance / scale
    complete = math.factorial(power)
    if z >= 1.0:
        return scale**power * complete * float(special.gammainc(power + 1, z))
    if z < 1e-17:  # e^(-y / b) is 1 to the last digit, and z^(k + 1) might underflow
        return distance**power * z / (power + 1)
    return distance**power * complete * float(special.gammainc(power + 1, z)) / z**power


def _check(law: TruncatedLaplace | ClampedLaplace) -> None:
    for name in ("centre", "lower", "upper"):
        object.__setattr__(law, name, finite(name, getattr(law, name)))
    object.__setattr__(law, "scale", positive("scale", law.scale))
    if law.lower >= law.upper:
        raise _not_ascending(law.lower, law.upper)
    if not law.lower <= law.centre <= law.upper:
        # the value is a person's data, or near to it: it is not repeated in the message
        raise ParameterError(
            f"the true statistic must lie in its bounds [{law.lower:g}, {law.upper:g}] and does not",
            remedy="clamp it, or give the bounds that the statistic can really take",
        )


def _not_ascending(lower: float, upper: float) -> ParameterError:
    return ParameterError(f"must be below `upper`, which is {upper:g}", parameter="lower", got=lower)


def _interval(scale: float, sensitivity: float, lower: float, upper: float) -> tuple[float, float, float]:
    """Scale, sensitivity and u - l, refused unless 0 < sensitivity <= u - l."""
    b, moved = positive("scale", scale), positive("sensitivity", sensitivity)
    low, high = finite("lower", lower), finite("upper", upper)
    if low >= high:
        raise _not_ascending(low, high)
    if moved > (high - low) * (1.0 + 1e-12):
        raise ParameterError(
            f"a statistic within [{low:g}, {high:g}] cannot move by {moved:g}",
            remedy="the `sensitivity` must be <= `upper` - `lower`: correct one of them",
        )
    return b, min(moved, high - low), high - low


def _shares(q: npt.ArrayLike) -> FloatArray:
    shares = as_floats(q)
    if not np.all((shares >= 0.0) & (shares <= 1.0)):
        raise ParameterError("a quantile needs probabilities between 0 and 1; got one outside")
    return shares
