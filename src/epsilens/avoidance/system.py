"""What every disclosure avoidance system can do, and what is measured of it.

A system takes a histogram (or a table, or records) and an explicit ``rng`` and gives back a protected one. Its *bias*
in a cell is the expected release minus the truth, over the randomness of the system; exact where the law is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.avoidance.enumeration import AuditNeighbours, Enumeration
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.protected import ProtectedTable
from epsilens.avoidance.records import Records
from epsilens.checks import kind_of
from epsilens.errors import DataError, ParameterError
from epsilens.noise.law import Noise
from epsilens.notebook import brief
from epsilens.table.frequency import FrequencyTable

Confidential: TypeAlias = "Histogram | FrequencyTable | Records | npt.ArrayLike"
"""What a system protects: a table, a histogram, records, or bare counts."""
LARGEST_VARIANCE = 1e200
"""Noise of no larger variance is compared by its errors: sums of their squares stay numbers."""


class AddedNoise(NamedTuple):
    """Independent noise on every count, and whether the sum is rounded to a whole number."""

    law: Noise
    rounded: bool


@dataclass(frozen=True, eq=False)
class CellMoments:
    """Bias and variance per cell; ``standard_error`` of the bias is None where the law is exact."""

    bias: FloatArray
    variance: FloatArray
    standard_error: FloatArray | None = None

    __repr__ = brief

    @property
    def exact(self) -> bool:
        """Whether this is the law itself and not a simulation."""
        return self.standard_error is None


class System(Protocol):
    """A disclosure avoidance system: a small frozen object that answers for itself.

    Everything that is asked of a system is a member of it; ``answers`` has what most of them say. So a new system is
    one class, and its line in ``catalogue`` makes it work everywhere.
    """

    @property
    def name(self) -> str:
        """Its name, with the reading of the paper that it follows."""
        ...

    @property
    def epsilon(self) -> float | None:
        """The nominal epsilon; None where the system claims none."""
        ...

    def release(self, source: Any, rng: np.random.Generator) -> Any:
        """A protected version of ``source``, of the same kind; a frequency table becomes a histogram."""
        ...

    def moments(self, source: Any) -> CellMoments | None:
        """Exact bias and variance per cell, or None where no closed form exists: then :func:`simulated_moments`."""
        ...

    def bias(self, source: Any) -> FloatArray:
        """Bias per cell: exact, or simulated where no closed form exists."""
        ...

    def absolute_errors(self, source: Any, moments: CellMoments | None = None) -> FloatArray | None:
        """The exact expected |release - truth| per cell, or None where only releases tell.

        ``moments`` are the exact ones, where they are at hand, and then not computed anew.
        """
        ...

    def shown_probabilities(self, source: Any) -> FloatArray | None:
        """P(a reader sees that the cell is occupied), where cells of different labels are independent; else None."""
        ...

    def visible(self, counts: FloatArray, released: FloatArray) -> BoolArray:
        """Where a reader of the ``released`` counts sees that somebody is in the cell; ``counts`` are the truth."""
        ...

    @property
    def added_noise(self) -> AddedNoise | None:
        """The noise on every count, of systems that do nothing else: it decides what an adversary learns."""
        ...

    def expected_posterior(self, counts: npt.ArrayLike, prior: float) -> FloatArray | None:
        """What an adversary who knows everybody else will believe, on average, about a person's being in the table.

        Per count >= 1 of the person's cell, the person included; None where :attr:`added_noise` says it.
        """
        ...

    @property
    def least_bound(self) -> int:
        """The smallest ``bound`` that its deltas can be asked for."""
        ...

    def published_delta(self, bound: int | None = None) -> float | None:
        """The printed delta at the nominal epsilon; ``bound`` is the largest possible count; None without a claim."""
        ...

    def delta(
        self, neighbours: AuditNeighbours = "substitute", bound: int | None = None, epsilon: float | None = None
    ) -> float | None:
        """The exact delta over all tables, or None where only :func:`audit` can tell.

        At the nominal epsilon, unless another one is given; refused where it is known for the nominal one only.
        """
        ...

    def enumeration(self, bound: int | None = None) -> Enumeration | None:
        """Small tables on which the worst case shows, and their laws; None where they are not known.

        ``bound`` is the largest possible count; the system chooses one where none is given and it matters.
        """
        ...

    def protected(self, histogram: Histogram, rng: np.random.Generator) -> ProtectedTable:
        """What is published of a table as it would be written to a file: cells with counts, or classes."""
        ...

    def remarks(self, histogram: Histogram) -> tuple[str, ...]:
        """What a reader of its numbers should know: a setting that does nothing here, a bias by construction.

        Sentences without a full stop that follow the name of the system; computed from the true counts.
        """
        ...


def checked_system(given: Any) -> System:
    """``given``, refused unless it answers everything that is asked of a system."""
    missing = [name for name in vars(System) if not name.startswith("_") and not hasattr(given, name)]
    if missing:
        raise ParameterError(
            f"{kind_of(given)} is not a disclosure avoidance system: it has no {', '.join(missing)}",
            remedy="`avoidance.answers` has what most systems say",
        )
    return cast("System", given)


def as_histogram(source: Confidential) -> Histogram:
    """``source`` as a histogram; an array of counts is a column of cells without structure."""
    if isinstance(source, Histogram):
        return source
    if isinstance(source, FrequencyTable):
        return Histogram.of(source)
    if isinstance(source, Records):
        return source.histogram()
    raise ParameterError(f"expected a table, a histogram or records, got {type(source).__name__}")


def counts_of(source: Confidential) -> tuple[FloatArray, Histogram | None]:
    """The counts, in the shape of their source, and the histogram they belong to, if any."""
    if isinstance(source, Histogram | FrequencyTable | Records):
        histogram = as_histogram(source)
        return as_floats(histogram.counts), histogram
    try:
        counts = as_floats(source)
    except (TypeError, ValueError):  # whose text may hold a value of the data
        raise DataError(f"counts must be whole numbers >= 0, not {kind_of(source)}") from None
    if counts.size == 0 or not np.isfinite(counts).all() or (counts < 0).any() or (counts != np.floor(counts)).any():
        raise DataError("counts must be whole numbers >= 0")
    return counts, None


def rebuilt(values: FloatArray, histogram: Histogram | None) -> Any:
    """Released counts as a histogram, or as the array they came as."""
    return values if histogram is None else histogram.released(values)


def masked(values: FloatArray, histogram: Histogram | None) -> FloatArray:
    """A quantity per cell, zero in impossible cells."""
    return values if histogram is None else histogram.masked(values)


def distinct_counts(counts: FloatArray) -> tuple[FloatArray, IntArray]:
    """The distinct counts, and where each cell finds its own: a law is asked once per count, and not once per cell.

    Counts are mostly small, so that marking those that occur beats sorting them.
    """
    largest = float(counts.max(initial=0.0))
    if largest > 4 * counts.size:
        found, where = np.unique(counts, return_inverse=True)
        return found, where.reshape(counts.shape)
    whole = counts.astype(np.int64)
    occurs = np.zeros(int(largest) + 1, dtype=bool)
    occurs[whole] = True
    return as_floats(np.flatnonzero(occurs)), (np.cumsum(occurs) - 1)[whole]


def bias_l1(bias: npt.ArrayLike) -> float:
    """The l1 norm of the bias: the sum over cells of |B_i|.

    Source: P2 section 5.
    """
    return float(np.abs(as_floats(bias)).sum())


def fairness(bias: npt.ArrayLike) -> float:
    """Alpha, the spread of the biases: max_i B_i - min_i B_i; 0 is perfectly even.

    Source: P2 Definition 1.
    Assumes exact biases: put into simulated ones, the two extremes are mostly Monte-Carlo noise (P2-7).
    """
    values = as_floats(bias)
    return float(values.max() - values.min())


def simulated_moments(system: System, source: Any, rng: np.random.Generator, repetitions: int = 200) -> CellMoments:
    """Bias and variance per cell from ``repetitions`` releases, with the standard error of each bias."""
    if repetitions < 2:
        raise ParameterError("must be >= 2", parameter="repetitions", got=repetitions)
    truth, _ = counts_of(source)
    total, squares = np.zeros(truth.shape), np.zeros(truth.shape)
    for _ in range(repetitions):
        error = released_counts(system.release(source, rng)) - truth
        total += error
        squares += error * error
    bias = total / repetitions
    variance = np.maximum(squares / repetitions - bias * bias, 0.0) * repetitions / (repetitions - 1)
    return CellMoments(bias, variance, np.sqrt(variance / repetitions))


def several_releases(
    system: System, histogram: Histogram, rng: np.random.Generator, number: int
) -> Iterator[FloatArray]:
    """The counts of so many releases, one after another.

    A system that draws several at once, with the same random numbers, has a method ``releases`` for that.
    """
    together = getattr(system, "releases", None)
    if together is None:
        return (released_counts(system.release(histogram, rng)) for _ in range(number))
    return (released_counts(released) for released in together(histogram, rng, number))


def released_counts(released: Any) -> FloatArray:
    """The counts of a release, whatever its kind."""
    return as_floats(released.counts) if isinstance(released, Histogram) else counts_of_release(released)


def counts_of_release(released: Any) -> FloatArray:
    """Counts of released records on the universe of their columns, or a released array as it is."""
    return as_floats(released.histogram().counts) if isinstance(released, Records) else as_floats(released)
