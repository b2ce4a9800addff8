"""A group, its parent and its siblings: the exact posterior, or averages over the noise."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from epsilens.arrays import as_floats
from epsilens.checks import positive, probability, whole
from epsilens.choice.questions.posterior.adversaries import told
from epsilens.errors import ParameterError
from epsilens.posterior.noises import family_size
from epsilens.posterior.single import expected_single_level
from epsilens.posterior.two_levels.expected import DecisionMap, ExpectedTwoLevel, decision_map, expected_two_level
from epsilens.posterior.two_levels.parent_priors import ParentPrior, parent_prior_named
from epsilens.posterior.two_levels.posterior import TwoLevelPosterior, two_level

_MOST_PANELS = 10


@dataclass(frozen=True)
class Question:
    """Either three noisy counts (the posterior) or true counts of the parent (averages over the noise).

    ``rho`` holds the budgets of the group and of the parent; ``parent_rho`` several budgets of the parent in place of
    its second. ``parent_prior`` is "uniform", "uniform:HIGHEST" or "point:COUNT". ``known`` says how many others of the
    group are known; ``absent`` that the person is in truth not there, which matters to averages only; ``family`` how
    many people share what is to be learnt, and are in the group together or not at all.
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
    known: int = 0
    absent: bool = False
    family: int = 1

    def __post_init__(self) -> None:
        least = whole("known", self.known, 0) + (0 if self.absent else family_size(self.family))
        object.__setattr__(
            self,
            "parents",
            tuple(whole("parents", parent, least, "it counts at least its child") for parent in self.parents),
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
        if all(seen) and self.absent:
            raise ParameterError(
                "goes with `parents`: what noisy counts tell does not depend on whether the person is there",
                parameter="absent",
            )
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

    def check_drawn(self, axis: str) -> None:
        """Refuse a chart along an axis ("parent" or "rho") that there is nothing to draw along."""
        if not self.parents:
            raise ParameterError("right decisions by parent count need `parents`, such as 1,2,3")
        if axis == "rho" and len(set(self.parent_rho)) < 2:
            raise ParameterError(
                "needs several budgets in `parent_rho`, such as 0.01:10:13", parameter="axis", got=axis
            )

    def is_within(self, rho: float) -> bool:
        """Whether a budget of the parent lies among those that are compared."""
        return bool(self.parent_rho) and min(self.parent_rho) <= rho <= max(self.parent_rho)

    def decision_map(self) -> DecisionMap:
        """Where the hierarchy changes the adversary's mind, for a chart; the first parent count is taken as true."""
        if self.family > _MOST_PANELS:
            raise ParameterError(
                f"must be at most {_MOST_PANELS} for a map, which has a panel for each noisy count of the group",
                parameter="family",
                got=self.family,
            )
        return decision_map(
            max(self.parents[0] if self.parents else 1, self.known + self.family),
            self.siblings,
            self.budgets,
            child_range=(self.known - 1, self.known + self.family + 1),
            parent_range=(self.known - 3, self.known + self.family + 4),
            prior=self.prior,
            known=self.known,
            parent_prior=self.law_of_parent,
            published=self.published,
            family=self.family,
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

    def curve(self) -> dict[str, Any]:
        """The averages as arrays (parents x budgets of the parent), beside those of the group alone, for a chart."""
        self.question.check_drawn("parent")
        budgets = self.question.parent_rho or (self.question.rho[1],)
        shape = (len(self.question.parents), len(budgets))
        asked = self.question
        alone = expected_single_level(asked.rho[0], asked.prior, present=not asked.absent, family=asked.family)
        return {
            "present": not self.question.absent,
            "posterior_alone": np.full(shape, alone.posterior),
            "risk_ratio_alone": np.full(shape, alone.risk_ratio),
            "parent": as_floats(self.question.parents),
            "parent_rho": as_floats(budgets),
            **{
                name: as_floats([getattr(average.risk, name) for average in self.averages]).reshape(shape)
                for name in ("posterior", "risk_ratio", "correct_decision", "correct_decision_alone")
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
            "known": asked.known,
            **told(asked.family),
            "present": not asked.absent,
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
            question.known,
            parent_prior=question.law_of_parent,
            published=question.published,
            family=question.family,
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
                question.known,
                parent_prior=question.law_of_parent,
                published=question.published,
                present=not question.absent,
                family=question.family,
            ),
        )
        for parent in question.parents
        for budget in question.parent_rho or (question.rho[1],)
    )
    return Answer(question, None, averages)
