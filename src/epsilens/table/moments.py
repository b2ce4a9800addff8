"""Sums, squares, products and level counts of people's records, exact to the last digit (``reading.moments``).

Every number is clamped to public bounds [l, u] and put on a public grid of 2^31 steps between them, as a whole number
c from -2^30 to 2^30 counted from the middle. That is a function of one record alone, whose result lies within the same
bounds, so a global sensitivity for these bounds holds for the gridded data as it stands. From there on all is whole
numbers: |c d| <= 2^60 fits 64 bits, sums are decimals of 38 digits, and means and (co)variances are fractions. Nothing
cancels, nothing is rounded, and the order in which an engine adds up cannot show. What the grid costs: a value moves by
at most (u - l) 2^-32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from epsilens.checks import finite
from epsilens.errors import ParameterError

STEPS = 2**31
"""Steps of the grid between the bounds of a variable."""
MIDDLE = STEPS // 2
LARGEST_BOUND = 1e100
NARROWEST = 1e-100
MAX_GROUPS = 100_000


@dataclass(frozen=True, order=True)
class Variable:
    """A numeric column between public bounds."""

    column: str
    lower: float
    upper: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "column", column_name(self.column))
        for side in ("lower", "upper"):
            bound = finite(f"the {side} bound of {self.column!r}", getattr(self, side))
            if abs(bound) > LARGEST_BOUND:
                raise ParameterError(
                    f"the {side} bound of {self.column!r} must lie within -+{LARGEST_BOUND:g}, got {bound:g}; "
                    "measure the column in larger units"
                )
            object.__setattr__(self, side, bound)
        if self.lower >= self.upper:
            raise ParameterError(
                f"the lower bound of {self.column!r} must be below its upper bound, got {self.lower:g} and "
                f"{self.upper:g}"
            )
        if self.upper - self.lower < NARROWEST:
            raise ParameterError(
                f"the bounds of {self.column!r} must be at least {NARROWEST:g} apart, got {self.upper - self.lower:g}; "
                "measure the column in smaller units"
            )

    @property
    def width(self) -> Fraction:
        """Upper - lower, exactly."""
        return Fraction(self.upper) - Fraction(self.lower)


@dataclass(frozen=True)
class MomentsQuery:
    """What is to be summed: ``products`` of variables, counts of the ``levels`` of columns, all by ``groups``.

    ``groups`` maps each grouping column to its declared levels. A product of a variable with itself is a square.
    """

    variables: Sequence[Variable] = ()
    products: Sequence[tuple[Variable, Variable]] = ()
    levels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    complete: Sequence[str] = ()
    """Columns all of whose levels are in ``levels``: a record with another one does not fit."""

    def __post_init__(self) -> None:
        size = 1
        for found in self.groups.values():
            size *= len(found) + 1
        if size > MAX_GROUPS:
            raise ParameterError(
                f"the groups have {size} combinations of levels, {MAX_GROUPS} at most are summed; use fewer"
            )

    @cached_property
    def all_variables(self) -> tuple[Variable, ...]:
        """Every variable once, also those that occur in products only."""
        return tuple(dict.fromkeys([*self.variables, *(v for pair in self.products for v in pair)]))

    @cached_property
    def pairs(self) -> tuple[tuple[Variable, Variable], ...]:
        """Every product once, whichever variable was named first."""
        return tuple(dict.fromkeys(ordered(*pair) for pair in self.products))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in use."""
        return tuple(dict.fromkeys([*(v.column for v in self.all_variables), *self.levels, *self.groups]))


@dataclass(frozen=True, eq=False)
class GroupSums:
    """The records of one group: how many, the sums of c, and the sums of products c d."""

    levels: Mapping[str, str]
    n: int
    sums: Mapping[Variable, int]
    products: Mapping[tuple[Variable, Variable], int]


