"""Every noisy count of a tree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any

from epsilens.checks import one_of, positive, probability, whole
from epsilens.errors import DataError, EpsilensError
from epsilens.posterior.trees.leaf_priors import LEAF_FAMILIES
from epsilens.posterior.trees.posterior import TreePosterior, tree


@dataclass(frozen=True)
class Question:
    """Noisy counts by level, lowest first (None where unpublished), and who adds up to whom.

    ``parents[l][i]`` is the position of the parent of group i of level l; ``rho`` holds one budget per level;
    ``target`` is the position of the person's group, ``known`` how many others are known there; ``leaf_prior`` is
    "poisson" or "negative-binomial"; ``invariants[l]`` maps positions to counts that the attacker knows exactly.
    """

    noisy: tuple[tuple[float, ...] | None, ...]
    parents: tuple[tuple[int, ...], ...]
    rho: tuple[float, ...]
    target: int = 0
    known: int = 0
    leaf_prior: str = "poisson"
    invariants: tuple[Mapping[int, int], ...] = ()
    prior: float = 0.5

    def __post_init__(self) -> None:
        try:
            plain: dict[str, Any] = {
                "noisy": tuple(None if level is None else tuple(map(_count, level)) for level in self.noisy),
                "parents": tuple(tuple(whole("parents", place, 0) for place in level) for level in self.parents),
                "rho": tuple(positive("rho", budget) for budget in self.rho),
                "invariants": tuple(
                    {int(place): whole("invariants", count, 0) for place, count in level.items()}
                    for level in self.invariants
                ),
            }
        except EpsilensError:
            raise
        except (AttributeError, TypeError, ValueError):
            raise DataError("a tree holds something that is not a number where a number is due") from None
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        whole("target", self.target, 0)
        whole("known", self.known, 0)
        one_of("leaf_prior", self.leaf_prior, LEAF_FAMILIES)
        probability("prior", self.prior)

    @staticmethod
    def from_dict(specification: Mapping[str, Any], prior: float = 0.5) -> Question:
        """The question that a JSON object asks: the fields of this class by name, except for the prior."""
        allowed = {field.name: field.default is MISSING for field in fields(Question) if field.name != "prior"}
        needed = [name for name, is_needed in allowed.items() if is_needed]
        optional = [name for name in allowed if name not in needed]
        if not set(needed) <= set(specification) <= set(allowed):
            raise DataError(f"a tree is an object with {', '.join(needed)} and perhaps {', '.join(optional)}")
        return Question(**specification, prior=prior)


def _count(value: Any) -> float:
    """A noisy count; what was not published is nan."""
    return math.nan if value is None or (isinstance(value, float) and math.isnan(value)) else whole("noisy", value)


@dataclass(frozen=True)
class Answer:
    """The posterior from the whole tree, beside that from the group's own count."""

    question: Question
    found: TreePosterior

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"label": "publishable", **asdict(self.found), "alone": self.found.alone.posterior}


def answer(question: Question) -> Answer:
    """What the adversary concludes from the whole tree."""
    found = tree(
        question.noisy,
        question.parents,
        question.target,
        question.known,
        question.rho,
        question.prior,
        question.leaf_prior,
        question.invariants,
    )
    return Answer(question, found)
