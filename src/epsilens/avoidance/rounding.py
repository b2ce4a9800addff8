"""Rounding of counts to a base, as health statistics are often published: to the nearest multiple, or at random.

Both work on every count by itself, so that everything about them is known exactly. Neither has an epsilon: what is
rounded to the nearest multiple is certain, and what is rounded at random tells a neighbour apart with a probability
that does not depend on epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance.answers import UsualAnswers, WithoutGuarantee, believed
from epsilens.avoidance.enumeration import (
    AUDIT_NEIGHBOURS,
    AuditNeighbours,
    Counts,
    Enumeration,
    independent_law,
)
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.system import CellMoments, Confidential, counts_of, masked, rebuilt
from epsilens.checks import one_of, whole
from epsilens.errors import ParameterError, counted
from epsilens.noise.divergence import Distribution

LARGEST_BASE = 10**9
"""Bases beyond the number of people of any table round everything away."""


def checked_base(base: int) -> int:
    """A base to round to: a whole number from 2 on."""
    found = whole("base", base, 2)
    if found > LARGEST_BASE:
        raise ParameterError(f"must be at most {LARGEST_BASE:,}", parameter="base", got=float(found))
    return found


@dataclass(frozen=True)
class Rounding(WithoutGuarantee, UsualAnswers):
    """Every count to the nearest multiple of ``base``; deterministic.

    With an even base a count may lie halfway: ``ties="up"`` rounds it up, ``"even"`` to the even multiple. Delta is 1:
    one person more or less carries some count over the edge between two multiples, and that is then seen surely.
    Small counts become 0, others are off by at most half the base. The bias is the error itself.
    """

    base: int = 5
    ties: Literal["up", "even"] = "up"

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", checked_base(self.base))
        one_of("ties", self.ties, ("up", "even"))

    @property
    def name(self) -> str:
        """The system and its base."""
        return f"rounding to multiples of {self.base}" + (", halves to even" if self.ties == "even" else "")

    @property
    def first_edge(self) -> int:
        """The smallest count that is not published as 0."""
        return self.base // 2 if self.base % 2 == 0 and self.ties == "up" else self.base // 2 + 1

    def _rounded(self, counts: FloatArray) -> FloatArray:
        if self.ties == "even":
            return as_floats(self.base * np.rint(counts / self.base))
        return as_floats(self.base * np.floor(counts / self.base + 0.5))

    def release(self, source: Confidential, rng: np.random.Generator | None = None) -> Any:
        """The rounded counts; ``rng`` is not used."""
        del rng
        counts, histogram = counts_of(source)
        return rebuilt(self._rounded(counts), histogram)

    def moments(self, source: Confidential) -> CellMoments:
        """The error itself, with variance 0: b floor(x / b + 1/2) - x, b being ``base``."""
        counts, histogram = counts_of(source)
        return CellMoments(masked(self._rounded(counts) - counts, histogram), np.zeros(counts.shape))

    def shown_probabilities(self, source: Confidential) -> FloatArray:
        """1 where the rounded count is not 0."""
        counts, _ = counts_of(source)
        return as_floats(self._rounded(counts) > 0)

    def expected_posterior(self, counts: npt.ArrayLike, prior: float) -> FloatArray:
        """1 where the release differs without the person, else the prior."""
        x = as_floats(counts)
        return np.where(self._rounded(x - 1.0) == self._rounded(x), prior, 1.0)

    @property
    def least_bound(self) -> int:
        """The base: counts on both sides of an edge."""
        return self.base

    def enumeration(self, bound: int | None = None) -> Enumeration:
        """Two counts about the first edge between multiples and about the base, as far as ``bound`` admits them."""
        return Enumeration.of_laws(_tables(self.base, self.first_edge, bound), self.output_law, bound)

    def output_law(self, table: Counts) -> Distribution:
        """The release itself."""
        return {tuple(float(value) for value in np.ravel(self._rounded(as_floats(table)))): 1.0}

    def delta(
        self, neighbours: AuditNeighbours = "substitute", bound: int | None = None, epsilon: float | None = None
    ) -> float | None:
        """1 at every epsilon; 0 if no count can reach the first edge, half the base."""
        one_of("neighbours", neighbours, AUDIT_NEIGHBOURS)
        return 1.0 if bound is None or bound >= self.first_edge else 0.0

    def remarks(self, histogram: Histogram) -> tuple[str, ...]:
        """Whether nothing is rounded, and who disappears."""
        counts = as_floats(histogram.counts)
        if idle := _idle(counts, self.base):
            return idle
        gone = (counts > 0) & (self._rounded(counts) == 0)
        if not gone.any():
            return ()
        cells, people = int(gone.sum()), int(counts[gone].sum())
        return (f"publishes {counted(cells, 'occupied cell')} with {counted(people, 'person')} as empty",)


@dataclass(frozen=True)
class RandomRounding(WithoutGuarantee, UsualAnswers):
    """Every count to one of the two multiples of ``base`` around it, at random, so that it is right on average.

    A count x = q b + r, 0 <= r < b, becomes (q + 1) b with probability r / b and q b otherwise; b is ``base``. So the
    bias is 0, the variance r (b - r), and an exact multiple is published as it is.
    """

    base: int = 5

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", checked_base(self.base))

    @property
    def name(self) -> str:
        """The system and its base."""
        return f"random rounding to multiples of {self.base}"

    def release(self, source: Confidential, rng: np.random.Generator) -> Any:
        """The rounded counts."""
        counts, histogram = counts_of(source)
        below = np.floor(counts / self.base)
        up = rng.random(counts.shape) * self.base < counts - self.base * below
        return rebuilt(self.base * (below + up), histogram)

    def moments(self, source: Confidential) -> CellMoments:
        """Exact bias and variance per cell: 0 and r (b - r) with r = x mod b, b being ``base``."""
        counts, histogram = counts_of(source)
        rest = counts % self.base
        return CellMoments(np.zeros(counts.shape), masked(rest * (self.base - rest), histogram))

    def absolute_errors(self, source: Confidential, moments: CellMoments | None = None) -> FloatArray:
        """The exact expected |release - truth|: off by r with probability 1 - r / b, by b - r else; 2 r (b - r) / b."""
        counts, histogram = counts_of(source)
        rest = counts % self.base
        return masked(2.0 * rest * (self.base - rest) / self.base, histogram)

    def shown_probabilities(self, source: Confidential) -> FloatArray:
        """P(the published count is not 0): min(1, x / b)."""
        counts, histogram = counts_of(source)
        return masked(np.minimum(counts / self.base, 1.0), histogram)

    def expected_posterior(self, counts: npt.ArrayLike, prior: float) -> FloatArray:
        """Of the (at most two) numbers that can be published of x, each with what it says about x against x - 1."""
        x = as_floats(counts)
        total = np.zeros(x.shape)
        lower = self.base * np.floor(x / self.base)
        for output in (lower, lower + self.base):
            p, q = self._chance(x, output), self._chance(x - 1.0, output)
            total += p * believed(p, q, prior)
        return total

    def _chance(self, x: FloatArray, output: FloatArray) -> FloatArray:
        """P(``output`` is published of x): 1 - |x - output| / b, where that is not negative."""
        return np.maximum(1.0 - np.abs(x - output) / self.base, 0.0)

    def delta(
        self, neighbours: AuditNeighbours = "substitute", bound: int | None = None, epsilon: float | None = None
    ) -> float | None:
        """1 / b where one count changes, 1 - (1 - 1/b)^2 where two do, at every epsilon; b is ``base``.

        The laws of x and x + 1 differ by 1 / b in total variation, which bounds the hockey-stick divergence at every
        epsilon. Between a multiple of b and the next number that is all of it: the multiple is published surely, while
        b more has probability 1 / b, whatever e^epsilon is. Two counts are independent. Assumes that counts may be as
        large as the base; if not, this is a bound from above where two counts change.
        """
        one_of("neighbours", neighbours, AUDIT_NEIGHBOURS)
        one = 1.0 / self.base
        return one if neighbours == "add-remove" else one * (2.0 - one)

    @property
    def least_bound(self) -> int:
        """The base: counts on both sides of a multiple."""
        return self.base

    def enumeration(self, bound: int | None = None) -> Enumeration:
        """Two counts next to 0 and to the base, as far as ``bound`` admits them."""
        return Enumeration.of_laws(_tables(self.base, 1, bound), self.output_law, bound)

    def output_law(self, table: Counts) -> Distribution:
        """The exact law of what is published for a small table."""
        return independent_law([self._count_law(count) for row in table for count in row])

    def _count_law(self, count: int) -> Distribution:
        below, rest = count - count % self.base, count % self.base
        if not rest:
            return {float(below): 1.0}
        return {float(below): 1.0 - rest / self.base, float(below + self.base): rest / self.base}

    def remarks(self, histogram: Histogram) -> tuple[str, ...]:
        """Whether nothing is rounded."""
        return _idle(as_floats(histogram.counts), self.base)


def _tables(base: int, edge: int, bound: int | None) -> list[Counts]:
    """All tables of two counts next to 0, to the ``edge`` and to the base."""
    near = sorted({0, 1, edge - 1, edge, base - 1, base})
    points = [x for x in near if bound is None or x <= bound]
    return [((a, b),) for a in points for b in points]


def _idle(counts: FloatArray, base: int) -> tuple[str, ...]:
    if (counts % base).any():
        return ()
    return (f"does nothing here: every count is a multiple of {base} already",)
