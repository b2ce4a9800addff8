"""Variances and covariances that can be released: of one sample, as a matrix, and pooled over declared groups.

Pooled ones take the safe sensitivity: which group a record is in is a fact about a person, so a replaced record may
change its group, group sizes are private, and only their number and n enter the noise.
"""

from __future__ import annotations

import dataclasses
import itertools
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from epsilens import sensitivity
from epsilens.budget import Neighbours
from epsilens.checks import did_you_mean, one_of
from epsilens.errors import ParameterError
from epsilens.release.statistics.kinds import (
    Declared,
    Mean,
    Proportion,
    Proportions,
    Range,
    Statistic,
    Units,
    settle,
)
from epsilens.table.declared import declared_levels
from epsilens.table.moments import Moments, MomentsQuery, Variable, column_name

MAX_MATRIX = 100
ZEROS, ONES = (0.0, 0.0), (1.0, 1.0)


class _OneCovariance(Declared):
    """What a single (co)variance of two variables, which may be one and the same, answers."""

    @property
    @abstractmethod
    def variables(self) -> tuple[Variable, ...]:
        """The column with its bounds, or the two columns with theirs."""

    @property
    def name(self) -> str:
        return f"{self.kind}({', '.join(variable.column for variable in self.variables)})"

    @property
    def query(self) -> MomentsQuery:
        return MomentsQuery(products=((self.variables[0], self.variables[-1]),))

    def exact(self, moments: Moments) -> list[Fraction]:
        return [moments.covariance(self.variables[0], self.variables[-1])]

    def units(self) -> list[Units]:
        return [(Fraction(0), self.variables[0].width * self.variables[-1].width)]


class _Pooled(_OneCovariance):
    """What a (co)variance pooled over declared groups answers."""

    several_rows: ClassVar[bool] = False
    group: str
    groups: Sequence[str]

    @property
    def name(self) -> str:
        return f"{self.kind}({', '.join(variable.column for variable in self.variables)} by {self.group})"

    @property
    def query(self) -> MomentsQuery:
        return MomentsQuery(
            products=((self.variables[0], self.variables[-1]),), groups={self.group: tuple(self.groups)}
        )

    def exact(self, moments: Moments) -> list[Fraction]:
        return [moments.pooled_covariance(self.variables[0], self.variables[-1], self.group)]

    def _sizes(self, n: int) -> tuple[int, ...]:
        """Sizes of n records in J groups: the split with the largest (co)variance, all groups but one having two.

        The sensitivity that hides the sizes is the same for every split, also where groups have one record or none;
        the range must hold all of them.
        """
        groups = len(self.groups)
        where = "its group" if groups == 1 else f"each of its {groups} groups"
        if n < 2 * groups:
            raise ParameterError(
                f"must be >= {2 * groups} ({self.name} needs two records in {where})",
                parameter="n",
                got=n,
            )
        return (*([2] * (groups - 1)), n - 2 * (groups - 1))

    def _settle_groups(self) -> None:
        column = column_name(self.group)
        settle(self, group=column, groups=declared_levels(column, self.groups))


@dataclass(frozen=True)
class Variance(_OneCovariance):
    """The sample variance (denominator n - 1) of a column between public bounds."""

    column: str
    lower: float
    upper: float
    kind: ClassVar[str] = "variance"

    def __post_init__(self) -> None:
        settle(self, **vars(self.variables[0]))

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The column with its bounds."""
        return (Variable(self.column, self.lower, self.upper),)

    def sensitivity(self, n: int, neighbours: Neighbours) -> float:
        """See :func:`epsilens.sensitivity.variance`."""
        return sensitivity.variance(n, 0.0, 1.0, neighbours)

    def ranges(self, n: int) -> list[Range]:
        """See :func:`epsilens.sensitivity.variance_range`."""
        return [sensitivity.variance_range(n, 0.0, 1.0)]


@dataclass(frozen=True)
class Covariance(_OneCovariance):
    """The sample covariance (denominator n - 1) of two columns between public bounds."""

    columns: Sequence[str]
    lower: Sequence[float]
    upper: Sequence[float]
    kind: ClassVar[str] = "covariance"

    def __post_init__(self) -> None:
        _settle_columns(self, 2)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The two columns with their bounds."""
        return _variables(self.columns, self.lower, self.upper)

    def sensitivity(self, n: int, neighbours: Neighbours) -> float:
        """See :func:`epsilens.sensitivity.covariance`."""
        return sensitivity.covariance(n, ZEROS, ONES, neighbours)

    def ranges(self, n: int) -> list[Range]:
        """See :func:`epsilens.sensitivity.covariance_range`."""
        return [sensitivity.covariance_range(n, ZEROS, ONES)]


