"""How the 2020 Census of the United States divided its privacy budget, as a preset, and what that budget means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from epsilens.budget import ZCDP
from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.notebook import brief, facts_html

_SMALLEST_RHO, _LARGEST_RHO = 1e-20, 1e12


@dataclass(frozen=True)
class LevelAllocation:
    """One level's share of the total budget, and the share of that which the detailed histogram gets.

    The rest of the level's budget goes to the ten coarser queries of the same people.
    """

    level: str
    share_of_total: Fraction
    histogram_share: Fraction


@dataclass(frozen=True)
class Conversion:
    """A zCDP budget as (epsilon, delta): by the simple theorem, and by the best possible conversion."""

    rho: float
    delta: float
    published_epsilon: float
    epsilon: float

    __repr__ = brief
    _repr_html_ = facts_html


@dataclass(frozen=True)
class RhoAllocation:
    """A total rho, divided over the levels of a hierarchy (lowest first) and within a level over queries."""

    name: str
    total_rho: float
    levels: tuple[LevelAllocation, ...]

    __repr__ = brief

    @property
    def level_names(self) -> tuple[str, ...]:
        """Lowest first."""
        return tuple(level.level for level in self.levels)

    def level_rho(self, level: str) -> float:
        """All queries of one level."""
        return float(self.total_rho * self._level(level).share_of_total)

    def histogram_rho(self, level: str) -> float:
        """The detailed histogram of one level."""
        return float(self.total_rho * self._level(level).share_of_total * self._level(level).histogram_share)

    @property
    def histogram_rhos(self) -> tuple[float, ...]:
        """The detailed histogram, lowest level first: what :func:`unique_at_levels` and :func:`tree` take as rho."""
        return tuple(self.histogram_rho(level) for level in self.level_names)

    def conversion(self, delta: float = 1e-10) -> Conversion:
        """The total as (epsilon, delta)."""
        return converted(self.total_rho, delta)

    def _level(self, name: str) -> LevelAllocation:
        one_of("level", name, self.level_names)
        return next(level for level in self.levels if level.level == name)


CENSUS_2020 = RhoAllocation(
    "2020 Census, redistricting file, tables of persons",
    2.56,
    (
        LevelAllocation("block", Fraction(165, 4099), Fraction(3945, 4097)),
        LevelAllocation("block group", Fraction(1256, 4099), Fraction(1288, 4099)),
        LevelAllocation("tract", Fraction(687, 4099), Fraction(241, 2051)),
        LevelAllocation("county", Fraction(447, 4099), Fraction(754, 4097)),
        LevelAllocation("state", Fraction(1440, 4099), Fraction(230, 4097)),
        LevelAllocation("nation", Fraction(104, 4099), Fraction(189, 241)),
    ),
)
"""Total rho 2.56; "block group" is the optimized block group, the histogram is the GVHR query. Source: P4 Table 2."""


def converted(rho: float, delta: float) -> Conversion:
    """rho-zCDP as (epsilon, delta)-DP, by the simple theorem and by the best conversion, side by side.

    Simple: epsilon = rho + 2 sqrt(rho log(1 / delta)). Best: the smallest epsilon that rho-zCDP implies at delta.

    Source: P4 Theorem 1.
    Assumes nothing about the mechanism but rho-zCDP.
    """
    budget = ZCDP(rho)
    if not _SMALLEST_RHO <= budget.rho <= _LARGEST_RHO:
        raise ParameterError(
            f"is converted between {_SMALLEST_RHO:g} and {_LARGEST_RHO:g}", parameter="rho", got=budget.rho
        )
    return Conversion(budget.rho, delta, budget.published_epsilon(delta), budget.epsilon(delta))


def conversions(rhos: Sequence[float], delta: float) -> tuple[Conversion, ...]:
    """:func:`converted` for several budgets at the same delta."""
    return tuple(converted(rho, delta) for rho in rhos)
