"""A group, its parent and its siblings: the exact posterior, or averages over the noise."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import positive, probability, whole
from epsilens.errors import ParameterError
from epsilens.posterior.two_levels.expected import DecisionMap, ExpectedTwoLevel, decision_map, expected_two_level
from epsilens.posterior.two_levels.parent_priors import ParentPrior, parent_prior_named
from epsilens.posterior.two_levels.posterior import TwoLevelPosterior, two_level


@dataclass(frozen=True)
class Question:
    """Either three noisy counts (the posterior) or true counts of the parent (averages over the noise).

    ``rho`` holds the budgets of the group and of the parent; ``parent_rho`` several budgets of the parent in place of
    its second. ``parent_prior`` is "uniform", "uniform:HIGHEST" or "point:COUNT".
    """

    siblings: int
    rho: tuple[float, ...]
    noisy: int | None = None
    noisy_parent: int | None = None
    noisy_siblings: int | None = None
    parents: tuple[int, ...] = ()
    parent_rho: tuple[float, ...] = ()
    prior: float = 0.5
    parent_prior: str = "uniform"
    published: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(
            self,
            "parents",
            tuple(whole("parents", parent, 1, "it counts at least its child") for parent in self.parents),
        )
        if len(self.rho) != 2:
            raise ParameterError("needs two budgets, group and parent", parameter="rho", got=len(self.rho))
        for name, budgets in (("rho", self.rho), ("parent_rho", self.parent_rho)):
            for budget in budgets:
                positive(name, budget)
        seen = [value is not None for value in (self.noisy, self.noisy_parent, self.noisy_siblings)]
        if all(seen) == bool(self.parents) or any(seen) != all(seen):
            raise ParameterError("give either `noisy`, `noisy_parent` and `noisy_siblings`, or `parents`")
        if all(seen) and self.parent_rho:
            raise ParameterError("`parent_rho` goes with `parents`; with noisy counts the parent's budget is in `rho`")
        if whole("siblings", self.siblings) < 1:
            raise ParameterError(
                "must be >= 1",
                parameter="siblings",
                got=self.siblings,
                remedy="an only child's parent counts the same people, so it is unique at both levels",
            )
        probability("prior", self.prior)
        parent_prior_named(self.parent_prior)

    @property
    def budgets(self) -> tuple[float, float]:
        """Of the group and of the parent."""
        return self.rho[0], self.rho[1]

    @property
    def law_of_parent(self) -> ParentPrior:
        """What the adversary believes about the parent's count beforehand."""
        return parent_prior_named(self.parent_prior)

    def decision_map(self) -> DecisionMap:
        """Where the hierarchy changes the adversary's mind, for a chart; the first parent count is taken as true."""
        return decision_map(
            self.parents[0] if self.parents else 1,
            self.siblings,
            self.budgets,
            prior=self.prior,
            parent_prior=self.law_of_parent,
            published=self.published,
        )


@dataclass(frozen=True)
class Average:
    """Averages over the noise at one true count of the parent and one budget of it."""

    parent: int
    parent_rho: float
    risk: ExpectedTwoLevel

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        asked = {"parent": self.parent, "parent_rho": self.parent_rho}
        return {**asked, **asdict(self.risk), "net_gain": self.risk.net_gain}


@dataclass(frozen=True)
class Answer:
    """The posterior given three noisy counts, or else averages."""

    question: Question
    found: TwoLevelPosterior | None
    averages: tuple[Average, ...]

    def curve(self) -> dict[str, FloatArray]:
        """The averages as arrays (parents x budgets of the parent), for a chart of right decisions by parent count."""
        if not self.averages:
            raise ParameterError("right decisions by parent count need `parents`, such as 1,2,3")
        budgets = self.question.parent_rho or (self.question.rho[1],)
        shape = (len(self.question.parents), len(budgets))
        return {
            "parent": as_floats(self.question.parents),
            "parent_rho": as_floats(budgets),
            **{
                name: as_floats([getattr(average.risk, name) for average in self.averages]).reshape(shape)
                for name in ("correct_decision", "correct_decision_alone")
            },
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        asked = self.question
        result = {
            "label": "publishable",
            "prior": asked.prior,
            "siblings": asked.siblings,
            "rho": list(asked.rho),
            "published": asked.published,
        }
        if self.found is None:
            return result | {"rows": [average.to_dict() for average in self.averages]}
        return result | {
            "posterior": self.found.posterior,
            "risk_ratio": self.found.risk_ratio,
            "law": self.found.law,
            "alone": self.found.alone.posterior,
            "parent_pmf": self.found.parent_pmf,
        }


def answer(question: Question) -> Answer:
    """The posterior, or averages for each parent count and each budget of the parent."""
    if question.noisy is not None and question.noisy_parent is not None and question.noisy_siblings is not None:
        found = two_level(
            question.noisy,
            question.noisy_parent,
            question.noisy_siblings,
            question.siblings,
            question.budgets,
            question.prior,
            parent_prior=question.law_of_parent,
            published=question.published,
        )
        return Answer(question, found, ())
    averages = tuple(
        Average(
            parent,
            budget,
            expected_two_level(
                parent,
                question.siblings,
                (question.rho[0], budget),
                question.prior,
                parent_prior=question.law_of_parent,
                published=question.published,
            ),
        )
        for parent in question.parents
        for budget in question.parent_rho or (question.rho[1],)
    )
    return Answer(question, None, averages)
