"""What the adversary believes about the parent's count before the release, given the child's.

Each prior is a conditional law P(X_2 = k2 | X_1 = k1). It sums to one for each k1 separately (but for the improper
uniform one), so that the prior of X_1 stays what the adversary says it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, get_args

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.checks import one_of, whole
from epsilens.errors import DataError, ParameterError
from epsilens.notebook import brief


class ParentPrior(Protocol):
    """A conditional law of the parent's count."""

    def logpmf(self, parent: FloatArray, child: int) -> FloatArray:
        """Log P(X_2 = parent | X_1 = child), minus infinity where it is impossible."""
        ...

    def support(self, child: int) -> tuple[int, int | None]:
        """The smallest and the largest (None: no bound) parent count that is possible; empty if largest < smallest."""
        ...


@dataclass(frozen=True)
class UniformParent:
    """Every count from the child's upwards is equally likely, up to ``highest`` or without bound.

    P(X_2 = k2 | X_1 = k1) = 1 / (H - k1 + 1) for k1 <= k2 <= H; without H, proportional to 1[k2 >= k1] (improper).
    Symbols: H is ``highest``.

    Source: P4 Eqs. (S4.1) and (S4.2).
    """

    highest: int | None = None

    def __post_init__(self) -> None:
        if self.highest is not None:
            whole("the highest parent count", self.highest, 0)

    def logpmf(self, parent: FloatArray, child: int) -> FloatArray:
        if self.highest is None:
            return np.where(parent >= child, 0.0, -np.inf)
        inside = (parent >= child) & (parent <= self.highest)
        return np.where(inside, -np.log(max(self.highest - child + 1, 1)), -np.inf)

    def support(self, child: int) -> tuple[int, int | None]:
        return child, self.highest


@dataclass(frozen=True)
class PointParent:
    """The adversary is certain, rightly or wrongly, that the parent's count is ``count``.

    P(X_2 = count | X_1 = k1) = 1 for k1 <= count; a larger k1 is impossible.

    Source: P4 section S4, Figure 11.
    """

    count: int

    def __post_init__(self) -> None:
        whole("the parent count", self.count, 0)

    def logpmf(self, parent: FloatArray, child: int) -> FloatArray:
        return np.where((parent == self.count) & (parent >= child), 0.0, -np.inf)

    def support(self, child: int) -> tuple[int, int | None]:
        return (self.count, self.count) if self.count >= child else (child, child - 1)


def parent_prior_named(text: str) -> ParentPrior:
    """The prior that a short text names: ``uniform``, ``uniform:HIGHEST`` or ``point:COUNT``."""
    kind, colon, number = text.partition(":")
    if kind in ("uniform", "point") and number.isdecimal():
        return UniformParent(int(number)) if kind == "uniform" else PointParent(int(number))
    if kind == "uniform" and not colon:
        return UniformParent()
    raise ParameterError("must be uniform, uniform:HIGHEST or point:COUNT", parameter="parent_prior", got=text)


PmfSubject: TypeAlias = Literal["parent", "siblings"]


@dataclass(frozen=True)
class PmfParent:
    """Any probabilities: of the parent's count itself, or of the siblings' sum X_2 - X_1.

    ``of="parent"``: P(X_2 = k2 | X_1 = k1) = q(k2) / sum_{k >= k1} q(k) for k2 >= k1. ``of="siblings"``:
    P(X_2 = k2 | X_1 = k1) = q(k2 - k1). Symbols: q is ``probabilities``, from counts to probabilities.
    """

    probabilities: Mapping[int, float]
    of: PmfSubject = "parent"
    _log: dict[int, float] = field(init=False, repr=False, compare=False, default_factory=dict)

    __repr__ = brief

    def __post_init__(self) -> None:
        one_of("of", self.of, get_args(PmfSubject))
        counts = {whole("a count of the parent's pmf", count, 0): float(q) for count, q in self.probabilities.items()}
        total = sum(counts.values())
        if not counts or min(counts.values()) < 0 or abs(total - 1.0) > 1e-9:
            raise ParameterError(f"must be >= 0 and sum to 1, they sum to {total:g}", parameter="probabilities")
        self._log.update({count: float(np.log(q)) for count, q in sorted(counts.items()) if q > 0})

    def logpmf(self, parent: FloatArray, child: int) -> FloatArray:
        counts = self.counts(child)
        if not len(counts):
            return np.full(parent.shape, -np.inf)
        shift = child if self.of == "siblings" else 0
        logs = np.asarray([self._log[int(count) - shift] for count in counts])
        total = np.logaddexp.reduce(logs) if self.of == "parent" else 0.0
        place = np.minimum(np.searchsorted(counts, parent), len(counts) - 1)
        return np.where(counts[place] == parent, logs[place] - total, -np.inf)

    def counts(self, child: int) -> FloatArray:
        """The parent counts that are possible, in ascending order."""
        shift = child if self.of == "siblings" else 0
        return np.asarray([count + shift for count in self._log if count + shift >= child], dtype=np.float64)

    def support(self, child: int) -> tuple[int, int | None]:
        shift = child if self.of == "siblings" else 0
        possible = [count + shift for count in self._log if count + shift >= child]
        return (min(possible), max(possible)) if possible else (child, child - 1)


def counts_of(prior: ParentPrior, child: int, lowest: int, highest: int, margin: int, most: int) -> FloatArray:
    """The parent counts that matter where noisy counts point to ``lowest`` .. ``highest``, at most ``most`` of them.

    A prior that lists its counts says them all. A uniform one is flat, so nothing matters that is further than
    ``margin`` from where the noise points, or from the end that is nearest to it. Any other may put all its mass
    anywhere between its bounds.
    """
    if isinstance(prior, PmfParent):
        return prior.counts(child)
    low, high = prior.support(child)
    if isinstance(prior, UniformParent) or high is None:
        bottom, top = max(low, lowest - margin), max(low, highest) + margin
        if high is not None:
            bottom, top = max(low, min(bottom, high - margin)), min(top, high)
    else:
        bottom, top = low, high
    if top - bottom > most and high is None and highest - lowest > most:
        raise DataError(
            f"the noisy counts of the parent and of its children lie {highest - lowest} apart, further than noise can "
            "bring them",
            remedy="check them",
        )
    if top - bottom > most:
        raise ParameterError(
            f"the parent's count may lie anywhere among {top - bottom} whole numbers, at most {most} are summed",
            remedy="check the noisy counts, use a larger `rho`, or give a narrower `parent_prior`",
        )
    return np.arange(bottom, max(top, bottom - 1) + 1, dtype=np.float64)
