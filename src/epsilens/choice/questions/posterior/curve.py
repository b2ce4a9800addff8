"""Expected risk of one noisy count against rho, for several priors."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from epsilens.budget import log_grid
from epsilens.checks import positive, probability, whole
from epsilens.choice.questions.posterior.adversaries import checked_families, told
from epsilens.choice.questions.posterior.budgets import at_least_one
from epsilens.errors import ParameterError
from epsilens.posterior.scenarios import FIVE_PRIORS
from epsilens.posterior.single import BudgetCurve, Fall, single_level_curve

MOST_POINTS = 10_000


@dataclass(frozen=True)
class Question:
    """``points`` values of rho, log-spaced from ``lowest`` to ``highest``, for each of the ``priors``.

    ``absent`` says that the person is in truth not there; ``family`` how many people share what is to be learnt;
    several sizes go with one prior.
    """

    lowest: float = 1e-3
    highest: float = 1e1
    points: int = 61
    priors: tuple[float, ...] = FIVE_PRIORS
    absent: bool = False
    family: tuple[int, ...] = (1,)

    def __post_init__(self) -> None:
        at_least_one("priors", self.priors)
        for prior in self.priors:
            probability("priors", prior)
        object.__setattr__(self, "family", checked_families(self.family, self.priors))
        if positive("highest", self.highest) < positive("lowest", self.lowest):
            raise ParameterError("must not be below `lowest`", parameter="highest", got=self.highest)
        if whole("points", self.points, 1 if self.lowest == self.highest else 2) > MOST_POINTS:
            raise ParameterError(f"must be at most {MOST_POINTS}", parameter="points", got=self.points)

    def checked_mark(self, mark: float) -> float:
        """A rho to point at in a chart of the curve, refused outside of it."""
        if not self.lowest <= positive("mark", mark) <= self.highest:
            raise ParameterError("must lie between `lowest` and `highest`", parameter="mark", got=mark)
        return mark


@dataclass(frozen=True, eq=False)
class Answer:
    """Expected posterior, ratio and right decisions by prior and rho; ``curve`` is that of the first family."""

    question: Question
    curve: BudgetCurve
    curves: tuple[BudgetCurve, ...] = ()
    """One for each size of a family."""

    @property
    def rows(self) -> list[dict[str, float]]:
        """One per family, prior and rho, rho running fastest."""
        return [
            {
                "prior": float(prior),
                "rho": float(rho),
                "posterior": float(found.posterior[i, j]),
                "risk_ratio": float(found.risk_ratio[i, j]),
                "correct_decision": float(found.correct_decision[i, j]),
                **told(members),
            }
            for members, found in zip(self.question.family, self.curves or (self.curve,), strict=True)
            for i, prior in enumerate(found.prior)
            for j, rho in enumerate(found.rho)
        ]

    @property
    def falls(self) -> tuple[Fall, ...]:
        """Where the ratio of a person who is there falls although rho grows; of one who is not it should."""
        return self.curve.falls if self.curve.present else ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        result: dict[str, Any] = {"label": "publishable", "present": self.curve.present, "rows": self.rows}
        return result | {"falls": [asdict(fall) for fall in self.falls]}


def answer(question: Question) -> Answer:
    """The curve."""
    rhos = log_grid(question.lowest, question.highest, question.points)
    curves = tuple(
        single_level_curve(rhos, list(question.priors), present=not question.absent, family=members)
        for members in question.family
    )
    return Answer(question, curves[0], curves)
