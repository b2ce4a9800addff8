"""Several releases of the same count, all seen by the attacker."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from epsilens.checks import positive, probability, whole
from epsilens.errors import ParameterError
from epsilens.posterior.combined import SequencePosterior, are_decided, expected_combined, sequence
from epsilens.posterior.noises import one_noise
from epsilens.posterior.single import ExpectedRisk


@dataclass(frozen=True)
class Question:
    """One budget per release, first one first, and perhaps what was published: one noisy count per release.

    ``absent`` says that the person is in truth not there.
    """

    rho: tuple[float, ...]
    noisy: tuple[float, ...] = ()
    known: int = 0
    prior: float = 0.5
    absent: bool = False

    def __post_init__(self) -> None:
        if not self.rho:
            raise ParameterError("is missing: one budget per release", parameter="rho")
        for budget in self.rho:
            positive("rho", budget)
        if self.noisy and len(self.noisy) != len(self.rho):
            raise ParameterError(
                f"must hold one count per release ({len(self.rho)})", parameter="noisy", got=len(self.noisy)
            )
        for count in self.noisy:
            whole("noisy", count)
        whole("known", self.known, 0)
        probability("prior", self.prior)


@dataclass(frozen=True)
class Answer:
    """The adversary's average belief after all releases, and the belief after each, if noisy counts are known."""

    question: Question
    expected: ExpectedRisk
    found: SequencePosterior | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        asked = self.question
        result = {
            "label": "publishable",
            "prior": asked.prior,
            "rho": list(asked.rho),
            "expected": asdict(self.expected),
        }
        if self.found is not None:
            result |= {"posteriors": list(self.found.posteriors), "ratios": list(self.found.ratios)}
            result["risk_ratio"] = self.found.risk_ratio
        return result


def answer(question: Question) -> Answer:
    """What the adversary concludes from all releases together."""
    noises = [one_noise(rho, None) for rho in question.rho]
    expected = expected_combined(noises, question.prior, not question.absent, decisions=are_decided(noises))
    found = sequence(question.noisy, question.known, question.rho, question.prior) if question.noisy else None
    return Answer(question, expected, found)
