"""The statistics that can be released, as their curator declares them: columns and public bounds, never read from data.

Each kind answers the same questions in *units of the bounds* (0 is the lower bound, 1 the upper one; widths are 1):
what has to be summed, how far the value can move between neighbours, between which numbers it lies, and what it is.
The sensitivities and ranges are those of ``epsilens.sensitivity`` at bounds 0 and 1.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol

from epsilens import sensitivity
from epsilens.budget import Neighbours
from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.table.declared import declared_levels
from epsilens.table.moments import Moments, MomentsQuery, Variable, column_name

MAX_LEVELS = 1_000
ADDING_UP = ("simplex", "rescale")
"""How noisy shares are made to add up: the nearest that do, or each divided by their sum."""

Range = tuple[float, float]
Units = tuple[Fraction, Fraction]
"""Offset and width: a number u in units of the bounds is offset + width u in those of the data."""


class Statistic(Protocol):
    """What every kind of statistic answers."""

    kind: ClassVar[str]
    several_rows: ClassVar[bool]
    """Whether a person may have several rows: the change is then at most the sum of that many single changes."""

    @property
    def name(self) -> str:
        """``mean(age)``: public, and the same on every card."""

    @property
    def entries(self) -> tuple[str, ...]:
        """The names of its numbers; one empty name for a single number."""

    @property
    def query(self) -> MomentsQuery:
        """What has to be summed."""

    def sensitivity(self, n: int, neighbours: Neighbours) -> float:
        """How far all its numbers together can move (l1), in units of the bounds."""

    def ranges(self, n: int) -> list[Range]:
        """Between which numbers each entry lies, in units of the bounds."""

    def exact(self, moments: Moments) -> list[Fraction]:
        """Its numbers in units of the bounds, without noise: confidential."""

    def units(self) -> list[Units]:
        """How to turn each number into the units of the data."""

    def to_dict(self) -> dict[str, Any]:
        """The declaration in plain values."""


class Declared:
    """What the kinds share: how the declaration is written down, and what a single number answers."""

    kind: ClassVar[str]
    several_rows: ClassVar[bool] = True
    entries: tuple[str, ...] = ("",)

    def to_dict(self) -> dict[str, Any]:
        """The declaration in plain values, from which :func:`statistic_from` makes it again."""
        fields: Any = dataclasses.asdict(self)  # type: ignore[call-overload]
        return {"kind": self.kind, **{key: list(v) if isinstance(v, tuple) else v for key, v in fields.items()}}


def settle(statistic: object, **values: Any) -> None:
    """Put checked values in the place of those given, once, at construction."""
    for name, value in values.items():
        object.__setattr__(statistic, name, value)


@dataclass(frozen=True)
class Mean(Declared):
    """The mean of a column between public bounds."""

    column: str
    lower: float
    upper: float
    kind: ClassVar[str] = "mean"

    def __post_init__(self) -> None:
        settle(self, **vars(self.variable))

    @property
    def variable(self) -> Variable:
        """The column with its bounds."""
        return Variable(self.column, self.lower, self.upper)

    @property
    def name(self) -> str:
        return f"mean({self.column})"

    @property
    def query(self) -> MomentsQuery:
        return MomentsQuery(variables=(self.variable,))

    def sensitivity(self, n: int, neighbours: Neighbours) -> float:
        """See :func:`epsilens.sensitivity.mean`."""
        return sensitivity.mean(n, 0.0, 1.0, neighbours)

    def ranges(self, n: int) -> list[Range]:
        return [(0.0, 1.0)]

    def exact(self, moments: Moments) -> list[Fraction]:
        return [moments.mean(self.variable)]

    def units(self) -> list[Units]:
        return [(Fraction(self.lower), self.variable.width)]


@dataclass(frozen=True)
class Proportion(Declared):
    """The share of the people whose column has this level."""

    column: str
    level: str
    kind: ClassVar[str] = "proportion"

    def __post_init__(self) -> None:
        column = column_name(self.column)
        found = declared_levels(column, [self.level])
        settle(self, column=column, level=found[0])

    @property
    def name(self) -> str:
        return f"proportion({self.column} = {self.level})"

    @property
    def query(self) -> MomentsQuery:
        return MomentsQuery(levels={self.column: (self.level,)})

    def sensitivity(self, n: int, neighbours: Neighbours) -> float:
        """See :func:`epsilens.sensitivity.proportion`."""
        return sensitivity.proportion(n, neighbours)

    def ranges(self, n: int) -> list[Range]:
        return [(0.0, 1.0)]

    def exact(self, moments: Moments) -> list[Fraction]:
        return [moments.proportion(self.column, self.level)]

    def units(self) -> list[Units]:
        return [(Fraction(0), Fraction(1))]


@dataclass(frozen=True)
class Proportions(Declared):
    """The shares of all levels of a column, which are declared; they add up to one.

    ``adding_up`` says how noisy ones do: moved to the nearest shares that are not negative and add up (``"simplex"``),
    or clamped to [0, 1] and divided by their sum (``"rescale"``).
    """

    column: str
    levels: Sequence[str]
    adding_up: str = ADDING_UP[0]
    kind: ClassVar[str] = "proportions"

    def __post_init__(self) -> None:
        column = column_name(self.column)
        one_of("adding_up", self.adding_up, ADDING_UP)
        levels = declared_levels(column, self.levels)
        if not 2 <= len(levels) <= MAX_LEVELS:
            raise ParameterError(
                f"proportions of {column!r} need 2 to {MAX_LEVELS} levels, got {len(levels)}; for one level use "
                "proportion, for very many release a table of counts"
            )
        settle(self, column=column, levels=levels)

    @property
    def entries(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self.levels)

    @property
    def name(self) -> str:
        return f"proportions({self.column})"

    @property
    def query(self) -> MomentsQuery:
        return MomentsQuery(levels={self.column: tuple(self.levels)}, complete=(self.column,))

    def sensitivity(self, n: int, neighbours: Neighbours) -> float:
        """See :func:`epsilens.sensitivity.proportions`: 2 / n."""
        return sensitivity.proportions(n, neighbours)

    def ranges(self, n: int) -> list[Range]:
        return [(0.0, 1.0)] * len(self.levels)

    def exact(self, moments: Moments) -> list[Fraction]:
        return [moments.proportion(self.column, level) for level in self.levels]

    def to_dict(self) -> dict[str, Any]:
        """The declaration in plain values; as earlier versions wrote it where nothing else was chosen."""
        plain = super().to_dict()
        if self.adding_up == ADDING_UP[0]:
            del plain["adding_up"]
        return plain

    def units(self) -> list[Units]:
        return [(Fraction(0), Fraction(1))] * len(self.levels)
