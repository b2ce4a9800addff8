"""A measure made ready for one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any

from epsilens.arrays import FloatArray, IntArray
from epsilens.errors import DataError
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.fit import Fit
from epsilens.noise.law import AnyNoise
from epsilens.notebook import brief
from epsilens.table.count_vectors import CountVectors


@dataclass(frozen=True, eq=False)
class PreparedMeasure:
    """A measure of one table: a risk per signature for any noise."""

    name: str
    signatures: InitVar[CountVectors | IntArray]
    """The count vectors, in sparse form or as a full matrix (signatures, labels)."""
    multiplicities: IntArray
    risks: Callable[[AnyNoise], FloatArray]
    """One risk per signature."""
    ordered: bool = False
    """Whether the signatures keep the order of the labels; otherwise each is sorted."""
    sizes: Fit[Any] | None = None
    """The law of sizes that it uses, and how that was found."""
    shares: Fit[Any] | None = None
    """The law of the label shares that it uses."""
    exact: Callable[[], Callable[[AnyNoise], FloatArray]] | None = None
    """Makes the exact risks ready that a printed formula claims to bound; None where no bound is claimed."""
    weights: FloatArray | None = None
    """How much each label harms, where signatures are sorted among labels of equal weight only."""
    counts: CountVectors = field(init=False)
    """The signatures in sparse form."""

    def __post_init__(self, signatures: CountVectors | IntArray) -> None:
        object.__setattr__(self, "counts", CountVectors.of(signatures))

    __repr__ = brief

    @cached_property
    def exact_risks(self) -> Callable[[AnyNoise], FloatArray] | None:
        """What ``exact`` makes, made once."""
        return None if self.exact is None else self.exact()

    @property
    def vectors(self) -> IntArray:
        """The signatures as a full matrix, refused where it would not fit."""
        return self.counts.dense()

    @property
    def cell_sizes(self) -> IntArray:
        """How many people a cell of each signature has."""
        return self.counts.sizes

    def risks_of(self, vectors: CountVectors | IntArray, noise: AnyNoise) -> FloatArray:
        """The risk of each of these count vectors (cells, labels), which must be among the table's."""
        wanted = CountVectors.of(vectors)
        rows = self.counts.places_of(wanted if self.ordered else wanted.in_descending_order(self.weights))
        if (rows < 0).any():
            raise DataError("a measure was made ready for other cells than it is asked for")
        return self.risks(noise)[rows]

    def risks_at(self, noises: Iterable[AnyNoise]) -> Iterator[FloatArray]:
        """The risks under each of several noises, one after the other.

        What signatures have in common was found when the measure was made ready, so that a further noise costs little,
        and memory holds the risks under one of them, however many there are.
        """
        return map(self.risks, noises)

    @cached_property
    def people(self) -> IntArray:
        """How many people the cells of each signature have together."""
        return self.cell_sizes * self.multiplicities

    def weights_of_cells(self, weighted: bool) -> FloatArray:
        """The weight of each signature in an average over people (``weighted``) or over non-empty cells."""
        return cell_weights(self.counts, self.multiplicities, weighted)

    def average(self, noise: AnyNoise, weighted: bool = True) -> float:
        """The average over people (``weighted``) or over non-empty cells."""
        return float(self.weights_of_cells(weighted) @ self.risks(noise))
