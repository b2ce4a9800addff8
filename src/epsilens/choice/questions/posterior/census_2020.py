"""How the 2020 Census divided rho over levels, and what it means as epsilon and delta."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from epsilens.checks import probability
from epsilens.posterior.census_2020 import CENSUS_2020, Conversion, converted


@dataclass(frozen=True)
class Question:
    """The delta at which rho is to be expressed as epsilon."""

    delta: float = 1e-10

    def __post_init__(self) -> None:
        probability("delta", self.delta)


@dataclass(frozen=True)
class LevelBudget:
    """One level's budget, what of it the detailed histogram gets, and the whole as epsilon."""

    level: str
    level_rho: float
    histogram_rho: float
    epsilon: float
    published_epsilon: float


@dataclass(frozen=True)
class Answer:
    """The budgets by level, lowest first, and their total as (epsilon, delta)."""

    question: Question
    name: str
    levels: tuple[LevelBudget, ...]
    total: Conversion

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "label": "publishable",
            "name": self.name,
            "delta": self.question.delta,
            "rows": [asdict(level) for level in self.levels],
            "total": asdict(self.total),
        }


def answer(question: Question) -> Answer:
    """The budgets of all levels, lowest first, and the total."""
    levels = tuple(
        LevelBudget(
            level,
            CENSUS_2020.level_rho(level),
            CENSUS_2020.histogram_rho(level),
            (conversion := converted(CENSUS_2020.level_rho(level), question.delta)).epsilon,
            conversion.published_epsilon,
        )
        for level in CENSUS_2020.level_names
    )
    return Answer(question, CENSUS_2020.name, levels, CENSUS_2020.conversion(question.delta))
