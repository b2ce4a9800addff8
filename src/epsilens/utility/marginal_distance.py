"""Total variation distance between true and released marginals: what a release does to low-dimensional tables.

A marginal of the released table is a sum of noisy counts, so its noise is a sum of as many draws as it adds up counts.
A marginal that is released *directly* has one draw per count, but every direct marginal needs its share of the budget.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt
from scipy import special

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import did_you_mean, one_of
from epsilens.errors import ParameterError
from epsilens.noise import GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.law import checked_noise
from epsilens.table.frequency import FrequencyTable, checked_table
from epsilens.utility.absolute_error import expected_absolute_error

Sanitised: TypeAlias = Literal["table", "marginals"]
"""Where noise goes: into the table, whose marginals are then sums, or into each marginal directly."""

Marginal: TypeAlias = tuple[str, ...]
_CHUNK = 4_000_000  # numbers per simulated block
_LONGEST_SUM = 4_000  # beyond, the next term of the central limit theorem, kurtosis / (24 m), is below 1e-4
_WIDEST = 3_000.0  # standard deviation beyond which the characteristic function would take too long
_ROUNDING_IS_LOST = 30.0  # standard deviation beyond which rounding adds less than 1e-4 of the variance


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
    people, cache = 2.0 * table.n_records, dict[int, float]()
    found = []
    for marginal in _checked(table, marginals):
        _, draws = _margin(table, marginal)
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
    checked_table(table)
    checked_noise(noise)
    one_of("sanitised", sanitised, get_args(Sanitised))
    if repetitions < 2:
        raise ParameterError(f"a simulation needs at least 2 repetitions, got {repetitions}")
    chosen = _checked(table, marginals)
    groups = [_positions(table, marginal) for marginal in chosen]
    counts = np.maximum(table.vectors, 0)[table.vectors >= 0]
    distances = np.empty((len(chosen), repetitions))
    step = max(1, _CHUNK // len(counts))
    for start in range(0, repetitions, step):
        number = min(step, repetitions - start)
        released = None if sanitised == "marginals" else _released(counts, noise, number, rng)
        for i, (group, size) in enumerate(groups):
            truth = as_floats(np.bincount(group, weights=counts, minlength=size))
            if released is None:
                sums = _released(truth, noise, number, rng)
            else:
                sums = np.stack([np.bincount(group, weights=row, minlength=size) for row in released])
            distances[i, start : start + number] = _variation(sums, truth)
    errors = distances.std(axis=1, ddof=1) / math.sqrt(repetitions)
    return [
        MarginalDistance(marginal, size, float(mean), float(error))
        for marginal, (_, size), mean, error in zip(chosen, groups, distances.mean(axis=1), errors, strict=True)
    ]


def absolute_sum(noise: Noise, terms: int, rounded: bool = True) -> float:
    """E|Z_1 + ... + Z_m|, the expected absolute error of a sum of ``terms`` noisy counts.

    For published whole numbers (1 / pi) int_0^pi (1 - phi(t)^m) / (1 - cos t) dt with phi the characteristic function
    of one count's noise, since |k| is that integral of 1 - cos(k t). Unrounded Laplace noise of scale b has
    2 b Gamma(m + 1/2) / (sqrt(pi) Gamma(m)), the Gini difference of a Gamma law; unrounded Gaussian noise has
    sigma sqrt(2 m / pi).

    Source: P0 section 5.3, footnote 8, for the expectation of its distance.
    Assumes independent draws. Beyond 4,000 terms the sum is taken to be normal, to 1e-4 of its value; rounding is
    left out where it changes less than that.
    """
    if terms == 1:
        return expected_absolute_error(noise, rounded)
    spread = math.sqrt(noise.variance)
    if not noise.integer_valued and (not rounded or spread > _ROUNDING_IS_LOST):
        if isinstance(noise, GaussianNoise):
            return noise.sigma * math.sqrt(2.0 * terms / math.pi)
        if isinstance(noise, LaplaceNoise):
            ratio = math.exp(float(special.gammaln(terms + 0.5) - special.gammaln(terms)))
            return 2.0 * noise.scale * ratio / math.sqrt(math.pi)
    if not rounded and not noise.integer_valued:
        raise ParameterError(f"sums of unrounded {type(noise).__name__} have no closed form here; use rounded=True")
    if terms > _LONGEST_SUM or spread > _WIDEST:
        return math.sqrt(2.0 * terms / math.pi) * spread
    weights, lost, sine = _characteristic(cast("Hashable", noise))
    # 1 - phi^m from 1 - phi: where that is small, through logarithms, so that nothing cancels
    near = -np.expm1(terms * np.log1p(-np.minimum(lost, 0.5)))
    return float(weights @ (np.where(lost < 0.5, near, 1.0 - (1.0 - lost) ** terms) / (2.0 * sine**2))) / math.pi


@lru_cache(maxsize=64)
def _characteristic(noise: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Quadrature weights on (0, pi), 1 - phi(t) and sin(t / 2), for the rounded noise.

    Panels shrink towards 0, as far as the powers of phi fall there. 1 - phi(t) is 4 times the sum over k > 0 of
    pmf(k) sin^2(k t / 2): positive terms only.
    """
    spread, reach = math.sqrt(noise.variance), 8
    while float(noise.logsf(reach - 0.5)) > -40.0:
        reach *= 2
    k = np.arange(1.0, reach + 1.0)
    pmf = noise.pmf(k)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    narrow = min(1.0, 0.5 / (math.sqrt(_LONGEST_SUM) * max(spread, 0.1)))
    edges = np.concatenate([[0.0], np.geomspace(narrow, math.pi, 40)])
    half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
    t = (middle[:, None] + half[:, None] * nodes).ravel()
    lost = np.zeros(len(t))
    step = max(1, _CHUNK // len(t))
    for start in range(0, len(k), step):
        part = slice(start, start + step)
        lost += 4.0 * (np.sin(0.5 * np.outer(t, k[part])) ** 2) @ pmf[part]
    return (half[:, None] * weights).ravel(), lost, np.sin(0.5 * t)


def _checked(table: FrequencyTable, marginals: Sequence[Sequence[str]] | None) -> list[Marginal]:
    columns = (*table.quasi_identifiers, *table.sensitive)
    if marginals is None:
        return all_marginals(columns)
    chosen = [tuple(marginal) for marginal in marginals if not isinstance(marginal, str)]
    if len(chosen) != len(marginals) or not chosen:
        raise ParameterError("marginals must be a list of lists of column names, such as [['age'], ['age', 'sex']]")
    for marginal in chosen:
        for name in marginal:
            if name not in columns:
                raise ParameterError(f"there is no column {name!r} in this table{did_you_mean(name, columns)}")
        if len(set(marginal)) != len(marginal) or not marginal:
            raise ParameterError("a marginal names each of its columns once, and at least one")
    return chosen


def _group_of_counts(table: FrequencyTable, marginal: Marginal) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """For every count (cells x labels) the cell of the marginal it belongs to, and whether it may have people."""
    cells = table.cells()
    rows, shape = np.zeros(len(table.vectors), dtype=np.int64), 1
    labels = np.zeros(table.n_labels, dtype=np.int64)
    for name in marginal:
        if name in table.sensitive:
            values = [parts[table.sensitive.index(name)] for parts in table.label_values]
            levels, codes = np.unique(values, return_inverse=True)
            labels = labels * len(levels) + codes.reshape(-1)
            rows = rows * len(levels)
        else:
            levels, codes = np.unique(cells[name], return_inverse=True)
            rows = rows * len(levels) + codes.reshape(-1)
            labels = labels * len(levels)
        shape *= len(levels)
    _, group = np.unique(rows[:, None] + labels[None, :], return_inverse=True)
    return group.reshape(table.vectors.shape), table.vectors >= 0


def _margin(table: FrequencyTable, marginal: Marginal) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The counts of the marginal, and how many counts of the table each adds up."""
    group, possible = _group_of_counts(table, marginal)
    size = int(group.max()) + 1
    counts = np.bincount(group.ravel(), weights=np.maximum(table.vectors, 0).ravel(), minlength=size)
    draws = np.bincount(group.ravel(), weights=possible.ravel(), minlength=size)
    return counts.astype(np.int64), draws.astype(np.int64)


def _positions(table: FrequencyTable, marginal: Marginal) -> tuple[npt.NDArray[np.int64], int]:
    """For every count that may have people its cell in the marginal, and how many such cells there are."""
    group, possible = _group_of_counts(table, marginal)
    cells, place = np.unique(group[possible], return_inverse=True)
    return place.reshape(-1), len(cells)


def _released(counts: npt.NDArray[Any], noise: Noise, number: int, rng: np.random.Generator) -> FloatArray:
    """``number`` releases of the counts, rounded half up and clipped at 0."""
    return np.maximum(np.floor(counts + noise.sample((number, len(counts)), rng) + 0.5), 0.0)


def _variation(released: FloatArray, truth: FloatArray) -> FloatArray:
    """The total variation distance of every released row; 1 where nobody is left."""
    totals = released.sum(axis=1)
    shares = released / np.maximum(totals, 1.0)[:, None]
    return np.where(totals > 0, 0.5 * np.abs(shares - truth / truth.sum()).sum(axis=1), 1.0)