@dataclass(frozen=True, eq=False)
class Moments:
    """What one scan found. All of it is confidential.

    ``rows`` are all rows read, ``excluded`` those left out because they do not fit, ``dropped`` those beyond the bound
    on a person's rows; ``n`` records are left. ``outside`` counts values that were clamped to the bounds.

    **Fewer records than somebody declared.** ``least`` is a public lower bound of their number. Where there are fewer,
    the statistics are those of ``size`` records, of which the ones that are not there stand in the middle of the
    bounds, have no level and are in no group. So every data set has its statistics, and one record more moves them by
    no more than the sensitivity at ``least`` records: it takes the place of one in the middle. In units of the bounds
    a mean moves by at most 1/2 of 1 / least and a share by 1 / least; a (co)variance by at most 3/4 of 1 / least, for
    (1 - 1/n) ((x - m)(y - m') - (1/2 - m)(1/2 - m')) / (n - 1) is largest in a corner, with x = y = 1 and m = m' = 0;
    a pooled one by less than 1 / (least - J), for a group that gains a record gains less than 1 in its sum.
    """

    query: MomentsQuery
    rows: int
    excluded: int
    n: int
    missing: Mapping[str, int]
    outside: Mapping[Variable, int]
    level_counts: Mapping[tuple[str, str], int]
    groups: tuple[GroupSums, ...]
    row_salt: str | None = field(default=None, repr=False)
    """What chose the rows kept of people with too many: a secret that sums the same rows again."""
    least: int = 0
    left_out: Any = None
    """What did not fit, as the reader tells it (``reading.misfits.LeftOut``)."""

    @property
    def size(self) -> int:
        """How many records the statistics are of."""
        return max(self.n, self.least)

    @property
    def dropped(self) -> int:
        """Rows beyond the bound on a person's rows."""
        return self.rows - self.excluded - self.n

    def mean(self, variable: Variable) -> Fraction:
        """The mean of the gridded values, in units of the bounds: 0 is the lower bound, 1 the upper one."""
        total = sum(group.sums[variable] for group in self.groups)
        return (Fraction(total, self.size) + MIDDLE) / STEPS

    def proportion(self, column: str, level: str) -> Fraction:
        """The share of the records with this level."""
        return Fraction(self.level_counts[column, level], self.size)

    def covariance(self, first: Variable, second: Variable) -> Fraction:
        """The sample covariance (denominator n - 1) in units of the bounds' widths; a variance if both are one."""
        _, *sums = _together(self.groups, first, second)
        return _scatter(self.size, *sums) / (self.size - 1) / STEPS**2

    def pooled_covariance(self, first: Variable, second: Variable, column: str) -> Fraction:
        """The covariance pooled over the declared groups of ``column``: sums about own means, divided by n - J.

        A group of one record, or of none, adds nothing to the sum.
        """
        by_group = self._by(column)
        parts = [_together(found, first, second) for found in by_group.values()]
        scatter = sum((_scatter(*part) for part in parts if part[0]), Fraction(0))
        return scatter / (self.size - len(by_group)) / STEPS**2

    def sizes(self, column: str) -> dict[str, int]:
        """The records of each declared group of ``column``."""
        return {level: sum(group.n for group in found) for level, found in self._by(column).items()}

    def canonical(self) -> list[Any]:
        """What was summed and found, in plain values and a fixed order: the same for the same content."""
        return [
            [[v.column, v.lower, v.upper] for v in self.query.all_variables],
            self.n,
            sorted([column, level, count] for (column, level), count in self.level_counts.items()),
            sorted(
                [
                    sorted(group.levels.items()),
                    group.n,
                    [group.sums[v] for v in self.query.all_variables],
                    [group.products[pair] for pair in self.query.pairs],
                ]
                for group in self.groups
            ),
        ]

    def _by(self, column: str) -> dict[str, list[GroupSums]]:
        found: dict[str, list[GroupSums]] = {level: [] for level in self.query.groups[column]}
        for group in self.groups:
            if column in group.levels:
                found[group.levels[column]].append(group)
        return found


def column_name(name: object) -> str:
    """``name`` as a column's name."""
    if not isinstance(name, str) or not name.strip():
        raise ParameterError(f"a statistic is of a column, named by a text, got {name!r}")
    return name.strip()


def merged(queries: Sequence[MomentsQuery]) -> MomentsQuery:
    """One query that answers all: what one scan has to sum."""
    levels: dict[str, dict[str, None]] = {}
    groups: dict[str, tuple[str, ...]] = {}
    for query in queries:
        for column, found in query.levels.items():
            levels.setdefault(column, {}).update(dict.fromkeys(found))
        for column, declared in query.groups.items():
            if set(groups.setdefault(column, tuple(declared))) != set(declared):
                raise ParameterError(f"the groups of {column!r} are declared in two ways; declare them alike")
    return MomentsQuery(
        tuple(variable for query in queries for variable in query.variables),
        tuple(pair for query in queries for pair in query.products),
        {column: tuple(found) for column, found in levels.items()},
        groups,
        tuple(dict.fromkeys(column for query in queries for column in query.complete)),
    )


def ordered(first: Variable, second: Variable) -> tuple[Variable, Variable]:
    """The two variables of a product, in the order under which it is kept."""
    return (first, second) if first <= second else (second, first)


def _together(groups: Sequence[GroupSums], first: Variable, second: Variable) -> tuple[int, int, int, int]:
    """The records, sums and sum of products of several groups as one: n, S_x, S_y, S_xy."""
    pair = ordered(first, second)
    return (
        sum(group.n for group in groups),
        sum(group.sums[first] for group in groups),
        sum(group.sums[second] for group in groups),
        sum(group.products[pair] for group in groups),
    )


def _scatter(n: int, sum_first: int, sum_second: int, product: int) -> Fraction:
    """The sum of products about the means, S_xy - S_x S_y / n."""
    return Fraction(n * product - sum_first * sum_second, n)
