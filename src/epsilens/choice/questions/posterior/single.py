"""One noisy count: the posterior given it, or its average over the noise; for one adversary or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from epsilens.checks import probability, whole
from epsilens.choice.questions.posterior.adversaries import checked_families, told
from epsilens.choice.questions.posterior.budgets import at_least_one, noise_of_count
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.noise.published import CountNoise
from epsilens.posterior.noises import family_size
from epsilens.posterior.scenarios import AttackScenario, scenario
from epsilens.posterior.single import (
    ExpectedRisk,
    NoisyCountTable,
    PosteriorProbability,
    beyond_known,
    expected_single_level,
    noisy_count_table,
    single_level,
)

_MOST_DRAWN = 500  # noisy counts on either side of a chart
_MOST_IN_CHART = 100  # members of a family, in reaches of the noise


@dataclass(frozen=True)
class Question:
    """One count of ``known`` people and perhaps one more, published with noise; ``noisy`` is None for averages.

    ``noisy`` and ``prior`` may be several: then every noisy count is read by every adversary. ``absent`` says that the
    person is in truth not there. ``family`` is how many people share what is to be learnt, so that they are there
    together or not at all; it may be several where there is one prior.
    """

    noisy: float | Sequence[float] | None = None
    known: int = 0
    rho: float | None = None
    mechanism: str | None = None
    epsilon: float | None = None
    delta: float | None = None
    prior: float | Sequence[float] = 0.5
    scenario: str = "characteristics"
    absent: bool = False
    family: int | Sequence[int] = 1

    def __post_init__(self) -> None:
        for count in self.noisy_given:
            whole("noisy", count)
        at_least_one("prior", self.priors)
        for prior in self.priors:
            probability("prior", prior)
        whole("known", self.known, 0)
        checked_families(self.families, self.priors)
        scenario(self.scenario)
        noise_of_count(self.rho, self.mechanism, self.epsilon, self.delta)

    @property
    def noisy_given(self) -> tuple[float, ...]:
        """The noisy counts, none for averages."""
        if self.noisy is None:
            return ()
        return tuple(self.noisy) if isinstance(self.noisy, Sequence) else (self.noisy,)

    @property
    def priors(self) -> tuple[float, ...]:
        """One per adversary."""
        return tuple(self.prior) if isinstance(self.prior, Sequence) else (self.prior,)

    @property
    def families(self) -> tuple[int, ...]:
        """How many people share what is to be learnt; several to compare."""
        return tuple(self.family) if isinstance(self.family, Sequence) else (self.family,)

    @property
    def adversaries(self) -> tuple[tuple[float, int], ...]:
        """Their priors, each with the size of the family that they are after."""
        return tuple((prior, family_size(family)) for family in self.families for prior in self.priors)

    @property
    def noise(self) -> Noise:
        """The law of the count's noise."""
        return noise_of_count(self.rho, self.mechanism, self.epsilon, self.delta)

    @property
    def budget_words(self) -> str:
        """The budget, for the title of a chart."""
        given = {"rho": self.rho, "epsilon": self.epsilon, "delta": self.delta}
        return ", ".join(f"{name} = {value:g}" for name, value in given.items() if value is not None)

    def noisy_counts(self, prior: float | None = None, family: int | None = None) -> NoisyCountTable:
        """What every noisy count would tell an adversary (the first one) that is at all likely, for a chart."""
        reach = int(np.ceil(4 * np.sqrt(self.noise.variance))) + 1
        most = max(members for _, members in self.adversaries)
        if most > _MOST_IN_CHART * reach:
            raise ParameterError("is too many people for a chart of this noise", parameter="family", got=most)
        counts = np.arange(self.known + 1 - reach, self.known + most + 1 + reach, max(1, reach // _MOST_DRAWN))
        (first, members), present = self.adversaries[0], not self.absent
        chosen = first if prior is None else prior
        shared = members if family is None else family
        return noisy_count_table(counts, self.known, noise=self.noise, prior=chosen, present=present, family=shared)


@dataclass(frozen=True)
class Reading:
    """What one adversary concludes from one noisy count, and how often that count is published under the truth."""

    noisy: float
    probability: float
    found: PosteriorProbability
    family: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "prior": self.found.prior,
            "noisy": self.noisy,
            "probability": self.probability,
            "posterior": self.found.posterior,
            "risk_ratio": self.found.risk_ratio,
            "decides_present": self.found.decides_present,
            **told(self.family),
        }


@dataclass(frozen=True)
class Answer:
    """The adversaries' average beliefs, and their beliefs given the noisy counts, if there are any.

    ``averages`` has one entry for every adversary of the question, ``readings`` the noisy counts one after the other,
    for each of them all adversaries.
    """

    question: Question
    scenario: AttackScenario
    averages: tuple[ExpectedRisk, ...]
    readings: tuple[Reading, ...]

    @property
    def expected(self) -> ExpectedRisk:
        """The average belief of the first adversary."""
        return self.averages[0]

    @property
    def is_one(self) -> bool:
        """Whether there are one adversary and one noisy count at most."""
        return len(self.averages) == 1 and len(self.readings) <= 1

    @property
    def found(self) -> PosteriorProbability | None:
        """The belief given the noisy count, where there is one of each."""
        return self.readings[0].found if self.is_one and self.readings else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        asked = self.question
        result: dict[str, Any] = {"label": "publishable", "scenario": asdict(self.scenario)}
        if len(self.averages) == 1:
            result |= {"prior": asked.priors[0], "expected": asdict(self.expected)} | told(asked.families[0])
        else:
            pairs = zip(self.averages, asked.adversaries, strict=True)
            result |= {"averages": [asdict(average) | told(members) for average, (_, members) in pairs]}
        if self.found is not None:
            result |= {"noisy": asked.noisy_given[0], "known": asked.known}
            result |= {"posterior": self.found.posterior, "risk_ratio": self.found.risk_ratio}
        if self.readings:
            result |= {"known": asked.known, "rows": [reading.to_dict() for reading in self.readings]}
        return result


def answer(question: Question) -> Answer:
    """What the adversaries conclude."""
    noise, present = question.noise, not question.absent
    averages = tuple(
        expected_single_level(noise=noise, prior=p, present=present, family=members)
        for p, members in question.adversaries
    )
    readings = []
    for noisy in question.noisy_given:
        for p, members in question.adversaries:
            beyond = beyond_known(noisy, question.known) - (float(members) if present else 0.0)
            with np.errstate(over="ignore"):  # a noisy count so far off that it never occurs
                likelihood = float(np.exp(CountNoise(noise).logpmf(beyond)))
            found = single_level(noisy, question.known, noise=noise, prior=p, family=members)
            readings.append(Reading(noisy, likelihood, found, members))
    return Answer(question, scenario(question.scenario), averages, tuple(readings))
