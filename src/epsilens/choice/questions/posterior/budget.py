"""What budgets of zCDP mean as epsilon and delta."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from epsilens.checks import positive, probability
from epsilens.choice.questions.posterior.budgets import at_least_one
from epsilens.posterior.census_2020 import Conversion, converted


@dataclass(frozen=True)
class Question:
    """Budgets, each of which is to be expressed as epsilon at each ``delta``."""

    rho: tuple[float, ...]
    delta: tuple[float, ...] = (1e-10,)

    def __post_init__(self) -> None:
        at_least_one("rho", self.rho)
        at_least_one("delta", self.delta)
        for budget in self.rho:
            positive("rho", budget)
        for delta in self.delta:
            probability("delta", delta)


@dataclass(frozen=True)
class Answer:
    """Every budget at every delta, by the simple theorem and by the best conversion."""

    question: Question
    conversions: tuple[Conversion, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"label": "publishable", "rows": [asdict(conversion) for conversion in self.conversions]}


def answer(question: Question) -> Answer:
    """The conversions, delta running fastest."""
    return Answer(question, tuple(converted(rho, delta) for rho in question.rho for delta in question.delta))
