"""The measures by name, each prepared once for a table and then evaluated for as many noises as wanted.

Preparing fetches the signatures and fits whatever the measure needs to fit; evaluating is pure arithmetic. Curves and
choices evaluate hundreds of noises, so they hold a :class:`PreparedMeasure`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from epsilens.errors import one_of
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.local import local_risks, match_weights
from epsilens.noise.law import FloatArray, Noise
from epsilens.table.frequency import FrequencyTable, IntArray


@dataclass(frozen=True, eq=False)
class PreparedMeasure:
    """A measure of one table: a risk per signature for any noise."""

    name: str
    vectors: IntArray
    multiplicities: IntArray
    risks: Callable[[Noise], FloatArray]
    """One risk per signature."""

    def average(self, noise: Noise, weighted: bool = True) -> float:
        """The average over people (``weighted``) or over non-empty cells."""
        return float(cell_weights(self.vectors, self.multiplicities, weighted) @ self.risks(noise))


def prepare_local(table: FrequencyTable, match: str = "any") -> PreparedMeasure:
    """:func:`epsilens.homogeneity.local` on signatures."""
    vectors, multiplicities = table.signatures()
    match_weights(vectors[:1], match)  # refuse a wrong ``match`` before the long computation
    return PreparedMeasure("local", vectors, multiplicities, lambda noise: local_risks(vectors, noise, match))


MEASURES: dict[str, Callable[..., PreparedMeasure]] = {"local": prepare_local}


def prepare(measure: str, table: FrequencyTable, **options: Any) -> PreparedMeasure:
    """The measure of that name, ready for ``table``; ``options`` are those of the measure's own function."""
    return MEASURES[one_of("measure", measure, MEASURES)](table, **options)
