"""Models of a cell's size, and the exact probabilities that every count model is built from.

A size law is used truncated to n >= 1: a cell of the table is known to exist. Zero inflation moves mass to n = 0 only,
so after truncation a zero-inflated law and its base are the same law; it matters for fits and for printed formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import finite, one_of, positive
from epsilens.errors import ParameterError, counted
from epsilens.lazy import LaterModule
from epsilens.noise.whole_number_sums import whole_numbers

special = LaterModule("scipy.special")

_MOST_SIZES = 1 << 16
TAIL_ERROR = 1e-13
"""Probability beyond which the tail of a size law is cut; the risk it could change is at most as large."""

SIZE_MODELS = ("poisson", "negative-binomial", "zero-inflated-poisson", "zero-inflated-negative-binomial")


@dataclass(frozen=True)
class FixedSize:
    """Every cell has ``size`` people."""

    size: int

    def __post_init__(self) -> None:
        size = finite("a fixed size", self.size)
        if size != int(size) or size < 1:
            raise ParameterError(
                "must be a whole number >= 1",
                parameter="a fixed size",
                got=self.size,
                remedy="an empty cell has nobody to protect",
            )
        object.__setattr__(self, "size", int(size))

    @property
    def mean(self) -> float:
        """``size``."""
        return float(self.size)

    @property
    def occupied(self) -> float:
        """P(n >= 1) = 1."""
        return 1.0

    @property
    def largest(self) -> int:
        """The largest size that counts."""
        return self.size

    def logpmf(self, n: npt.ArrayLike) -> FloatArray:
        """Log P(size = n)."""
        return np.where(as_floats(n) == self.size, 0.0, -np.inf)


@dataclass(frozen=True)
class PoissonSize:
    """Sizes with P(n) = e^-rate rate^n / n!.

    Source: P0 section 4.1
    Departs from print (P0-7): one line of P1 prints rate^-n.
    """

    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", positive("the rate of a Poisson size model", self.rate))

    @property
    def mean(self) -> float:
        """The untruncated mean."""
        return self.rate

    @property
    def occupied(self) -> float:
        """P(n >= 1)."""
        return -math.expm1(-self.rate)

    @property
    def largest(self) -> int:
        """The smallest N with P(n > N | n >= 1) <= :data:`TAIL_ERROR`."""
        return _first_beyond(lambda n: float(special.pdtrc(n, self.rate)), self)

    def logpmf(self, n: npt.ArrayLike) -> FloatArray:
        """Log P(size = n)."""
        return poisson_logpmf(n, self.rate)


@dataclass(frozen=True)
class NegativeBinomialSize:
    """Sizes with P(n) = Gamma(n + r) / (Gamma(r) n!) (1 - q)^n q^r, r = ``shape``, q = r / (r + ``mean``).

    A Poisson law whose rate is gamma distributed with shape r and scale mean / r.
    Source: P0 section 4.1
    Departs from print (P0-7): P1 prints binom(n + r + 1, n); the right coefficient, as in P0, is binom(n + r - 1, n).
    """

    shape: float
    mean: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", positive("the shape of a negative binomial size model", self.shape))
        object.__setattr__(self, "mean", positive("the mean of a negative binomial size model", self.mean))

    @property
    def scale(self) -> float:
        """Scale of the gamma law of rates."""
        return self.mean / self.shape

    @property
    def occupied(self) -> float:
        """P(n >= 1) = 1 - (1 + scale)^-shape."""
        return -math.expm1(-self.shape * math.log1p(self.scale))

    @property
    def largest(self) -> int:
        """The smallest N with P(n > N | n >= 1) <= :data:`TAIL_ERROR`."""
        chance = self.scale / (1.0 + self.scale)
        return _first_beyond(lambda n: float(special.betainc(n + 1.0, self.shape, chance)), self)

    def logpmf(self, n: npt.ArrayLike) -> FloatArray:
        """Log P(size = n)."""
        return negative_binomial_logpmf(n, self.shape, self.mean)


@dataclass(frozen=True)
class ZeroInflatedSize:
    """``base``, except that a share ``empty_share`` of cells is empty for other reasons.

    Source: P1 Corollary 3.6
    """

    base: PoissonSize | NegativeBinomialSize
    empty_share: float

    def __post_init__(self) -> None:
        if not isinstance(self.base, PoissonSize | NegativeBinomialSize):
            raise ParameterError(
                f"must be Poisson or negative binomial, got {type(self.base).__name__}", parameter="base"
            )
        share = finite("the share of structurally empty cells", self.empty_share)
        if not 0 <= share < 1:
            raise ParameterError(
                "must be >= 0 and < 1",
                parameter="the share of structurally empty cells",
                got=float(share),
                remedy="with 1 no cell would have anybody in it",
            )
        object.__setattr__(self, "empty_share", share)

    @property
    def mean(self) -> float:
        """The untruncated mean."""
        return (1.0 - self.empty_share) * self.base.mean

    @property
    def occupied(self) -> float:
        """P(n >= 1)."""
        return (1.0 - self.empty_share) * self.base.occupied

    @property
    def largest(self) -> int:
        """As of the base: given n >= 1 the two are the same law."""
        return self.base.largest

    def logpmf(self, n: npt.ArrayLike) -> FloatArray:
        """Log P(size = n)."""
        plain = self.base.logpmf(n) + math.log1p(-self.empty_share)
        if self.empty_share == 0:
            return plain
        return np.where(as_floats(n) == 0, np.logaddexp(plain, math.log(self.empty_share)), plain)


SizeModel: TypeAlias = FixedSize | PoissonSize | NegativeBinomialSize | ZeroInflatedSize


def plain_pmf(model: SizeModel, n: npt.ArrayLike) -> FloatArray:
    """P(size = n)."""
    with np.errstate(under="ignore"):
        return np.exp(model.logpmf(n))


def truncated_pmf(model: SizeModel, n: npt.ArrayLike) -> FloatArray:
    """P(size = n | size >= 1)."""
    return np.where(as_floats(n) >= 1, plain_pmf(model, n), 0.0) / model.occupied


def size_nodes(model: SizeModel) -> tuple[IntArray, FloatArray]:
    """Sizes n >= 1 and weights such that the sum over all sizes of f(n) P(n) is that of weight f(n) P(n), f smooth.

    Up to 2^16 every size has weight 1. Beyond, few of them stand for all (``whole_number_sums``): panels grow with n,
    up to two and a half standard deviations of the law, over which it is smooth.
    """
    if isinstance(model, FixedSize):
        return np.array([model.size]), np.ones(1)
    if model.largest <= _MOST_SIZES:
        return np.arange(1, model.largest + 1), np.ones(model.largest)
    base = model.base if isinstance(model, ZeroInflatedSize) else model
    first, panel = 1, 2.5 * math.sqrt(base.mean)
    if isinstance(base, PoissonSize):
        first = max(1, math.floor(base.mean - 9.2 * math.sqrt(base.mean) - 40.0))
    elif base.shape < 1.0:
        panel = 2.5 * base.scale
    else:
        panel = 2.5 * math.sqrt(base.mean + base.mean * base.scale)
    grid = whole_numbers(first, model.largest + 1, (), panel, graded=True)
    return grid.points.astype(np.int64), grid.weights


def checked_size_model(model: object) -> SizeModel | str:
    """A size model, the name of one that is to be fitted, or one written with its parameters; all else is refused.

    ``"poisson"`` is a name, ``"poisson=3.21"`` a law: :data:`WRITTEN` lists what each law is written with.
    """
    if isinstance(model, FixedSize | PoissonSize | NegativeBinomialSize | ZeroInflatedSize):
        return model
    if isinstance(model, str):
        return _written(model) if "=" in model else one_of("size_model", model, SIZE_MODELS)
    raise ParameterError(
        f"must be one of {', '.join(SIZE_MODELS)} or a size model with its parameters, got {type(model).__name__}",
        parameter="size_model",
    )


WRITTEN: dict[str, tuple[str, ...]] = {
    "fixed": ("size",),
    "poisson": ("mean",),
    "negative-binomial": ("shape", "mean"),
    "zero-inflated-poisson": ("share", "mean"),
    "zero-inflated-negative-binomial": ("share", "shape", "mean"),
}
"""What a law of sizes is written with: ``zero-inflated-poisson=0.6,3.2`` has a share and the mean of the others."""


def _written(text: str) -> SizeModel:
    name, _, listed = text.partition("=")
    name = one_of("size_model", name.strip(), WRITTEN)
    given = [part.strip() for part in listed.split(",")]
    if len(given) != len(WRITTEN[name]):
        wanted = ",".join(part.upper() for part in WRITTEN[name])
        raise ParameterError(
            f"of {name!r} is written {name}={wanted}, with {counted(len(WRITTEN[name]), 'number')}",
            parameter="size_model",
            got=len(given),
        )
    values = [finite("a parameter of the size model", part) for part in given]
    if name == "fixed":
        return FixedSize(values[0])  # type: ignore[arg-type]  # refused unless it is a whole number
    base = PoissonSize(values[-1]) if name.endswith("poisson") else NegativeBinomialSize(values[-2], values[-1])
    return ZeroInflatedSize(base, values[0]) if name.startswith("zero-inflated") else base


def checked_alpha(alpha: npt.ArrayLike, n_labels: int) -> FloatArray:
    """Dirichlet parameters, refused unless there is one finite number > 0 per label."""
    try:
        values = as_floats(alpha)
    except (TypeError, ValueError):
        raise ParameterError(
            f"must be None, 'moments' or {n_labels} numbers > 0, got {type(alpha).__name__}", parameter="alpha"
        ) from None
    if values.shape != (n_labels,):
        given = values.size if values.ndim == 1 else f"shape {values.shape}"
        raise ParameterError(f"must have one number per label ({n_labels}), got {given}", parameter="alpha")
    wrong = ~(np.isfinite(values) & (values > 0))
    if wrong.any():
        raise ParameterError(
            "must be finite and > 0",
            parameter="alpha",
            got=float(values[wrong][0]),
            remedy="leave `alpha` out to have it fitted",
        )
    return values


def poisson_pmf(m: npt.ArrayLike, rate: npt.ArrayLike) -> FloatArray:
    """e^-rate rate^m / m!, the exponential of :func:`poisson_logpmf`."""
    with np.errstate(under="ignore"):
        return np.exp(poisson_logpmf(m, rate))


def poisson_logpmf(m: npt.ArrayLike, rate: npt.ArrayLike) -> FloatArray:
    """Log of e^-rate rate^m / m!, with an absolute error of about 1e-13 even where rate and m are large.

    Written as -rate phi(m / rate - 1) - stirling(m) - log(2 pi m) / 2 with phi(x) = (1 + x) log(1 + x) - x, so that
    no two large logarithms are subtracted (Loader 2000). A rate of 0 has all its mass at 0.
    """
    counts, rates = np.broadcast_arrays(as_floats(m), as_floats(rate))
    k = np.maximum(counts, 1.0)
    beyond_zero = -_deviance(k, rates) - stirling_error(k) - 0.5 * np.log(2.0 * math.pi * k)
    return np.where(counts < 1, -rates, beyond_zero)


def negative_binomial_pmf(m: npt.ArrayLike, shape: float, mean: float) -> FloatArray:
    """Gamma(m + r) / (Gamma(r) m!) (1 - q)^m q^r, the exponential of :func:`negative_binomial_logpmf`."""
    with np.errstate(under="ignore"):
        return np.exp(negative_binomial_logpmf(m, shape, mean))


def negative_binomial_logpmf(m: npt.ArrayLike, shape: float, mean: float) -> FloatArray:
    """Log of Gamma(m + r) / (Gamma(r) m!) (1 - q)^m q^r with r = ``shape`` and q = r / (r + ``mean``), as accurately.

    The same idea: with s = m + r it is log sqrt(r / (2 pi m s)) + stirling(s) - stirling(m) - stirling(r) -
    D(m, s (1 - q)) - D(r, s q), where D(x, y) = x log(x / y) + y - x.
    """
    counts = as_floats(m)
    k = np.maximum(counts, 1.0)
    total = k + shape
    beyond_zero = (
        0.5 * np.log(shape / (2.0 * math.pi * k * total))
        + stirling_error(total)
        - stirling_error(k)
        - stirling_error(np.asarray(shape))
        - _deviance(k, total * (mean / (shape + mean)))
        - _deviance(np.full_like(k, shape), total * (shape / (shape + mean)))
    )
    return np.where(counts < 1, -shape * math.log1p(mean / shape), beyond_zero)


def log_rising(start: FloatArray, steps: FloatArray) -> FloatArray:
    """Log [Gamma(start + steps) / (Gamma(start) start^steps)]: small where ``start`` is large, and accurate there.

    From 16 on both gamma functions are written with Stirling's formula, whose large parts cancel on paper.
    """
    x = np.maximum(start, 16.0)
    large = (x + steps - 0.5) * np.log1p(steps / x) - steps + stirling_error(x + steps) - stirling_error(x)
    y = np.minimum(start, 16.0)
    small = special.gammaln(y + steps) - special.gammaln(y) - steps * np.log(y)
    return as_floats(np.where(start >= 16.0, large, small))


def _deviance(x: FloatArray, y: FloatArray) -> FloatArray:
    """D(x, y) = x log(x / y) + y - x for x > 0, without cancellation where x is near y.

    With v = (x - y) / (x + y): log(x / y) = 2 artanh v, so D = (x - y) v + 2 x (v^3 / 3 + v^5 / 5 + ...) (Loader 2000).
    """
    with np.errstate(divide="ignore"):
        v = (x - y) / (x + y)
        near = np.abs(v) < 0.1
        far_value = x * (np.log(x) - np.log(y)) + y - x
    w = np.where(near, v, 0.0)
    square = w * w
    odd = w * square * np.polyval([1.0 / (2 * k + 3) for k in range(7, -1, -1)], square)
    return as_floats(np.where(near, (x - y) * w + 2.0 * x * odd, far_value))


def stirling_error(x: FloatArray) -> FloatArray:
    """Log Gamma(x + 1) - (x + 1/2) log x + x - log(2 pi) / 2, by its series for x >= 16."""
    z = np.maximum(x, 16.0)
    z2 = z * z
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / z2) / z2) / z2) / z2) / z
    small = np.minimum(x, 16.0)
    direct = special.gammaln(small + 1.0) - (small + 0.5) * np.log(small) + small - 0.5 * math.log(2.0 * math.pi)
    return as_floats(np.where(x >= 16.0, series, direct))


def _first_beyond(tail: Callable[[int], float], model: PoissonSize | NegativeBinomialSize) -> int:
    """The smallest N >= 1 with tail(N) <= TAIL_ERROR P(n >= 1), by doubling and halving."""
    limit = TAIL_ERROR * model.occupied
    high = 1
    while tail(high) > limit:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if tail(middle) > limit else (low, middle)
    return high
