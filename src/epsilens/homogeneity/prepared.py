"""A measure made ready for one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, IntArray, distinct_and_positions
from epsilens.errors import DataError
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.fit import Fit
from epsilens.noise.law import AnyNoise
from epsilens.notebook import brief
from epsilens.table.harm import in_canonical_order


@dataclass(frozen=True, eq=False)
class PreparedMeasure:
    """A measure of one table: a risk per signature for any noise."""

    name: str
    vectors: IntArray
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

    __repr__ = brief

    @cached_property
    def exact_risks(self) -> Callable[[AnyNoise], FloatArray] | None:
        """What ``exact`` makes, made once."""
        return None if self.exact is None else self.exact()

    def risks_of(self, vectors: IntArray, noise: AnyNoise) -> FloatArray:
        """The risk of each of these count vectors (cells, labels), which must be among the table's."""
        weights = np.ones(vectors.shape[1]) if self.weights is None else self.weights
        wanted = vectors if self.ordered else in_canonical_order(vectors, weights)
        distinct, positions = distinct_and_positions(np.concatenate([self.vectors, wanted]))
        row_of = np.full(len(distinct), -1, dtype=np.int64)
        row_of[positions[: len(self.vectors)]] = np.arange(len(self.vectors))
        rows = row_of[positions[len(self.vectors) :]]
        if (rows < 0).any():
            raise DataError("a measure was made ready for other cells than it is asked for")
        return self.risks(noise)[rows]

    def average(self, noise: AnyNoise, weighted: bool = True) -> float:
        """The average over people (``weighted``) or over non-empty cells."""
        return float(cell_weights(self.vectors, self.multiplicities, weighted) @ self.risks(noise))
