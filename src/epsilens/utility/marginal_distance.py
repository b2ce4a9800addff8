"""Total variation distance between true and released marginals: what a release does to low-dimensional tables.

A marginal of the released table is a sum of noisy counts, so its noise is a sum of as many draws as it adds up counts.
A marginal that is released *directly* has one draw per count, but every direct marginal needs its share of the budget.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray
from epsilens.checks import did_you_mean, one_of
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.noise.absolute_error import absolute_sum
from epsilens.noise.law import checked_noise
from epsilens.table.frequency import FrequencyTable, checked_table
from epsilens.utility.margins import Marginal, Margins

Sanitised: TypeAlias = Literal["table", "marginals"]
"""Where noise goes: into the table, whose marginals are then sums, or into each marginal directly."""

_CHUNK = 4_000_000  # numbers per simulated block


@dataclass(frozen=True)
class MarginalDistance:
    """The expected total variation distance of one marginal; ``standard_error`` is None where it is exact."""

    marginal: Marginal
    cells: int
    distance: float
    standard_error: float | None = None

    @property
    def ways(self) -> int:
        """How many columns it crosses."""
        return len(self.marginal)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"marginal": list(self.marginal), "ways": self.ways, **vars(self)} | {"marginal": list(self.marginal)}


def all_marginals(columns: Sequence[str], ways: Sequence[int] = (1, 2, 3)) -> list[Marginal]:
    """All 1-, 2- and 3-way marginals of ``columns``, or those of other ``ways``."""
    return [chosen for size in ways for chosen in combinations(columns, size)]


def marginal_distances(
    table: FrequencyTable,
    noise: Noise,
    marginals: Sequence[Sequence[str]] | None = None,
    sanitised: Sanitised = "table",
) -> list[MarginalDistance]:
    """The exact expected total variation distance of marginals, counts not clipped, over the true number of people.

    E TVD = (1 / 2 n) sum over the marginal's cells c of E|S_c|, with S_c the sum of the m_c draws of noise in it (one
    draw if ``sanitised="marginals"``). Symbols: n is ``table.n_records``; m_c counts the cells and labels of ``table``
    that c adds up. ``marginals`` defaults to all 1-, 2- and 3-way ones of quasi-identifiers and sensitive attributes.

    Source: P0 section 5.3, footnote 8.
    Assumes that proportions are formed with the true n, that noise is rounded where counts are, and that the cells of
    ``table`` are the ones released. Clipped counts and noisy totals are what :func:`simulated_distances` is for.
    """
    checked_table(table)
    checked_noise(noise)
    one_of("sanitised", sanitised, get_args(Sanitised))
    return distances_of(margins_of(table, marginals), noise, sanitised)


def distances_of(margins: Margins, noise: Noise, sanitised: Sanitised = "table") -> list[MarginalDistance]:
    """:func:`marginal_distances` of marginals that are known already."""
    people, cache = 2.0 * margins.table.n_records, dict[int, float]()
    found = []
    for marginal, draws in zip(margins.marginals, margins.draws, strict=True):
        sizes, times = np.unique(np.ones_like(draws) if sanitised == "marginals" else draws, return_counts=True)
        for size in sizes.tolist():
            if size not in cache:
                cache[size] = absolute_sum(noise, size)
        total = math.fsum(cache[size] * count for size, count in zip(sizes.tolist(), times.tolist(), strict=True))
        found.append(MarginalDistance(marginal, len(draws), total / people))
    return found


def simulated_distances(
    table: FrequencyTable,
    noise: Noise,
    rng: np.random.Generator,
    marginals: Sequence[Sequence[str]] | None = None,
    sanitised: Sanitised = "table",
    repetitions: int = 200,
) -> list[MarginalDistance]:
    """As :func:`marginal_distances`, for counts rounded, clipped at 0 and divided by their own noisy total.

    TVD = ||p - p~||_1 / 2, averaged over ``repetitions`` releases, with the standard error of that average. A release
    without anybody left has distance 1.

    Source: P0 section 5.3, footnote 8 and Figure 4.
    """
    return simulated_of(margins_of(table, marginals), noise, rng, sanitised, repetitions)


def simulated_of(
    margins: Margins,
    noise: Noise,
    rng: np.random.Generator,
    sanitised: Sanitised = "table",
    repetitions: int = 200,
) -> list[MarginalDistance]:
    """:func:`simulated_distances` of marginals that are known already."""
    distances = draws_of(margins, noise, rng, sanitised, repetitions)
    errors = distances.std(axis=1, ddof=1) / math.sqrt(repetitions)
    return [
        MarginalDistance(marginal, size, float(mean), float(error))
        for marginal, size, mean, error in zip(
            margins.marginals, margins.sizes, distances.mean(axis=1), errors, strict=True
        )
    ]


def distance_draws(
    table: FrequencyTable,
    noise: Noise,
    rng: np.random.Generator,
    marginals: Sequence[Sequence[str]] | None = None,
    sanitised: Sanitised = "table",
    repetitions: int = 200,
    clipped: bool = True,
) -> FloatArray:
    """The simulated distances themselves, marginals x releases, of which :func:`simulated_distances` is the average.

    With ``clipped=False`` negative counts stay, as in a release that does not move them, and marginals add them up;
    only a count of the marginal itself is raised to 0 before shares are formed.

    Source: P0 section 5.3, footnote 8 and Figure 4.
    """
    return draws_of(margins_of(table, marginals), noise, rng, sanitised, repetitions, clipped)


def draws_of(
    margins: Margins,
    noise: Noise,
    rng: np.random.Generator,
    sanitised: Sanitised = "table",
    repetitions: int = 200,
    clipped: bool = True,
) -> FloatArray:
    """:func:`distance_draws` of marginals that are known already."""
    checked_noise(noise)
    one_of("sanitised", sanitised, get_args(Sanitised))
    if repetitions < 2:
        raise ParameterError("a simulation needs at least 2 `repetitions`", got=repetitions)
    truth = margins.truth
    distances = np.empty((len(truth), repetitions))
    step = max(1, _CHUNK // len(margins.counts))
    for start in range(0, repetitions, step):
        number = min(step, repetitions - start)
        if sanitised == "marginals":
            for i, counts in enumerate(truth):
                released = _released(counts, noise, number, rng, clipped)
                distances[i, start : start + number] = _variation(np.maximum(released, 0.0), counts)
        else:
            released = _released(margins.counts, noise, number, rng, clipped)
            distances[:, start : start + number] = _variations(margins, released)
    return distances


def _variations(margins: Margins, released: FloatArray) -> FloatArray:
    """Marginals x releases, a few releases at a time."""
    at_once = max(1, _CHUNK // sum(margins.sizes))
    found = np.empty((len(margins.sizes), len(released)))
    for start in range(0, len(released), at_once):
        some = slice(start, start + at_once)
        for i, (sums, counts) in enumerate(zip(margins.sums(released[some]), margins.truth, strict=True)):
            found[i, some] = _variation(np.maximum(sums, 0.0), counts)
    return found


def margins_of(table: FrequencyTable, marginals: Sequence[Sequence[str]] | None = None) -> Margins:
    """The marginals of a table, all 1-, 2- and 3-way ones unless given: known once for many noises."""
    return Margins(checked_table(table), _checked(table, marginals))


def _checked(table: FrequencyTable, marginals: Sequence[Sequence[str]] | None) -> list[Marginal]:
    columns = (*table.quasi_identifiers, *table.sensitive)
    if marginals is None:
        return all_marginals(columns)
    chosen = [tuple(marginal) for marginal in marginals if not isinstance(marginal, str)]
    if len(chosen) != len(marginals) or not chosen:
        raise ParameterError(
            "must be a list of lists of column names, such as [['age'], ['age', 'sex']]", parameter="marginals"
        )
    for marginal in chosen:
        for name in marginal:
            if name not in columns:
                raise ParameterError(
                    f"name {name!r}, which is not a column of this table{did_you_mean(name, columns)}",
                    parameter="marginals",
                )
        if len(set(marginal)) != len(marginal) or not marginal:
            raise ParameterError("must name each of their columns once, and at least one", parameter="marginals")
    return chosen


def _released(
    counts: npt.NDArray[Any], noise: Noise, number: int, rng: np.random.Generator, clipped: bool = True
) -> FloatArray:
    """``number`` releases of the counts, rounded half up and, where ``clipped``, raised to 0."""
    drawn = np.floor(counts + noise.sample((number, len(counts)), rng) + 0.5)
    return np.maximum(drawn, 0.0) if clipped else drawn


def _variation(released: FloatArray, truth: FloatArray) -> FloatArray:
    """The total variation distance of every released row; 1 where nobody is left."""
    totals = released.sum(axis=1)
    shares = released / np.maximum(totals, 1.0)[:, None]
    return np.where(totals > 0, 0.5 * np.abs(shares - truth / truth.sum()).sum(axis=1), 1.0)
