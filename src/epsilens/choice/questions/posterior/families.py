"""What a budget is worth for people who share what is to be learnt: a household, a school class."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from epsilens.accounting.groups import group_epsilon, noise_for_group, person_budget
from epsilens.budget import ZCDP, Budget, PureDP, delta_of, log_grid
from epsilens.checks import one_of, probability, whole
from epsilens.choice.questions.posterior.budgets import DEFAULT_MECHANISM, at_least_one, noise_of_count
from epsilens.errors import ParameterError, speaking_of
from epsilens.lazy import LaterModule
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.posterior.noises import family_size
from epsilens.posterior.odds import log_odds
from epsilens.posterior.single import expected_single_level

special = LaterModule("scipy.special")

DEFAULT_MEMBERS = (1, 2, 4, 30)
DEFAULT_PRIORS = (0.01, 0.1, 0.5)
DEFAULT_DELTA = 1e-10
"""Where a budget is a rho: the delta at which it is told as an epsilon."""
_LARGEST_LOG = 709.0
_POINTS = 25
_ENDS = (0.1, 10.0)  # of a chart, in budgets


@dataclass(frozen=True)
class Question:
    """A budget for one person, and how many ``members`` share what is to be learnt, each with their own row.

    The noise is that of ``rho``, or of ``mechanism`` at ``epsilon`` and ``delta``; ``delta`` beside ``rho`` says at
    which delta it is told as an epsilon. ``prior`` holds what adversaries believe beforehand.
    """

    members: tuple[int, ...] = DEFAULT_MEMBERS
    epsilon: float | None = None
    mechanism: str | None = None
    delta: float | None = None
    rho: float | None = None
    prior: tuple[float, ...] = DEFAULT_PRIORS

    def __post_init__(self) -> None:
        at_least_one("members", self.members)
        at_least_one("prior", self.prior)
        alone = "1 is a person who shares it with nobody"
        sizes = tuple(whole("members", members, 1, alone) for members in self.members)
        if len(set(sizes)) != len(sizes):
            raise ParameterError("names a number twice", parameter="members")
        with speaking_of(family="members"):
            for size in sizes:
                family_size(size)
        object.__setattr__(self, "members", sizes)
        for prior in self.prior:
            probability("prior", prior)
        if self.delta is not None:
            probability("delta", self.delta)
        noise_of_count(self.rho, self.mechanism, self.epsilon, None if self.rho is not None else self.delta)

    @property
    def named_mechanism(self) -> str:
        """The mechanism, also where it is the default."""
        if self.rho is not None:
            return "discrete-gaussian"
        return one_of("mechanism", self.mechanism or DEFAULT_MECHANISM, MECHANISMS)

    @property
    def budget(self) -> Budget:
        """That of one person."""
        if self.rho is not None:
            return ZCDP(self.rho)
        assert self.epsilon is not None
        return MECHANISMS[self.named_mechanism].budget(self.epsilon, self.delta)

    @property
    def told_at(self) -> float:
        """The delta at which guarantees are told; 0 where the noise needs none."""
        if self.rho is not None:
            return DEFAULT_DELTA if self.delta is None else self.delta
        return delta_of(self.budget) or 0.0


@dataclass(frozen=True)
class Guarantee:
    """What the noise keeps for so many people together.

    ``epsilon`` is the smallest that holds at ``delta``, ``odds_factor`` the most by which it lets the odds of an
    adversary grow, but for a probability of delta; ``posteriors`` where that takes each prior. ``right_guess`` is how
    often the best guess is right whether they are there, at even odds, and ``instead`` the budget of one person at
    which so many people have what one has now.
    """

    members: int
    epsilon: float
    delta: float
    rho: float | None
    odds_factor: float
    posteriors: tuple[float, ...]
    right_guess: float
    instead: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; a factor beyond any number is null."""
        plain = asdict(self)
        for name in ("epsilon", "odds_factor"):
            plain[name] = plain[name] if math.isfinite(plain[name]) else None
        return plain | {"posteriors": list(self.posteriors)}


@dataclass(frozen=True)
class Answer:
    """The guarantee for each number of people. It follows from the noise alone, so it may be published."""

    question: Question
    guarantees: tuple[Guarantee, ...]

    @property
    def person(self) -> Guarantee:
        """What one person has."""
        return guarantee(self.question, 1)

    def curve(self) -> list[dict[str, float]]:
        """The largest posterior against the budget, one row per number of people, prior and budget, for a chart."""
        asked = self.question
        name = "rho" if asked.rho is not None else "epsilon"
        middle = float(vars(asked.budget)[name])
        top = min(middle * _ENDS[1], 0.999 * MECHANISMS[asked.named_mechanism].below)
        rows = []
        for amount in log_grid(middle * _ENDS[0], max(top, middle), _POINTS):
            noise = _noise(asked, amount)
            for members in asked.members:
                epsilon = group_epsilon(noise, members, asked.told_at)
                rows += [
                    {"budget": amount, "members": members, "prior": p, "posterior": posterior_of(p, epsilon)}
                    for p in asked.prior
                ]
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        asked = self.question
        return {
            "label": "publishable",
            "mechanism": asked.named_mechanism,
            "budget": dict(vars(asked.budget)),
            "delta": asked.told_at,
            "prior": list(asked.prior),
            "rows": [one.to_dict() for one in self.guarantees],
        }


def answer(question: Question) -> Answer:
    """What the budget is worth for each number of people."""
    return Answer(question, tuple(guarantee(question, members) for members in question.members))


def guarantee(question: Question, members: int) -> Guarantee:
    """What the noise of a budget keeps for ``members`` people together."""
    budget, noise = question.budget, calibrate(question.named_mechanism, question.budget)
    epsilon = group_epsilon(noise, members, question.told_at)
    there, absent = (
        expected_single_level(noise=noise, present=present, family=members).correct_decision
        for present in (True, False)
    )
    return Guarantee(
        members,
        epsilon,
        question.told_at,
        members * members * budget.rho if isinstance(budget, ZCDP) else None,
        math.exp(epsilon) if epsilon < _LARGEST_LOG else math.inf,
        tuple(posterior_of(prior, epsilon) for prior in question.prior),
        0.5 * (there + absent),
        _instead(question, members),
    )


def posterior_of(prior: float, epsilon: float) -> float:
    """The largest posterior that odds can reach which grow by a factor of e^epsilon at most.

    p e^epsilon / (1 - p + p e^epsilon). Symbols: p is ``prior``.
    """
    return float(special.expit(log_odds(prior) + epsilon))


def _instead(question: Question, members: int) -> dict[str, float]:
    """The budget of a person at which so many people have what one person has now."""
    if isinstance(question.budget, PureDP | ZCDP):
        return {name: float(value) for name, value in vars(person_budget(question.budget, members)).items()}
    noise = noise_for_group(question.named_mechanism, question.budget, members)
    return {"epsilon": group_epsilon(noise, 1, question.told_at), "delta": question.told_at}


def _noise(question: Question, amount: float) -> Noise:
    """The noise of another budget of the same kind."""
    if question.rho is not None:
        return calibrate("discrete-gaussian", ZCDP(amount))
    mechanism = MECHANISMS[question.named_mechanism]
    return calibrate(mechanism.name, mechanism.budget(amount, question.delta))
