"""A measure made ready for one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from epsilens.arrays import FloatArray, IntArray
from epsilens.homogeneity.average import cell_weights
from epsilens.noise.law import AnyNoise


@dataclass(frozen=True, eq=False)
class PreparedMeasure:
    """A measure of one table: a risk per signature for any noise."""

    name: str
    vectors: IntArray
    multiplicities: IntArray
    risks: Callable[[AnyNoise], FloatArray]
    """One risk per signature."""

    def average(self, noise: AnyNoise, weighted: bool = True) -> float:
        """The average over people (``weighted``) or over non-empty cells."""
        return float(cell_weights(self.vectors, self.multiplicities, weighted) @ self.risks(noise))
