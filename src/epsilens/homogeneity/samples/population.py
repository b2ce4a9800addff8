"""The population behind a sample: how many people every cell stands for.

A survey is a sample, so whoever is looked for may not be in it. Cell i has n_i sampled people and stands for N_i of the
population: N_i = n_i / f with a sampling fraction f, or the sum of its people's survey weights. These are the usual
estimates (Horvitz and Thompson 1952): over all samples that could have been drawn, a sum of risks weighted by them is
right on average, whatever the population is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats, distinct_and_positions
from epsilens.checks import finite
from epsilens.errors import DataError, ParameterError
from epsilens.notebook import brief
from epsilens.table.frequency import FrequencyTable, checked_table
from epsilens.table.survey_weights import LARGEST_WEIGHT

KnownBy: TypeAlias = Literal["fraction", "weights"]
"""How it is known for how many a cell stands: a sampling fraction, or survey weights."""


@dataclass(frozen=True, eq=False)
class Population:
    """Kinds of cells, each a count vector and the number of people that such a cell stands for."""

    vectors: IntArray
    sizes: FloatArray
    """N_i, how many of the population a cell of this kind stands for."""
    cells: IntArray
    """How many cells are of this kind."""
    known_by: KnownBy

    __repr__ = brief

    @property
    def sampled(self) -> IntArray:
        """n_i, the sampled people of a cell."""
        found: IntArray = np.maximum(self.vectors, 0).sum(axis=1)
        return found

    @property
    def rest(self) -> FloatArray:
        """N_i - n_i, those of a cell who are not in the sample."""
        return np.maximum(self.sizes - self.sampled, 0.0)

    @property
    def people(self) -> float:
        """How many people the sample stands for."""
        return float(self.cells @ self.sizes)

    @property
    def sample(self) -> int:
        """How many people are in it."""
        return int(self.cells @ self.sampled)

    @property
    def fraction(self) -> float:
        """The share of the population that is in the sample."""
        return self.sample / self.people

    @property
    def unseen(self) -> float:
        """How many people are in cells that have nobody in the sample, estimated.

        Sum over cells with n_i = 1 of (N_i - 1). Let everybody j be sampled independently with chance 1 / w_j. Then j
        is out of sight with probability (1 - 1 / w_j) P(nobody else of the cell is sampled). The term of j, w_j - 1
        where j is sampled and alone, has the expectation (1 / w_j) (w_j - 1) P(nobody else is sampled): the same. So
        the sum is right on average, whatever the population is. With one fraction it is (1 - f) n_1 / f, Good's (1953)
        estimate of what has not been seen. Where a table lists empty cells and how many people they have, nobody is out
        of sight.
        """
        if (self.sizes[self.sampled == 0] > 0).any():  # it is known who is in cells that nobody of the sample is in
            return 0.0
        alone = self.sampled == 1
        return float(self.cells[alone] @ self.rest[alone])


def checked_fraction(fraction: float) -> float:
    """A sampling fraction, refused unless it is > 0 and at most 1."""
    value = finite("sampling_fraction", fraction)
    if not 0 < value <= 1:
        raise ParameterError(
            "must be > 0 and at most 1, the share of the population that is in the sample",
            parameter="sampling_fraction",
            got=value,
            remedy="one person in ten is 0.1" if value != 0 else None,
        )
    if value < 1.0 / LARGEST_WEIGHT:
        raise ParameterError(
            f"must be at least {1.0 / LARGEST_WEIGHT:g}: nobody stands for more people than that",
            parameter="sampling_fraction",
            got=value,
        )
    return value


def population_of(table: FrequencyTable, sampling_fraction: float | None = None) -> Population:
    """The population that ``table`` is a sample of, by a sampling fraction or by the weights that it was read with.

    Source: Horvitz and Thompson (1952).
    Assumes that within a cell who is sampled has nothing to do with the label.
    """
    checked_table(table)
    weighted = table.weighted_cells
    if sampling_fraction is not None:
        fraction = checked_fraction(sampling_fraction)
        if weighted is not None:
            raise ParameterError(
                "is given beside survey weights, which say already how many a person stands for",
                parameter="sampling_fraction",
                remedy="leave it out, or read the table without `weight`",
            )
        _refuse_rows_of_many(table, "sampling_fraction")
        vectors, cells = table.signatures(ordered=True)
        return Population(vectors, as_floats(np.maximum(vectors, 0).sum(axis=1) / fraction), cells, "fraction")
    if weighted is None:
        raise ParameterError(
            "say which share of the population is in the sample, or read the table with its survey `weight`",
            parameter="sampling_fraction",
        )
    return Population(weighted.vectors, weighted.weights, weighted.multiplicities, "weights")


def _refuse_rows_of_many(table: FrequencyTable, parameter: str) -> None:
    if table.max_rows_per_unit > 1:
        raise ParameterError(
            "is that of people, and a person may have several rows here",
            parameter=parameter,
            remedy="leave `max_rows_per_unit` out, so that one row of each person is counted",
        )


def rows_of(vectors: IntArray, wanted: IntArray) -> IntArray:
    """Where in ``vectors``, which are distinct, every one of the ``wanted`` is."""
    distinct, positions = distinct_and_positions(np.concatenate([vectors, wanted]))
    row_of = np.full(len(distinct), -1, dtype=np.int64)
    row_of[positions[: len(vectors)]] = np.arange(len(vectors))
    rows = row_of[positions[len(vectors) :]]
    if (rows < 0).any():
        raise DataError("a measure was made ready for other cells than it is asked for")
    return rows
