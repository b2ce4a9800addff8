"""What every way to make tables agree answers: the fitted counts, their variances, and what each count is made of.

Least squares is linear: a fitted count is the sum of all noisy ones, each times a weight that depends on the tables and
their noise alone. The weights of one count are the law of its error (``noise/combinations.py``), and many counts have
the same, so they are asked for once for each kind of count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from epsilens.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Alike:
    """Counts whose errors have the same law: ``cells`` of the table with the number ``table``.

    Of the noise of table t, ``times[t][i]`` counts enter with the weight ``weights[t][i]``.
    """

    table: int
    cells: IntArray
    weights: tuple[FloatArray, ...]
    times: tuple[FloatArray, ...]


class Fit(Protocol):
    """Least squares over some tables with known noise."""

    def fitted(self, noisy: Sequence[FloatArray]) -> list[FloatArray]:
        """The tables that agree and are nearest to ``noisy``, each (..., cells)."""

    @property
    def variances(self) -> list[FloatArray]:
        """The variance of each fitted count."""

    def kinds(self) -> int:
        """How many kinds of counts there are."""

    def alike(self) -> Iterator[Alike]:
        """What the counts of each kind are made of; every count belongs to one kind."""
