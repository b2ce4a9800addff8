"""A measure made ready for one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epsilens.arrays import FloatArray, IntArray, distinct_and_positions
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.models.dirichlet_fits import DirichletShares
from epsilens.homogeneity.models.fits import Fit
from epsilens.homogeneity.models.sizes import SizeModel
from epsilens.noise.law import AnyNoise
from epsilens.notebook import brief


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
    sizes: Fit[SizeModel] | None = None
    """The law of sizes that it uses, and how that was found."""
    shares: Fit[DirichletShares] | None = None
    """The law of the label shares that it uses."""
    exact: Callable[[], Callable[[AnyNoise], FloatArray]] | None = None
    """Makes the exact risks ready that a printed formula claims to bound; None where no bound is claimed."""

    __repr__ = brief

    @cached_property
    def exact_risks(self) -> Callable[[AnyNoise], FloatArray] | None:
        """What ``exact`` makes, made once."""
        return None if self.exact is None else self.exact()

    def risks_of(self, vectors: IntArray, noise: AnyNoise) -> FloatArray:
        """The risk of each of these count vectors (cells, labels), which must be among the table's."""
        wanted = vectors if self.ordered else -np.sort(-vectors, axis=1)
        distinct, positions = distinct_and_positions(np.concatenate([self.vectors, wanted]))
        row_of = np.empty(len(distinct), dtype=np.int64)
        row_of[positions[: len(self.vectors)]] = np.arange(len(self.vectors))
        return self.risks(noise)[row_of[positions[len(self.vectors) :]]]

    def average(self, noise: AnyNoise, weighted: bool = True) -> float:
        """The average over people (``weighted``) or over non-empty cells."""
        return float(cell_weights(self.vectors, self.multiplicities, weighted) @ self.risks(noise))
