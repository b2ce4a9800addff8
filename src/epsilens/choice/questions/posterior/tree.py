"""Every noisy count of a tree."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from epsilens.checks import positive, probability, whole
from epsilens.choice.questions.posterior.adversaries import told
from epsilens.errors import DataError, EpsilensError, SourceError
from epsilens.posterior.noises import countable, family_size
from epsilens.posterior.trees.leaf_laws import described_leaf_prior, leaf_prior_named
from epsilens.posterior.trees.leaf_priors import LeafPrior
from epsilens.posterior.trees.posterior import TreePosterior, tree


@dataclass(frozen=True)
class Question:
    """Noisy counts by level, lowest first (None where unpublished), and who adds up to whom.

    ``parents[l][i]`` is the position of the parent of group i of level l; ``rho`` holds one budget per level;
    ``target`` is the position of the person's group, ``known`` how many others are known there; ``leaf_prior`` is
    "poisson" or "negative-binomial", fitted to the noisy counts, or a law with its parameters, as a text
    ("poisson=0.027") or an object ({"law": "poisson", "mean": 0.027}); ``invariants[l]`` maps positions to counts that
    the attacker knows exactly. ``family`` is how many people share what is to be learnt, and are in the group together
    or not at all.
    """

    noisy: tuple[tuple[float, ...] | None, ...]
    parents: tuple[tuple[int, ...], ...]
    rho: tuple[float, ...]
    target: int = 0
    known: int = 0
    leaf_prior: str | Mapping[str, Any] = "poisson"
    invariants: tuple[Mapping[int, int], ...] = ()
    prior: float = 0.5
    family: int = 1

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
        countable("known", self.known, 0)
        family_size(self.family)
        leaf_prior_named(self.leaf_prior)
        probability("prior", self.prior)

    @property
    def law_of_leaves(self) -> str | LeafPrior:
        """The prior of the other leaves, or the name of the family that is to be fitted."""
        return leaf_prior_named(self.leaf_prior)

    @staticmethod
    def from_dict(
        specification: Mapping[str, Any],
        prior: float = 0.5,
        leaf_prior: str | None = None,
        family: int | None = None,
    ) -> Question:
        """The question that a JSON object asks: the fields of this class by name, except for the prior.

        ``leaf_prior`` and ``family`` take the place of the object's own.
        """
        allowed = {field.name: field.default is MISSING for field in fields(Question) if field.name != "prior"}
        needed = [name for name, is_needed in allowed.items() if is_needed]
        optional = [name for name in allowed if name not in needed]
        if not set(needed) <= set(specification) <= set(allowed):
            raise DataError(f"a tree is an object with {', '.join(needed)} and perhaps {', '.join(optional)}")
        instead = {"leaf_prior": leaf_prior, "family": family}
        given = {**specification, **{name: value for name, value in instead.items() if value is not None}}
        return Question(**given, prior=prior)


EXAMPLE: dict[str, Any] = {
    "noisy": [[2, 0, 1, -1, 0, 3], [4, 1], [4]],
    "parents": [[0, 0, 0, 1, 1, 1], [0, 0]],
    "rho": [0.1, 0.25, 0.05],
    "target": 0,
    "known": 0,
    "leaf_prior": "poisson",
    "invariants": [],
}
"""A small tree: six blocks in two block groups of one tract."""


def write_example(path: str | os.PathLike[str]) -> None:
    """Write the small tree to a file that is not there yet."""
    text = "{\n" + ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in EXAMPLE.items()) + "\n}\n"
    try:
        with Path(path).open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise SourceError(f"{os.fspath(path)!r} exists; choose another name") from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "it cannot be the name of a file"
        raise SourceError(f"cannot write {os.fspath(path)!r}: {reason}") from None


def _count(value: Any) -> float:
    """A noisy count; what was not published is nan."""
    return math.nan if value is None or (isinstance(value, float) and math.isnan(value)) else countable("noisy", value)


@dataclass(frozen=True)
class Answer:
    """The posterior from the whole tree, beside that from the group's own count."""

    question: Question
    found: TreePosterior

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        found = self.found
        assert found.leaf_prior is not None  # one for all leaves
        return {
            "label": "publishable",
            **told(self.question.family),
            **{name: value for name, value in vars(found).items() if name != "leaf_prior"},
            "alone": found.alone.posterior,
            "leaf_prior": described_leaf_prior(found.leaf_prior) | {"fitted": self.is_fitted},
        }

    @property
    def is_fitted(self) -> bool:
        """Whether the prior of the other leaves was fitted to their noisy counts."""
        return isinstance(self.question.law_of_leaves, str)


def answer(question: Question) -> Answer:
    """What the adversary concludes from the whole tree."""
    found = tree(
        question.noisy,
        question.parents,
        question.target,
        question.known,
        question.rho,
        question.prior,
        question.law_of_leaves,
        question.invariants,
        family=question.family,
    )
    return Answer(question, found)
