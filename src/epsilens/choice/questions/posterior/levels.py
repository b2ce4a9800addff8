"""Somebody unique at 1, 2, 3, ... levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from epsilens.arrays import FloatArray
from epsilens.checks import probability
from epsilens.choice.questions.posterior.adversaries import checked_families, told
from epsilens.choice.questions.posterior.budgets import at_least_one, rhos_of_levels
from epsilens.posterior.combined import unique_levels_curve
from epsilens.posterior.scenarios import FIVE_PRIORS


@dataclass(frozen=True)
class Question:
    """Budgets by level, lowest first, or those of a ``preset``; for each of the ``priors``.

    ``absent`` says that the person is in truth not there; ``family`` how many people share what is to be learnt;
    several sizes go with one prior.
    """

    rho: tuple[float, ...] = ()
    preset: str | None = None
    priors: tuple[float, ...] = FIVE_PRIORS
    absent: bool = False
    family: tuple[int, ...] = (1,)

    def __post_init__(self) -> None:
        at_least_one("priors", self.priors)
        for prior in self.priors:
            probability("priors", prior)
        object.__setattr__(self, "family", checked_families(self.family, self.priors))
        rhos_of_levels(self.rho, self.preset)


@dataclass(frozen=True, eq=False)
class Answer:
    """Expected posterior, ratio and right decisions by prior and number of levels; ``curve`` is of the first family."""

    question: Question
    curve: dict[str, FloatArray]
    curves: tuple[dict[str, FloatArray], ...] = ()
    """One for each size of a family."""

    @property
    def rows(self) -> list[dict[str, float]]:
        """One per family, prior and number of levels, the latter running fastest."""
        return [
            {"prior": float(prior), "levels": int(level), **told(members)}
            | {name: float(found[name][i, j]) for name in ("posterior", "risk_ratio", "correct_decision")}
            for members, found in zip(self.question.family, self.curves or (self.curve,), strict=True)
            for i, prior in enumerate(found["prior"])
            for j, level in enumerate(found["levels"])
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"label": "publishable", "present": not self.question.absent, "rows": self.rows}


def answer(question: Question) -> Answer:
    """Expected risk by the number of levels."""
    rhos = rhos_of_levels(question.rho, question.preset)
    curves = tuple(
        unique_levels_curve(rhos, question.priors, present=not question.absent, family=members)
        for members in question.family
    )
    return Answer(question, curves[0], curves)
