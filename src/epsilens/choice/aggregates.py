"""From one risk per kind of cell to the one number that a ceiling is put on.

Every aggregate here is an average or an order statistic, so it moves by no more than the risks of the cells do. That is
what lets a scan over budgets say how far the risk can rise between two budgets that it looked at. "At most m people may
be at a risk above t" is no exception: it says that the risk of the (m + 1)-th most exposed person is at most t.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.checks import did_you_mean, probability, whole
from epsilens.errors import ParameterError


@dataclass(frozen=True)
class MeanRisk:
    """sum of w_i risk_i, with w_i = n_i / n (``weighted``) or 1 / (number of cells). Source: P0 Eq. (12)."""

    weighted: bool = True
    needs_cells = False

    @property
    def name(self) -> str:
        """As the command line spells it."""
        return "mean" if self.weighted else "cell-mean"

    @property
    def words(self) -> str:
        """In words."""
        return f"average risk over {'people' if self.weighted else 'cells'}"

    def value(self, risks: FloatArray, people: IntArray, cells: IntArray) -> float:
        """The average."""
        weights = people if self.weighted else cells
        return float((weights * risks).sum() / weights.sum())  # a matrix product wakes threads for nothing


@dataclass(frozen=True)
class Maximum:
    """The largest risk of any cell with people in it."""

    name = "max"
    words = "risk of the most exposed cell"
    needs_cells = True

    def value(self, risks: FloatArray, people: IntArray, cells: IntArray) -> float:
        """The maximum."""
        return float(risks[people > 0].max())


@dataclass(frozen=True)
class Quantile:
    """The least risk that a share ``level`` of the people (or of the cells) do not exceed."""

    level: float
    weighted: bool = True
    needs_cells = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", probability("a quantile", self.level))

    @property
    def name(self) -> str:
        """As the command line spells it."""
        return f"{'' if self.weighted else 'cell-'}q{100 * self.level:g}"

    @property
    def words(self) -> str:
        """In words."""
        return f"risk that {100 * self.level:g} % of {'people' if self.weighted else 'cells'} do not exceed"

    def value(self, risks: FloatArray, people: IntArray, cells: IntArray) -> float:
        """The quantile."""
        weights = people if self.weighted else cells
        order = np.argsort(risks, kind="stable")
        reached = np.cumsum(weights[order])
        # a share of 0.95 of 20 people is 19 of them, whatever 0.95 * 20 is in binary
        wanted = self.level * float(reached[-1]) * (1.0 - 1e-12)
        return float(risks[order][np.searchsorted(reached, wanted, side="left")])


@dataclass(frozen=True)
class PeopleAbove:
    """The risk of the (``limit`` + 1)-th most exposed person: at or below t exactly when at most ``limit`` exceed t."""

    limit: int
    needs_cells = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", whole("limit", self.limit, 0))

    @property
    def name(self) -> str:
        """As the command line spells it."""
        return f"people-above-{self.limit}"

    @property
    def words(self) -> str:
        """In words."""
        if self.limit == 0:
            return "largest risk of anybody"
        return f"risk that all but {self.limit} {'person' if self.limit == 1 else 'people'} do not exceed"

    def value(self, risks: FloatArray, people: IntArray, cells: IntArray) -> float:
        """The order statistic; 0 where no more than ``limit`` people are in the table."""
        order = np.argsort(-risks, kind="stable")
        position = int(np.searchsorted(np.cumsum(people[order]), self.limit, side="right"))
        return float(risks[order][position]) if position < len(order) else 0.0


AnyAggregate: TypeAlias = MeanRisk | Maximum | Quantile | PeopleAbove
NAMES = ("mean", "cell-mean", "max", "q95", "cell-q95")
Mean = MeanRisk
"""The name it had before; ``epsilens.Mean`` is the statistic."""


def aggregate(spec: str | AnyAggregate) -> AnyAggregate:
    """The aggregate that a text means: mean, cell-mean, max, q95 (a quantile over people) or cell-q95."""
    if spec == "max":
        return Maximum()
    if isinstance(spec, str) and spec in {"mean", "cell-mean"}:
        return MeanRisk(spec == "mean")
    if isinstance(spec, str) and (found := re.fullmatch(r"(cell-)?q(\d{1,2}(?:\.\d+)?)", spec)):
        return Quantile(float(found[2]) / 100.0, found[1] is None)
    if not isinstance(spec, str) and hasattr(spec, "needs_cells"):
        return spec
    given = f"{spec!r}{did_you_mean(spec, NAMES)}" if isinstance(spec, str) else f"an object {type(spec).__name__}"
    raise ParameterError(
        f"must be mean, cell-mean, max, or a quantile such as q95; got {given}", parameter="aggregate_by"
    )
