"""Does a formula hold? Every data set on a small grid, every neighbour of it, and the largest change found.

A data set is a tuple of groups, a group a sorted tuple of records: all our statistics ignore the order of records.
Records take the bounds of their variable and a few points between them. For a covariance the corners alone are enough,
because it is linear in each single value; a variance can also be extreme at a record that equals the mean of the
others, hence the inner points.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.checks import whole
from epsilens.errors import ParameterError
from epsilens.notebook import brief, facts_html
from epsilens.sensitivity.catalogue import evaluated, named

Record: TypeAlias = tuple[float, ...]
DataSet: TypeAlias = tuple[tuple[Record, ...], ...]
Statistic: TypeAlias = Callable[[DataSet], FloatArray]

INNER_POINTS = (1 / 3, 1 / 2, 2 / 3)
LARGEST_SEARCH = 1_000_000
SEARCHED = {"count": 5, "histogram": 5, "histogram_tree": 2}
"""How many records are searched where the formula needs no n."""
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Verification:
    """A formula beside the largest change that an exhaustive search found."""

    statistic: str
    neighbours: str
    formula: float
    brute_force: float
    data_sets: int
    pairs: int
    worst_pair: tuple[DataSet, DataSet]

    __repr__ = brief
    _repr_html_ = facts_html

    @property
    def gap(self) -> float:
        """Formula minus brute force: 0 where the formula is attained, negative where it protects too little."""
        return self.formula - self.brute_force

    @property
    def safe(self) -> bool:
        """Whether no pair of neighbours moved further than the formula says."""
        return self.gap >= -TOLERANCE * max(1.0, self.formula)

    @property
    def attained(self) -> bool:
        """Whether some pair of neighbours moved exactly as far as the formula says."""
        return abs(self.gap) <= TOLERANCE * max(1.0, self.formula)


def verify(
    statistic: str,
    neighbours: str = "add-remove",
    published: bool = False,
    categories: int = 3,
    **arguments: Any,
) -> Verification:
    """Compare the sensitivity of ``statistic`` with an exhaustive search over small data sets and their neighbours.

    ``arguments`` are those of the function of the same name: ``verify("pooled_variance", sizes=(3, 3), lower=0,
    upper=1)``. A histogram or a vector of proportions is searched over ``categories`` categories; a count and a
    histogram, whose formulas need no n, over ``n`` records (5 unless given), a histogram tree over ``n`` (2 unless
    given) on the complete binary tree of so many levels. A person with ``max_rows_per_unit`` rows changes so many
    records. ``published=True`` checks the printed
    formula instead. Under add-remove the data sets have n records, or the given sizes, and their neighbours one fewer.
    """
    function = named(statistic, published)
    name = function.__name__
    passed = dict(arguments)
    searched = passed.pop("n", None) if name in SEARCHED else passed.get("n", 0)
    formula = evaluated(function, neighbours, passed)
    rows = int(passed.get("max_rows_per_unit", 1))
    size = max(SEARCHED[name], rows) if searched is None else searched
    sizes = (
        tuple(int(group) for group in passed["sizes"])
        if "sizes" in passed
        else (whole("n", size, 1, "a data set needs a record"),)
    )
    may_change_group = bool(passed.get("may_change_group", False))
    if name == "histogram_tree":
        leaves = 2 ** min(int(passed["levels"]) - 1, LARGEST_SEARCH.bit_length())
        _refuse_long_searches(sizes, leaves, neighbours, may_change_group, rows)
    points, value = _searched(name, passed, whole("categories", categories, 2, "one is always all"))
    _refuse_long_searches(sizes, len(points), neighbours, may_change_group, rows)
    norm = passed.get("norm", 1)

    values: dict[DataSet, FloatArray] = {}
    largest, pairs = -1.0, 0
    worst: tuple[DataSet, DataSet] = ((), ())
    for data in _data_sets(points, sizes):
        here = _remembered(values, value, data)
        for other in _neighbours_of_people(data, points, neighbours, may_change_group, rows):
            pairs += 1
            difference = np.abs(here - _remembered(values, value, other))
            distance = float(difference.sum() if norm == 1 else math.sqrt(float((difference**2).sum())))
            if distance > largest:
                largest, worst = distance, (data, other)
    return Verification(name, neighbours, formula, largest, len(values), pairs, worst)


def _remembered(values: dict[DataSet, FloatArray], statistic: Statistic, data: DataSet) -> FloatArray:
    value = values.get(data)
    if value is None:
        value = values[data] = statistic(data)
    return value


def _data_sets(points: Sequence[Record], sizes: Sequence[int]) -> Iterator[DataSet]:
    """Every data set with these group sizes whose records lie on ``points``, one for each multiset."""
    groups = [itertools.combinations_with_replacement(points, size) for size in sizes]
    yield from itertools.product(*groups)


def _neighbours(data: DataSet, points: Sequence[Record], neighbours: str, may_change_group: bool) -> Iterator[DataSet]:
    """Every data set with one record removed; under substitute, with another put in its group, or in any group."""
    for home, group in enumerate(data):
        for record in set(group):
            position = group.index(record)
            without = (*data[:home], group[:position] + group[position + 1 :], *data[home + 1 :])
            if neighbours == "add-remove":
                yield without
                continue
            for target in range(len(data)) if may_change_group else (home,):
                for point in points:
                    joined = tuple(sorted((*without[target], point)))
                    yield (*without[:target], joined, *without[target + 1 :])


def _neighbours_of_people(
    data: DataSet, points: Sequence[Record], neighbours: str, may_change_group: bool, rows: int
) -> Iterator[DataSet]:
    """Every data set with up to ``rows`` records changed so: those of one person."""
    if rows == 1:
        yield from _neighbours(data, points, neighbours, may_change_group)
        return
    reached, frontier = {data}, {data}
    for _ in range(rows):
        frontier = {o for one in frontier for o in _neighbours(one, points, neighbours, may_change_group)} - reached
        reached |= frontier
    yield from sorted(reached - {data})


def _refuse_long_searches(
    sizes: Sequence[int], points: int, neighbours: str, may_change_group: bool, rows: int = 1
) -> None:
    data_sets = math.prod(math.comb(size + points - 1, size) for size in sizes)
    targets = len(sizes) if may_change_group else 1
    pairs = data_sets * sum(min(size, points) for size in sizes)
    pairs *= 1 if neighbours == "add-remove" else targets * points
    if rows > 1:  # as if every data set, of as many records or fewer, were the neighbour of every other, by each way
        pairs *= math.prod(math.comb(size + points, size) for size in sizes)
    if pairs > LARGEST_SEARCH:
        raise ParameterError(
            f"an exhaustive search must stay below {LARGEST_SEARCH} pairs of neighbours, got up to {pairs}",
            remedy="use about 6 records in at most 3 groups, or a tree of about 6 levels",
        )


def _searched(name: str, arguments: dict[str, Any], categories: int) -> tuple[list[Record], Statistic]:
    """The points a record may take, and the statistic itself computed from its definition."""
    if name in ("count", "proportion"):
        return _labels(2), _count_of_ones if name == "count" else _share_of_ones
    if name == "histogram":
        return _labels(categories), lambda data: _counts(data, categories)
    if name == "histogram_tree":
        levels = int(arguments["levels"])
        return _labels(2 ** (levels - 1)), lambda data: _counts_of_nodes(data, levels)
    if name == "proportions":
        return _labels(categories), lambda data: _counts(data, categories) / len(data[0])
    lower, upper = arguments["lower"], arguments["upper"]
    if name in ("mean", "variance", "pooled_variance"):
        steps = (0.0, *INNER_POINTS, 1.0)
        line: list[Record] = [(float(lower + step * (upper - lower)),) for step in steps]
        return line, _mean if name == "mean" else _pooled_products
    sides = [(float(low), float(high)) for low, high in zip(lower, upper, strict=True)]
    centre: Record = tuple((low + high) / 2 for low, high in sides)
    return sorted([*itertools.product(*sides), centre]), _pooled_products


def _labels(categories: int) -> list[Record]:
    return [(float(label),) for label in range(categories)]


def _counts(data: DataSet, categories: int) -> FloatArray:
    labels = [int(record[0]) for record in data[0]]
    return np.bincount(labels, minlength=categories).astype(np.float64)


def _counts_of_nodes(data: DataSet, levels: int) -> FloatArray:
    """The counts of all nodes of the complete binary tree, from the leaves to the root."""
    found = [_counts(data, 2 ** (levels - 1))]
    for _ in range(levels - 1):
        found.append(found[-1].reshape(-1, 2).sum(axis=1))
    return np.concatenate(found)


def _count_of_ones(data: DataSet) -> FloatArray:
    return np.array([sum(record[0] for record in data[0])])


def _share_of_ones(data: DataSet) -> FloatArray:
    return np.array([sum(record[0] for record in data[0]) / len(data[0])])


def _mean(data: DataSet) -> FloatArray:
    return np.array([math.fsum(record[0] for record in data[0]) / len(data[0])])


def _pooled_products(data: DataSet) -> FloatArray:
    """Sums of products about group means over n - J; of one variable with itself a variance. One group: the plain one.

    A group of one record adds nothing to the sum and nothing to the denominator.
    """
    total = 0.0
    for group in data:
        first = [record[0] for record in group]
        second = [record[-1] for record in group]
        first_mean, second_mean = math.fsum(first) / len(group), math.fsum(second) / len(group)
        total += math.fsum((x - first_mean) * (y - second_mean) for x, y in zip(first, second, strict=True))
    return np.array([total / sum(len(group) - 1 for group in data)])
