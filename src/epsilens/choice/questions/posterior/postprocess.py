"""Does post-processing raise risk?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from epsilens.checks import positive, probability, whole
from epsilens.choice.questions.posterior.budgets import at_least_one
from epsilens.errors import ParameterError
from epsilens.posterior.postprocessing import PostprocessingCheck, postprocessing_check


@dataclass(frozen=True)
class Question:
    """Every ``shown`` count of the parent at every budget of the group, with both steps of post-processing."""

    shown: tuple[int, ...] = (1, 2, 5, 10, 20)
    siblings: int = 27
    rho: tuple[float, ...] = (0.099,)
    prior: float = 0.5

    def __post_init__(self) -> None:
        at_least_one("shown", self.shown)
        at_least_one("rho", self.rho)
        object.__setattr__(self, "shown", tuple(whole("shown", count, 0) for count in self.shown))
        whole("siblings", self.siblings, 1)
        for budget in self.rho:
            positive("rho", budget)
        probability("prior", self.prior)

    def check_drawn(self, axis: str) -> None:
        """Refuse a chart along an axis ("shown" or "rho") that there is nothing to draw along."""
        if axis == "rho" and len(set(self.rho)) < 2:
            raise ParameterError("needs several budgets in `rho`, such as 0.01:10:13", parameter="axis", got=axis)


@dataclass(frozen=True)
class Answer:
    """Risks over the grid, and what they say together."""

    question: Question
    check: PostprocessingCheck

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One per step, budget and shown count."""
        return [
            {
                "rho": rho,
                **asdict(row),
                "raises_risk": row.raises_risk,
                "exceeds_child_alone": row.exceeds_child_alone,
            }
            for row, rho in zip(self.check.rows, self.check.rhos, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"label": "publishable", "verdict": self.check.verdict, "rows": self.rows}


def answer(question: Question) -> Answer:
    """The risks with and without post-processing."""
    return Answer(question, postprocessing_check(question.shown, question.siblings, question.rho, question.prior))
