"""What the adversary believes, before the release, about the count of one lowest-level group other than the target's.

These are priors on each group's own count. A uniform one on every group is not the two-level model's uniform prior on
their *sum*: it implies a prior on the sum of d groups that grows like its (d - 1)th power. The two models answer
different questions and do not agree, so the sensible default is a Poisson or negative binomial law fitted to what was
released.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import positive, probability, whole
from epsilens.errors import ParameterError
from epsilens.lazy import LaterModule
from epsilens.notebook import brief
from epsilens.posterior.noises import MOST_COUNTED
from epsilens.posterior.trees.stable_logs import log_negative_binomial, log_poisson

stats = LaterModule("scipy.stats")


class LeafPrior(Protocol):
    """A law on counts 0, 1, 2, ..."""

    def logpmf(self, n: FloatArray) -> FloatArray:
        """Log P(X = n), minus infinity where it is impossible."""
        ...

    @property
    def ceiling(self) -> float:
        """The largest count that is possible, or infinity."""
        ...

    def highest(self, tail: float) -> int | None:
        """An H with P(X > H) <= tail; None for an improper law without one."""
        ...


@dataclass(frozen=True)
class PoissonLeaf:
    """e^-m m^n / n!; m is ``mean``."""

    mean: float

    def __post_init__(self) -> None:
        _countable("the mean of a leaf prior", positive("the mean of a leaf prior", self.mean))

    def logpmf(self, n: FloatArray) -> FloatArray:
        return log_poisson(n, self.mean)

    @property
    def ceiling(self) -> float:
        return math.inf

    def highest(self, tail: float) -> int | None:
        """Chernoff: P(X >= n) <= exp(n - m - n log(n / m)) for n > m."""
        return _first_below(tail, self.mean, lambda n: n - self.mean - n * math.log(n / self.mean))


@dataclass(frozen=True)
class NegativeBinomialLeaf:
    """Gamma(n + r) / (Gamma(r) n!) q^r (1 - q)^n with q = r / (r + m); m is ``mean``, r is ``size``.

    The variance is m + m^2 / r: large r is nearly Poisson, small r is clumped.
    """

    mean: float
    size: float

    def __post_init__(self) -> None:
        _countable("the mean of a leaf prior", positive("the mean of a leaf prior", self.mean))
        positive("the size of a negative binomial leaf prior", self.size)

    def logpmf(self, n: FloatArray) -> FloatArray:
        return log_negative_binomial(n, self.mean, self.size)

    @property
    def ceiling(self) -> float:
        return math.inf

    def highest(self, tail: float) -> int | None:
        """Chernoff, with the moment generating function (q / (1 - (1 - q) e^t))^r at its best t."""
        r, m = self.size, self.mean

        def log_bound(n: float) -> float:
            return -n * (math.log(n / m) - math.log((n + r) / (m + r))) + r * math.log1p((n - m) / (m + r))

        return _first_below(tail, m, log_bound)


@dataclass(frozen=True)
class BinomialLeaf:
    """The group's population is known (an invariant): ``total`` people, of whom ``share`` are expected to be alike."""

    total: int
    share: float

    def __post_init__(self) -> None:
        _countable("the population of a leaf", whole("the population of a leaf", self.total, 0))
        probability("the share of a binomial leaf prior", self.share)

    def logpmf(self, n: FloatArray) -> FloatArray:
        return as_floats(stats.binom.logpmf(n, self.total, self.share))

    @property
    def ceiling(self) -> float:
        return self.total

    def highest(self, tail: float) -> int | None:
        """The population."""
        return self.total


@dataclass(frozen=True)
class UniformLeaf:
    """Every count equally likely, up to ``highest_count`` or without bound (improper)."""

    highest_count: int | None = None

    def __post_init__(self) -> None:
        if self.highest_count is not None:
            _countable(
                "the highest count of a leaf prior", whole("the highest count of a leaf prior", self.highest_count, 0)
            )

    def logpmf(self, n: FloatArray) -> FloatArray:
        if self.highest_count is None:
            return np.where(n >= 0, 0.0, -np.inf)
        return np.where((n >= 0) & (n <= self.highest_count), -math.log(self.highest_count + 1.0), -np.inf)

    @property
    def ceiling(self) -> float:
        return math.inf if self.highest_count is None else self.highest_count

    def highest(self, tail: float) -> int | None:
        """The bound, if any."""
        return self.highest_count


@dataclass(frozen=True)
class PmfLeaf:
    """Any probabilities, from counts to probabilities."""

    probabilities: Mapping[int, float]

    __repr__ = brief

    def __post_init__(self) -> None:
        values = [float(q) for q in self.probabilities.values()]
        if not values or min(values) < 0 or abs(sum(values) - 1.0) > 1e-9:
            raise ParameterError(f"must be >= 0 and sum to 1, they sum to {sum(values):g}", parameter="probabilities")
        for count in self.probabilities:
            _countable("a count of a leaf's pmf", whole("a count of a leaf's pmf", count, 0))

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.probabilities.items())))

    def logpmf(self, n: FloatArray) -> FloatArray:
        place = np.minimum(np.searchsorted(self.counts, n), len(self.counts) - 1)
        share = as_floats([self.probabilities[int(count)] for count in self.counts])[place]
        with np.errstate(divide="ignore"):
            return np.log(np.where(self.counts[place] == n, share, 0.0))

    @property
    def counts(self) -> FloatArray:
        """The counts that have a probability, in ascending order."""
        return as_floats(sorted(self.probabilities))

    @property
    def ceiling(self) -> float:
        return max(self.probabilities)

    def highest(self, tail: float) -> int | None:
        """The largest count."""
        return max(self.probabilities)


LEAF_FAMILIES = ("poisson", "negative-binomial")
"""Families whose parameters are fitted to the noisy counts of the leaves."""


def _countable(name: str, count: float) -> None:
    if count > MOST_COUNTED:
        raise ParameterError(f"must be at most {MOST_COUNTED:,}", parameter=name, got=count)


def _first_below(tail: float, mean: float, log_bound: Callable[[float], float]) -> int:
    """The smallest n past the mean whose bound on P(X > n) is at most ``tail``."""
    target = math.log(tail)
    low = math.ceil(mean)
    step = max(1, low)
    while log_bound(low + step + 1.0) > target:
        step *= 2
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if log_bound(middle + 1.0) <= target else (middle, high)
    return high