@dataclass(frozen=True)
class PooledVariance(_Pooled):
    """The variance of a column about the means of its groups, pooled over the declared ``groups``."""

    column: str
    lower: float
    upper: float
    group: str
    groups: Sequence[str]
    kind: ClassVar[str] = "pooled-variance"

    def __post_init__(self) -> None:
        settle(self, **vars(self.variables[0]))
        self._settle_groups()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The column with its bounds."""
        return (Variable(self.column, self.lower, self.upper),)

    def sensitivity(self, n: int, neighbours: Neighbours) -> float:
        """See :func:`epsilens.sensitivity.pooled_variance`."""
        return sensitivity.pooled_variance(self._sizes(n), 0.0, 1.0, neighbours, True, reveal_largest=False)

    def ranges(self, n: int) -> list[Range]:
        """See :func:`epsilens.sensitivity.pooled_variance_range`."""
        return [sensitivity.pooled_variance_range(self._sizes(n), 0.0, 1.0)]


@dataclass(frozen=True)
class PooledCovariance(_Pooled):
    """The covariance of two columns about the means of their groups, pooled over the declared ``groups``."""

    columns: Sequence[str]
    lower: Sequence[float]
    upper: Sequence[float]
    group: str
    groups: Sequence[str]
    kind: ClassVar[str] = "pooled-covariance"

    def __post_init__(self) -> None:
        _settle_columns(self, 2)
        self._settle_groups()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The two columns with their bounds."""
        return _variables(self.columns, self.lower, self.upper)

    def sensitivity(self, n: int, neighbours: Neighbours) -> float:
        """See :func:`epsilens.sensitivity.pooled_covariance`."""
        return sensitivity.pooled_covariance(self._sizes(n), ZEROS, ONES, neighbours, True, reveal_largest=False)

    def ranges(self, n: int) -> list[Range]:
        """See :func:`epsilens.sensitivity.pooled_covariance_range`."""
        return [sensitivity.pooled_covariance_range(self._sizes(n), ZEROS, ONES)]


