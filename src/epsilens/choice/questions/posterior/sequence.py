"""Several releases of the same count, all seen by the attacker."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from epsilens.checks import positive, probability, whole
from epsilens.choice.questions.posterior.adversaries import told
from epsilens.errors import ParameterError
from epsilens.posterior.combined import SequencePosterior, are_decided, expected_combined, sequence
from epsilens.posterior.noises import family_size, one_noise
from epsilens.posterior.single import ExpectedRisk


@dataclass(frozen=True)
class Question:
    """One budget per release, first one first, and perhaps what was published: one noisy count per release.

    ``absent`` says that the person is in truth not there; ``family`` how many people share what is to be learnt.
    """

    rho: tuple[float, ...]
    noisy: tuple[float, ...] = ()
    known: int = 0
    prior: float = 0.5
    absent: bool = False
    family: int = 1

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
        family_size(self.family)


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
            **told(asked.family),
        }
        if self.found is not None:
            result |= {"posteriors": list(self.found.posteriors), "ratios": list(self.found.ratios)}
            result["risk_ratio"] = self.found.risk_ratio
        return result


def answer(question: Question) -> Answer:
    """What the adversary concludes from all releases together."""
    noises = [one_noise(rho, None) for rho in question.rho]
    present, family = not question.absent, question.family
    expected = expected_combined(noises, question.prior, present, are_decided(noises), family)
    found = None
    if question.noisy:
        found = sequence(question.noisy, question.known, question.rho, question.prior, family=family)
    return Answer(question, expected, found)
