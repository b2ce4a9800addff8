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

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import did_you_mean, one_of
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.noise.absolute_error import absolute_sum
from epsilens.noise.law import checked_noise
from epsilens.table.cell_store import renumbered
from epsilens.table.domain import sorted_codes
from epsilens.table.frequency import FrequencyTable, checked_table

Sanitised: TypeAlias = Literal["table", "marginals"]
"""Where noise goes: into the table, whose marginals are then sums, or into each marginal directly."""

Marginal: TypeAlias = tuple[str, ...]
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
    people, cache, coded = 2.0 * table.n_records, dict[int, float](), _coded(table)
    found = []
    for marginal in _checked(table, marginals):
        _, draws = _margin(table, marginal, coded)
        terms = np.ones_like(draws) if sanitised == "marginals" else draws
        sizes, times = np.unique(terms[draws > 0], return_counts=True)
        for size in sizes.tolist():
            if size not in cache:
                cache[size] = absolute_sum(noise, size)
        total = math.fsum(cache[size] * count for size, count in zip(sizes.tolist(), times.tolist(), strict=True))
        found.append(MarginalDistance(marginal, int((draws > 0).sum()), total / people))
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
    distances, sizes = _drawn(table, noise, rng, marginals, sanitised, repetitions)
    errors = distances.std(axis=1, ddof=1) / math.sqrt(repetitions)
    return [
        MarginalDistance(marginal, size, float(mean), float(error))
        for (marginal, size), mean, error in zip(sizes, distances.mean(axis=1), errors, strict=True)
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
    return _drawn(table, noise, rng, marginals, sanitised, repetitions, clipped)[0]


def _drawn(
    table: FrequencyTable,
    noise: Noise,
    rng: np.random.Generator,
    marginals: Sequence[Sequence[str]] | None,
    sanitised: Sanitised,
    repetitions: int,
    clipped: bool = True,
) -> tuple[FloatArray, list[tuple[Marginal, int]]]:
    """Marginals x releases, and the marginals with the numbers of their cells."""
    checked_table(table)
    checked_noise(noise)
    one_of("sanitised", sanitised, get_args(Sanitised))
    if repetitions < 2:
        raise ParameterError("a simulation needs at least 2 `repetitions`", got=repetitions)
    chosen = _checked(table, marginals)
    coded = _coded(table)
    groups = [_positions(table, marginal, coded) for marginal in chosen]
    counts = np.maximum(table.vectors, 0)[table.vectors >= 0]
    distances = np.empty((len(chosen), repetitions))
    step = max(1, _CHUNK // len(counts))
    for start in range(0, repetitions, step):
        number = min(step, repetitions - start)
        released = None if sanitised == "marginals" else _released(counts, noise, number, rng, clipped)
        for i, (group, size) in enumerate(groups):
            truth = as_floats(np.bincount(group, weights=counts, minlength=size))
            if released is None:
                sums = _released(truth, noise, number, rng, clipped)
            else:
                sums = np.stack([np.bincount(group, weights=row, minlength=size) for row in released])
            distances[i, start : start + number] = _variation(np.maximum(sums, 0.0), truth)
    return distances, [(marginal, size) for marginal, (_, size) in zip(chosen, groups, strict=True)]


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


Coded: TypeAlias = dict[str, tuple[int, IntArray]]


def _coded(table: FrequencyTable) -> Coded:
    """The number of levels of every column, and the codes of all cells or, of a sensitive attribute, of all labels.

    Texts are looked at once per level and not once per marginal and cell.
    """
    domain, codes, _ = table.store.coded_cells()
    found: Coded = {}
    for j, (name, levels) in enumerate(zip(domain.columns, domain.levels, strict=True)):
        rank = np.empty(len(levels), dtype=np.int64)
        rank[sorted(range(len(levels)), key=levels.__getitem__)] = np.arange(len(levels))
        found[name] = len(levels), rank[codes[:, j]]
    for i, name in enumerate(table.sensitive):
        values, places = sorted_codes([parts[i] for parts in table.label_values])
        found[name] = len(values), places
    return found


def _group_of_counts(
    table: FrequencyTable, marginal: Marginal, coded: Coded
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """For every count (cells x labels) the cell of the marginal it belongs to, and whether it may have people."""
    rows, labels, size = np.zeros(len(table.vectors), np.int64), np.zeros(table.n_labels, np.int64), 1
    for name in marginal:
        levels, codes = coded[name]
        of_labels = name in table.sensitive
        rows = rows * levels + (0 if of_labels else codes)
        labels = labels * levels + (codes if of_labels else 0)
        size *= levels
    group, _ = renumbered((rows[:, None] + labels[None, :]).ravel(), size)
    return group.reshape(table.vectors.shape), table.vectors >= 0


def _margin(
    table: FrequencyTable, marginal: Marginal, coded: Coded
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The counts of the marginal, and how many counts of the table each adds up."""
    group, possible = _group_of_counts(table, marginal, coded)
    size = int(group.max()) + 1
    counts = np.bincount(group.ravel(), weights=np.maximum(table.vectors, 0).ravel(), minlength=size)
    draws = np.bincount(group.ravel(), weights=possible.ravel(), minlength=size)
    return counts.astype(np.int64), draws.astype(np.int64)


def _positions(table: FrequencyTable, marginal: Marginal, coded: Coded) -> tuple[npt.NDArray[np.int64], int]:
    """For every count that may have people its cell in the marginal, and how many such cells there are."""
    group, possible = _group_of_counts(table, marginal, coded)
    return renumbered(group[possible], int(group.max(initial=0)) + 1)


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