@dataclass(frozen=True)
class CovarianceMatrix(Declared):
    """The covariance matrix of several columns: its upper triangle gets noise, then it is made positive semidefinite.

    All p (p + 1) / 2 entries together move by p (p + 1) / 2 times 1 / n in units of the bounds' widths, and not less:
    with all other records at the lower bounds, a record at all upper bounds that comes, goes, or moves to the lower
    bounds changes every entry by 1 / n.
    """

    columns: Sequence[str]
    lower: Sequence[float]
    upper: Sequence[float]
    kind: ClassVar[str] = "covariance-matrix"

    def __post_init__(self) -> None:
        _settle_columns(self, MAX_MATRIX)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The columns with their bounds."""
        return _variables(self.columns, self.lower, self.upper)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The positions of the upper triangle, row by row."""
        return tuple(itertools.combinations_with_replacement(range(len(self.columns)), 2))

    @property
    def entries(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(f"{self.columns[i]}, {self.columns[j]}" for i, j in self.pairs)

    @property
    def name(self) -> str:
        return f"covariance-matrix({', '.join(self.columns)})"

    @property
    def query(self) -> MomentsQuery:
        found = self.variables
        return MomentsQuery(products=tuple((found[i], found[j]) for i, j in self.pairs))

    def sensitivity(self, n: int, neighbours: Neighbours) -> float:
        """The entries' sensitivities added up; attained, see the class."""
        off = sensitivity.covariance(n, ZEROS, ONES, neighbours)
        own = sensitivity.variance(n, 0.0, 1.0, neighbours)
        p = len(self.columns)
        return p * own + (len(self.pairs) - p) * off

    def ranges(self, n: int) -> list[Range]:
        """See :func:`epsilens.sensitivity.variance_range` and :func:`epsilens.sensitivity.covariance_range`."""
        own, off = sensitivity.variance_range(n, 0.0, 1.0), sensitivity.covariance_range(n, ZEROS, ONES)
        return [own if i == j else off for i, j in self.pairs]

    def exact(self, moments: Moments) -> list[Fraction]:
        found = self.variables
        return [moments.covariance(found[i], found[j]) for i, j in self.pairs]

    def units(self) -> list[Units]:
        found = self.variables
        return [(Fraction(0), found[i].width * found[j].width) for i, j in self.pairs]


KINDS: dict[str, type[Statistic]] = {
    kind.kind: kind
    for kind in (
        Mean,
        Proportion,
        Proportions,
        Variance,
        Covariance,
        CovarianceMatrix,
        PooledVariance,
        PooledCovariance,
    )
}


def statistic_from(plain: Any) -> Statistic:
    """The statistic that plain values declare, as in a JSON file: ``{"kind": "mean", "column": .., "lower": ..}``."""
    if not isinstance(plain, dict) or not isinstance(plain.get("kind"), str):
        raise ParameterError('a statistic must be an object with its "kind", such as {"kind": "mean", ...}')
    kind: Any = KINDS[one_of("kind", plain["kind"], KINDS)]
    wanted = [found.name for found in dataclasses.fields(kind)]
    given = {name: value for name, value in plain.items() if name != "kind"}
    for name in given:
        if name not in wanted:
            raise ParameterError(f"a {kind.kind} has {', '.join(wanted)}; got {name!r}{did_you_mean(name, wanted)}")
    needed = [field.name for field in dataclasses.fields(kind) if field.default is dataclasses.MISSING]
    if missing := [name for name in needed if name not in given]:
        raise ParameterError(f"a {kind.kind} needs {', '.join(needed)}; {', '.join(missing)} not given")
    found: Statistic = kind(**given)
    return found


def _variables(columns: Sequence[str], lower: Sequence[float], upper: Sequence[float]) -> tuple[Variable, ...]:
    return tuple(Variable(*bounded) for bounded in zip(columns, lower, upper, strict=True))


def _settle_columns(statistic: Covariance | PooledCovariance | CovarianceMatrix, most: int) -> None:
    """Columns and bounds as tuples of the same length, none twice."""
    kind = statistic.kind
    parts = {}
    for role in ("columns", "lower", "upper"):
        values = getattr(statistic, role)
        if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
            raise ParameterError(
                f"of a {kind} must be a list, one item for each column", parameter=role, got=repr(values)
            )
        parts[role] = tuple(values)
    size = len(parts["columns"])
    if not 2 <= size <= most:
        raise ParameterError(f"a {kind} needs {'two columns' if most == 2 else f'2 to {most} columns'}, got {size}")
    for role in ("lower", "upper"):
        if len(parts[role]) != size:
            raise ParameterError(
                f"must hold one bound for each of the {size} columns", parameter=role, got=len(parts[role])
            )
    found = _variables(**parts)
    names = tuple(variable.column for variable in found)
    if len(set(names)) < size:
        raise ParameterError(f"a {kind} names a column twice; the covariance of a column with itself is its variance")
    settle(statistic, columns=names, lower=tuple(v.lower for v in found), upper=tuple(v.upper for v in found))
