"""Differential privacy protects persons, not families: what a budget is worth for several people, with its number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from epsilens.accounting.groups import group_epsilon
from epsilens.budget import Budget, delta_of
from epsilens.noise import Noise
from epsilens.report.words.common import BLANK, Block, Grid, Note, Text, budget_text, finer_percent, number, percent
from epsilens.report.words.posterior_numbers import chance, plain, prior_text

if TYPE_CHECKING:
    from epsilens.choice.questions.posterior import families

HOUSEHOLD = 4
"""How many people a household is taken to be, where nothing else is said."""
_EVEN = 0.5


def family_sentence(budget: Budget, noise: Noise, members: int = HOUSEHOLD, delta: float | None = None) -> str:
    """What ``budget``, kept by ``noise``, is worth for ``members`` people who share what is to be learnt.

    ``delta`` is that at which it is told, by default the budget's own.
    """
    at = delta if delta is not None else (delta_of(budget) or 0.0)
    return _sentence(budget_text(budget), group_epsilon(noise, 1, at), group_epsilon(noise, members, at), members, at)


def _sentence(budget: str, alone: float, together: float, members: int, delta: float) -> str:
    from epsilens.choice.questions.posterior.families import posterior_of

    before, after = finer_percent(posterior_of(_EVEN, alone), posterior_of(_EVEN, together))
    but = f", a delta of {delta:g} aside" if delta else ""
    return (
        f"Differential privacy protects persons, not families. At {budget} an attacker's even chance can become "
        f"{before} about one person, and {after} about {number(members)} people who share what is to be "
        f"learnt{but}: for them the guarantee is an epsilon of {together:.4g}."
    )


def family_blocks(answer: families.Answer) -> list[str | Block]:
    """What the budget is worth for each number of people, in a table and a sentence."""
    asked, person = answer.question, answer.person
    rho = asked.rho is not None
    key = next(iter(person.instead))
    rows = [
        (
            number(one.members),
            *((plain(float(f"{one.rho:.4g}")),) if one.rho is not None else ()),
            f"{one.epsilon:.4g}",
            _factor(one.odds_factor),
            *(_posterior(posterior) for posterior in one.posteriors),
            chance(one.right_guess),
            f"{one.instead[key]:.4g}",
        )
        for one in answer.guarantees
    ]
    headings = (
        "people",
        *(("rho",) if rho else ()),
        "epsilon",
        "odds at\nmost times",
        *(f"{_share(prior)} can\nbecome" for prior in asked.prior),
        "guess is\nright",
        f"{key} to\ntake instead",
    )
    at = f", at delta {asked.told_at:g}" if asked.told_at else ""
    budget = budget_text(asked.budget)
    title = f"What {budget} with {asked.named_mechanism} noise is worth for several people{at if rho else ''}"
    notes = [
        Note("people: how many share what is to be learnt, are in one cell, and are there together or not at all."),
        Note(
            "epsilon: the smallest that the noise keeps for all of them together"
            + (f" at a delta of {asked.told_at:g}." if asked.told_at else ".")
        ),
        Note(
            "can become: the largest probability that the guarantee leaves to an attacker with that prior"
            + (", delta aside." if asked.told_at else ".")
        ),
        Note("guess is right: how often the best guess is right whether they are there, exactly, at even odds."),
        Note(f"to take instead: the {key} of a person with which so many people have what one person has now."),
    ]
    blocks: list[str | Block] = [Grid(title, headings, rows), *notes]
    several = [one for one in answer.guarantees if one.members > 1]
    if not several:
        return blocks
    largest = next((one for one in several if one.members == HOUSEHOLD), several[-1])
    said = _sentence(budget, person.epsilon, largest.epsilon, largest.members, asked.told_at)
    return [*blocks, BLANK, Text(said)]


def _factor(factor: float) -> str:
    return "> 1e308" if math.isinf(factor) else f"{factor:.3g}" if factor >= 1e6 else f"{factor:,.4g}"


def _share(prior: float) -> str:
    text = f"{100 * prior:.4g}"
    return f"{text} %" if float(text) == 100 * prior or prior >= 0.001 else prior_text(prior)


def _posterior(posterior: float) -> str:
    return percent(posterior)
