"""Four attacks, one computation: what the adversary wants to know decides only what the prior means."""

from __future__ import annotations

from dataclasses import dataclass

from epsilens.checks import one_of, probability
from epsilens.notebook import brief, facts_html

FIVE_PRIORS = (1 / 2, 1 / 5, 1 / 10, 1 / 50, 1 / 864)
"""Five adversaries, from a coin to one of the 864 sets of characteristics that the census of 1940 tells apart.

Source: P4 section 4.2.
"""


@dataclass(frozen=True)
class AttackScenario:
    """An attack on one person: the question, what the adversary knows, and what the prior is a probability of."""

    name: str
    question: str
    adversary_knows: str
    prior_means: str

    __repr__ = brief
    _repr_html_ = facts_html

    def in_words(self, prior: float) -> str:
        """One sentence about the prior, for reports."""
        chance = probability("prior", prior)
        figures = 3 if float(f"{chance:.3g}") not in (0.0, 1.0) else 16  # what is not certain does not read as certain
        return f"Before the release the adversary gives {chance:.{figures}g} to this: {self.prior_means}."


SCENARIOS: dict[str, AttackScenario] = {
    scenario.name: scenario
    for scenario in (
        AttackScenario(
            "characteristics",
            "Does this person have these characteristics?",
            "every record of the group but this person's",
            "the person has exactly these characteristics",
        ),
        AttackScenario(
            "participation",
            "Did this person answer the census at all?",
            "the characteristics of everybody in the group, this person included, and that all others answered",
            "the person answered",
        ),
        AttackScenario(
            "misreporting",
            "Did this person report their true characteristics?",
            "the characteristics of everybody in the group, and that all others reported theirs correctly",
            "the person reported the truth",
        ),
        AttackScenario(
            "unknown-variable",
            "Which value does one variable of this person's record have?",
            "every record of the group, except one variable of this person",
            "that variable has its true value",
        ),
    )
}


def scenario(name: str = "characteristics") -> AttackScenario:
    """The attack of that name; all of them give the same numbers as "characteristics" at the same prior.

    P(X_1 = x_{1,-t} + 1) = p, with p the probability of the scenario's ``prior_means``.

    Source: P4 section S1.2.
    Assumes that everybody but the target is counted in the group as the adversary knows them.
    """
    return SCENARIOS[one_of("scenario", name, SCENARIOS)]
