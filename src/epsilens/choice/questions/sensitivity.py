"""How far can a statistic move when one person does?"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from epsilens.errors import ParameterError
from epsilens.sensitivity import catalogue
from epsilens.sensitivity.catalogue import Description
from epsilens.sensitivity.checker import Verification, verify


@dataclass(frozen=True)
class Question:
    """A statistic by name, the neighbours, and the arguments of its formula (those that are None are not given).

    ``published`` asks for the printed value as well, ``verified`` for an exhaustive search over small data sets.
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
        if self.published:
            catalogue.named(self.statistic, published=True)


@dataclass(frozen=True)
class Answer:
    """A sensitivity with its formula and source, the printed value and the outcome of a search, if asked for."""

    question: Question
    description: Description
    published: float | None
    verification: Verification | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        result = {"label": "publishable", **asdict(self.description)}
        if self.published is not None:
            result["published"] = self.published
        if self.verification is not None:
            result["verification"] = asdict(self.verification)
        return result


def answer(question: Question) -> Answer:
    """The sensitivity and what it rests on."""
    return Answer(
        question,
        catalogue.describe(question.statistic, question.neighbours, **question.arguments),
        _in_print(question) if question.published else None,
        verify(question.statistic, question.neighbours, **question.arguments) if question.verified else None,
    )


def _in_print(question: Question) -> float:
    """The printed value, which knows fewer arguments than ours."""
    printed = catalogue.named(question.statistic, published=True)
    known = inspect.signature(printed).parameters
    shared = {name: value for name, value in question.arguments.items() if name in known}
    return catalogue.evaluated(printed, question.neighbours, shared)
