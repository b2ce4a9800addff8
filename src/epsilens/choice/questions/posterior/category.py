"""Which of C categories is the person's?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from epsilens.checks import positive, whole
from epsilens.errors import ParameterError
from epsilens.posterior.categories import CategoryPosterior, ExpectedCategories, categories, expected_categories


@dataclass(frozen=True)
class Question:
    """Either the noisy counts of a histogram with the counts without the person, or how many categories there are.

    ``prior`` holds one probability per category; without it all are equally likely.
    """

    rho: float | None = None
    categories: int | None = None
    prior: tuple[float, ...] = ()
    true_category: int = 0
    noisy: tuple[float, ...] = ()
    known: tuple[float, ...] = ()
    first: tuple[int, ...] = (1, 3, 10)

    def __post_init__(self) -> None:
        if self.rho is None:
            raise ParameterError("is missing: the budget of the histogram", parameter="rho")
        positive("rho", self.rho)
        if bool(self.noisy) != bool(self.known):
            raise ParameterError("`noisy` and `known` go together: the noisy counts, and the counts without the person")
        if self.noisy and self.categories is not None:
            raise ParameterError(
                "`categories` is for averages; with `noisy` the counts say how many categories there are"
            )
        if self.noisy:
            return
        if (self.categories is None) == (not self.prior):
            raise ParameterError("give either `categories` or `prior`")
        if self.categories is not None:
            whole("categories", self.categories, 2)
        if not self.first:
            raise ParameterError("needs at least one number, such as 1,3,10", parameter="first")
        object.__setattr__(self, "first", tuple(whole("first", rank, 1) for rank in self.first))


@dataclass(frozen=True, eq=False)
class Answer:
    """The posterior given noisy counts, or else averages."""

    question: Question
    found: CategoryPosterior | None
    expected: ExpectedCategories | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        if self.found is not None:
            ranking = self.found.ranking.tolist()
            return {"label": "publishable", "posterior": self.found.posterior.tolist(), "ranking": ranking}
        return {"label": "publishable"} | ({} if self.expected is None else asdict(self.expected))


def answer(question: Question) -> Answer:
    """The posterior over the categories, or averages over the noise."""
    if question.noisy:
        return Answer(question, categories(question.noisy, question.known, question.prior or None, question.rho), None)
    which = list(question.prior) if question.categories is None else question.categories
    return Answer(
        question, None, expected_categories(question.true_category, which, question.rho, first=question.first)
    )
