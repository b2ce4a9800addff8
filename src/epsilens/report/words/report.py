"""Sentences that only a report has: what the noise guarantees, what is assumed, what is not covered.

Everything here follows from what was declared (mechanisms, budgets, neighbours, roles of columns) and never from data,
so that it may stand on a page that is published.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from epsilens.budget import Budget
from epsilens.choice.questions.dial_guarantee import Guarantee, guarantee
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.noise.law import Noise
from epsilens.report.words.common import Block, Grid, Note, Text, budget_text, counted, frequency, joined, percent
from epsilens.report.words.dial_sentences import uncertain
from epsilens.utility.accuracy import half_width, standard_error

CONFIDENCE = 0.95

NoiseOf: TypeAlias = tuple[str, Budget, Noise]
"""A mechanism, its budget and the noise that they make."""

NEIGHBOURS = {
    "add-remove": "Protected is whether a person is in the data at all: neighbours differ in one person more or less.",
    "substitute": "Protected is what a person's record says: neighbours differ in one record; how many people there "
    "are is taken to be public.",
}

WHY_CELLS_ARE_SENSITIVE = (
    "Single cells can be single people. What is below names groups with their true counts; whoever reads it learns "
    "what the noise is there to hide. Open it only if your task needs it, and do not copy it elsewhere."
)

NOT_COVERED = (
    "What the table teaches about everybody. That smoking goes with a disease is learnt of people who are not in the "
    "data as well, and no noise hides it.",
    "People who belong together. The guarantee is for one person; what is learnt of a household or a class, whose "
    "members are alike, can be more.",
    "Other releases from the same data. Budgets add up; a ledger keeps them, this page does not.",
    "Other attacks than those computed here. The guarantee of the noise holds against all of them, the numbers about "
    "this table against one.",
    "An attacker whose background knowledge is wrong or incomplete: numbers about this table take it to be exact, "
    "which is the worse case for most people, not for all.",
    "Errors in the data themselves, people who were not counted, sampling error.",
    "Whoever can see the true data, the machine, or how long it took.",
)
"""What no number of a report says anything about, whatever was asked."""


def assumptions(neighbours: str, rows_per_person: int = 1, known: Sequence[str] = ()) -> list[str]:
    """What the numbers rest on, one line each."""
    person = (
        "Each person has one row."
        if rows_per_person == 1
        else f"Each person has at most {counted(rows_per_person, 'row')}, and the noise is for all of them together."
    )
    attacker = (
        [f"The attacker knows {joined(list(known))} of a person exactly, and that the person is in the data."]
        if known
        else []
    )
    return [
        NEIGHBOURS[neighbours],
        person,
        *attacker,
        "Noise is drawn anew and independently for every count, and the attacker knows its law and its size.",
        "Published counts are rounded to whole numbers; a count below 1 shows nobody.",
        "Risks are exact sums over the law of the noise, not simulations, unless they say so.",
    ]


def guarantee_blocks(
    noises: Sequence[NoiseOf], neighbours: str, rows_per_person: int = 1, shares: Sequence[float] = (1.0,)
) -> list[Block]:
    """What each noise guarantees whoever is in the data, whatever else the attacker knows. It needs no data.

    ``shares`` of the budget are those of tables that are published apart, each with noise of its own: the attacker sees
    all of them. They need not add up to 1.
    """
    if not noises:
        return [Text("No noise was asked about.")]
    rows = []
    for mechanism, budget, noise in noises:
        found = _guarantee(mechanism, budget, noise, neighbours, rows_per_person, shares)
        shown = (
            frequency(uncertain(found.right)),
            frequency(uncertain(found.wrong)),
            percent(uncertain(found.belief(0.5))),
        )
        rows.append((mechanism, budget_text(budget), *shown))
    headings = (
        "mechanism",
        "budget",
        "believed,\nif it is so",
        "believed,\nif it is not",
        "a belief of 50 %\nbecomes at most",
    )
    whether = "whether one person is there" if neighbours == "add-remove" else "which of two records one person has"
    tables = "tables" if len(shares) == 1 else f"sets of {len(shares)} tables"
    return [
        Text(
            f"Somebody who knows everything else in the data wants to know {whether}. Of all {tables} that might be "
            "published, so many would make them believe it:"
        ),
        Grid("Guarantee, whatever the data are", headings, rows, words=2),
        Note("Smaller budgets guarantee more. Nothing in this table depends on the data."),
    ]


def _guarantee(
    mechanism: str, budget: Budget, noise: Noise, neighbours: str, rows: int, shares: Sequence[float]
) -> Guarantee:
    parts = vars(budget)
    rho = "rho" in parts
    value = parts["rho"] if rho else parts["epsilon"]
    noises, delta = [noise] * len(shares), parts.get("delta")
    return guarantee(mechanism, value, noises, neighbours, delta=delta, rho=rho, shares=shares, rows=rows)


def cost_blocks(noises: Sequence[NoiseOf]) -> list[Block]:
    """How far counts are off. It needs no data."""
    rows = [
        (
            mechanism,
            budget_text(budget),
            f"{expected_absolute_error(noise):.3g}",
            f"{standard_error(noise, rounded=True):.3g}",
            f"± {half_width(noise, CONFIDENCE, rounded=True):.4g}",
        )
        for mechanism, budget, noise in noises
    ]
    if not rows:
        return []
    _, budget, noise = min(noises, key=lambda one: abs(vars(one[1]).get("epsilon", 1.0) - 1.0))
    off = half_width(noise, CONFIDENCE, rounded=True)
    headings = ("mechanism", "budget", "off by,\non average", "standard\nerror", "noise interval,\n95 %")
    return [
        Text(
            f"At {budget_text(budget)}, a count is published at most {off:.4g} above or below the truth 19 times out "
            f"of 20: one of 100 people between {max(0.0, 100 - off):.4g} and {100 + off:.4g}."
        ),
        Grid("Error of one count, in people", headings, rows, words=2),
        Note(
            "Noise interval: for one count at a time, before counts below 0 are raised to 0. It is about the noise "
            "alone, and leaves out sampling error."
        ),
    ]
