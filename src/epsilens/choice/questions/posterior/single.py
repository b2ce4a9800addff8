"""One noisy count: the posterior given it, or its average over the noise."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from epsilens.checks import probability, whole
from epsilens.choice.questions.posterior.budgets import noise_of_count
from epsilens.noise import Noise
from epsilens.posterior.scenarios import AttackScenario, scenario
from epsilens.posterior.single import (
    ExpectedRisk,
    NoisyCountTable,
    PosteriorProbability,
    expected_single_level,
    noisy_count_table,
    single_level,
)

_MOST_DRAWN = 500  # noisy counts on either side of a chart


@dataclass(frozen=True)
class Question:
    """One count of ``known`` people and perhaps one more, published with noise; ``noisy`` is None for averages."""

    noisy: float | None = None
    known: int = 0
    rho: float | None = None
    mechanism: str | None = None
    epsilon: float | None = None
    delta: float | None = None
    prior: float = 0.5
    scenario: str = "characteristics"

    def __post_init__(self) -> None:
        if self.noisy is not None:
            whole("noisy", self.noisy)
        whole("known", self.known, 0)
        probability("prior", self.prior)
        scenario(self.scenario)
        noise_of_count(self.rho, self.mechanism, self.epsilon, self.delta)

    @property
    def noise(self) -> Noise:
        """The law of the count's noise."""
        return noise_of_count(self.rho, self.mechanism, self.epsilon, self.delta)

    def noisy_counts(self) -> NoisyCountTable:
        """What every noisy count would tell that is at all likely, for a chart."""
        reach = int(np.ceil(4 * np.sqrt(self.noise.variance))) + 1
        counts = np.arange(self.known + 1 - reach, self.known + 2 + reach, max(1, reach // _MOST_DRAWN))
        return noisy_count_table(counts, self.known, noise=self.noise, prior=self.prior)


@dataclass(frozen=True)
class Answer:
    """The adversary's average belief, and the belief given the noisy count, if there is one."""

    question: Question
    scenario: AttackScenario
    expected: ExpectedRisk
    found: PosteriorProbability | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        asked = self.question
        result = {
            "label": "publishable",
            "scenario": asdict(self.scenario),
            "prior": asked.prior,
            "expected": asdict(self.expected),
        }
        if self.found is not None:
            result |= {"noisy": asked.noisy, "known": asked.known}
            result |= {"posterior": self.found.posterior, "risk_ratio": self.found.risk_ratio}
        return result


def answer(question: Question) -> Answer:
    """What the adversary concludes."""
    expected = expected_single_level(noise=question.noise, prior=question.prior)
    found = None
    if question.noisy is not None:
        found = single_level(question.noisy, question.known, noise=question.noise, prior=question.prior)
    return Answer(question, scenario(question.scenario), expected, found)
