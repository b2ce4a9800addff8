"""How far can a statistic move when one person does?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from epsilens.errors import ParameterError
from epsilens.sensitivity import catalogue
from epsilens.sensitivity.catalogue import Description
from epsilens.sensitivity.checker import Verification, verify
from epsilens.sensitivity.printed import Printed, in_print, largest_in_print, range_of


@dataclass(frozen=True)
class Question:
    """A statistic by name, the neighbours, and the arguments of its formula (those that are None are not given).

    ``published`` asks for the printed value as well, ``verified`` for an exhaustive search over small data sets. Both
    are answered for every statistic: where print has no formula, or the search would be too long, the answer says so.
    """

    statistic: str
    neighbours: str = "add-remove"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    published: bool = False
    verified: bool = False

    def __post_init__(self) -> None:
        given = {name: value for name, value in self.arguments.items() if value is not None}
        object.__setattr__(self, "arguments", given)
        catalogue.evaluated(catalogue.named(self.statistic), self.neighbours, given)
        if given.get("may_change_group") and self.neighbours == "add-remove":
            raise ParameterError(
                "is about a replaced record, and under add-remove nobody is replaced",
                parameter="may_change_group",
                remedy="say `neighbours=substitute`, or leave it out",
            )


@dataclass(frozen=True)
class Answer:
    """A sensitivity with its formula and source, the range of the statistic, and what was asked for beside them."""

    question: Question
    description: Description
    range: tuple[float, float] | None
    """Between which values the statistic itself lies."""
    printed: Printed | None = None
    largest_in_print: float | None = None
    """The largest value that print gives a variance or covariance."""
    verification: Verification | None = None
    not_searched: str | None = None
    """Why there was no search, where one was asked for."""

    @property
    def published(self) -> float | None:
        """The printed value, where it was asked for and print has one."""
        return None if self.printed is None else self.printed.value

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        result: dict[str, Any] = {"label": "publishable", **asdict(self.description)}
        result["range"] = None if self.range is None else list(self.range)
        if self.printed is not None:
            result["published"], result["published_note"] = self.printed.value, self.printed.note
            result["published_largest"] = self.largest_in_print
        if self.verification is not None:
            result["verification"] = asdict(self.verification)
        if self.not_searched is not None:
            result["verification"], result["not_searched"] = None, self.not_searched
        return result


def answer(question: Question) -> Answer:
    """The sensitivity and what it rests on."""
    statistic, neighbours, given = question.statistic, question.neighbours, question.arguments
    found, why = _searched(question) if question.verified else (None, None)
    return Answer(
        question,
        catalogue.describe(statistic, neighbours, **given),
        range_of(statistic, given),
        in_print(statistic, neighbours, given) if question.published else None,
        largest_in_print(statistic, given) if question.published else None,
        found,
        why,
    )


def _searched(question: Question) -> tuple[Verification | None, str | None]:
    """What a search found, or why there is none."""
    try:
        return verify(question.statistic, question.neighbours, **question.arguments), None
    except ParameterError as problem:  # the arguments are sound, so the search is too long
        return None, str(problem)
